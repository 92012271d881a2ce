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
  "credentials-request-version": (where: string, versions: string): Problem => ({
    problem: `${where} is for certain major versions of OpenShift, and that of the cluster was not said`,
    value: versions,
    allowed: "`majorVersion`, 4 or 5",
    remedy: "state the major version of the release that the requests are of",
  }),
  "credentials-request-kind": (where: string, kind: string, known: readonly string[]): Problem => ({
    problem: `${where} asks a cloud that OpenShift does not have`,
    value: kind,
    allowed: known.join(", "),
    remedy: "correct spec.providerSpec.kind; for a cloud of a newer OpenShift leave the file out",
  }),
  "credentials-request-foreign": (where: string, kind: string, allowed: readonly string[]): Problem => ({
    problem: `${where} is for another cloud`,
    value: kind,
    allowed: allowed.join(", "),
    remedy:
      "state `cloud` in the filter, which leaves out and reports requests of other clouds, or correct the kind",
  }),
  "credentials-requests-filter": (field: string, value: unknown, allowed: string): Problem => ({
    problem: `${field} of the filter of CredentialsRequests is not usable`,
    value,
    allowed,
    remedy: "correct it, or leave it out",
  }),
  "credentials-requests-list": (type: string): Problem => ({
    problem: `CredentialsRequests are not given as a list`,
    value: type,
    allowed: "a list of parsed objects",
    remedy: "put a single object into a list; for a folder use credentialsRequests()",
  }),
  "credentials-requests-unjoinable": (
    running: string,
    next: string,
    field: string,
    value: unknown,
    was: unknown,
  ): Problem => ({
    problem: `${next} has another ${field} than ${running}, and one identity cannot serve both releases`,
    value,
    allowed: JSON.stringify(was) ?? "nothing",
    remedy:
      "use the requests of the running release until the upgrade, and those of the next one right after",
  }),
  "upgradeable-to-not-newer": (value: string, version: string): Problem => ({
    problem: `version to upgrade to is not newer than the cluster's ${version} in its major.minor`,
    value,
    allowed: `a major.minor greater than that of ${version}`,
    remedy: "give the version that the cluster is to be upgraded to",
  }),
};
