import { type Check, missing } from "./check";
import type { TrustContext } from "./trust-context";

/** Does the cloud trust the issuer of the cluster's tokens? */
export const issuerTrusted: Check<TrustContext> = {
  id: "issuer-trusted",
  asks: "Does the cloud trust the issuer of the cluster's tokens?",
  why: "Clouds compare it to the letter; a slash at the end or another host makes it a stranger.",
  run: ({ trust }) => trust?.issuer ?? missing("the cloud"),
};
