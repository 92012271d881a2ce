/*
 * The links of a component's or a workload's access, in the order in which SDK and cloud come to them.
 */

import type { Answer } from "../answer";
import type { AccessIdentity, AccessTrust } from "../clouds/cloud-access";
import type { RequestFact, SecretFact } from "../facts/component-facts";
import type { ClusterArtefacts } from "../facts/facts";
import type { ServiceAccountFact } from "../facts/kubernetes-facts";
import type { Check } from "./check";

/** Everything that a check may look at; later parts are there once the checks before have passed. */
export interface AccessContext {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** True where somebody recorded it; false where only what was read speaks for it. */
  readonly declared: boolean;
  /** Key of the cloud; empty where it is not known. */
  readonly cloud: string;
  /** The service account's namespace. */
  readonly namespace: string;
  /** The service account's name; empty where nothing says which ones a component has. */
  readonly name: string;
  /** The Secret of a component, `namespace/name`; empty for a workload. */
  readonly secretKey: string;
  /** The Secret; `undefined` where it was not read. */
  readonly secret: SecretFact | undefined;
  /** The component's request; `undefined` where it was not read. */
  readonly request: RequestFact | undefined;
  /** The service account of a workload; `undefined` where it was not read. */
  readonly account: ServiceAccountFact | undefined;
  /** `iss` of the cluster's tokens; `undefined` where it is not known. */
  readonly issuer: string | undefined;
  /** Whether what names the identity is right in itself. */
  readonly named: Answer | undefined;
  /** Whether pods get token and settings. */
  readonly pods: Answer | undefined;
  /** As whom. */
  readonly identity: AccessIdentity | undefined;
  /** What the cloud says of the token. */
  readonly trust: AccessTrust | undefined;
  /** What the cloud says of the identity. */
  readonly permission: Answer | undefined;
}

/** One link. */
export type AccessCheck = Check<AccessContext>;
