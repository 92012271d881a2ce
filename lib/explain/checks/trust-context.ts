import type { AccessTrust } from "../clouds/cloud-access";

/** What the checks of trust look at, whoever shows the token. */
export interface TrustContext {
  /** What the cloud says of the token; `undefined` where it was not asked. */
  readonly trust: AccessTrust | undefined;
}
