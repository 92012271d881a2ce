import type { Answer, Evidence } from "../answer";

/** What to do about a value known only after apply, even once it is bound in the manifests. */
export const ASK_AGAIN = "apply, and also give explain the output of `terraform show -json`";

/** What to do if it is not known which cluster's tokens are shown. */
export const NAME_CLUSTER =
  "say which cluster it is: --cluster with its name or the URL of its issuer, which `kubectl get --raw /.well-known/openid-configuration` prints; or give explain the Terraform of the cluster";

const SHOWN = 4;

/** The first few names, and how many more there are. */
export function named(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** How much of a long list is evidence: each of thousands of answers repeats it. */
const EVIDENCE_MAX = 100;

/** The beginning of a list that may be long, and how much is left out. */
export function beginning(all: readonly Evidence[]): readonly Evidence[] {
  const more = all.length - EVIDENCE_MAX;
  return more > 0 ? [...all.slice(0, EVIDENCE_MAX), { text: `and ${more} more` }] : all;
}

/** The answer if no pod was read, with what pods must have: nothing was judged, and nothing speaks against it. */
export function notSeen(need: string): Answer {
  return { status: "skipped", reason: `no pod of it was read; ${need}`, evidence: [], remedy: "" };
}

/** An answer as plain data, because a spread does not copy the words that getters make. */
export function plainAnswer({ status, reason, evidence, remedy, log }: Answer): Answer {
  return { status, reason, evidence, remedy, ...(log === undefined ? {} : { log }) };
}

const LETTER = /[\w-]/;

/** Whether a text contains another one, not as a part of a longer name. */
export function isNamed(text: string, name: string): boolean {
  for (let at = text.indexOf(name); name !== "" && at >= 0; at = text.indexOf(name, at + 1))
    if (!LETTER.test(text[at - 1] ?? "") && !LETTER.test(text[at + name.length] ?? "")) return true;
  return false;
}

/** What to do about placeholders. */
export const AS_APPLIED = "give explain the manifests as they are applied";
