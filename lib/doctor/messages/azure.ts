/*
 * Messages of Entra ID, Azure Resource Manager and Azure Container Registry.
 *
 * Sources: learn.microsoft.com, "Microsoft Entra authentication and authorization error codes" and "Workload identity
 * federation"; Azure/azure-workload-identity, docs/book/src/troubleshooting.md.
 */

import type { CheckId } from "../../explain/check-ids";
import { type MessageRow, TOKEN_SENT } from "./row";

const ENTRA = "Entra ID";
const CREDENTIALS =
  "az identity federated-credential list --identity-name NAME --resource-group GROUP -o json";

const entra = (
  text: string,
  means: string,
  broken: readonly CheckId[],
  fix: string,
  decide: string = CREDENTIALS,
): MessageRow => ({ text, by: ENTRA, means, broken, holds: TOKEN_SENT, fix, decide });

export const AZURE_MESSAGES: readonly MessageRow[] = [
  entra(
    "AADSTS70021",
    "No federated identity credential matches issuer, subject and audience of the token, which are compared exactly.",
    ["issuer-trusted", "subject-admitted", "audience-accepted"],
    "Compare all three with the token's claims; issuers of AKS end with a slash. A new credential takes some minutes to work.",
  ),
  entra(
    "AADSTS700213",
    "No federated identity credential has the subject of the token; the message shows the subject that it has.",
    ["subject-admitted"],
    "Write system:serviceaccount:<namespace>:<name> into the credential, exactly as the message shows it.",
  ),
  entra(
    "AADSTS700211",
    "No federated identity credential has the issuer of the token; the message shows the issuer that it has.",
    ["issuer-trusted"],
    "Write the cluster's issuer into the credential, trailing slash included.",
  ),
  entra(
    "AADSTS700212",
    "No federated identity credential has the audience of the token.",
    ["audience-accepted"],
    "Ask for a token with the audience api://AzureADTokenExchange, or write the other audience into the credential.",
  ),
  entra(
    "AADSTS700016",
    "The tenant has no application or identity with the client id of the annotation.",
    ["identity-found"],
    "Write client id and tenant id of the identity into the annotation; the manifest may have been bound with the outputs of another cluster.",
    "az identity list --query '[].{name:name,clientId:clientId,tenantId:tenantId}' -o json",
  ),
  entra(
    "AADSTS700024",
    "The token is not valid at this time: it expired, or clocks differ.",
    [],
    "Compare the clocks, let the program read the token's file again for every call, and update its SDK.",
    "date -u # on the node and on the control plane",
  ),
  entra(
    "AADSTS50166",
    "Entra could not read the issuer's documents.",
    ["issuer-configured", "issuer-trusted"],
    "Publish the discovery document and the key set where everyone can read them.",
    "curl -s ISSUER/.well-known/openid-configuration; curl -s JWKS_URI # from outside of the network",
  ),
  entra(
    "AADSTS7000272",
    "The key that signed the token is not among the issuer's published keys. Entra accepts only RSA keys, and caches keys for up to 24 hours.",
    ["issuer-configured", "issuer-trusted"],
    "Publish the key that the API server signs with, before it signs with it.",
    "curl -s JWKS_URI # compare kid with the token's header",
  ),
  {
    text: "AuthorizationFailed",
    by: "Azure Resource Manager",
    means: "The identity may not do what the message names, at the scope that it names.",
    broken: ["permissions-granted", "repository-permitted"],
    holds: [],
    fix: "Assign a role with the action at this scope or above it. A new assignment takes some minutes to work.",
    decide: "az role assignment list --assignee PRINCIPAL --all -o json",
  },
  {
    text: "denied: requested access to the resource is denied",
    by: "registry",
    means: "The registry knows who asks, and does not permit the repository.",
    broken: ["repository-permitted"],
    holds: ["image-parses"],
    fix: "Assign AcrPull, or a role with a condition that covers the repository: in the mode AbacRepositoryPermissions AcrPull grants nothing.",
    decide:
      "az acr show --name REGISTRY --query roleAssignmentMode; az role assignment list --scope REGISTRY_ID -o json",
  },
  {
    text: "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
    by: "Azure Resource Manager",
    means: "Azure takes one change at a time to the credentials of an identity.",
    broken: [],
    holds: [],
    fix: "Apply again, and look for another stack or pipeline that changes the same identity.",
  },
];
