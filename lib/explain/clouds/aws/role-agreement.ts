import { UNREAD_POLICY } from "./policy-documents";
import type { RoleFact } from "./role-fact";

/** A configuration and its state write one policy differently, and list policies in another order. */
function isAlike(one: RoleFact, other: RoleFact): boolean {
  const [first, second] = [one, other].map(({ trustPolicy, policies, boundary = "" }) =>
    JSON.stringify([plain(trustPolicy), [...new Set(policies.map(plain))].sort(), plain(boundary)]),
  );
  return first === second;
}

/** The policy with sorted keys; any other text as it is. */
function plain(policy: string): string {
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

/** One of several declarations of a role: those that only look it up say nothing of it, and of others all count. */
export function agreed(declared: readonly RoleFact[]): RoleFact | undefined {
  const [first, ...others] = declared.filter(({ adopted }) => !adopted);
  if (first === undefined) return declared[0];
  const differing = others.find((other) => !isAlike(first, other));
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
