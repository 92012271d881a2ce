import type { Problem } from "./problem";

/** Refusals of what acts on Google Cloud: service accounts, roles and bindings, components, workloads, buckets. */
export const googleAccessMessages = {
  "google-account-id-invalid": (value: unknown): Problem => ({
    problem: "id of a Google service account is not valid",
    value,
    allowed: "6 to 30 of a-z, 0-9 and -, starting with a letter and ending with a letter or digit",
    remedy:
      "give the part of the e-mail address before the @, as `gcloud iam service-accounts list` shows it",
  }),
  "google-account-taken": (accountId: string, path: string): Problem => ({
    problem: `Google service account is already declared in this app, as ${path}`,
    value: accountId,
    allowed: "each service account of a project once",
    remedy: "give one of the two another accountId, or another cluster name",
  }),
  "google-role-id-invalid": (value: unknown): Problem => ({
    problem: "id of a custom role is not valid",
    value,
    allowed: "3 to 64 of letters, digits, _ and .",
    remedy: "choose another id; one that was deleted stays taken for more than a month",
  }),
  "google-role-taken": (roleId: string, path: string): Problem => ({
    problem: `custom role is already declared in this app, as ${path}`,
    value: roleId,
    allowed: "each custom role of a project once, with one list of permissions for all that share it",
    remedy:
      'leave roleSharing out to have a role for each cluster, or state roleSharing: "existing" where another stack declares the role',
  }),
  "google-role-invalid": (value: unknown): Problem => ({
    problem: "not the full name of a role",
    value,
    allowed: "roles/<name>, projects/<project>/roles/<id> or organizations/<number>/roles/<id>",
    remedy: "use the name that `gcloud iam roles list` shows",
  }),
  "google-role-basic": (role: string): Problem => ({
    problem: "a basic role reaches nearly everything in its project, and no reason is stated",
    value: role,
    allowed: "a predefined or custom role, or a basic role with a written `reason`",
    remedy: "grant the predefined role of the service that is used, for example roles/storage.objectViewer",
  }),
  "google-permission-invalid": (value: unknown): Problem => ({
    problem: "not a permission that a custom role can hold",
    value,
    allowed: "service.resource.verb, for example compute.instances.get; no wildcard",
    remedy: "list each permission, as the reference of IAM permissions writes it",
  }),
  "google-request-kind": (kind: string): Problem => ({
    problem: "request is not for Google Cloud",
    value: kind,
    allowed: "spec.providerSpec.kind: GCPProviderSpec",
    remedy: "leave the requests of other clouds out, or filter them by cloud",
  }),
  "google-request-field": (field: string, known: readonly string[]): Problem => ({
    problem: "spec.providerSpec has a field that no release of OpenShift knows for Google Cloud",
    value: field,
    allowed: known.join(", "),
    remedy: "correct the field's name; use a newer release of this library if OpenShift has added it",
  }),
  "google-request-list": (field: string, value: unknown): Problem => ({
    problem: `spec.providerSpec.${field} is not a list of texts`,
    value,
    allowed: "a list of texts",
    remedy: "write the request as `oc adm release extract --credentials-requests` does",
  }),
  "google-request-brokered": (field: string): Problem => ({
    problem: `spec.providerSpec.${field} is set, so the cloud-credential-operator writes the Secret itself`,
    value: field,
    allowed: "a request without serviceAccountEmail and audience",
    remedy:
      "leave the request out here, and declare its service account with ComponentServiceAccount or FederatedServiceAccount",
  }),
  "google-request-empty": (): Problem => ({
    problem: "request asks for no permission and no role",
    allowed: "permissions or predefinedRoles in spec.providerSpec",
    remedy: "leave the request out, or state its rights in `overrides`",
  }),
  "google-requests-clash": (what: string, value: string, one: string, other: string): Problem => ({
    problem: `${one} and ${other} would have the same ${what}`,
    value,
    allowed: `a ${what} of its own for each request`,
    remedy: "give one of the two another one in `overrides`, or leave out the request that is there twice",
  }),
  "google-request-unknown": (setting: string, name: string, known: readonly string[]): Problem => ({
    problem: `${setting} names a CredentialsRequest that is not among the requests`,
    value: name,
    allowed: known.join(", "),
    remedy: "use metadata.name of a request, or remove the entry",
  }),
  "google-account-ids-missing": (names: readonly string[]): Problem => ({
    problem:
      "ids of service accounts that ccoctl made are missing; they end with random characters, which cannot be computed, and with another id the component would get another service account",
    value: names,
    allowed:
      'accountIds with an entry for each request, or the request\'s name in absentAccounts ("all" for a cluster that ccoctl never made)',
    remedy:
      "take the id, the part before the @, from `gcloud iam service-accounts list --format='value(displayName,email)'`; the display name is <name>-<request>",
  }),
  "google-adopt-condition": (): Problem => ({
    problem:
      "a condition cannot be put on a role that is adopted: the binding without condition would stay beside it",
    remedy: "adopt first, apply, then add the condition without adopt",
  }),
  "google-universe-invalid": (value: unknown): Problem => ({
    problem: "universeDomain is not a domain name",
    value,
    allowed: "googleapis.com, or the domain of another universe of Google Cloud",
    remedy: "leave universeDomain out for the public Google Cloud",
  }),
  "google-universe-mismatch": (value: string, provider: string): Problem => ({
    problem: "universeDomain is another one than that of the google provider, which declares everything",
    value,
    allowed: provider,
    remedy:
      "state the same universeDomain in both, or give the google provider of this universe as `provider`",
  }),
  "google-bucket-invalid": (value: unknown): Problem => ({
    problem: "not a name of a bucket of Cloud Storage",
    value,
    allowed:
      "3 to 63 of a-z, 0-9, - and _, starting and ending with a letter or digit; without goog at the beginning and google within",
    remedy: "choose a name that nobody else has, for example <organization>-<cluster>-oidc",
  }),
  "google-policy-full": (resource: string, count: number, max: number): Problem => ({
    problem: `the allow policy of ${resource} would name ${count} principals`,
    value: count,
    allowed: `at most ${max} principals in one allow policy, each counted in each of its roles, those that others add included`,
    remedy:
      "spread the workloads over several projects or buckets, or let several of them use one service account",
  }),
  "google-grant-target": (role: string): Problem => ({
    problem: "a role is granted on one project or on one bucket",
    value: role,
    allowed: "`project` or `bucket` beside `role`, one of the two",
    remedy: "write one entry for each; for other resources use `declare`, which receives the member",
  }),
  "google-access-empty": (): Problem => ({
    problem: "access without any role grants nothing",
    allowed: "`roles`, or `declare` with `permissions`",
    remedy: "state what the workload may do",
  }),
  "google-access-foreign": (rights: unknown): Problem => ({
    problem: "an access of cloud google was not made by this library's google subpath",
    value: rights,
    allowed: "googleAccess(…)",
    remedy: "make the access with it, from the same copy of the package",
  }),
  "google-workloads-missing": (rights: unknown): Problem => ({
    problem: "access to Google Cloud needs a project for the workload identity pool, and none is stated",
    value: rights,
    remedy: "add workloadServiceAccounts({ project, projectNumber, … }) to the identities",
  }),
  "google-token-lifetime": (seconds: number): Problem => ({
    problem: "lifetime of the token is out of the range that Kubernetes and Google accept",
    value: seconds,
    allowed: "10 minutes to 24 hours",
    remedy: "leave it out for one hour; the kubelet renews the token in time",
  }),
  "google-token-path": (value: unknown): Problem => ({
    problem: "directory of the credential file is not an absolute, clean path",
    value,
    allowed: "for example /var/run/secrets/workload-identity/google",
    remedy: "leave it out, or name a directory that the image does not use",
  }),
  "google-requests-empty": (cluster: string): Problem => ({
    problem: `cluster ${cluster} has no CredentialsRequest for Google Cloud`,
    allowed: "at least one request",
    remedy: "read them from the release payload, or leave the identities of components out",
  }),
  "google-account-ids-contradict": (name: string): Problem => ({
    problem: "a request has an id in accountIds and is stated absent as well",
    value: name,
    allowed: "one of the two for each request",
    remedy: "keep the entry in accountIds where the service account exists, and remove the other one",
  }),
  "google-member-invalid": (value: unknown): Problem => ({
    problem: "not a member of an IAM policy that a role is granted to here",
    value,
    allowed:
      "serviceAccount:<email>, user:<email>, group:<email>, domain:<domain>, principal://iam.googleapis.com/… or principalSet://iam.googleapis.com/… of a pool, allUsers, allAuthenticatedUsers",
    remedy: "use `member` of the service account's construct, or the principal of the pool provider",
  }),
  "google-member-broad": (member: string): Problem => ({
    problem:
      "a role is granted to everybody, or to everybody of a workload identity pool, and no reason is stated",
    value: member,
    allowed: "a service account, a principal, or such a member with a written `reason`",
    remedy: "name those that need the role; say in `reason` why everybody shall have it",
  }),
  "google-binding-taken": (role: string, member: string, path: string, once: string): Problem => ({
    problem: `${role} for this member on the same resource is already declared in this stack, as ${path}; when one of two goes, Terraform takes the role away from both`,
    value: member,
    allowed: "each binding of a stack once",
    remedy: `use ${once}, which declares a binding once and returns it to every caller`,
  }),
  "google-role-condition": (reason: string, value: unknown): Problem => ({
    problem: `condition of a role ${reason}`,
    value,
    allowed: "a title, and an expression in CEL that can be false, with at most 12 logical operators",
    remedy:
      "correct it, share its terms out among several bindings, or leave the condition out where the role shall always count",
  }),
  "google-bucket-location": (value: unknown): Problem => ({
    problem: "location of the bucket is missing or not a text",
    value,
    allowed: "us, eu, asia, a dual-region, or a region such as europe-west1",
    remedy:
      "for a bucket that exists use its own: `gcloud storage buckets describe gs://BUCKET --format='value(location)'`",
  }),
  "google-bucket-taken": (bucket: string, path: string): Problem => ({
    problem: `bucket is already declared in this app, as ${path}`,
    value: bucket,
    allowed: "each bucket once",
    remedy: "declare it once, and hand the construct to everything that uses it",
  }),
};
