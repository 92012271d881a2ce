import type { Problem } from "./problem";

/** Refusals of self-managed spokes, and of what would be lost in silence. */
export const fleetSpokeMessages = {
  "spoke-audience-foreign": (audience: string, owner: string): Problem => ({
    problem: `the audience is that of ${owner}, where whoever runs the spoke could use the hub's token`,
    value: audience,
    allowed: "an audience of the spoke's own, for example the URL of its API server",
    remedy: "give the spoke an audience that nobody else takes",
  }),
  "spoke-audience-twice": (audience: string, first: string, second: string): Problem => ({
    problem: `spokes ${first} and ${second} take one audience, so that each could use the other one's token`,
    value: audience,
    allowed: "one audience per spoke",
    remedy: "give each spoke an audience of its own, for example the URL of its API server",
  }),
  "spoke-authentication-empty": (spoke: string): Problem => ({
    problem: "nobody would be trusted by the spoke",
    value: spoke,
    allowed: "at least one service account of the hub",
    remedy: "name the service accounts that open connections",
  }),
  "spoke-authentication-prefix": (value: unknown): Problem => ({
    problem: "prefix of the hub's user names could be mistaken for the spoke's own users",
    value,
    allowed: "1 to 63 of a-z, 0-9, - and ., and a colon at its end; not system:",
    remedy: "use the name of the hub, for example prod-hub:",
  }),
  "spoke-authentication-invalid": (spoke: string, reason: string): Problem => ({
    problem: `kube-apiserver of spoke ${spoke} would not start: ${reason}`,
    allowed: "entries of `jwt` as kube-apiserver takes them, each issuer and each discovery URL once",
    remedy: "correct the entry; the hub's own entry is written by this library and must not be given again",
  }),
  "spoke-authentication-ca": (spoke: string, reason: string): Problem => ({
    problem: `certificate authority of the issuer, for spoke ${spoke}, ${reason}`,
    allowed: "one or several PEM blocks CERTIFICATE, as text and not in base64",
    remedy: "give the file of the CA that signs the certificate of the issuer's web server",
  }),
  "spoke-authentication-mode": (spoke: string, value: string): Problem => ({
    problem: `EKS cluster ${spoke} takes no access entries`,
    value,
    allowed: "API, API_AND_CONFIG_MAP",
    remedy: "set access_config.authentication_mode of the cluster",
  }),
};
