import { GivenIssuer, Issuer } from "../../model/issuer";

/** Name of the manifest below the installer's `manifests/`; it takes the place of the installer's own file. */
export const AUTHENTICATION_FILE = "cluster-authentication-02-config.yaml";

/** `Authentication/cluster` of `config.openshift.io/v1`, as far as the issuer needs it. */
export interface AuthenticationManifest {
  /** `config.openshift.io/v1`. */
  readonly apiVersion: "config.openshift.io/v1";
  /** `Authentication`. */
  readonly kind: "Authentication";
  /** The singleton. */
  readonly metadata: { readonly name: "cluster" };
  /** No other field, so that an applied manifest changes nothing else. */
  readonly spec: { readonly serviceAccountIssuer: string };
}

/**
 * The manifest by which the kube-apiserver writes the issuer into service account tokens; the issuer may be late.
 *
 * Throws `issuer-invalid` or `issuer-trailing-slash`.
 */
export function authenticationManifest(issuer: GivenIssuer): AuthenticationManifest {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "Authentication",
    metadata: { name: "cluster" },
    spec: { serviceAccountIssuer: Issuer.of(issuer).url },
  };
}
