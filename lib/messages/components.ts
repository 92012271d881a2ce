import type { Problem } from "./problem";

/** Refusals of CredentialsRequests and of what is composed of them. */
export const componentsMessages = {} as const satisfies Readonly<
  Record<string, (...args: never[]) => Problem>
>;
