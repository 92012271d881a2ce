import { type WorkloadIdentityError, refusal } from "../../errors";
import type { Subject } from "../../model/subject";
import { type RbacPolicy, rbacAllows } from "../rbac/evaluate";
import { CLUSTER_PROFILE_GROUP } from "./names";

type Issues = readonly WorkloadIdentityError[];

/** The permissions that a consumer lacks to read the namespace's profiles. */
export function profileReaderIssues(policy: RbacPolicy, subject: Subject, namespace: string): Issues {
  return rbacIssues(policy, subject, { namespace, name: "" }, "", ["get", "list", "watch"]);
}

/** The permissions that a writer lacks to patch the status of the profile. */
export function statusWriterIssues(policy: RbacPolicy, subject: Subject, profile: Profile): Issues {
  return rbacIssues(policy, subject, profile, "status", ["get", "patch"]);
}

interface Profile {
  readonly namespace: string;
  readonly name: string;
}

function rbacIssues(
  policy: RbacPolicy,
  subject: Subject,
  { namespace, name }: Profile,
  subresource: string,
  verbs: readonly string[],
): Issues {
  const request = {
    user: subject.toString(),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${subject.namespace}`, "system:authenticated"],
    apiGroup: CLUSTER_PROFILE_GROUP,
    resource: "clusterprofiles",
    subresource,
    name,
    namespace,
  };
  const resource = subresource === "" ? request.resource : `${request.resource}/${subresource}`;
  return verbs
    .filter((verb) => !rbacAllows(policy, { ...request, verb }))
    .map((verb) =>
      refusal("fleet-missing", {
        problem: `${subject.key} lacks a right on ClusterProfiles: it may not ${verb} ${resource}`,
        value: subject.key,
        allowed: `a Role with ${verb} on ${resource}`,
        remedy: "bind the role to the service account",
      }),
    );
}
