import { featureGateOn, knownMinor } from "./feature-gates";

/** Each of these gates of kube-apiserver lets the node authorizer allow `get` of a pod's service account. */
const GATES = ["KubeletServiceAccountTokenForCredentialProviders", "PodCertificateRequest"] as const;

/**
 * Whether `system:nodes` need RBAC `get` on `serviceaccounts`, because the API server's node authorizer does not
 * allow it itself: in 1.33 and older unless the gate is switched on, never by default from 1.34 on.
 *
 * `version` is that of kube-apiserver, `featureGates` are its gates where they differ from the defaults.
 * Throws `version-invalid` or `version-unknown`.
 * Source: `authorizeServiceAccount` in kubernetes:plugin/pkg/auth/authorizer/node/node_authorizer.go, 1.31 to 1.36.
 */
export function nodeNeedsServiceAccountGet(
  version: string,
  featureGates: Readonly<Record<string, boolean>> = {},
): boolean {
  knownMinor("kube-apiserver", version);
  return !GATES.some((gate) => featureGateOn(gate, version, featureGates));
}
