import { fleetPluginMessages } from "./fleet-plugin";
import { fleetSpokeMessages } from "./fleet-spoke";
import type { Problem } from "./problem";

const MANAGER =
  "1 to 63 of A-Z, a-z, 0-9, -, _ and ., starting and ending with a letter or digit: it is also a label";

const ownMessages = {
  "cluster-profile-name-invalid": (value: unknown): Problem => ({
    problem: "name of a ClusterProfile is not a DNS subdomain",
    value,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "give the spoke a name that Kubernetes takes",
  }),
  "cluster-profile-twice": (namespace: string, name: string, by: string): Problem => ({
    problem: `the ClusterProfile is already declared by ${by}`,
    value: `${namespace}/${name}`,
    allowed: "one spoke per name and inventory",
    remedy: "give one of the two spokes another name",
  }),
  "cluster-manager-invalid": (value: unknown): Problem => ({
    problem: "name of the cluster manager is not a label value",
    value,
    allowed: MANAGER,
    remedy: "use a short name of your own, for example platform-iac",
  }),
  "cluster-manager-foreign": (value: string): Problem => ({
    problem: "the cluster manager is another program, which rewrites the status of its own profiles",
    value,
    allowed: "a name of your own",
    remedy: "declare profiles under a name of your own, and leave that manager's profiles to it",
  }),
  "cluster-manager-label": (label: unknown, manager: unknown): Problem => ({
    problem: "the label x-k8s.io/cluster-manager differs from spec.clusterManager.name",
    value: label,
    allowed: String(manager),
    remedy: "write the same name in both places",
  }),
  "cluster-profile-rejected": (field: string, reason: string, version: string): Problem => ({
    problem: `the API server rejects the ClusterProfile (${version}): ${field} ${reason}`,
    remedy: "correct the field",
  }),
  "cluster-profile-field-dropped": (field: string, version: string): Problem => ({
    problem: `the API server drops a field of the ClusterProfile (${version}) in silence`,
    value: field,
    allowed: "the fields of the CRD; within `cluster` they are in kebab-case",
    remedy: "correct the spelling, or remove the field",
  }),
  "cluster-profile-status-in-main": (where: string): Problem => ({
    problem: "the status of a ClusterProfile stands with its main object, where the API server drops it",
    value: where,
    allowed: "a chart or file of its own for the status",
    remedy:
      "pass another chart as `statusScope`, and apply it with `kubectl apply --server-side --subresource=status`",
  }),
  "fleet-name-outdated": (old: string, now: string): Problem => ({
    problem: "this name is of an older draft and has no effect any more",
    value: old,
    allowed: now,
    remedy: `write ${now}`,
  }),
  "access-provider-name-invalid": (value: unknown): Problem => ({
    problem: "name of an access provider is empty or too long",
    value,
    allowed: "1 to 253 characters",
    remedy: "use one name in the profile and in the controller's file, for example aws-spoke-a",
  }),
  "access-provider-twice": (name: string): Problem => ({
    problem: "two access providers have one name, and only the first would be used",
    value: name,
    allowed: "each name once",
    remedy: "rename one of the two, in the controller's file and in the profiles",
  }),
  "access-provider-unlisted": (
    profile: string,
    names: readonly string[],
    file: readonly string[],
  ): Problem => ({
    problem: `the controller's file has no access provider of profile ${profile}`,
    value: names.join(", "),
    allowed: file.join(", "),
    remedy: "add the provider to the controller's file, under the same name",
  }),
  "access-provider-unused": (name: string): Problem => ({
    problem: "no profile names this access provider of the controller's file",
    value: name,
    allowed: "a name that a profile has in status.accessProviders",
    remedy: "remove it, or correct the name",
  }),
  "access-provider-invalid": (name: string, reason: string): Problem => ({
    problem: `access provider ${name} ${reason}`,
    allowed:
      "name and execConfig with apiVersion, command, args, env, installHint, provideClusterInfo, interactiveMode",
    remedy: "correct the entry of the controller's file",
  }),
  "access-provider-additional-args": (where: string): Problem => ({
    problem: `${where} uses clusterprofiles.multicluster.x-k8s.io/exec/additional-args, which no version can store: the CRD wants an object, the controllers a list`,
    allowed: "one provider per spoke with its own args, or the extension of additional-envs",
    remedy: "give each spoke a provider of its own",
  }),
  "access-provider-policy-invalid": (key: string, value: unknown, allowed: string): Problem => ({
    problem: `${key} of an access provider is none of the values that the controllers know`,
    value,
    allowed,
    remedy: "write one of them, letter for letter",
  }),
  "access-provider-ambiguous": (profile: string, chosen: string, others: readonly string[]): Problem => ({
    problem: `profile ${profile} has several access providers of the controller's file, and the order of the file decides`,
    value: [chosen, ...others].join(", "),
    allowed: `one; the controller takes ${chosen}`,
    remedy: "leave one of them out of the profile",
  }),
  "profile-env-without-policy": (profile: string, reason: string): Problem => ({
    problem: `profile ${profile} brings environment variables along, which the controller ignores: ${reason}`,
    allowed: "profileSourcedEnvVarsPolicy AppendIfNotExists or Replace, and a consumer that reads it",
    remedy: "state the policy in the controller's file, or give the spoke a provider of its own",
  }),
  "profile-config-without-cluster-info": (profile: string): Problem => ({
    problem: `profile ${profile} has data for the plugin, which the controller does not hand over`,
    allowed: "provideClusterInfo: true in the controller's file",
    remedy: "set provideClusterInfo, or remove the extension client.authentication.k8s.io/exec",
  }),
  "fleet-extension-invalid": (name: string, reason: string): Problem => ({
    problem: `extension of an access provider ${reason}`,
    value: name,
    allowed:
      "client.authentication.k8s.io/exec, clusterprofiles.multicluster.x-k8s.io/exec/additional-envs; each once, its value an object",
    remedy: "correct the extension, or remove it",
  }),
  "spoke-server-invalid": (reason: string, origin: string | undefined): Problem => ({
    problem: `server of a spoke ${reason}`,
    value: origin,
    allowed: "https://host[:port][/path], at most 2048 characters",
    remedy: "give the URL of the spoke's API server; the endpoint of a GKE cluster comes without https://",
  }),
  "spoke-ca-invalid": (reason: string): Problem => ({
    problem: `certificate authority of a spoke ${reason}`,
    allowed: "base64 of one or several PEM blocks CERTIFICATE",
    remedy:
      "give `certificate_authority[0].data` (EKS), `cluster_ca_certificate` (AKS, GKE), or the file of the API server's CA in base64",
  }),
  "spoke-ca-missing": (spoke: string): Problem => ({
    problem: "the spoke has no certificate authority, and the system's certificates would be asked",
    value: spoke,
    allowed:
      "certificateAuthorityData, or publicCertificate: true for Connect Gateway and endpoints with a public certificate",
    remedy: "give one of the two",
  }),
  "spoke-proxy-invalid": (reason: string): Problem => ({
    problem: `proxy of a spoke ${reason}`,
    allowed: "http://, https:// or socks5://host[:port], without user and password",
    remedy: "give the proxy's URL without user and password",
  }),
  "cluster-property-invalid": (name: unknown, value: unknown): Problem => ({
    problem: `property ${String(name)} of a spoke is empty or too long`,
    value,
    allowed: "a name of 1 to 253 and a value of 1 to 1024 characters",
    remedy: "shorten it, or leave it out",
  }),
  "spoke-time-invalid": (value: unknown): Problem => ({
    problem: "time of a condition is not an RFC 3339 time",
    value,
    allowed: 'for example "2026-11-20T00:00:00Z"',
    remedy: "write the time since when the spoke's control plane is declared healthy",
  }),
  "spoke-health-missing": (consumer: string, spoke: string): Problem => ({
    problem: `${consumer} waits for the condition ControlPlaneHealthy, which the profile does not have`,
    value: spoke,
    allowed: "controlPlaneHealthySince with a time",
    remedy: "declare the condition, knowing that it is declared and not observed",
  }),
  "fleet-consumer-too-old": (consumer: string, value: string, since: string, why: string): Problem => ({
    problem: `${consumer} is too old: ${why}`,
    value,
    allowed: `${since} or newer`,
    remedy: "upgrade the consumer",
  }),
  "fleet-consumer-workload": (consumer: string, reason: string): Problem => ({
    problem: `${consumer} ${reason}`,
    allowed: "kind, namespace, name, container and serviceAccount of every workload that opens connections",
    remedy: "state the workloads as `kubectl get deployments,statefulsets -o wide` shows them",
  }),
  "fleet-identity-missing": (subject: string, cloud: string): Problem => ({
    problem: `the service account runs the plugin, but has no identity in ${cloud}`,
    value: subject,
    allowed: "one identity per service account that opens connections",
    remedy: "declare the identity for this service account, too",
  }),
  "fleet-identity-foreign": (subject: string): Problem => ({
    problem: "an identity is given for a service account that runs no plugin of this consumer",
    value: subject,
    remedy: "leave the identity out, or name the workload that uses the service account",
  }),
  "fleet-identity-conflict": (subject: string, what: string): Problem => ({
    problem: `two identities of one service account disagree about ${what}`,
    value: subject,
    remedy: "use one identity per cloud and service account",
  }),
  "kueue-profile-namespace": (value: string): Problem => ({
    problem: "Kueue reads ClusterProfiles of its own namespace alone",
    value,
    allowed: "kueue-system",
    remedy: "put the inventory into kueue-system",
  }),
  "fleet-profile-namespace": (consumer: string, value: string, allowed: string): Problem => ({
    problem: `${consumer} takes clusters of its own namespace alone, and the Secret of one stands beside its ClusterProfile`,
    value,
    allowed,
    remedy: `put the profiles into ${allowed}`,
  }),
  "kueue-configuration-invalid": (reason: string): Problem => ({
    problem: `configuration of Kueue ${reason}`,
    allowed:
      "controller_manager_config.yaml of the ConfigMap kueue-manager-config, without multiKueue.clusterProfile",
    remedy: "give the text as the installed release has it; the fleet's part is added to it",
  }),
  "spoke-authorisation-missing": (spoke: string, principal: string): Problem => ({
    problem: `nothing on spoke ${spoke} allows the controller anything`,
    value: principal,
    allowed: "a policy or groups of the access entry, a role assignment, an IAM role, or RBAC",
    remedy: "grant what the controller needs",
  }),
  "fleet-spokes-empty": (hub: string): Problem => ({
    problem: "no spoke is given",
    value: hub,
    allowed: "at least one entry of `spokes`",
    remedy: "name the clusters that the controllers enter",
  }),
  "fleet-identities-none": (cloud: string): Problem => ({
    problem: "a spoke's cloud has no way of making the controllers' identities",
    value: cloud,
    allowed:
      "workloadRoles() for aws, workloadIdentities() for azure, workloadServiceAccounts() for google in `identities`",
    remedy: "add the maker of that cloud",
  }),
  "spoke-trust-differs": (spoke: string, what: string, value: unknown, expected: unknown): Problem => ({
    problem: `the ${what} that spoke ${spoke} trusts are not those of the hub and its consumer`,
    value,
    allowed: JSON.stringify(expected),
    remedy:
      "give `access` as a function, (hub) => selfManagedSpoke({ ...hub, … }), so that they are written once",
  }),
  "spoke-cluster-role-missing": (spoke: string, users: readonly string[]): Problem => ({
    problem: `spoke ${spoke} lets the controllers in, but nothing there allows them anything`,
    value: users,
    allowed: "clusterRole: the name of an existing ClusterRole of the spoke",
    remedy: "give the spoke a `clusterRole`, or a policy or role of its cloud that gives rights",
  }),
  "spoke-cluster-role-unused": (spoke: string, role: string): Problem => ({
    problem: `the cloud of spoke ${spoke} itself gives the controllers their rights, so that the ClusterRole would bind nobody`,
    value: role,
    remedy:
      "leave `clusterRole` out, or leave the rights to RBAC: groups of an access entry, no roles of the cloud",
  }),
  "spoke-cluster-role-invalid": (value: unknown): Problem => ({
    problem: "name of a ClusterRole cannot stand in a URL path",
    value,
    allowed: "1 to 253 characters without / and %, neither . nor ..",
    remedy: "name an existing ClusterRole of the spoke",
  }),
  "fleet-rbac-missing": (subject: string, verb: string, resource: string): Problem => ({
    problem: `${subject} may not ${verb} ${resource}`,
    value: subject,
    allowed: `a Role with ${verb} on ${resource}`,
    remedy: "bind the role to the service account",
  }),
};

/** Refusals of access from a hub's controllers to spoke clusters (ClusterProfile). */
export const fleetMessages: typeof ownMessages & typeof fleetPluginMessages & typeof fleetSpokeMessages = {
  ...ownMessages,
  ...fleetPluginMessages,
  ...fleetSpokeMessages,
};
