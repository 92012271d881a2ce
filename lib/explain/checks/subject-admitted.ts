import { type Check, missing } from "./check";
import type { TrustContext } from "./trust-context";

/** Does the cloud admit this service account? */
export const subjectAdmitted: Check<TrustContext> = {
  id: "subject-admitted",
  asks: "Does the cloud admit this service account?",
  why: "The identity is for named service accounts only; another namespace or name must not become it.",
  run: ({ trust }) => trust?.subject ?? missing("the cloud"),
};
