import { Construct } from "constructs";
import { validateAudience } from "../../model/audience";
import type { IExistingIdentity } from "../../model/identity";
import type { Subject } from "../../model/subject";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { accessAnnotations } from "../../rules/aws/workload";
import { existingRole } from "./adopted";
import {
  type PodIdentity,
  type PodIdentitySettings,
  declareAssociations,
  hasAssociation,
  podIdentitiesOf,
  podIdentityTrusts,
} from "./pod-identity";
import type { AccountRolesProps, IWorkloadRole } from "./role-props";

export type ActingRole = Pick<IWorkloadRole, "arn" | "annotations" | "dependencies">;

interface ActingPlace
  extends
    Pick<AccountRolesProps, "account" | "region" | "audience" | "provider" | "tags">,
    PodIdentitySettings {}

export function checkActing(
  scope: Construct,
  serviceAccount: Subject,
  existing: IExistingIdentity,
  place: ActingPlace,
): void {
  validateAudience(place.audience ?? defaultAwsAudience);
  podIdentityTrusts(scope, missingAssociations(scope, serviceAccount, existing, place), place);
}

/** The association of the service account, unless the role declares it itself. */
function missingAssociations(
  scope: Construct,
  serviceAccount: Subject,
  existing: IExistingIdentity,
  place: ActingPlace,
): readonly PodIdentity[] {
  const role = existingRole(existing, place);
  return podIdentitiesOf(place, serviceAccount).filter((each) => !hasAssociation(scope, role, each, place));
}

/** The existing role of a workload. It keeps its trust policy, but an association is a resource of the cluster. */
export function actingAs(
  scope: Construct,
  id: string,
  serviceAccount: Subject,
  existing: IExistingIdentity,
  place: ActingPlace,
): ActingRole {
  const { arn, dependencies } = existingRole(existing, place);
  const { irsa, audience = defaultAwsAudience } = place;
  const identities = missingAssociations(scope, serviceAccount, existing, place);
  if (identities.length > 0)
    declareAssociations(new Construct(scope, id), { arn, dependencies }, identities, place);
  return { arn, dependencies, annotations: irsa ? accessAnnotations(arn, audience) : {} };
}
