/*
 * What must hold so that a controller reads its profiles, is trusted by the cloud and is let in by the spoke.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import type { SpokeUser } from "../../model/fleet";
import { isLate } from "../../model/late";
import type { Subject } from "../../model/subject";
import { type RbacPolicy, rbacAllows } from "../rbac/evaluate";
import { CLUSTER_PROFILE_GROUP } from "./names";

type Issues = readonly WorkloadIdentityError[];

/** Issuer, subject and audience of a token, or those that a cloud trusts, in the form of the token's claims. */
export interface TokenIdentity {
  /** `iss`, with `https://`; a cloud that writes it without is put right by the caller. */
  readonly issuer: string;
  /** `sub`. */
  readonly subject: string;
  /** `aud`. */
  readonly audience: string;
}

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

/** `fleet-identity-mismatch` for each part of the token that the trust does not name to the letter. Never throws. */
export function identityIssues(token: TokenIdentity, trusted: TokenIdentity): Issues {
  const parts = ["issuer", "subject", "audience"] as const;
  return parts
    .filter((part) => token[part] !== trusted[part])
    .map((part) => refusal("fleet-identity-mismatch", token.subject, part, trusted[part], token[part]));
}

/**
 * `spoke-authorisation-missing` for a controller that the cloud lets in, but that neither the cloud nor RBAC of the
 * spoke allows anything. `bound` are names of users and groups that bindings of the spoke have. Never throws.
 */
export function authorizationIssues(
  spoke: string,
  users: readonly SpokeUser[],
  bound: readonly string[],
): Issues {
  return users
    .filter(({ authorized, user, groups }) => {
      const names = [...(user === undefined ? [] : [user]), ...groups];
      return !authorized && !names.some((name) => bound.includes(name));
    })
    .map(({ subject }) => refusal("spoke-authorisation-missing", spoke, subject.key));
}

/** `spoke-authentication-mode` for an EKS cluster that reads no access entries; a late mode passes. Never throws. */
export function authenticationModeIssues(spoke: string, mode: string): Issues {
  const good = isLate(mode) || mode === "API" || mode === "API_AND_CONFIG_MAP";
  return good ? [] : [refusal("spoke-authentication-mode", spoke, mode)];
}
