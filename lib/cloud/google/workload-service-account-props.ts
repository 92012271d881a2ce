import type { TerraformProvider } from "cdktf";
import { type Duration, DURATION } from "../../model/duration";
import { type Subject, SUBJECT } from "../../model/subject";
import type { GoogleAccess } from "./google-access";
import { type IOidcProvider, OIDC_PROVIDER } from "./oidc-provider-props";
import { type ObjectKind, boolean, list, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";
import { ACCESS } from "../../model/workloads";

/** How a workload's pods get at their credentials. */
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
   * Act as a Google service account of the workload's own. Without, the roles are granted to the pool's principal
   * itself: nothing more to make, but a few APIs do not know such principals
   * (https://cloud.google.com/iam/docs/federated-identity-supported-services).
   *
   * @defaultValue true
   */
  readonly impersonate?: boolean;
}

/** The kind of {@link WorkloadCredentialProps}. */
export const WORKLOAD_CREDENTIAL_PROPS: ObjectKind<WorkloadCredentialProps> = object({
  credentialDirectory: optional(text),
  tokenLifetime: optional(DURATION),
  impersonate: optional(boolean),
});

/** Settings of a {@link WorkloadServiceAccount}. */
export interface WorkloadServiceAccountProps extends WorkloadCredentialProps {
  /** The Kubernetes service account, as `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /** What it may do, from `googleAccess()`; none for an identity that is given rights elsewhere. */
  readonly access: readonly GoogleAccess[];
  /** Name of the cluster; begins the id of the Google service account. */
  readonly clusterName: string;
  /** Id of the project of the Google service account. */
  readonly project: string;
  /** The pool provider that trusts the cluster. */
  readonly oidcProvider: IOidcProvider;
  /**
   * Id of the Google service account.
   *
   * @defaultValue - derived from cluster, namespace and name
   */
  readonly accountId?: string;
  /**
   * Domain of Google Cloud's APIs, for the credential file.
   *
   * @defaultValue "googleapis.com"
   */
  readonly universeDomain?: string;
  /**
   * Terraform provider of all resources.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** The kind of {@link WorkloadServiceAccountProps}. */
export const WORKLOAD_SERVICE_ACCOUNT_PROPS: ObjectKind<WorkloadServiceAccountProps> = object({
  ...WORKLOAD_CREDENTIAL_PROPS.shape,
  serviceAccount: SUBJECT,
  access: list(ACCESS),
  clusterName: text,
  project: text,
  oidcProvider: OIDC_PROVIDER,
  accountId: optional(text),
  universeDomain: optional(text),
  provider: optional(PROVIDER),
});
