import type { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import type { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { isLate } from "../../model/late";
import {
  type EksAuthenticationMode,
  EKS_AUTHENTICATION_MODES,
  eksClusterName,
  requireAccessEntries,
} from "../../rules/aws/spoke";
import { type ObjectKind, type Kind, choice, object, optional, text } from "../../model/shape";
import { keepNames } from "../shared/kept-names";
import { elementOf } from "../shared/kinds";

/** An EKS cluster by what is known of it. */
export interface ExistingEksCluster {
  /** Name of the cluster in EKS, literal. */
  readonly name: string;
  /** URL of the API server, with `https://`; may be late. */
  readonly endpoint: string;
  /** Base64 of the PEM certificate, as `certificate_authority[0].data`; may be late. */
  readonly certificateAuthorityData: string;
  /**
   * Its authentication mode; `CONFIG_MAP` is refused.
   *
   * @defaultValue - not known, and taken for one with access entries
   */
  readonly authenticationMode?: EksAuthenticationMode;
}

/** The kind of {@link ExistingEksCluster}. */
export const EXISTING_EKS_CLUSTER: ObjectKind<ExistingEksCluster> = object({
  name: text,
  endpoint: text,
  certificateAuthorityData: text,
  authenticationMode: optional(choice(EKS_AUTHENTICATION_MODES)),
});

/** What a spoke needs to know of its cluster. */
export interface EksClusterFacts {
  /** Its literal name, for plugins. */
  readonly name: string;
  /** Its name for resources; a reference where Terraform declares the cluster, so that they wait for it. */
  readonly nameReference: string;
  /** URL of the API server. */
  readonly endpoint: string;
  /** Base64 of the PEM certificate. */
  readonly certificateAuthorityData: string;
  /** Text of a warning; `undefined` where there is none. */
  readonly warning: string | undefined;
}

/**
 * What is known of a cluster that is declared, looked up, or described.
 *
 * Throws `aws-eks-cluster-name-invalid`, `spoke-authentication-mode`, or `late-value`.
 */
export function eksClusterFacts(
  cluster: EksCluster | DataAwsEksCluster | ExistingEksCluster,
): EksClusterFacts {
  if (!("certificateAuthority" in cluster)) {
    const { endpoint, certificateAuthorityData, authenticationMode: mode } = cluster;
    const name = eksClusterName(cluster.name);
    if (mode !== undefined) requireAccessEntries(name, mode);
    return { name, nameReference: name, endpoint, certificateAuthorityData, warning: undefined };
  }
  const name = eksClusterName(cluster.nameInput);
  keepNames(cluster, { names: { name }, statedBy: "name of the cluster" });
  const declared = "accessConfigInput" in cluster;
  return {
    name,
    nameReference: declared ? cluster.name : name,
    endpoint: cluster.endpoint,
    certificateAuthorityData: cluster.certificateAuthority.get(0).data,
    warning: declared ? modeWarning(name, cluster) : undefined,
  };
}

function modeWarning(name: string, cluster: EksCluster): string | undefined {
  const mode = cluster.accessConfig.authenticationModeInput;
  if (mode === undefined)
    return `EKS cluster ${name} states no access_config.authentication_mode, and EKS takes CONFIG_MAP for a cluster made through its API: access entries need API or API_AND_CONFIG_MAP`;
  if (!isLate(mode)) requireAccessEntries(name, mode);
  return undefined;
}

/** The kind of a cluster that is declared or looked up. */
export const EKS_CLUSTER: Kind<EksCluster | DataAwsEksCluster> = elementOf(
  "an EksCluster or DataAwsEksCluster",
  "aws_eks_cluster",
);
