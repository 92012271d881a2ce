import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { IAccess } from "../../model/workloads";
import type { AccessPermissions } from "../../rules/aws/workload";

/** What a service account may do in AWS; made by `awsAccess()`. */
export interface AwsAccess extends IAccess<Construct>, AccessPermissions {}

/** Returns the access as one of AWS; throws `aws-access-foreign`. */
export function awsAccessOf(access: IAccess<Construct>): AwsAccess {
  return isAwsAccess(access)
    ? access
    : fail("aws-foreign", {
        problem: "access was not made by awsAccess()",
        value: access.cloud,
        allowed: "what awsAccess() of the aws subpath returns",
        remedy: "hand access of other clouds to their own identities",
      });
}

function isAwsAccess(access: IAccess<Construct>): access is AwsAccess {
  return access.cloud === "aws" && "managedPolicyArns" in access;
}
