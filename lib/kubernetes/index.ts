/**
 * Kubernetes objects of a chain of trust, as cdk8s constructs: service accounts with their annotations, what
 * their pods read, and RBAC for the audiences of their tokens.
 *
 * @module kubernetes
 * @packageDocumentation
 */

export { ConfigMap, type ConfigMapProps } from "./data-objects";
export { type DataMap } from "./data-objects";
export { Secret, type SecretProps } from "./data-objects";
export { ServiceAccount, type ServiceAccountProps } from "./service-account";
export { ServiceAccountAnnotations, type ServiceAccountAnnotationsProps } from "./service-account";
export { TokenAudienceGrant, type TokenAudienceGrantProps } from "./token-audience-grant";
