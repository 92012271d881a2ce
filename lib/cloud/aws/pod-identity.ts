/*
 * Associations of EKS Pod Identity: which service account of an EKS cluster gets which role. EKS allows one per service
 * account, and sets the variables of its pods; the add-on `eks-pod-identity-agent` gives them the credentials.
 */

import type { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import type { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { EksPodIdentityAssociation } from "@cdktf/provider-aws/lib/eks-pod-identity-association/index.js";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { type Kind, type ObjectKind, either, object, text } from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import {
  type PodIdentityPlace,
  eksClusterArn,
  podIdentityPlace,
  podIdentityTrust,
} from "../../rules/aws/pod-identity";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import { waitFor } from "../shared/across-stacks";
import { declareOnce, declaredOnce, onceKey } from "./once";
import { checkClusterRegion } from "./place";
import type { IWorkloadRole, RolePlace } from "./role-props";
import { EKS_CLUSTER, eksClusterNames } from "./spoke";

/** An EKS cluster: declared, looked up, or by its name in EKS. */
export type PodIdentityCluster = EksCluster | DataAwsEksCluster | string;

export const POD_IDENTITY_CLUSTER: Kind<PodIdentityCluster> = either(text, EKS_CLUSTER);

/** A service account that gets a role by EKS Pod Identity. */
export interface PodIdentity {
  /** The cluster, in the role's account. */
  readonly cluster: PodIdentityCluster;
  /** The service account, as `namespace/name`. */
  readonly serviceAccount: string | Subject;
}

export const POD_IDENTITY: ObjectKind<PodIdentity> = object({
  cluster: POD_IDENTITY_CLUSTER,
  serviceAccount: SUBJECT,
});

/** Properties of roles with associations. */
interface Place extends Pick<RolePlace, "provider" | "tags">, Partial<PodIdentityPlace> {}

/** Returns the statements of a trust policy; refuses a service account that already has an association. */
export function podIdentityTrusts(
  scope: Construct,
  identities: readonly PodIdentity[],
  place: Place,
): readonly PolicyStatement[] {
  const keys = new Set<string>();
  return identities.map(({ cluster, serviceAccount }) => {
    const { name } = eksClusterNames(cluster);
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
    return podIdentityTrust(eksClusterArn(checked, name), subject);
  });
}

/** Declares the associations of a role in a scope, as `Association_<cluster>_<namespace>_<service account>`. */
export function declareAssociations(
  scope: Construct,
  role: Pick<IWorkloadRole, "arn" | "dependencies">,
  identities: readonly PodIdentity[],
  { provider, tags, ...place }: Place,
): readonly EksPodIdentityAssociation[] {
  return identities.map(({ cluster, serviceAccount }) => {
    const { name, nameReference } = eksClusterNames(cluster);
    const subject = Subject.of(serviceAccount);
    const { namespace, name: account } = subject;
    declareOnce(scope, keyOf({ provider, ...place }, name, subject));
    const association = new EksPodIdentityAssociation(scope, `Association_${name}_${namespace}_${account}`, {
      clusterName: nameReference,
      namespace,
      serviceAccount: account,
      roleArn: role.arn,
      ...(tags && { tags }),
      ...(place.region !== undefined && { region: place.region }),
      ...(provider && { provider }),
    });
    waitFor(association, role.dependencies);
    return association;
  });
}

function keyOf({ provider, region = "" }: Place, cluster: string, { key }: Subject): string {
  return onceKey(provider, "pod-identity", region, cluster, key);
}
