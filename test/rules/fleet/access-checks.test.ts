import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import { profileReaderIssues, statusWriterIssues } from "../../../lib/rules/fleet/access-checks";
import { authenticationConfiguration, spokeUserNames } from "../../../lib/rules/fleet/authentication";
import { controllerPatch } from "../../../lib/rules/fleet/controller-patch";
import { assertOwnAudiences, spokeTokens } from "../../../lib/rules/fleet/spoke-tokens";
import { readRbac } from "../../../lib/rules/rbac/evaluate";
import { CA, LATE } from "../../fixtures/fleet/spokes";
import { refusedBy, refusal } from "../../support/refusal";

const KUBEADM = "https://kubernetes.default.svc.cluster.local";

const PEM = Buffer.from(CA, "base64").toString("latin1");

const subject = Subject.of("fleet/controller");

describe("RBAC of the hub", () => {
  const policy = (rule: object): ReturnType<typeof readRbac> =>
    readRbac([
      {
        kind: "Role",
        metadata: { namespace: "inv", name: "r" },
        rules: [{ apiGroups: ["multicluster.x-k8s.io"], ...rule }],
      },
      {
        kind: "RoleBinding",
        metadata: { namespace: "inv", name: "r" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
        subjects: [{ kind: "ServiceAccount", namespace: "fleet", name: "controller" }],
      },
    ]);

  it("lists the verbs that a reader lacks", () => {
    const rules = policy({ resources: ["clusterprofiles"], verbs: ["get", "list"] });
    expect(profileReaderIssues(rules, subject, "inv").map(({ problem }) => problem)).toEqual([
      "fleet/controller lacks a right on ClusterProfiles: it may not watch clusterprofiles",
    ]);
    expect(profileReaderIssues(rules, subject, "other")).toEqual(
      Array(3).fill(refusal("fleet-missing: may not")),
    );
  });

  it("holds a writer to its profile", () => {
    const rules = policy({
      resources: ["clusterprofiles/status"],
      verbs: ["get", "patch"],
      resourceNames: ["a"],
    });
    expect(statusWriterIssues(rules, subject, { namespace: "inv", name: "a" })).toEqual([]);
    expect(
      statusWriterIssues(rules, subject, { namespace: "inv", name: "b" }).map(({ problem }) => problem),
    ).toEqual([
      "fleet/controller lacks a right on ClusterProfiles: it may not get clusterprofiles/status",
      "fleet/controller lacks a right on ClusterProfiles: it may not patch clusterprofiles/status",
    ]);
  });
});

describe("authenticationConfiguration", () => {
  const props = {
    hub: "prod-hub",
    spoke: "spoke-k",
    apiServer: "1.34",
    issuer: "https://hub.example",
    audience: "spoke-k",
    serviceAccounts: ["fleet/controller"],
  };

  it("pins issuer, audience and every subject", () => {
    expect(
      authenticationConfiguration({ ...props, serviceAccounts: ["fleet/b", "fleet/a", "fleet/b"] }),
    ).toEqual({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: { url: "https://hub.example", audiences: ["spoke-k"] },
          claimMappings: { username: { claim: "sub", prefix: "prod-hub:" } },
          userValidationRules: [
            {
              expression:
                "user.username in ['prod-hub:system:serviceaccount:fleet:a', 'prod-hub:system:serviceaccount:fleet:b']",
              message: "only the named controllers of the hub may sign in",
            },
          ],
        },
      ],
    });
  });

  // KEP-3331: v1beta1 from 1.30, v1 from 1.34.
  it.each([
    ["1.30", "v1beta1"],
    ["1.33.4", "v1beta1"],
    ["1.34", "v1"],
  ])("%s reads %s", (apiServer, version) => {
    expect(authenticationConfiguration({ ...props, apiServer })["apiVersion"]).toBe(
      `apiserver.config.k8s.io/${version}`,
    );
  });

  it("passes a late issuer, and keeps the spoke's own entries", () => {
    const own = {
      issuer: { url: "https://people.example", audiences: ["kubectl"] },
      claimMappings: { username: { claim: "email", prefix: "" } },
    };
    const document = authenticationConfiguration({ ...props, issuer: LATE, additionalAuthenticators: [own] });
    expect(document["jwt"]).toMatchObject([{ issuer: { url: LATE } }, own]);
  });

  it("calls equal service accounts of two hubs differently", () => {
    const [a, b] = ["hub-a", "hub-b"].map((hub) => spokeUserNames(props.serviceAccounts, { hub }));
    expect([a, b]).toEqual([
      ["hub-a:system:serviceaccount:fleet:controller"],
      ["hub-b:system:serviceaccount:fleet:controller"],
    ]);
  });

  it("has the certificates of the issuer's web server as they are", () => {
    const document = authenticationConfiguration({ ...props, certificateAuthority: PEM });
    expect(document["jwt"]).toMatchObject([{ issuer: { certificateAuthority: PEM } }]);
  });

  it("takes an audience that only looks like another one's", () => {
    for (const audience of ["https://spoke.example", "api://spoke-k", "https://amazonaws.com.example"])
      expect(authenticationConfiguration({ ...props, audience })["jwt"]).toMatchObject([
        { issuer: { audiences: [audience] } },
      ]);
  });

  const people = (over: object = {}) => ({
    issuer: { url: "https://people.example", audiences: ["kubectl"], ...over },
    claimMappings: { username: { claim: "email", prefix: "" } },
  });

  it.each(
    refusedBy<object>({
      "fleet-unsafe: the audience is also accepted by": {
        // Whoever runs the spoke could use the token there.
        "AWS's audience": { audience: "sts.amazonaws.com" },
        "AWS's audience in a region": { audience: "https://sts.eu-west-1.amazonaws.com/" },
        "AWS's audience in China": { audience: "sts.amazonaws.com.cn" },
        "Azure's audience": { audience: "api://AzureADTokenExchange" },
        "Azure's audience in China": { audience: "api://AzureADTokenExchangeChina" },
        "Google's audience": {
          audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        },
        "a workload pool of GKE": { audience: "acme.svc.id.goog" },
        "the audience of OpenShift's components": { audience: "openshift" },
        "an API server's audience": { audience: "https://kubernetes.default.svc" },
        "an API server's audience with its domain": {
          audience: "https://kubernetes.default.svc.cluster.local",
        },
        "the hub's issuer as audience": { audience: "https://hub.example" },
        "the hub's issuer with a slash": { audience: "https://hub.example/" },
      },
      "late-value": {
        "a late audience": { audience: LATE },
        "a late authenticator": { additionalAuthenticators: [people({ url: LATE })] },

        // kube-apiserver does not start with them.
        "a late CA": { certificateAuthority: LATE },
      },
      "issuer-unsupported": {
        // `URL must not overlap with disallowed issuers`: the default issuer of kubeadm and OpenShift is the spoke's as well.
        "the default issuer": { issuer: "https://kubernetes.default.svc" },
        "the default issuer of kubeadm": { issuer: KUBEADM },
      },
      "fleet-invalid: would not start": {
        "the default issuer with a discovery URL": {
          issuer: KUBEADM,
          discoveryUrl: "https://keys.example/openid",
        },

        // k8s.io/apiserver 0.35.3, pkg/apis/apiserver/validation: "discoveryURL must be different from URL", "Duplicate value".
        "the issuer as discovery URL": { discoveryUrl: "https://hub.example" },
        "the hub's issuer again": { additionalAuthenticators: [people({ url: "https://hub.example" })] },
        "an issuer twice": { additionalAuthenticators: [people(), people()] },
        "a discovery URL twice": {
          discoveryUrl: "https://keys.example/openid",
          additionalAuthenticators: [people({ discoveryURL: "https://keys.example/openid" })],
        },
        "an authenticator of several audiences": {
          additionalAuthenticators: [people({ audiences: ["a", "b"] })],
        },
        "an authenticator that does not set a user name": {
          additionalAuthenticators: [{ issuer: people().issuer }],
        },
        "no authenticator": { additionalAuthenticators: [null] },
      },
      "fleet-invalid: has an issuer without URL": {
        "an authenticator without issuer": { additionalAuthenticators: [{}] },
      },
      "fleet-unsafe: secret material": {
        "a token in an authenticator": { additionalAuthenticators: [{ ...people(), token: "hunter2" }] },
        "a private key": {
          certificateAuthority: "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n",
        },
        "a private key behind a certificate": {
          certificateAuthority: `${PEM}-----BEGIN EC PRIVATE KEY-----\nMIIE\n-----END EC PRIVATE KEY-----\n`,
        },
      },
      "fleet-invalid: certificate authority of the issuer": {
        "a CA that is no PEM": { certificateAuthority: "nope" },
        "a CA in base64": { certificateAuthority: CA },
        "a CA of another type": { certificateAuthority: 5 },
      },
      "cluster-invalid": { "no name of the hub": { hub: undefined } },
      "version-unsupported": { "an old API server": { apiServer: "1.29" } },
      "fleet-missing: would not trust any controller": { "no one": { serviceAccounts: [] } },
      "fleet-invalid: with this prefix, the hub's user names": {
        "a prefix without colon": { userPrefix: "hub" },
        "no prefix": { userPrefix: "" },
        "the prefix of the cluster itself": { userPrefix: "system:" },
        "a quote in the prefix": { userPrefix: "a':" },
      },
      "identities-invalid": { "any service account": { serviceAccounts: ["fleet/*"] } },
      "audience-invalid": { "any audience": { audience: "*" } },
      "issuer-invalid": { "a slash behind the issuer": { issuer: "https://hub.example/" } },
    }),
  )("refuses %s", (_, over, code) => {
    expect(() => authenticationConfiguration({ ...props, ...over })).toThrowError(refusal(code));
  });
});

describe("assertOwnAudiences", () => {
  const tokens = [
    { spoke: "a", audience: "for-a" },
    { spoke: "b", audience: "for-b" },
  ];
  const volume = (audience: string) => ({
    name: "t",
    projected: { sources: [{ serviceAccountToken: { audience, path: "token" } }, { configMap: {} }] },
  });

  it("takes audiences that differ", () => {
    expect(() => {
      assertOwnAudiences(tokens, [volume("sts.amazonaws.com"), { name: "e", emptyDir: {} }]);
    }).not.toThrow();
  });

  it("refuses one audience of two spokes, and that of a cloud's token", () => {
    expect(() => {
      assertOwnAudiences([...tokens, { spoke: "c", audience: "for-a" }], []);
    }).toThrowError(
      refusal("fleet-conflict: accept the same audience", {
        problem: "the spokes a and c accept the same audience, so each could use the other's token",
      }),
    );
    expect(() => {
      assertOwnAudiences(tokens, [volume("for-b")]);
    }).toThrowError(refusal("fleet-unsafe: the audience is also accepted by", { value: "for-b" }));
  });
});

describe("controllerPatch", () => {
  const workload = {
    kind: "Deployment",
    namespace: "fleet",
    name: "c",
    container: "manager",
    serviceAccount: "controller",
  } as const;
  const nothing = { identities: [], plugins: [], annotations: {}, files: [] };
  const fragment = (value: string) => ({
    labels: { "azure.workload.identity/use": "true" },
    env: [{ name: "A", value }],
    volumeMounts: [{ name: "v", mountPath: "/v" }],
    volumes: [{ name: "v", emptyDir: {} }],
  });

  it("is empty where nothing is needed", () => {
    expect(controllerPatch(workload, nothing)).toEqual({});
  });

  it("joins equal parts and refuses different ones", () => {
    expect(controllerPatch(workload, { ...nothing, identities: [fragment("1"), fragment("1")] })).toEqual({
      metadata: { labels: { "azure.workload.identity/use": "true" } },
      spec: {
        containers: [
          {
            name: "manager",
            env: [{ name: "A", value: "1" }],
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          },
        ],
        volumes: [{ name: "v", emptyDir: {} }],
      },
    });
    expect(() =>
      controllerPatch(workload, { ...nothing, identities: [fragment("1"), fragment("2")] }),
    ).toThrowError(
      refusal("fleet-conflict: two identities of one service account disagree", {
        value: "fleet/controller",
      }),
    );
  });

  it("has one token per spoke, each for one audience", () => {
    const { volumes } = spokeTokens([
      { spoke: "b", audience: "for-b" },
      { spoke: "a", audience: "for-a" },
    ]);
    expect(volumes).toEqual([
      {
        name: "spoke-tokens",
        projected: {
          sources: ["a", "b"].map((path) => ({
            serviceAccountToken: { audience: `for-${path}`, expirationSeconds: 3600, path },
          })),
        },
      },
    ]);
    expect(spokeTokens([]).volumes).toEqual([]);
  });
});
