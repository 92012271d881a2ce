import { type AccessCheck } from "./access-check";
import { missing } from "./check";

/** Does the identity hold what is asked for? */
export const permissionsGranted: AccessCheck = {
  id: "permissions-granted",
  asks: "Does the identity hold every permission that is asked for?",
  why: "One missing permission stops a component in the middle of its work, often long after the installation.",
  run: ({ permission }) => permission ?? missing("the identity"),
};
