import { type AccessCheck } from "./access-check";
import { missing } from "./check";

/** Is the identity declared? */
export const identityFound: AccessCheck = {
  id: "identity-found",
  asks: "Is the identity that is named among the resources?",
  why: "A cloud answers the same for an identity that does not exist and for one that may not be used.",
  run: ({ identity }) => identity?.found ?? missing("the identity"),
};
