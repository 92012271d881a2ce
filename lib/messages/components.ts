import type { Problem } from "./problem";

const EXTRACT =
  "write the requests again with `oc adm release extract --credentials-requests --to=FOLDER RELEASE`";

/** Refusals of CredentialsRequests and of what is composed of them. */
export const componentsMessages = {
  "credentials-requests-folder": (path: string, reason: string): Problem => ({
    problem: `folder of CredentialsRequests ${reason}`,
    value: path,
    allowed: "a folder with files .yaml, .yml or .json; folders in it are not read",
    remedy: EXTRACT,
  }),
  "credentials-requests-file": (file: string, line: number | undefined, reason: string): Problem => ({
    problem: `file of CredentialsRequests ${reason}`,
    value: line === undefined ? file : `${file}:${line}`,
    allowed: "Kubernetes objects in YAML, several documents per file, or one in JSON",
    remedy: EXTRACT,
  }),
  "credentials-requests-none": (reasons: readonly string[]): Problem => ({
    problem: `no CredentialsRequest is left${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}`,
    allowed: "at least one of the cloud, feature set, capabilities and cluster profile of the filter",
    remedy: "correct the filter, or give the requests of this cluster's release",
  }),
  "credentials-request-invalid": (where: string, path: string, value: unknown, allowed: string): Problem => ({
    problem: `${where}: ${path} is not what a CredentialsRequest has there`,
    value,
    allowed,
    remedy: EXTRACT,
  }),
  "credentials-request-field-unknown": (where: string, path: string, known: readonly string[]): Problem => ({
    problem: `${where}: ${path} is unknown, and what it asks for would be lost`,
    allowed: known.join(", "),
    remedy: "correct the spelling; for a field of a newer OpenShift use a newer release of the library",
  }),
  "credentials-request-service-accounts": (where: string, reason: string, value: unknown): Problem => ({
    problem: `${where}: spec.serviceAccountNames ${reason}`,
    value,
    allowed: "at least one name of a service account in the namespace of the Secret, each once",
    remedy:
      "ask the component's documentation for its service accounts; without them nobody could be trusted",
  }),
  "credentials-request-secret-taken": (secret: string, first: string, second: string): Problem => ({
    problem: `${first} and ${second} ask for the same Secret, and one would overwrite the other`,
    value: secret,
    allowed: "one request per Secret of a cluster",
    remedy: "remove one of the two, or filter by the annotation that tells them apart",
  }),
  "credentials-request-twice": (name: string, first: string, second: string): Problem => ({
    problem: `${first} and ${second} are requests of one name for one cloud`,
    value: name,
    allowed: "each request once per release",
    remedy: "give a folder that holds the requests of one release only",
  }),
  "credentials-request-gate-unknown": (where: string, gates: string): Problem => ({
    problem: `${where} depends on feature gates, and which ones are enabled was not said`,
    value: gates,
    allowed: '`featureGates` with the enabled gates, [] for none, or "all"',
    remedy:
      "name the gates that `oc get featuregate cluster -o yaml` lists as enabled for this version, as far as requests name them",
  }),
  "upgradeable-to-not-newer": (value: string, version: string): Problem => ({
    problem: `version to upgrade to is not newer than the cluster's ${version} in its major.minor`,
    value,
    allowed: `a major.minor greater than that of ${version}`,
    remedy: "give the version that the cluster is to be upgraded to",
  }),
};
