/*
 * Roles and permissions of Google Cloud with which their holder gets others. Source: "IAM basic and predefined roles
 * reference" and "Permissions reference" of Google Cloud.
 */

import { powerIn, type Power, type PowerRow } from "../powers";

const ROWS: readonly PowerRow[] = [
  ["admin", /^roles\/(?:owner|admin)$/, "it may do everything, and give anyone any role"],
  ["admin", /^roles\/(?:editor|writer)$/, "it may change nearly everything but who has access"],
  [
    "issuer",
    /^roles\/iam\.workloadIdentityPoolAdmin$|^iam\.workloadIdentityPool\w*\.(?:create|update)$/,
    "it may have the project trust other issuers",
  ],
  [
    "admin",
    /^roles\/iam\.(?:\w*Admin|securityAdmin)$|^roles\/resourcemanager\.\w*(?:Admin|IamAdmin)$/,
    "it may give itself or others more rights",
  ],
  ["admin", /\.setIamPolicy$|^iam\.roles\.(?:create|update)$/, "it may give itself or others more rights"],
  ["admin", /^roles\/container\.admin$/, "it may do everything in the clusters"],
  [
    "others",
    /^roles\/iam\.(?:serviceAccount(?:TokenCreator|OpenIdTokenCreator|User)|workloadIdentityUser)$/,
    "it may act as the service accounts",
  ],
  [
    "others",
    /^iam\.serviceAccounts\.(?:actAs|getAccessToken|getOpenIdToken|implicitDelegation|signBlob|signJwt)$|^iam\.serviceAccountKeys\.create$/,
    "it may act as the service accounts",
  ],
];

/** What a predefined role or a permission amounts to; deny policies write permissions with the host of their service. */
export function powerOfRole(name: string): Power | undefined {
  return powerIn(ROWS, name.replace(/^(\w+)\.googleapis\.com\/(?=[a-z]\w*\.)/, "$1."));
}
