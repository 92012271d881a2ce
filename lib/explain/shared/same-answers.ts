import type { Answer } from "../answer";
import type { PullRights, TrustAnswer } from "../cloud";

/** The same answer to all questions about a token. */
export function sameAnswers(answer: Answer): TrustAnswer {
  return { issuer: answer, audience: answer, subject: answer };
}

/** The rights of an identity that was not read, about which there is one answer. */
export function noRights(answer: Answer): PullRights {
  return { login: () => answer, repository: () => answer, reach: () => [], held: () => [] };
}

/** True if a cloud certainly admits the subject of a token, and perhaps its issuer and audience. */
export function letsIn({ issuer, audience, subject }: TrustAnswer): boolean {
  return issuer.status !== "fail" && audience.status !== "fail" && subject.status === "pass";
}
