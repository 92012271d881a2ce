import { type Check, missing } from "./check";
import type { TrustContext } from "./trust-context";

/** Does the cloud accept the audience? */
export const audienceAccepted: Check<TrustContext> = {
  id: "audience-accepted",
  asks: "Does the cloud accept the audience?",
  why: "A token for another audience is somebody else's; the text stands in four places that must agree.",
  run: ({ trust }) => trust?.audience ?? missing("the cloud"),
};
