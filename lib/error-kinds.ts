/*
 * The code of an error names the area and the kind of a mistake, such as `aws-mismatch`, as finely as a program may
 * want to distinguish; the sentence says the rest and is written where the mistake is found.
 */

/** Where a mistake is. */
export const AREAS = {
  property: "properties given to a construct or a function",
  version: "versions",
  audience: "audiences of tokens",
  aws: "AWS: accounts, regions, OIDC providers, IAM roles and policies, ECR, EKS",
  azure: "Azure: tenants, identities, federated credentials, role assignments, ACR, AKS",
  google: "Google Cloud: projects, pools and their providers, service accounts, bindings, registries, GKE",
  issuer: "issuers of tokens, their signing keys and the documents that they publish",
  cluster: "facts of a cluster: name, version, platform, node pools",
  kubernetes: "Kubernetes objects: names, annotations, data, RBAC",
  node: "nodes: credential provider config, plugins and their arguments, files and their carriers",
  openshift: "OpenShift: CredentialsRequests, components, MachineConfigs",
  identities: "service accounts and what they pull or may do",
  fleet: "fleets: cluster profiles, access providers, hub controllers, spokes",
  manifest: "manifests: files, objects, placeholders, facts recorded beside them",
  delivery: "delivery of manifests by Terraform resources",
  bind: "filling in Terraform outputs",
  adopt: "input of `adopt`: what a cloud's command line printed",
  explain: "input of `explain` and `lint`",
  testing: "matchers of tests",
} as const;

/** Kinds of mistakes. */
export const KINDS = {
  invalid: "a value does not have an allowed form",
  unknown: "a name does not exist, or this release does not know it",
  missing: "something required is not given, or a list is empty",
  unused: "something is given that has no effect here",
  mismatch: "two values that must agree do not",
  conflict: "one thing is declared or stated twice",
  limit: "a limit of a cloud or of Kubernetes is exceeded",
  unsupported: "a version, a platform or a cloud cannot do what is asked",
  foreign: "an object was made for another cloud, cluster or construct",
  unsafe: "more is permitted than can have been meant",
} as const;

/** Special codes: programs look for them, or they apply to every area. */
export const SPECIAL = {
  "image-invalid": "an image name that the kubelet refuses",
  "late-value": "a value that synth needs is known only after Terraform apply",
  "name-changed": "an aspect or an override changed the name of a resource that is written elsewhere as text",
  "package-mismatch": "two cores of Terraform constructs are mixed in one app",
  "package-missing": "a package that is needed is not installed",
  "proof-failed": "the proof at synth found something declared that would be denied",
} as const;

/** Where a mistake is. */
export type Area = keyof typeof AREAS;
/** What kind of mistake it is. */
export type MistakeKind = keyof typeof KINDS;
