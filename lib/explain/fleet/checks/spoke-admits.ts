import { missing } from "../../checks/check";
import type { FleetCheck } from "../fleet-context";

/** Does the spoke know the identity? */
export const spokeAdmits: FleetCheck = {
  id: "spoke-admits",
  asks: "Does the spoke know the identity?",
  why: "A token that the spoke does not take is answered with Unauthorized, whatever rights were granted.",
  run: ({ spoke }) => spoke?.admitted ?? missing("the cloud of the spoke, or the identity in it,"),
};
