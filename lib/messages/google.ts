import type { Problem } from "./problem";

/** Refusals of the google area: pools, pool providers, principals, Artifact Registry. */
export const googleMessages = {
  "google-project-invalid": (value: unknown): Problem => ({
    problem: "Google Cloud project is not a project id",
    value,
    allowed: "6 to 30 of a-z, 0-9 and -, starting with a letter, or domain-scoped as example.com:project",
    remedy: "use the PROJECT_ID column of `gcloud projects list`, not the name and not the number",
  }),
  "google-project-number-invalid": (value: unknown): Problem => ({
    problem: "project number is not a number written as text",
    value,
    allowed: 'digits as text, for example "123456789012"',
    remedy:
      "use the PROJECT_NUMBER column of `gcloud projects list`: principals and audiences name the number, never the id",
  }),
  "google-workload-identity-id-invalid": (what: string, value: unknown): Problem => ({
    problem: `id of a workload identity ${what} is not valid`,
    value,
    allowed: "4 to 32 of a-z, 0-9 and -, not starting with gcp-",
    remedy: "choose another id; one that was deleted in the last 30 days is still taken",
  }),
  "google-pool-conflict": (pool: string, property: string): Problem => ({
    problem: `workload identity pool is already declared in this stack with another ${property}`,
    value: pool,
    remedy: "declare the pool once and hand the construct to everything that uses it",
  }),
  "google-pool-taken": (pool: string, path: string): Problem => ({
    problem: `workload identity pool is already declared in this stack, as ${path}`,
    value: pool,
    allowed: "one declaration of a pool, by project and id",
    remedy:
      "use WorkloadIdentityPool.forPoolId, which declares a pool once per stack and returns it to every caller",
  }),
  "google-pool-unknown": (value: unknown): Problem => ({
    problem: "pool is not a way to name a workload identity pool",
    value,
    allowed: '{ poolId: … }, a WorkloadIdentityPool, WorkloadIdentityPool.fromPoolId(…), or "fleet"',
    remedy: 'write "fleet" in lower case for the pool of GKE and fleet, or give the pool\'s settings',
  }),
  "google-oidc-provider-conflict": (issuer: string, property: string): Problem => ({
    problem: `the issuer already has a pool provider in this workload identity pool, with another ${property}`,
    value: issuer,
    remedy: "use the same settings for every use of the issuer, or give each use a pool of its own",
  }),
  "google-audiences-invalid": (count: number): Problem => ({
    problem: "number of allowed audiences is out of range",
    value: count,
    allowed: "1 to 10 different audiences",
    remedy:
      "leave the audiences out to pin the pool provider's own name, or list only those that tokens carry",
  }),
  "google-mapping-invalid": (attribute: string, reason: string): Problem => ({
    problem: `attribute mapping ${reason}`,
    value: attribute,
    allowed:
      "at most 50 keys attribute.<1 to 100 of a-z, 0-9 and _>, each with an expression of 1 to 2048 characters",
    remedy: "correct the additional attributes; the library maps the service account itself",
  }),
  "google-condition-invalid": (length: number): Problem => ({
    problem: "attribute condition has a length that Google does not accept",
    value: length,
    allowed: "1 to 4096 characters",
    remedy:
      "leave it out: the library then writes the exact list of service accounts while it fits, and namespaces after that",
  }),
  "google-condition-trivial": (expression: string): Problem => ({
    problem: "attribute condition admits every token of the issuer",
    value: expression,
    allowed: "a condition that names the service accounts or namespaces it admits",
    remedy:
      "leave it out: the library then writes the exact list of service accounts; a condition of your own must refuse the others",
  }),
  "google-condition-reason-missing": (expression: string): Problem => ({
    problem: "attribute condition of your own has no written reason",
    value: expression,
    allowed: "`reason` beside `attributeCondition`, which stands in the pool provider's description",
    remedy:
      "say in `reason` why the exact list of service accounts will not do, or leave attributeCondition out to have that list",
  }),
  "google-attribute-invalid": (value: unknown): Problem => ({
    problem: "subjectAttribute is not the name of a custom attribute",
    value,
    allowed: "1 to 100 of a-z, 0-9 and _, without `attribute.`",
    remedy:
      "use the name that the pool provider's mapping gives assertion.sub: sub for attribute.sub=assertion.sub",
  }),
  "google-issuer-mismatch": (value: string, expected: string): Problem => ({
    problem:
      "oidcProvider trusts another issuer than the cluster's, so that service accounts of that cluster would get the rights",
    value,
    allowed: expected,
    remedy:
      "give the pool provider of the cluster's own issuer, or leave oidcProvider out to have one declared",
  }),
  "google-principals-too-many": (repository: string, count: number, max: number): Problem => ({
    problem: `the allow policy of repository ${repository} would name ${count} principals`,
    value: count,
    allowed: `at most ${max} principals in one allow policy, those that others add included`,
    remedy: `split the images over several repositories, each for at most ${max} service accounts; a principalSet for a whole namespace is never written here, since it admits every service account of the namespace`,
  }),
  "google-subject-too-long": (subject: string, bytes: number): Problem => ({
    problem: `subject has ${bytes} bytes, more than google.subject can hold, and the attribute mapping is not ours`,
    value: subject,
    allowed: "at most 127 bytes",
    remedy:
      "state the subjectAttribute that the adopted pool provider maps assertion.sub to, declare the pool provider here, or use shorter names",
  }),
  "google-principal-invalid": (value: unknown): Problem => ({
    problem: "not a principal of a workload identity pool",
    value,
    allowed:
      "principal://iam.googleapis.com/projects/<number>/locations/global/workloadIdentityPools/<pool>/subject/<subject>, or principalSet:// with attribute.<name>/<value>, group/<id> or *",
    remedy: "write the project number, not the project id",
  }),
  "google-jwks-invalid": (reason: string): Problem => ({
    problem: `JWKS ${reason}`,
    allowed:
      'an object {"keys": [...]} of RSA and EC public keys with only kty, alg, use, kid, n, e, x, y, crv',
    remedy: "use the output of `kubectl get --raw /openid/v1/jwks`",
  }),
  "google-jwks-private": (members: readonly string[]): Problem => ({
    problem: `JWKS holds private or secret key material (${members.join(", ")}); it is not shown here`,
    allowed: "public keys only",
    remedy:
      "use the output of `kubectl get --raw /openid/v1/jwks`, and treat the key as leaked if this text was stored anywhere",
  }),
  "google-location-invalid": (value: unknown): Problem => ({
    problem: "not a location of Artifact Registry",
    value,
    allowed: "us, europe, asia, or a region such as europe-west1; not a zone",
    remedy: "use the location that `gcloud artifacts repositories list` shows",
  }),
  "google-repository-invalid": (value: unknown): Problem => ({
    problem: "not the name of an Artifact Registry repository",
    value,
    allowed: "1 to 63 of a-z, 0-9 and -, starting with a letter and ending with a letter or digit",
    remedy: "give the repository only, without project and image; for gcr.io names use gcrRepository()",
  }),
  "google-image-invalid": (value: unknown): Problem => ({
    problem: "not an image name within a repository",
    value,
    allowed: "path components of a-z, 0-9, ., _ and -, with * for any text; no tag and no digest",
    remedy: "give the part after the repository, for example web or base/*",
  }),
  "google-image-with-host": (value: string, host: string): Problem => ({
    problem: `image begins with the registry host ${host}`,
    value,
    allowed: "the image's name within its repository, for example web or base/*",
    remedy: "give the part after the repository; host, project and repository are added",
  }),
  "google-gcr-host-unknown": (value: unknown, known: readonly string[]): Problem => ({
    problem: "not a gcr.io host",
    value,
    allowed: known.join(", "),
    remedy: "for <location>-docker.pkg.dev use artifactRegistry()",
  }),
  "google-identities-missing": (image: string): Problem => ({
    problem:
      "pulling from Artifact Registry needs a project for the workload identity pool, and none is stated",
    value: image,
    remedy: "add pullPrincipals({ project, projectNumber, … }) to the identities",
  }),
  "google-source-foreign": (images: readonly string[]): Problem => ({
    problem: "a pull source of cloud google was not made by this library's google subpath",
    value: images,
    allowed: "artifactRegistry(…) and gcrRepository(…)",
    remedy: "make the source with one of them, from the same copy of the package",
  }),
  "google-setting-contradicts": (setting: string, because: string): Problem => ({
    problem: `${setting} has no effect ${because}`,
    remedy: `leave ${setting} out`,
  }),
  "google-project-contradicts": (property: string, value: string, expected: string): Problem => ({
    problem: `${property} differs from that of the given workload identity pool`,
    value,
    allowed: expected,
    remedy: "state the project that owns the pool; repositories name their own project",
  }),
  "google-identity-provider-invalid": (value: unknown): Problem => ({
    problem:
      "identity provider of the GKE or fleet pool is missing or not one that Google's token service knows",
    value,
    allowed:
      "https://container.googleapis.com/v1/projects/<project>/locations/<location>/clusters/<cluster>, or https://gkehub.googleapis.com/projects/<project>/locations/<location>/memberships/<membership>",
    remedy: "state identityProvider; a fleet membership shows it as authority.identityProvider",
  }),
  "google-membership-project": (url: string, project: string, expected: string): Problem => ({
    problem: `identityProvider is a membership in the fleet of project ${project}, whose tokens the pool ${expected}.svc.id.goog refuses`,
    value: url,
    allowed: `https://gkehub.googleapis.com/projects/${expected}/locations/<location>/memberships/<membership>`,
    remedy: "state the fleet's host project, and its number, in project and projectNumber",
  }),
  "google-cache-duration-invalid": (value: string): Problem => ({
    problem: "cache duration reaches the lifetime of the federated token",
    value,
    allowed: "more than 0 and less than 1h",
    remedy: "use a few minutes, or leave it out: the plugin then exchanges a token for each pull",
  }),
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
  "google-adopt-missing": (names: readonly string[]): Problem => ({
    problem:
      "ids of service accounts that ccoctl made are missing; they end with random characters, which cannot be computed",
    value: names,
    allowed: "adopt.accounts with an entry for each request, or the request's name in adopt.absent",
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
  "google-access-foreign": (permissions: readonly string[]): Problem => ({
    problem: "an access of cloud google was not made by this library's google subpath",
    value: permissions,
    allowed: "googleAccess(…)",
    remedy: "make the access with it, from the same copy of the package",
  }),
  "google-workloads-missing": (permissions: readonly string[]): Problem => ({
    problem: "access to Google Cloud needs a project for the workload identity pool, and none is stated",
    value: permissions,
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
};
