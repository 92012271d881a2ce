/*
 * What each check asks, and what to look at if it does not hold: for reports that list every rule.
 */

import type { CheckId } from "./check-ids";
import { accessRunners } from "./jobs/access";
import { fleetRunner } from "./jobs/fleet-links";
import { PULL_LINKS } from "./jobs/pull";

/** What a report says about a check or a warning, whatever it found. */
export interface CheckHelp {
  /** Name of the check or warning. */
  readonly id: string;
  /** One sentence: what is asked, or what it is. */
  readonly question: string;
  /** What to look at, in plain sentences. */
  readonly help: string;
}

/** What to look at if a check does not hold. */
export const HELP: Readonly<Record<CheckId, string>> = {
  "still-pulled":
    "Annotate the pod's service account and give its identity access to the repository, or keep the node's identity with mixed mode until that is done.",
  "image-parses":
    "Write the image as `podman pull` accepts it: no scheme, no upper case in the path, a valid tag or digest.",
  "provider-matches-image":
    "Add a pattern to matchImages of the CredentialProviderConfig: `*` stands for one part between dots, the path is a plain prefix, and a port must be written.",
  "provider-on-node":
    "Look at the kubelet's version and feature gates, its two flags for credential providers, the plugin's version and the arguments of its entry.",
  "service-account-present": "Add the ServiceAccount to the manifests, in the namespace of the pod.",
  "service-account-readable":
    "The kubelet reads service accounts by the node authorizer of the API server; upgrade the API server first.",
  "annotations-present":
    "Annotate the service account with every key that the entry requires, exactly as the plugin spells it.",
  "audience-granted":
    "Grant the nodes the verb request-serviceaccounts-token-audience on the audience, in the namespace of the service account.",
  "issuer-trusted":
    "The issuer of the cluster's tokens must be in the cloud's trust exactly, trailing slash and letter case included.",
  "audience-accepted": "The cloud must accept the audience that the kubelet or the pod asks for, exactly.",
  "subject-admitted":
    "The trust must name system:serviceaccount:<namespace>:<name> exactly; a wildcard needs an operator that knows wildcards.",
  "login-permitted": "Grant the identity what the registry asks for before any pull.",
  "repository-permitted":
    "Grant the identity the right to read the repository; if another account owns it, that account must allow it too.",
  otherwise: "What happens without the chain: a pull secret, the node's identity, or an anonymous pull.",
  "secret-present": "Add the Secret that the component reads to the manifests, or finish it with bind.",
  "secret-well-formed":
    "Write the keys that the component's SDK reads, with the path of the token, and no static key, which would override it.",
  "issuer-configured": "Write the issuer into spec.serviceAccountIssuer of Authentication/cluster.",
  "account-present": "Add the ServiceAccount of the workload to the manifests.",
  "account-annotated":
    "Annotate the service account with the identity, or mount a credential file that names it.",
  "pods-configured": "Give the pods a projected token of the right audience, and the variables that name it.",
  "identity-found": "The named identity must be in the Terraform configuration that is read.",
  "permissions-granted": "Grant the identity every permission that is asked for.",
  "controller-present": "Add the Deployment or StatefulSet of the hub's controller to the manifests.",
  "controller-configured":
    "Let the controller read the provider file and enable what it needs for ClusterProfiles.",
  "profile-present": "Add the ClusterProfile of the spoke to the manifests.",
  "profile-readable": "Grant the controller get, list and watch of ClusterProfiles in the namespace.",
  "profile-well-formed": "Write server, certificate authority and access provider into the profile's status.",
  "provider-chosen": "The provider file needs an entry by the name of the profile's access provider.",
  "secret-free": "Use an exec plugin: no token and no client certificate in the provider file.",
  "plugin-present": "Mount the exec plugin into the controller's container at the path of the entry.",
  "plugin-called": "Give the plugin the arguments and variables that it needs for the spoke's cloud.",
  "identity-named": "The controller's service account must name the identity that the plugin acts as.",
  "token-mounted": "Mount a projected token for the audience where the plugin looks for it.",
  "spoke-admits":
    "Make the identity known to the spoke: by an access entry, a role assignment, an IAM binding or an OIDC rule.",
  "spoke-authorizes": "Grant the identity rights in the spoke, by RBAC or by the cloud.",
  "all-understood":
    "Something that was read is not judged: see what it does, and accept the finding with --baseline if it does not matter.",
};

/** What each warning about fleet access means, as a sentence; the warning itself says what to do. */
const WARNINGS: Readonly<Record<string, string>> = {
  "access-entry-untied": "An access entry is not replaced together with its IAM role.",
  "access-provider-ambiguous":
    "Several access providers of a profile are in the controller's file, and their order decides.",
  "access-provider-unused": "The provider file has an entry that no profile names.",
  "cluster-manager-foreign": "A profile belongs to a cluster manager that overwrites its profiles.",
  "cluster-setting-ignored": "The access library ignores a setting of the profile's cluster.",
  "fleet-extension-invalid": "An extension of a profile has a name that no controller looks for.",
  "policy-impersonated": "Access policies have no effect while a controller impersonates others.",
  "profile-config-without-cluster-info":
    "The provider's entry does not hand the profile's data to the plugin.",
  "profile-env-shared": "Variables of one spoke are kept for the next one.",
  "profile-env-without-policy": "The chosen provider takes no variables of the profile.",
  "proxy-unused": "The container's proxy is not used for spokes.",
  "subject-unpinned": "The spoke admits every service account of the hub whose token has the audience.",
  "wide-policy": "A policy grants more than a controller needs.",
  "wide-role": "A role grants more than a controller needs.",
  "worker-cluster-missing": "No MultiKueueCluster refers to the profile.",
};

/** The checks of every job in their order, each once, and then the warnings. */
export const CHECK_HELP: readonly CheckHelp[] = [
  {
    id: "still-pulled",
    question: "Does the pull of a running pod go on once the configuration is applied?",
    help: HELP["still-pulled"],
  },
  ...new Map(
    [PULL_LINKS, ...Object.values(accessRunners).map(({ links }) => links), fleetRunner.links].flatMap(
      (links) => links.map(({ id, question }) => [id, { id, question, help: HELP[id] }] as const),
    ),
  ).values(),
  ...Object.entries(WARNINGS).map(([id, question]) => ({
    id,
    question,
    help: "It works all the same; the finding says what to do about it.",
  })),
];
