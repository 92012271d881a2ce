/** Names that each cluster gives its own API server, and a host's names for itself; other private names may be reachable. */
const OWN_NAMES =
  /^https:\/\/(?:kubernetes(?:\.default(?:\.svc\.[^/:]+)?)?|[^/:]+\.svc(?:\.cluster\.local)?|localhost|127(?:\.\d+)+|\[::1\])(?::\d+)?(?:\/|$)/i;

/**
 * True for an issuer that means another server in each cluster, as the default of kubeadm and OpenShift: a spoke looks
 * for the keys at itself, and does not start where it has the same issuer (kubernetes:staging/src/k8s.io/apiserver/pkg/
 * apis/apiserver/validation/validation.go, `URL must not overlap with disallowed issuers`).
 */
export function isOwnInEachCluster(issuer: string): boolean {
  return OWN_NAMES.test(issuer);
}
