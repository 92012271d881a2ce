import type { Problem } from "./problem";

/** Refusals of issuers' keys and documents. */
export const openidMessages = {} as const satisfies Readonly<Record<string, (...args: never[]) => Problem>>;
