import { type PullCheck, missing } from "./check";

/** Does the cloud admit this service account? */
export const subjectAdmitted: PullCheck = {
  id: "subject-admitted",
  asks: "Does the cloud admit this service account?",
  why: "The identity is for named service accounts only; another namespace or name must not become it.",
  run: ({ trust }) => trust?.subject ?? missing("the cloud"),
};
