/*
 * What must hold so that a controller reads its profiles, a Job writes them, and a spoke reads access entries.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isLate } from "../../model/late";
import type { Subject } from "../../model/subject";
import { type RbacPolicy, rbacAllows } from "../rbac/evaluate";
import { CLUSTER_PROFILE_GROUP } from "./names";

type Issues = readonly WorkloadIdentityError[];

interface Verbs {
  readonly resource: string;
  readonly subresource?: string;
  readonly verbs: readonly string[];
}

const READS: Verbs = { resource: "clusterprofiles", verbs: ["get", "list", "watch"] };
const WRITES: Verbs = { resource: "clusterprofiles", subresource: "status", verbs: ["get", "patch"] };

/** `fleet-rbac-missing` where the consumer may not read profiles of the namespace. Never throws. */
export function profileReaderIssues(policy: RbacPolicy, subject: Subject, namespace: string): Issues {
  return rbacIssues(policy, subject, namespace, "", READS);
}

/** `fleet-rbac-missing` where the writer may not patch the status of the profile. Never throws. */
export function statusWriterIssues(
  policy: RbacPolicy,
  subject: Subject,
  profile: { readonly namespace: string; readonly name: string },
): Issues {
  return rbacIssues(policy, subject, profile.namespace, profile.name, WRITES);
}

function rbacIssues(
  policy: RbacPolicy,
  subject: Subject,
  namespace: string,
  name: string,
  { resource, subresource = "", verbs }: Verbs,
): Issues {
  const request = {
    user: subject.toString(),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${subject.namespace}`, "system:authenticated"],
    apiGroup: CLUSTER_PROFILE_GROUP,
    resource,
    subresource,
    name,
    namespace,
  };
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  return verbs
    .filter((verb) => !rbacAllows(policy, { ...request, verb }))
    .map((verb) => refusal("fleet-rbac-missing", subject.key, verb, full));
}

/** `spoke-authentication-mode` for an EKS cluster that reads no access entries; a late mode passes. Never throws. */
export function authenticationModeIssues(spoke: string, mode: string): Issues {
  const good = isLate(mode) || mode === "API" || mode === "API_AND_CONFIG_MAP";
  return good ? [] : [refusal("spoke-authentication-mode", spoke, mode)];
}
