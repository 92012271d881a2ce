/*
 * Associations of EKS Pod Identity: which service account of an EKS cluster gets which role. EKS allows one per service
 * account, and sets the variables of its pods; the add-on `eks-pod-identity-agent` gives them the credentials.
 */

import type { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import type { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { EksPodIdentityAssociation } from "@cdktf/provider-aws/lib/eks-pod-identity-association/index.js";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { AccountsRequest } from "../../model/identity";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  boolean,
  either,
  list,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import {
  type PodIdentityPlace,
  checkTargetRole,
  podIdentityPlace,
  podIdentityTrust,
  sessionPolicyText,
  targetRight,
} from "../../rules/aws/pod-identity";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import { waitFor } from "../shared/across-stacks";
import { declareOnce, declaredOnce, onceKey } from "./once";
import { checkClusterRegion } from "./place";
import type { AccountRolesProps, IWorkloadRole, RolePlace } from "./role-props";
import { EKS_CLUSTER, eksClusterNames } from "./spoke";

/** An EKS cluster: declared, looked up, or by its name in EKS. */
export type PodIdentityCluster = EksCluster | DataAwsEksCluster | string;

const POD_IDENTITY_CLUSTER: Kind<PodIdentityCluster> = either(text, EKS_CLUSTER);

/** How EKS Pod Identity assumes a role. */
export interface PodIdentitySession {
  /** The cluster, in the role's account. */
  readonly cluster: PodIdentityCluster;
  /**
   * ARN of a role in any account, which EKS assumes with the credentials of the first; pods act as it. The first role gets
   * the right to assume it. The trust policy of the target, its owner's, must admit that role. May be late.
   *
   * @defaultValue - pods act as the role itself
   */
  readonly targetRoleArn?: string;
  /**
   * The most that sessions may do, at most 2,048 characters; with a target role it limits only that. Needs
   * `disableSessionTags`, and at least version 6.57.1 of the Terraform provider.
   *
   * @defaultValue - all that the role may do
   */
  readonly policy?: readonly PolicyStatement[];
  /**
   * Whether sessions have no tags. The trust policy then admits every association of the cluster: whoever may create
   * them and pass the role decides which service accounts get it.
   *
   * @defaultValue false
   */
  readonly disableSessionTags?: boolean;
}

const POD_IDENTITY_SESSION: ObjectKind<PodIdentitySession> = object({
  cluster: POD_IDENTITY_CLUSTER,
  targetRoleArn: optional(text),
  policy: optional(list(anyObject)),
  disableSessionTags: optional(boolean),
});

/** A service account that gets a role by EKS Pod Identity. */
export interface PodIdentity extends PodIdentitySession {
  /** The service account, as `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /**
   * Id of the association if it exists (`a-…`); it is then imported.
   *
   * @defaultValue - the association is created
   */
  readonly associationId?: string;
}

export const POD_IDENTITY: ObjectKind<PodIdentity> = object({
  ...POD_IDENTITY_SESSION.shape,
  serviceAccount: SUBJECT,
  associationId: optional(text),
});

/** How the workloads of a cluster get their roles by EKS Pod Identity. */
export interface WorkloadPodIdentity extends PodIdentitySession {
  /**
   * Whether the roles also trust the issuer's tokens, and service accounts are annotated: pods that run while their
   * service account moves from IRSA keep their credentials.
   *
   * @defaultValue false
   */
  readonly irsa?: boolean;
  /**
   * Ids of the associations that exist (`a-…`), by `namespace/name` of the service account; they are imported.
   *
   * @defaultValue - all associations are created
   */
  readonly associations?: Readonly<Record<string, string>>;
}

export const WORKLOAD_POD_IDENTITY: Kind<PodIdentityCluster | WorkloadPodIdentity> = either(
  POD_IDENTITY_CLUSTER,
  object({
    ...POD_IDENTITY_SESSION.shape,
    irsa: optional(boolean),
    associations: optional(record(text)),
  }),
);

/** How workloads get their roles: by EKS Pod Identity, by their tokens, or both. */
export interface PodIdentitySettings {
  readonly podIdentity: PodIdentitySession | undefined;
  readonly irsa: boolean;
  readonly associations: Readonly<Record<string, string>>;
}

export function podIdentitySettings(
  given: WorkloadPodIdentity | PodIdentityCluster | undefined,
): PodIdentitySettings {
  if (given === undefined) return { podIdentity: given, irsa: true, associations: {} };
  const isCluster = typeof given === "string" || "certificateAuthority" in given;
  const settings: WorkloadPodIdentity = isCluster ? { cluster: given } : given;
  const { irsa = false, associations = {}, ...podIdentity } = settings;
  return { podIdentity, irsa, associations };
}

/** The pod identity of one workload's service account; none without EKS Pod Identity. */
export function podIdentitiesOf(
  { podIdentity, associations }: PodIdentitySettings,
  serviceAccount: Subject,
): readonly PodIdentity[] {
  const associationId = associations[serviceAccount.key];
  return podIdentity
    ? [{ ...podIdentity, serviceAccount, ...(associationId !== undefined && { associationId }) }]
    : [];
}

const ASSOCIATION_ID = /^a-[a-z0-9]+$/;

function associationImport(cluster: string, id: string): string {
  return ASSOCIATION_ID.test(id)
    ? `${cluster},${id}`
    : fail("aws-invalid", {
        problem: "not the id of an association of EKS Pod Identity",
        value: id,
        allowed: "a- and letters or digits",
        remedy: "use `associationId` of `aws eks list-pod-identity-associations`",
      });
}

/** Refuses issuers, regions, associations and properties of workloads that have no use with EKS Pod Identity. */
export function checkPodIdentity(
  { irsa, associations }: PodIdentitySettings,
  { account, region, audience, oidcProvider }: AccountRolesProps,
  { issuer, accounts }: Pick<AccountsRequest<unknown>, "issuer" | "accounts">,
): void {
  const keys = accounts.map(({ subject }) => subject.key);
  const stray = Object.keys(associations).find((key) => !keys.includes(key));
  if (stray !== undefined)
    fail("aws-unused", {
      problem: "`podIdentity.associations` names a service account that no line of `workloads` has",
      value: stray,
      allowed: keys.join(", "),
      remedy: "correct the name, or remove the entry",
    });
  podIdentityPlace({ account, region }, issuer);
  const unused = Object.entries({ audience, oidcProvider }).find(([, value]) => value !== undefined);
  if (unused && !irsa)
    fail("aws-unused", {
      problem: `${unused[0]} has no effect with podIdentity, which does not use an OIDC provider`,
      value: unused[0],
      allowed: "account, region, path, permissionsBoundary, namePrefix, tags, provider",
      remedy: "leave it out, or leave `podIdentity` out",
    });
}

/** Properties of roles with associations. */
interface Place extends Pick<RolePlace, "provider" | "tags">, Partial<PodIdentityPlace> {}

/** Returns the statements of a trust policy; refuses a service account that already has an association. */
export function podIdentityTrusts(
  scope: Construct,
  identities: readonly PodIdentity[],
  place: Place,
): readonly PolicyStatement[] {
  const keys = new Set<string>();
  const statements = identities.map(({ cluster, serviceAccount, targetRoleArn, policy, ...session }) => {
    const { name } = eksClusterNames(cluster);
    if (session.associationId !== undefined) associationImport(name, session.associationId);
    const subject = Subject.of(serviceAccount);
    const key = keyOf(place, name, subject);
    const known = declaredOnce(scope, key);
    if (known || keys.has(key))
      fail("aws-conflict", {
        problem: `service account of EKS cluster ${name} already has an association${known ? `, of ${known.node.path}` : ""}; EKS allows only one`,
        value: subject.key,
        allowed: "one role for each service account of a cluster",
        remedy: "give all permissions to one role, or list the service account once",
      });
    keys.add(key);
    const checked = podIdentityPlace(place, undefined);
    if (typeof cluster !== "string") checkClusterRegion(cluster, checked.region);
    const isTagged = session.disableSessionTags !== true;
    if (targetRoleArn !== undefined) checkTargetRole(targetRoleArn, checked.region);
    if (policy) sessionPolicyText(policy, isTagged);
    return podIdentityTrust(checked, name, subject, isTagged);
  });
  // Without session tags, those of one cluster are alike.
  return [...new Map(statements.map((each) => [JSON.stringify(each), each])).values()];
}

/** What a role must be allowed for the target roles of its associations. */
export function targetRights(identities: readonly PodIdentitySession[]): readonly PolicyStatement[] {
  return [...new Set(identities.flatMap(({ targetRoleArn = [] }) => targetRoleArn))].map(targetRight);
}

/** Declares the associations of a role in a scope, as `Association_<cluster>_<namespace>_<service account>`. */
export function declareAssociations(
  scope: Construct,
  role: Pick<IWorkloadRole, "arn" | "dependencies">,
  identities: readonly PodIdentity[],
  { provider, tags, ...place }: Place,
): readonly EksPodIdentityAssociation[] {
  return identities.map(({ cluster, serviceAccount, targetRoleArn, policy, disableSessionTags, ...its }) => {
    const { name, nameReference } = eksClusterNames(cluster);
    const subject = Subject.of(serviceAccount);
    const { namespace, name: account } = subject;
    declareOnce(scope, keyOf({ provider, ...place }, name, subject));
    const association = new EksPodIdentityAssociation(scope, `Association_${name}_${namespace}_${account}`, {
      clusterName: nameReference,
      namespace,
      serviceAccount: account,
      roleArn: role.arn,
      ...(targetRoleArn !== undefined && { targetRoleArn }),
      ...(disableSessionTags !== undefined && { disableSessionTags }),
      ...(tags && { tags }),
      ...(place.region !== undefined && { region: place.region }),
      ...(provider && { provider }),
    });
    // The bindings do not have the argument yet.
    if (policy) association.addOverride("policy", sessionPolicyText(policy, false));
    if (its.associationId !== undefined)
      association.importFrom(associationImport(name, its.associationId), provider);
    waitFor(association, role.dependencies);
    return association;
  });
}

/** Whether a role declares the association of this service account itself. */
export function hasAssociation(
  scope: Construct,
  role: IWorkloadRole,
  identity: PodIdentity,
  place: Place,
): boolean {
  const { name } = eksClusterNames(identity.cluster);
  const holder = declaredOnce(scope, keyOf(place, name, Subject.of(identity.serviceAccount)));
  return holder !== undefined && Object.is(holder, role);
}

function keyOf({ provider, region = "" }: Place, cluster: string, { key }: Subject): string {
  return onceKey(provider, "pod-identity", region, cluster, key);
}
