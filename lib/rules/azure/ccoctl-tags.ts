/**
 * The tag by which `ccoctl azure` knows what it made for a cluster. Source: openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_oidc_issuer.go.
 */
export function ccoctlTags(clusterName: string): Readonly<Record<string, string>> {
  return { [`openshift.io_cloud-credential-operator_${clusterName}`]: "owned" };
}
