import { type AwsProps, AWS_PROPS } from "./props";
import type { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { EksAccessEntry } from "@cdktf/provider-aws/lib/eks-access-entry/index.js";
import { EksAccessPolicyAssociation } from "@cdktf/provider-aws/lib/eks-access-policy-association/index.js";
import type { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { DataResource, TerraformResource, TerraformStack, Annotations } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { AccessPrincipal } from "../../model/access-principal";
import type { ISpokeAccess, SpokeEntry, SpokeEntryRequest } from "../../model/fleet";
import { isLate } from "../../model/late";
import {
  type ObjectKind,
  type Kind,
  choice,
  object,
  optional,
  text,
  checkGiven,
  either,
  list,
} from "../../model/shape";
import type { AccessGrant } from "../../model/workloads";
import { parseRoleArn } from "../../rules/aws/arn";
import { partitionOf, otherPartition } from "../../rules/aws/partitions";
import {
  type EksAuthenticationMode,
  EKS_AUTHENTICATION_MODES,
  eksClusterName,
  requireAccessEntries,
  type EksAccess,
  type EksPolicyGrant,
  accessPolicyArn,
  EKS_POLICY_GRANT,
  eksAccess,
} from "../../rules/aws/spoke";
import { waitFor } from "../shared/across-stacks";
import { keepNames } from "../shared/kept-names";
import { elementOf } from "../shared/kinds";
import { PerStack } from "../shared/per-scope";
import { checkClusterRegion, checkProviderPlace } from "./place";

/** An EKS cluster described by its attributes. */
export interface ExistingEksCluster {
  /** Name of the cluster in EKS, literal. */
  readonly name: string;
  /** URL of the API server, with `https://`; may be late. */
  readonly endpoint: string;
  /** PEM certificate in base64, as in `certificate_authority[0].data`; may be late. */
  readonly certificateAuthorityData: string;
  /**
   * Its authentication mode; `CONFIG_MAP` is refused.
   *
   * @defaultValue - unknown; access entries are assumed to be enabled
   */
  readonly authenticationMode?: EksAuthenticationMode;
}

const EXISTING_EKS_CLUSTER: ObjectKind<ExistingEksCluster> = object({
  name: text,
  endpoint: text,
  certificateAuthorityData: text,
  authenticationMode: optional(choice(EKS_AUTHENTICATION_MODES)),
});

interface EksClusterFacts {
  readonly name: string;
  /** The name for arguments of resources; a reference if Terraform declares the cluster, so that they wait for it. */
  readonly nameReference: string;
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
  readonly warning: string | undefined;
}

function eksClusterFacts(cluster: EksCluster | DataAwsEksCluster | ExistingEksCluster): EksClusterFacts {
  if (!("certificateAuthority" in cluster)) {
    const { endpoint, certificateAuthorityData, authenticationMode: mode } = cluster;
    const name = eksClusterName(cluster.name);
    if (mode !== undefined) requireAccessEntries(name, mode);
    return { name, nameReference: name, endpoint, certificateAuthorityData, warning: undefined };
  }
  const names = eksClusterNames(cluster);
  const declared = "accessConfigInput" in cluster;
  return {
    ...names,
    endpoint: cluster.endpoint,
    certificateAuthorityData: cluster.certificateAuthority.get(0).data,
    warning: declared ? modeWarning(names.name, cluster) : undefined,
  };
}

/** Returns the literal name, and the name for arguments of resources that belong to the cluster. */
export function eksClusterNames(
  cluster: EksCluster | DataAwsEksCluster | string,
): Pick<EksClusterFacts, "name" | "nameReference"> {
  if (typeof cluster === "string") return { name: eksClusterName(cluster), nameReference: cluster };
  const name = eksClusterName(cluster.nameInput);
  keepNames(cluster, { names: { name }, statedBy: "name of the cluster" });
  return { name, nameReference: "accessConfigInput" in cluster ? cluster.name : name };
}

function modeWarning(name: string, cluster: EksCluster): string | undefined {
  const mode = cluster.accessConfig.authenticationModeInput;
  if (mode === undefined)
    return `EKS cluster ${name} has no access_config.authentication_mode, and EKS defaults to CONFIG_MAP for clusters created through its API: set API or API_AND_CONFIG_MAP, which access entries need`;
  if (!isLate(mode)) requireAccessEntries(name, mode);
  return undefined;
}

export const EKS_CLUSTER: Kind<EksCluster | DataAwsEksCluster> = elementOf(
  "an EksCluster or DataAwsEksCluster",
  "aws_eks_cluster",
);

const followers = new PerStack<DataResource>();
const ROLE = "aws_iam_role";

/**
 * Returns an entry for `replace_triggered_by`, which accepts only addresses of the same configuration, in JSON as plain
 * text; for a role of another stack, a `terraform_data` holds its id. `undefined` if the app does not declare the role.
 */
function roleIdTrigger(scope: Construct, { dependencies }: AccessPrincipal): string | undefined {
  const role = dependencies.find(isRole);
  if (role === undefined) return undefined;
  const isInStack = TerraformStack.of(role) === TerraformStack.of(scope);
  return isInStack ? addressOf(role, "unique_id") : addressOf(followerOf(scope, role), "id");
}

function followerOf(scope: Construct, role: TerraformResource): DataResource {
  const key = role.node.path;
  const stack = TerraformStack.of(scope);
  const id = `role-id-${key.replaceAll("/", "-")}`;
  const triggersReplace = { uniqueId: role.getStringAttribute("unique_id") };
  return followers.ensure(scope, key, () => new DataResource(stack, id, { triggersReplace }));
}

function addressOf(resource: TerraformResource, attribute: string): string {
  return `${resource.terraformResourceType}.${resource.friendlyUniqueId}.${attribute}`;
}

function isRole(dependency: unknown): dependency is TerraformResource {
  return TerraformResource.isTerraformResource(dependency) && dependency.terraformResourceType === ROLE;
}

interface Entry extends EksAccess, AwsProps {
  readonly clusterName: string;
  readonly region: string;
  readonly partition: string;
  readonly principal: AccessPrincipal;
}

/**
 * Declares an IAM role's access entry in an EKS cluster as `Resource`, and its access policies under their names.
 *
 * An entry stores the role's unique id in addition to its ARN, and does not admit a role that was recreated with the
 * same ARN (EKS user guide, "Create access entries"). So the entry is replaced together with the role, and its policies
 * together with the entry.
 */
function enter(scope: Construct, props: Entry): void {
  const { clusterName, region, partition, principal, kubernetesGroups, tags, provider } = props;
  const common = { clusterName, region, principalArn: principal.name, provider };
  const trigger = roleIdTrigger(scope, principal);
  const entry = new EksAccessEntry(scope, "Resource", {
    ...common,
    type: "STANDARD",
    ...(kubernetesGroups.length > 0 && { kubernetesGroups: [...kubernetesGroups] }),
    ...(tags && { tags: { ...tags } }),
    ...(trigger !== undefined && { lifecycle: { replaceTriggeredBy: [trigger] } }),
  });
  waitFor(entry, principal.dependencies);
  if (trigger === undefined) Annotations.of(scope).addWarning(UNTIED);
  for (const { policy, namespaces } of props.accessPolicies) {
    const association = new EksAccessPolicyAssociation(scope, policy, {
      ...common,
      policyArn: accessPolicyArn(partition, policy),
      accessScope:
        namespaces === undefined ? { type: "cluster" } : { type: "namespace", namespaces: [...namespaces] },
      lifecycle: { replaceTriggeredBy: [addressOf(entry, "access_entry_arn")] },
    });
    waitFor(association, [entry]);
  }
}

const UNTIED =
  "the IAM role of the access entry is not declared in this app, so Terraform cannot see that it is recreated: if that happens, replace the entry by hand, because it stores the role's unique id";

/** Settings of {@link eksSpoke}. */
export interface EksSpokeProps extends AwsProps {
  /** The cluster: declared, looked up, or described. Its name must be literal: plugins get it as an argument. */
  readonly cluster: EksCluster | DataAwsEksCluster | ExistingEksCluster;
  /** Region of the cluster, literal. */
  readonly region: string;
  /**
   * Access policies of each controller. They have no effect if a controller impersonates other users, as Argo CD can:
   * use `kubernetesGroups` then.
   *
   * @defaultValue - none; then `kubernetesGroups` must name a group
   */
  readonly accessPolicies?: readonly EksPolicyGrant[];
  /**
   * Groups of each controller, to which RBAC on the spoke gives rights; must not begin with `system:`.
   *
   * @defaultValue - none
   */
  readonly kubernetesGroups?: readonly string[];
}

const EKS_SPOKE_PROPS: ObjectKind<EksSpokeProps> = object({
  ...AWS_PROPS.shape,
  cluster: either(EXISTING_EKS_CLUSTER, EKS_CLUSTER),
  region: text,
  accessPolicies: optional(list(EKS_POLICY_GRANT)),
  kubernetesGroups: optional(list(text)),
});

interface CheckedSpoke extends EksAccess {
  readonly facts: EksClusterFacts;
  readonly partition: string;
}

/**
 * Returns an EKS cluster as a spoke: each controller's IAM role gets an access entry, with access policies or groups.
 *
 * The role does not need an IAM permission: the credentials that its plugin makes are a signed request to STS. In the
 * scope it declares a construct with the spoke's name, and in that one per controller, `<namespace>_<service account>`,
 * with its access entry.
 */
export function eksSpoke(props: EksSpokeProps): ISpokeAccess<Construct> {
  checkGiven("eksSpoke()", EKS_SPOKE_PROPS, props);
  const { accessPolicies = [], kubernetesGroups = [], region, cluster } = props;
  const spoke: CheckedSpoke = {
    ...eksAccess({ accessPolicies, kubernetesGroups }),
    facts: eksClusterFacts(cluster),
    partition: partitionOf(region).name,
  };
  if ("certificateAuthority" in cluster) at(cluster, () => checkClusterRegion(cluster, region));
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
  const { partition } = access;
  at(parent, () => checkProviderPlace(parent, { partition, account: undefined, provider }));
  if (facts.warning !== undefined) Annotations.of(parent).addWarning(facts.warning);
  for (const [{ subject }, principal] of principals)
    enter(new Construct(parent, `${subject.namespace}_${subject.name}`), {
      ...access,
      clusterName: facts.nameReference,
      region,
      principal,
      tags,
      provider,
    });
  return {
    users: controllers.map(({ subject }) => ({
      subject,
      // The user's name contains the session name, which each call chooses, so RBAC must use groups.
      groups: access.kubernetesGroups,
      authorized: isAuthorizing(access),
    })),
  };
}

/** If groups are named, RBAC is expected, even if there are access policies too. */
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
        problem: `two controllers enter EKS cluster ${cluster} with the same IAM role, which can have only one access entry there`,
        value: name,
        allowed: "one IAM role per service account",
        remedy: "declare the identities with workloadRoles(), which makes one role per service account",
      });
    seen.add(name);
    return [grant, principal];
  });
}
