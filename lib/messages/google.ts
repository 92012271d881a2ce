import { googleAccessMessages } from "./google-access";
import { googleOnceMessages } from "./google-once";
import type { Problem } from "./problem";

const ownMessages = {
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
  "google-membership-invalid": (what: string, value: unknown): Problem => ({
    problem: `${what} of a fleet membership is not valid`,
    value,
    allowed: "a name of 1 to 63 of a-z, 0-9 and -; a location such as global or europe-west1",
    remedy: "use the name and the location that `gcloud container fleet memberships list` shows",
  }),
  "google-spoke-member-invalid": (subject: string, identity: string): Problem => ({
    problem: `identity of controller ${subject} is none that a policy of Google Cloud can name`,
    value: identity,
    allowed: "the e-mail address of a Google service account, or principal://iam.googleapis.com/…",
    remedy: "declare the identities with workloadServiceAccounts(), or give the member as `principal.name`",
  }),
};

/** Refusals of the google area: pools, pool providers, principals, Artifact Registry, spokes, and all of access. */
export const googleMessages: typeof ownMessages & typeof googleAccessMessages & typeof googleOnceMessages = {
  ...ownMessages,
  ...googleAccessMessages,
  ...googleOnceMessages,
};
