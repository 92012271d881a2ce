import type { Construct } from "constructs";
import { type IComponentIdentities, COMPONENT_IDENTITIES } from "../model/components";
import type { CredentialsRequestSelection } from "../openshift";
import { type GivenIssuer, ISSUER } from "../model/issuer";
import { type ObjectKind, object, optional, text, boolean } from "../model/shape";
import { CREDENTIALS_REQUEST_SELECTION } from "../rules/openshift/credentials-request-selection";

/** One cluster's components, and how their identities are made. */
export interface PlatformComponentsProps {
  /** Name of the cluster; begins the names of roles and identities. */
  readonly clusterName: string;
  /**
   * Who will sign the cluster's service account tokens: `IssuerBucket`, `IssuerContainer` and the like where this
   * configuration publishes the documents, the URL where somebody else does.
   */
  readonly issuer: GivenIssuer;
  /** What the components ask for, from `credentialsRequests(folder, filter)`. */
  readonly requests: CredentialsRequestSelection;
  /** How the cloud's identities are made: `componentRoles()`, `componentIdentities()`, `componentServiceAccounts()`. */
  readonly identities: IComponentIdentities<Construct>;
  /**
   * OpenShift version for whose upgrade these credentials suffice, `4.23`: opens the upgrade gate of manual mode with a
   * manifest for the running cluster. Must be newer than the cluster's version where `ImagePulls` stands before this in
   * the stack and states it.
   *
   * @defaultValue - the gate stays shut: the cluster reports `Upgradeable=False`
   */
  readonly upgradeableTo?: string;
  /**
   * Whether `app.synth()` ends with an error where the verifier finds, in the files that were written, that a cloud
   * would refuse a component.
   * With `false` they are written whatever they hold. The app's context
   * `cdktf-workload-identity/proof` with `false`, or cdktf's `skipValidation`, leaves it out for all.
   *
   * @defaultValue true
   */
  readonly proof?: boolean;
}

/** The kind of {@link PlatformComponentsProps}. */
export const PLATFORM_COMPONENTS_PROPS: ObjectKind<PlatformComponentsProps> = object({
  clusterName: text,
  issuer: ISSUER,
  requests: CREDENTIALS_REQUEST_SELECTION,
  identities: COMPONENT_IDENTITIES,
  upgradeableTo: optional(text),
  proof: optional(boolean),
});
