/*
 * Messages of Google's STS, IAM and Artifact Registry.
 *
 * Sources: cloud.google.com, "Troubleshoot Workload Identity Federation" and "Troubleshoot authentication in GKE".
 */

import { type MessageRow, TOKEN_SENT } from "./row";

/** What Google's STS says of a token that it has seen. */
const STS = { by: "Google STS", holds: TOKEN_SENT };
const PROVIDER =
  "gcloud iam workload-identity-pools providers describe PROVIDER --workload-identity-pool POOL --location global --format json";

export const GOOGLE_MESSAGES: readonly MessageRow[] = [
  {
    text: "The given credential is rejected by the attribute condition",
    ...STS,
    means: "The attribute condition of the pool provider refuses the token.",
    broken: ["subject-admitted"],
    holds: [...TOKEN_SENT, "issuer-trusted"],
    fix: "Let the condition admit the service account's subject.",
    decide: PROVIDER,
  },
  {
    text: "The audience in ID Token … does not match the expected audience",
    ...STS,
    means: "The pool provider does not accept the token's audience.",
    broken: ["audience-accepted"],
    fix: "Ask for a token with the provider's resource name as audience, or list the audience in the provider.",
    decide: PROVIDER,
  },
  {
    text: "Error connecting to the given credential's issuer",
    ...STS,
    means: "Google cannot read the issuer's documents.",
    broken: ["issuer-configured", "issuer-trusted"],
    fix: "Publish the documents where everyone can read them, or upload the keys to the pool provider.",
    decide: "curl -s ISSUER/.well-known/openid-configuration # from outside of the network",
  },
  {
    text: "Unable to fetch … jwks",
    ...STS,
    means: "Google cannot read the issuer's keys.",
    broken: ["issuer-trusted", "issuer-configured"],
    fix: "Publish the key set where everyone can read it, or upload the keys to the pool provider.",
    decide: "curl -s JWKS_URI # from outside of the network",
  },
  {
    text: "Permission 'iam.serviceAccounts.getAccessToken' denied",
    by: "Google Cloud IAM",
    means:
      "The principal of the token may not act as the service account, or the service account does not exist.",
    broken: ["identity-found", "subject-admitted"],
    holds: [],
    fix: "Bind roles/iam.workloadIdentityUser on the service account to exactly this principal; with GKE's own pool to serviceAccount:<project>.svc.id.goog[<namespace>/<name>].",
    decide: "gcloud iam service-accounts get-iam-policy EMAIL --format json",
  },
  {
    text: `Permission "artifactregistry.repositories.downloadArtifacts" denied`,
    by: "Artifact Registry",
    means: "The identity may not read the repository.",
    broken: ["repository-permitted"],
    holds: [],
    fix: "Grant roles/artifactregistry.reader on the repository or its project.",
    decide: "gcloud artifacts repositories get-iam-policy REPOSITORY --location LOCATION --format json",
  },
  {
    text: "could not find default credentials",
    by: "Google's client libraries",
    means: "The pod has neither a credential file nor a metadata server with an identity.",
    broken: ["account-annotated", "pods-configured"],
    holds: ["account-present"],
    fix: "Mount the credential file and the token from pods/, and restart the pod.",
    decide: "kubectl get pod -n NAMESPACE POD -o yaml",
  },
  {
    text: "Requested entity already exists",
    by: "Google Cloud IAM",
    means: "The id belongs to an existing object, or to one that was deleted in the last 30 days or so.",
    broken: [],
    holds: [],
    fix: "Undelete and import the object, or choose another name.",
  },
];
