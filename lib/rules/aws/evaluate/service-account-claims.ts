/**
 * The claims of a service account token of Kubernetes. Of those that no condition key is documented for it matters only
 * that they are there. Source: kubernetes:pkg/serviceaccount/claims.go.
 */
export function serviceAccountClaims(
  iss: string,
  sub: string,
  aud: string,
): Readonly<Record<string, unknown>> {
  const other = {};
  return { iss, sub, aud, exp: other, iat: other, nbf: other, jti: other, "kubernetes.io": other };
}
