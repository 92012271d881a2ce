/**
 * Kubernetes objects of a chain of trust, as cdk8s constructs: service accounts with their annotations, and RBAC for
 * the audiences of their tokens.
 *
 * @packageDocumentation
 */

export { ServiceAccount, type ServiceAccountProps } from "./service-account";
export {
  ServiceAccountAnnotations,
  type ServiceAccountAnnotationsProps,
} from "./service-account-annotations";
export { TokenAudienceGrant, type TokenAudienceGrantProps } from "./token-audience-grant";
