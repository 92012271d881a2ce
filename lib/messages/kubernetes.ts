import type { Problem } from "./problem";

/** Refusals of Kubernetes objects and of the facts of a self-managed cluster. */
export const kubernetesMessages = {
  "annotation-key-invalid": (key: string, owner: string): Problem => ({
    problem: `annotation key of ${owner} is not a qualified name`,
    value: key,
    allowed: "[DNS subdomain/]name, the name 1 to 63 of A-Z, a-z, 0-9, -, _ and .",
    remedy: "write the key as the plugin's documentation has it",
  }),
  "annotations-missing": (owner: string): Problem => ({
    problem: `there is nothing to annotate ${owner} with`,
    allowed: "at least one annotation",
    remedy: "pass the annotations of the pull identity, or leave the object out",
  }),
  "object-name-invalid": (value: unknown): Problem => ({
    problem: "name of a Kubernetes object is not a DNS subdomain",
    value,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "use a name like cloud-credentials",
  }),
  "data-empty": (owner: string): Problem => ({
    problem: `${owner} holds nothing`,
    allowed: "at least one key",
    remedy: "give it the texts that its readers expect, or leave the object out",
  }),
  "data-key-invalid": (key: string, owner: string): Problem => ({
    problem: `key of ${owner} cannot be the name of a file`,
    value: key,
    allowed: "1 to 253 of A-Z, a-z, 0-9, -, _ and ., neither . nor beginning with ..",
    remedy: "use the key that its reader documents",
  }),
  "data-value-invalid": (key: string, owner: string, reason: string): Problem => ({
    problem: `value of ${key} of ${owner} ${reason}`,
    allowed: 'text in stringData and in a ConfigMap; base64 in data, made with encode("base64", text)',
    remedy: "put plain text into stringData",
  }),
  "data-key-twice": (key: string, owner: string): Problem => ({
    problem: `${owner} has a key in data and in stringData, and the API server would keep the latter alone`,
    value: key,
    allowed: "each key in one of the two",
    remedy: "remove one of them",
  }),
  "data-private-key": (key: string, owner: string): Problem => ({
    problem: `value of ${key} of ${owner} holds a private key, and manifests are kept in repositories`,
    allowed: "names, paths and public keys",
    remedy: "bring the key to its reader in another way, and replace it where somebody may have seen it",
  }),
  "label-invalid": (key: string, owner: string, value: unknown): Problem => ({
    problem: `label ${key} of ${owner} is not a valid label`,
    value,
    allowed:
      "a qualified name as key, and as value nothing or up to 63 of A-Z, a-z, 0-9, -, _ and ., starting and ending with a letter or digit",
    remedy: "correct the label, or use an annotation",
  }),
  "role-name-invalid": (value: string, reason: string): Problem => ({
    problem: `name of an RBAC role ${reason}`,
    value,
    allowed:
      "1 to 253 characters without / and %, neither . nor .., not system: (but system:node:credential-provider-token-audience) nor a role that every cluster has",
    remedy: "leave `roleName` out to get a name derived from the audience",
  }),
  "service-account-twice": (key: string, path: string): Problem => ({
    problem: `${path} already writes this service account into the same chart, and applying it twice would keep the annotations of one only`,
    value: key,
    allowed: "one construct per service account and chart",
    remedy: "join the annotations in one construct",
  }),
  "audience-grant-empty": (audience: string): Problem => ({
    problem: `the grant of the audience ${audience} names no namespace and no service account`,
    allowed: '`namespaces`, `serviceAccounts`, or scope "cluster"',
    remedy: "name the namespaces whose pods pull with this audience",
  }),
  "audience-grant-ambiguous": (
    audience: string,
    reason: string,
    allowed: string = '`namespaces` alone, `serviceAccounts` alone, or scope "cluster" without `namespaces`',
    remedy: string = "leave one of them out; service accounts bring their namespaces along",
  ): Problem => ({
    problem: `the grant of the audience ${audience} ${reason}`,
    allowed,
    remedy,
  }),
  "kubelet-newer-than-api-server": (kubelet: string, apiServer: string): Problem => ({
    problem: "the kubelet of the nodes is newer than the API server, which Kubernetes does not support",
    value: kubelet,
    allowed: `at most ${apiServer}`,
    remedy: "correct the versions; `version` is that of the nodes",
  }),
  "node-path-invalid": (what: string, path: unknown): Problem => ({
    problem: `${what} is not an absolute, clean path`,
    value: path,
    allowed: "/directory/name without empty parts, . and ..",
    remedy: "give the path as it is on the nodes",
  }),
  "plugin-unknown": (plugin: string, known: readonly string[]): Problem => ({
    problem: "there is no such image credential provider plugin",
    value: plugin,
    allowed: known.join(", "),
    remedy: "use the plugin's key, not the name of its executable",
  }),
};
