import type { AccessTrust } from "../clouds/cloud-access";
import type { ClusterRecord } from "../facts/cluster-record";
import type { ComponentFacts } from "../facts/component-facts";

/** What the checks of trust look at, whoever shows the token. */
export interface TrustContext {
  /** What the cloud says of the token; `undefined` where it was not asked. */
  readonly trust: AccessTrust | undefined;
  /**
   * The cluster that issues the token.
   *
   * @defaultValue - nothing is known of it besides the token
   */
  readonly artefacts?: Pick<ComponentFacts, "authentication"> & { readonly cluster: ClusterRecord };
}
