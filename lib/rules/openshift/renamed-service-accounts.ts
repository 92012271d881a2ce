/*
 * Service accounts of OpenShift's components that were renamed between releases. Source: the CredentialsRequests of
 * openshift/cluster-capi-operator and openshift/azure-disk-csi-driver-operator at their release branches.
 */

/** One row: the names that a component's service account has had, oldest first. */
interface Renaming {
  readonly namespace: string;
  readonly names: readonly string[];
  readonly history: string;
}

const RENAMINGS: readonly Renaming[] = [
  {
    namespace: "openshift-cluster-api",
    names: ["cluster-capi-operator", "capi-controllers", "capa-controller-manager"],
    history:
      "the service account of openshift-cluster-api is cluster-capi-operator up to 4.21, capi-controllers from 4.22, and on AWS capa-controller-manager from 4.23",
  },
];

/** What is known of a service account's earlier and later names; `undefined` where it was never renamed. */
export function renamedServiceAccount(namespace: string, name: string): string | undefined {
  return RENAMINGS.find((row) => row.namespace === namespace && row.names.includes(name))?.history;
}
