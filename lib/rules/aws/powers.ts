/*
 * Actions with which the holder of a right gets others. Source: IAM user guide, "Actions, resources, and condition keys for
 * AWS Identity and Access Management"; sts:AssumeRole in the reference of AWS STS.
 */

import { patternsMeet } from "../pattern-comparison";
import { powerIn, type Power, type PowerRow } from "../powers";
import { matchesPattern } from "../wildcard";

const EVERYTHING: Power = { danger: "admin", says: "it may do everything, as AdministratorAccess allows" };
const IAM: Power = { danger: "admin", says: "it may give itself any right, as IAMFullAccess allows" };
/** What is allowed by exception is wider than any list. */
export const ALL_BUT: Power = {
  danger: "admin",
  says: "it may do everything but what is named, as PowerUserAccess allows",
};

/** What actions of IAM and STS do, each pattern of actions with the resources on which it counts. */
const ACTIONS: readonly (readonly [Power["danger"], on: string, actions: string, says: string])[] = [
  [
    "admin",
    "arn:*:iam::*",
    "AttachRolePolicy AttachUserPolicy AttachGroupPolicy PutRolePolicy PutUserPolicy PutGroupPolicy CreatePolicyVersion SetDefaultPolicyVersion UpdateAssumeRolePolicy AddUserToGroup CreateAccessKey CreateLoginProfile UpdateLoginProfile DeleteRolePermissionsBoundary DeleteUserPermissionsBoundary PutRolePermissionsBoundary PutUserPermissionsBoundary",
    "it may give itself or others more rights",
  ],
  [
    "issuer",
    "arn:*:iam::*",
    "CreateOpenIDConnectProvider UpdateOpenIDConnectProviderThumbprint CreateSAMLProvider UpdateSAMLProvider",
    "it may have the account trust other identity providers",
  ],
  ["others", "arn:*:iam::*", "PassRole", "it may have services act as these roles"],
];

/** What a right on some actions and resources amounts to, both with IAM's wildcards. */
export function powerOfAction(action: string, on: string): Power | undefined {
  if (!/[*?]|^(?:iam|sts):/i.test(action)) return undefined;
  if (action === "*" && on === "*") return EVERYTHING;
  if (action.toLowerCase() === "iam:*" && on === "*") return IAM;
  const covers = (name: string): boolean => matchesPattern(action.toLowerCase(), name.toLowerCase()) === true;
  if (covers("sts:AssumeRole") && patternsMeet(on, "arn:*:iam::*:role/*") && !action.startsWith("*"))
    return { danger: "others", says: "it may act as these roles, if they admit it" };
  const [danger, , , says] =
    ACTIONS.find(
      ([, place, actions]) =>
        actions.split(" ").some((each) => covers(`iam:${each}`)) && patternsMeet(on, place),
    ) ?? [];
  return danger && says !== undefined ? { danger, says } : undefined;
}

/** What an action of a role's trust policy lets a principal do. */
export function powerOfTrust(action: string, to: string): Power | undefined {
  if (!/^(?:sts:.*|\*)$/i.test(action)) return undefined;
  if (to === "*") return { danger: "issuer", says: "everyone whom the conditions admit may act as the role" };
  return /^sts:AssumeRoleWith/i.test(action)
    ? { danger: "issuer", says: "this identity provider is trusted" }
    : { danger: "others", says: "it may act as the role" };
}

/** Source: access-policy-reference.adoc of the EKS user guide. */
const ACCESS_POLICIES: readonly PowerRow[] = [
  ["admin", /^AmazonEKSClusterAdminPolicy in EKS cluster [^ ]+$/, "it may do everything in the cluster"],
  ["others", /^AmazonEKS(?:Cluster)?AdminPolicy /, "it may act as every service account there"],
  ["others", /^AmazonEKSEditPolicy /, "it may act as every service account there"],
];

/** What an access policy of EKS amounts to, given with its cluster and namespaces. */
export function powerOfAccessPolicy(text: string): Power | undefined {
  return powerIn(ACCESS_POLICIES, text);
}

const POLICIES: readonly PowerRow[] = [
  ["admin", /^AdministratorAccess$/, "it may do everything"],
  ["admin", /^PowerUserAccess$/, "it may do everything but change who may do what"],
  ["admin", /^IAMFullAccess$/, "it may give itself any right"],
];

/** What a managed policy of AWS amounts to whose statements are not known. */
export function powerOfPolicy(name: string): Power | undefined {
  return powerIn(POLICIES, name);
}
