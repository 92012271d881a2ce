/**
 * Registries other than the three clouds' that take service account tokens, for `from` of `ImagePulls`.
 *
 * @module registries
 * @packageDocumentation
 */

export { type ArtifactoryProps, artifactory } from "./artifactory";
export { type CloudsmithProps, cloudsmith } from "./cloudsmith";
export { type HarborBridge, type HarborProps, harbor } from "./harbor";
export {
  type OidcRegistry,
  type OidcRegistryProps,
  type OwnerDocument,
  type RegistryProps,
  oidcRegistry,
} from "./oidc-registry";
export { type QuayProps, quay } from "./quay";
export { type VaultSecretProps, vaultSecret } from "./vault-secret";
export { type ZotProps, zot } from "./zot";
export type { TokenPlugin } from "../model/plugin";
