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
import { PerStack } from "../shared/per-stack";

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

const EXISTING_EKS_CLUSTER: ObjectKind<ExistingEksCluster> = object({
  name: text,
  endpoint: text,
  certificateAuthorityData: text,
  authenticationMode: optional(choice(EKS_AUTHENTICATION_MODES)),
});

interface EksClusterFacts {
  readonly name: string;
  /** Its name for resources; a reference where Terraform declares the cluster, so that they wait for it. */
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

const followers = new PerStack<DataResource>();
const ROLE = "aws_iam_role";

/**
 * An entry for `replace_triggered_by`, which takes addresses within the configuration alone, as plain text in JSON; a role
 * of another stack is followed by a `terraform_data` that holds its id. `undefined` where the app does not declare it.
 */
function roleIdTrigger(scope: Construct, { dependencies }: AccessPrincipal): string | undefined {
  const role = dependencies.find(isRole);
  if (role === undefined) return undefined;
  const own = TerraformStack.of(role) === TerraformStack.of(scope);
  return own ? addressOf(role, "unique_id") : addressOf(followerOf(scope, role), "id");
}

function followerOf(scope: Construct, role: TerraformResource): DataResource {
  const key = role.node.path;
  const stack = TerraformStack.of(scope);
  return (
    followers.get(scope, key) ??
    followers.set(
      scope,
      key,
      new DataResource(stack, `role-id-${key.replaceAll("/", "-")}`, {
        triggersReplace: { uniqueId: role.getStringAttribute("unique_id") },
      }),
    )
  );
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
 * An IAM role in an EKS cluster: its access entry, `Resource`, and the access policies of the entry by their names.
 *
 * An entry holds the role's unique id besides its ARN, and a role that was made again under the same ARN is not let
 * in (EKS user guide, "Create access entries"). So the entry is replaced together with the role; and its policies,
 * which go with it, together with the entry.
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
  "the access entry is not tied to the unique id of its IAM role, which this app does not declare: when the role is made again under the same name, the entry must be replaced by hand";

/** Settings of {@link eksSpoke}. */
export interface EksSpokeProps extends AwsProps {
  /** The cluster: declared, looked up, or described by its endpoint. Its name is literal, since plugins get it as an argument. */
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
 * An EKS cluster as a spoke: each controller's IAM role gets an access entry there, with access policies or groups.
 *
 * The role needs no IAM permission: the credentials that its plugin makes are a signed request to STS. Declares, in the
 * scope, a construct with the spoke's name and in it one for each controller, `<namespace>_<service account>`, that holds
 * its access entry.
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
        allowed: "one IAM role per service account",
        remedy: "declare the identities with workloadRoles(), which makes one role per service account",
      });
    seen.add(name);
    return [grant, principal];
  });
}
