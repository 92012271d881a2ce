import type { TerraformProvider } from "cdktf";
import { type Duration, DURATION } from "../../model/duration";
import { type ObjectKind, boolean, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of declared resources. */
export interface DeclaredProps {
  /**
   * Terraform provider of all resources; must be allowed to set the IAM policies that are changed.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

export const DECLARED_PROPS: ObjectKind<DeclaredProps> = object({ provider: optional(PROVIDER) });

/** Settings of resources that may already exist. */
export interface AdoptableProps extends DeclaredProps {
  /**
   * Whether the resource exists and is imported into the state with a Terraform `import` block. Members of policies
   * need no import: adding an existing one changes nothing.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
}

export const ADOPTABLE_PROPS: ObjectKind<AdoptableProps> = object({
  ...DECLARED_PROPS.shape,
  adopt: optional(boolean),
});

/** Settings of what contains host names of Google Cloud's APIs. */
export interface UniverseProps {
  /**
   * Domain of Google Cloud's APIs, for issuers and credential files.
   *
   * @defaultValue "googleapis.com"
   */
  readonly universeDomain?: string;
}

export const UNIVERSE_PROPS: ObjectKind<UniverseProps> = object({ universeDomain: optional(text) });

/** Settings of the credentials in a workload's pods. */
export interface WorkloadCredentialProps {
  /**
   * Directory of token and credential file in the containers.
   *
   * @defaultValue "/var/run/secrets/workload-identity/google"
   */
  readonly credentialDirectory?: string;
  /**
   * Lifetime of the service account tokens, 10 minutes to 24 hours; the kubelet renews them in time.
   *
   * @defaultValue - one hour
   */
  readonly tokenLifetime?: Duration;
  /**
   * Whether each workload gets its own Google service account. With `false`, the roles are granted to the pool's
   * principal itself, which needs no further resources, but a few APIs do not support such principals
   * (https://cloud.google.com/iam/docs/federated-identity-supported-services).
   *
   * @defaultValue true
   */
  readonly impersonate?: boolean;
}

export const WORKLOAD_CREDENTIAL_PROPS: ObjectKind<WorkloadCredentialProps> = object({
  credentialDirectory: optional(text),
  tokenLifetime: optional(DURATION),
  impersonate: optional(boolean),
});
