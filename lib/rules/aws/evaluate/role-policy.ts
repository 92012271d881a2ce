/*
 * Policies of roles: IAM is stricter there than other services are with the policies of their resources.
 * Source: "IAM JSON policy elements: Sid" and "IAM and AWS STS quotas" in the IAM user guide.
 */

import { type ReadPolicy, readPolicy } from "./statements";

/** The greatest value of quota L-C07B4B0D, of a role's trust policy. */
export const trustCharactersMax = 4096;
/** Of all inline policies of a role. */
export const inlineCharactersMax = 10_240;
/** Of a managed policy. */
export const managedCharactersMax = 6144;

const SID = /^[0-9A-Za-z]*$/;
const WHITE_SPACES = /\s+/g;

/** Reads an identity or trust policy, as `readPolicy` does any policy. */
export function readRolePolicy(policy: unknown): ReadPolicy {
  const read = readPolicy(policy);
  if ("problem" in read) return read;
  const seen = new Set<string>();
  for (const { sid } of read.statements) {
    if (sid === undefined || sid === "" || sid.includes("${")) continue;
    if (!SID.test(sid)) return refused(`the Sid ${JSON.stringify(sid)} is not of letters and digits alone`);
    if (seen.has(sid)) return refused(`two statements have the Sid ${sid}`);
    seen.add(sid);
  }
  return read;
}

/** Whether a policy is longer than IAM takes, which does not count white space; what only apply tells is no length. */
export function isOverlong(policy: string, max: number): boolean {
  return policy.length > max && !policy.includes("${") && policy.replace(WHITE_SPACES, "").length > max;
}

function refused(why: string): ReadPolicy {
  return { problem: `AWS refuses it: ${why}` };
}
