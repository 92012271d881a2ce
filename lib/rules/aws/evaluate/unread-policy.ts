const START = "${not read: ";

/**
 * Stands for a policy that was not read: it may allow and may deny. `reason` says so in words, and is part of the value,
 * which reads as a reference that only apply tells.
 */
export function unreadPolicy(reason: string): string {
  return `${START}${reason.replace(/[${}]/g, "")}}`;
}

/** The reason of what {@link unreadPolicy} made; `undefined` for anything else. */
export function unreadReason(policy: unknown): string | undefined {
  return typeof policy === "string" && policy.startsWith(START) ? policy.slice(START.length, -1) : undefined;
}
