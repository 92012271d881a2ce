/**
 * What the kubelet, the API server, the clouds and the plugins accept, as pure functions. No I/O, no construct
 * library. They read parsed JSON or YAML, and pass on whatever a caller's own getter or proxy throws.
 *
 * @module rules
 * @packageDocumentation
 */

export { type AwsDecision } from "./aws/policy/decide";
export { type AwsPermissionRequest, evaluateAwsPermission } from "./aws/policy/permission";
export { type AwsTrustRequest, evaluateAwsTrust } from "./aws/policy/trust";
export type { PluginAbility, PluginAnswer } from "../model/plugin";
export { pluginCan } from "./plugins";
export { type ConfigIssue } from "./kubelet/decode-credential-provider-config";
export {
  type CacheKeyType,
  type CachedServiceAccount,
  credentialCacheKey,
  credentialCacheLookups,
} from "./kubelet/credential-cache-keys";
export {
  type CredentialKeyrings,
  type RegistryCredential,
  credentialsInOrder,
} from "./kubelet/registry-credentials";
export { credentialProviderConfigHash } from "./kubelet/config-hash";
export { type FeatureGate, featureGateDefault, knownKubernetesMinors } from "./kubelet/feature-gates";
export { imageMatches } from "./kubelet/image-matches";
export { lookupRepository } from "./kubelet/image-reference";
export { lintCredentialProviderConfig } from "./kubelet/lint-credential-provider-config";
export { nodeNeedsServiceAccountGet } from "./kubelet/feature-gates";
export {
  type ValidateCredentialProviderConfigOptions,
  validateCredentialProviderConfig,
} from "./kubelet/validate-credential-provider-config";
export { type NodeMayRequestAudienceOptions, nodeMayRequestAudience } from "./rbac/evaluate";
export {
  type IssuerDocuments,
  type IssuerDocumentsOptions,
  type OpenIdDocument,
  issuerDocuments,
} from "./openid/issuer-documents";
export { publishedJwks } from "./openid/issuer-documents";
export { type AcceptedAlgorithms, jwksFromPublicKeys } from "./openid/jwks";
export { credentialsRequest } from "./openshift/credentials-request";
export {
  type ChangedRequest,
  type CredentialsRequestsDiff,
  type NamedRequest,
  type ValueChange,
  credentialsRequestsDiff,
} from "./openshift/two-releases";
