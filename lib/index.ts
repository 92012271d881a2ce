/**
 * The vocabulary that every subpath shares: values and errors. Loads no construct library.
 *
 * @module cdktf-workload-identity
 * @packageDocumentation
 */

export { errorCodes } from "./error-codes";
export { WorkloadIdentityError, isWorkloadIdentityError, type ErrorCode } from "./errors";
export { type AccessPrincipal } from "./model/access-principal";
export { validateAudience } from "./model/audience";
export {
  type ClusterFacts,
  type ICluster,
  type PluginFacts,
  type StockCredentialProvider,
} from "./model/cluster";
export {
  type ComponentGrant,
  type ComponentIntent,
  type ComponentSecret,
  type ComponentsDeclaration,
  type ComponentsRequest,
  type IComponentIdentities,
} from "./model/components";
export { Duration } from "./model/duration";
export { type FederatedTrust } from "./model/federated-trust";
export { type CredentialProviderEnv, type ImageCredentialProvider } from "./model/image-credential-provider";
export { type GivenIssuer, type IIssuerHost, Issuer, type IssuerSettings } from "./model/issuer";
export {
  type AccountGrant,
  type AccountRequest,
  type AccountsRequest,
  type IExistingIdentity,
  type IIdentities,
  type IIdentitySource,
  type IdentityGrant,
  type IdentityJob,
  type IdentityRequest,
} from "./model/identity";
export { type IssuerKey } from "./model/issuer-keys";
export { LateEncoding, LateText, isLate } from "./model/late";
export { type INodeCarrier } from "./model/node-carrier";
export { nodeFile, type NodeFile, type NodeSetup } from "./model/node-file";
export { type ChartOptions, type IManifestSink } from "./model/manifest-sink";
export {
  type IPullIdentities,
  type IPullSource,
  type PullDeclaration,
  type PullRequest,
} from "./model/pulls";
export { Subject } from "./model/subject";
export {
  type AccessDeclaration,
  type AccessGrant,
  type AccessRequest,
  type CredentialFile,
  type IAccess,
  type IWorkloadIdentities,
  type ClusterRight,
  type PodFragment,
} from "./model/workloads";
