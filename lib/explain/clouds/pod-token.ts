import { type CelClaims, UNKNOWN_CLAIM } from "../../rules/google/cel-variables";
import { isLateText } from "../facts/terraform";

/** What is known of a service account token that the kubelet mounts into a pod. */
export interface PodToken {
  /** `sub`. */
  readonly subject: string;
  /** The service account's namespace; empty where the subject is none of a service account. */
  readonly namespace: string;
  /** The service account's name. */
  readonly name: string;
  /** `iss`; `undefined` where it is not known. */
  readonly issuer: string | undefined;
  /** The only entry of `aud`. */
  readonly audience: string;
}

/**
 * The claims of a bound token that kube-apiserver issues for a pod.
 * Source: kubernetes/kubernetes, pkg/serviceaccount/claims.go.
 */
export function podTokenClaims({ subject, namespace, name, issuer, audience }: PodToken): CelClaims {
  const kubernetes = {
    namespace,
    node: UNKNOWN_CLAIM,
    pod: UNKNOWN_CLAIM,
    serviceaccount: { name, uid: UNKNOWN_CLAIM },
    warnafter: UNKNOWN_CLAIM,
  };
  return {
    aud: isLateText(audience) ? UNKNOWN_CLAIM : [audience],
    exp: UNKNOWN_CLAIM,
    iat: UNKNOWN_CLAIM,
    iss: issuer === undefined || isLateText(issuer) ? UNKNOWN_CLAIM : issuer,
    jti: UNKNOWN_CLAIM,
    nbf: UNKNOWN_CLAIM,
    sub: subject,
    ...(namespace === "" ? {} : { "kubernetes.io": kubernetes }),
  };
}
