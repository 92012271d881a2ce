import { placeholder } from "../../../artefact/placeholder";
import { isFilledText } from "../../facts/bound-copies";
import { UNREAD_POLICY } from "./policy-documents";
import type { RoleFact } from "./role-fact";

/** A configuration and its state write one policy differently, and list policies in another order. */
function isAlike(one: RoleFact, other: RoleFact): boolean {
  const [first, second] = [one, other].map(({ trustPolicy, policies, boundary = "" }) =>
    JSON.stringify([
      plainPolicy(trustPolicy),
      [...new Set(policies.map(plainPolicy))].sort(),
      plainPolicy(boundary),
    ]),
  );
  return first === second;
}

/** The policy with sorted keys; any other text as it is. */
export function plainPolicy(policy: string): string {
  try {
    return JSON.stringify(JSON.parse(policy), (_key, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return policy;
  }
}

/** What only apply tells, also within the one expression that IssuerBucket's trust policies are written with. */
const LATE = /\$\{trimprefix\("https:\/\/\$\{\d+#[^{}]*\}", "https:\/\/"\)\}|\$\{\d+#[^{}]*\}/g;
const ANY_TEXT = placeholder("role");

function isLate({ trustPolicy, policies, boundary = "" }: RoleFact): boolean {
  return [trustPolicy, ...policies, boundary].some((policy) => policy.search(LATE) >= 0);
}

/** Whether the texts of a configuration may have become those of a state. */
function couldBecome(late: RoleFact, told: RoleFact): boolean {
  const [patterns, texts] = [late, told].map(({ trustPolicy, policies, boundary = "" }) => {
    const plain = (policy: string): string => plainPolicy(policy.replace(LATE, ANY_TEXT));
    return [plain(trustPolicy), plain(boundary), ...[...new Set(policies.map(plain))].sort()];
  });
  return (
    patterns?.length === texts?.length &&
    (patterns ?? []).every((pattern, place) => isFilledText(pattern, texts?.[place] ?? ""))
  );
}

/**
 * One of several declarations of a role: those that only look it up say nothing of it, and of others all count. A state
 * tells what its configuration does not know yet.
 */
export function agreed(declared: readonly RoleFact[]): RoleFact | undefined {
  const all = declared.filter(({ adopted }) => !adopted);
  const first = all.find((role) => !isLate(role)) ?? all[0];
  if (first === undefined) return declared[0];
  const differing = all.find(
    (other) => other !== first && !isAlike(first, other) && !couldBecome(other, first),
  );
  if (differing === undefined) return first;
  return {
    ...DOUBTED,
    pathName: first.pathName,
    account: first.account,
    source: first.source,
    contestedBy: differing.source,
  };
}

/** What is known of a role that is declared twice, differently. */
const DOUBTED = {
  adopted: false,
  trustPolicy: "${declared.twice}",
  policies: [UNREAD_POLICY],
  perhaps: [],
  boundary: undefined,
} as const;
