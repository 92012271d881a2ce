/*
 * Policies that differ in one name only. Of ten thousand roles each has a policy of its own, and all of them have one
 * form: the first is read and judged, and of the next ones it is enough to see that they are the same text around
 * another name. Sound, not complete: what has no form is judged like any other policy.
 */

import { type Statement, readPolicy } from "./statements";

/** A JSON text with a gap where one string stands, its quotes included. */
export interface PolicyForm {
  /** The text before the gap. */
  readonly head: string;
  /** The text after the gap. */
  readonly tail: string;
}

/** Names and ARNs: nothing that JSON escapes, that is a wildcard, or that a variable begins with. */
const PLAIN = /^[\w:./-]+$/;

/** The name in a policy of that form; `undefined` where the policy has another one. */
export function nameIn({ head, tail }: PolicyForm, policy: string): string | undefined {
  const length = policy.length - head.length - tail.length;
  if (length <= 2 || !policy.startsWith(head) || !policy.endsWith(tail)) return undefined;
  const gap = policy.slice(head.length, head.length + length);
  const name = gap.slice(1, -1);
  return gap.startsWith('"') && gap.endsWith('"') && PLAIN.test(name) ? name : undefined;
}

/**
 * The form of a trust policy that asks for a subject in one `StringEquals`, and for nothing else besides conditions on
 * the audience. With another subject in the gap it says of a token of that subject what it says here of this one.
 */
export function trustForm(policy: string, issuer: string, subject: string): PolicyForm | undefined {
  const read = readPolicy(policy);
  if ("problem" in read) return undefined;
  const host = issuer.replace(/^https:\/\//, "").toLowerCase();
  const others = read.statements
    .flatMap(({ conditions }) => conditions)
    .filter(({ key }) => key.toLowerCase() !== `${host}:aud`);
  const [only] = others;
  const asksForSubject =
    others.length === 1 &&
    only?.operator === "StringEquals" &&
    only.key.toLowerCase() === `${host}:sub` &&
    only.values.length === 1 &&
    only.values[0] === subject;
  return asksForSubject ? formAround(policy, subject) : undefined;
}

/**
 * The form of an identity policy that allows something on every resource and something on one, without conditions,
 * and that resource. With another resource in the gap it says of that one what it says here of this one.
 */
export function permissionForm(
  policy: string,
): { readonly form: PolicyForm; readonly resource: string } | undefined {
  const read = readPolicy(policy);
  if ("problem" in read || !read.statements.every(isUnconditional)) return undefined;
  const named = read.statements
    .flatMap(({ resources }) => resources?.values ?? [])
    .filter((value) => value !== "*");
  const [resource] = named;
  const form = named.length === 1 && resource !== undefined ? formAround(policy, resource) : undefined;
  return form && resource !== undefined ? { form, resource } : undefined;
}

function isUnconditional({ effect, conditions, principal, resources }: Statement): boolean {
  return effect === "Allow" && conditions.length === 0 && !principal && resources?.negated === false;
}

/** Where a name stands once and nothing is escaped, it stands where it was read. */
function formAround(policy: string, name: string): PolicyForm | undefined {
  const string = `"${name}"`;
  const at = policy.indexOf(string);
  if (!PLAIN.test(name) || at < 0 || policy.includes("\\") || policy.includes("${")) return undefined;
  if (policy.includes(string, at + 1)) return undefined;
  return { head: policy.slice(0, at), tail: policy.slice(at + string.length) };
}
