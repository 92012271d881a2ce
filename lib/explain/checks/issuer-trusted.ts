import { type PullCheck, missing } from "./check";

/** Does the cloud trust the issuer of the cluster's tokens? */
export const issuerTrusted: PullCheck = {
  id: "issuer-trusted",
  asks: "Does the cloud trust the issuer of the cluster's tokens?",
  why: "Clouds compare it to the letter; a slash at the end or another host makes it a stranger.",
  run: ({ trust }) => trust?.issuer ?? missing("the cloud"),
};
