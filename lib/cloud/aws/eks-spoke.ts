import type { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import type { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { Annotations, type TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { ISpokeAccess, SpokeEntry, SpokeEntryRequest } from "../../model/fleet";
import { isLate } from "../../model/late";
import type { AccessPrincipal } from "../../model/access-principal";
import type { AccessGrant } from "../../model/workloads";
import { parseRoleArn } from "../../rules/aws/provider";
import { type EksAccess, type EksPolicyGrant, EKS_POLICY_GRANT, eksAccess } from "../../rules/aws/spoke";
import { partitionOf, otherPartition } from "../../rules/aws/partitions";
import {
  type EksClusterFacts,
  type ExistingEksCluster,
  EKS_CLUSTER,
  EXISTING_EKS_CLUSTER,
  eksClusterFacts,
} from "./eks-spoke-cluster";
import { EksSpokeEntry } from "./eks-spoke-entry";
import { PROVIDER } from "../shared/kinds";
import { type ObjectKind, checkGiven, either, list, object, optional, record, text } from "../../model/shape";

/** Settings of {@link eksSpoke}. */
export interface EksSpokeProps {
  /** The cluster: declared, looked up, or described by its endpoint. Its name is literal, since plugins are told it. */
  readonly cluster: EksCluster | DataAwsEksCluster | ExistingEksCluster;
  /** Region of the cluster, literal. */
  readonly region: string;
  /**
   * Access policies of each controller. They do not count where a controller impersonates others, as Argo CD can:
   * use `kubernetesGroups` there.
   *
   * @defaultValue - none; then `kubernetesGroups` must name a group
   */
  readonly accessPolicies?: readonly EksPolicyGrant[];
  /**
   * Groups of each controller, to which RBAC on the spoke gives rights; none begins with `system:`.
   *
   * @defaultValue - none
   */
  readonly kubernetesGroups?: readonly string[];
  /**
   * Tags of the access entries.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of the cluster's account, which may be another one than that of the controllers' IAM roles.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

const EKS_SPOKE_PROPS: ObjectKind<EksSpokeProps> = object({
  cluster: either(EXISTING_EKS_CLUSTER, EKS_CLUSTER),
  region: text,
  accessPolicies: optional(list(EKS_POLICY_GRANT)),
  kubernetesGroups: optional(list(text)),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

/** A spoke, checked. */
interface CheckedSpoke extends EksAccess {
  readonly facts: EksClusterFacts;
  readonly partition: string;
}

/**
 * An EKS cluster as a spoke: each controller's IAM role gets an access entry there, with access policies or groups.
 *
 * The role needs no IAM permission: the credentials that its plugin makes are a signed request to STS. Declares, in
 * the scope, a construct with the spoke's name and in it an `EksSpokeEntry` for each controller,
 * `<namespace>_<service account>`.
 *
 * Throws `aws-eks-access-empty`, `aws-eks-policy-twice`, `aws-eks-namespaces-empty`, `aws-eks-group-invalid`,
 * `aws-eks-cluster-name-invalid`, `aws-region-unknown`, `spoke-authentication-mode`, `namespace-invalid` and `late-value`; when it is declared, `aws-arn-invalid` and `aws-partition-mismatch` for what is
 * no IAM role of the cluster's partition, and `aws-eks-entry-twice` for two controllers with one role.
 */
export function eksSpoke(props: EksSpokeProps): ISpokeAccess<Construct> {
  checkGiven("eksSpoke()", EKS_SPOKE_PROPS, props);
  const { accessPolicies = [], kubernetesGroups = [], region } = props;
  const spoke: CheckedSpoke = {
    ...eksAccess({ accessPolicies, kubernetesGroups }),
    facts: eksClusterFacts(props.cluster),
    partition: partitionOf(region).name,
  };
  const { name, endpoint, certificateAuthorityData } = spoke.facts;
  return {
    cloud: "aws",
    endpoint: { server: endpoint, certificateAuthorityData },
    parameters: { clusterName: name, region },
    authorizes: isAuthorizing(spoke),
    declare: (scope, request) => declareEntries(scope, request, spoke, props),
  };
}

function declareEntries(
  scope: Construct,
  { spoke: name, controllers }: SpokeEntryRequest,
  { facts, ...access }: CheckedSpoke,
  { region, tags, provider }: EksSpokeProps,
): SpokeEntry {
  const principals = at({ node: { path: `spoke ${name}` } }, () =>
    rolesOf(controllers, facts.name, access.partition),
  );
  const parent = new Construct(scope, name);
  if (facts.warning !== undefined) Annotations.of(parent).addWarning(facts.warning);
  for (const [{ subject }, principal] of principals)
    new EksSpokeEntry(parent, `${subject.namespace}_${subject.name}`, {
      ...access,
      clusterName: facts.nameReference,
      region,
      principal,
      ...(tags && { tags }),
      ...(provider && { provider }),
    });
  return {
    users: controllers.map(({ subject }) => ({
      subject,
      // EKS makes the user's name of the session's, which each call chooses; RBAC goes by groups.
      groups: access.kubernetesGroups,
      authorized: isAuthorizing(access),
    })),
  };
}

/** Who names groups wants RBAC to count, whatever policies there are besides. */
function isAuthorizing({ kubernetesGroups }: EksAccess): boolean {
  return kubernetesGroups.length === 0;
}

function rolesOf(
  controllers: readonly AccessGrant[],
  cluster: string,
  partition: string,
): readonly (readonly [AccessGrant, AccessPrincipal])[] {
  const seen = new Set<string>();
  return controllers.map((grant) => {
    const principal = grant.principal ?? { name: grant.identity, dependencies: [] };
    const { name } = principal;
    if (!isLate(name)) {
      const { partition: its } = parseRoleArn(name);
      if (its !== partition) fail("aws-mismatch", otherPartition(`IAM role ${name}`, its, partition));
    }
    if (seen.has(name))
      fail("aws-conflict", {
        problem: `two controllers enter EKS cluster ${cluster} as one IAM role, which can have one access entry there`,
        value: name,
        allowed: "an IAM role of its own for each service account",
        remedy: "declare the identities with workloadRoles(), which makes one role per service account",
      });
    seen.add(name);
    return [grant, principal];
  });
}
