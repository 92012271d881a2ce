import { missing } from "../../checks/check";
import type { FleetCheck } from "../fleet-context";

/** May the identity do anything on the spoke? */
export const spokeAuthorizes: FleetCheck = {
  id: "spoke-authorizes",
  asks: "May the identity do anything on the spoke?",
  why: "Profiles bring no rights; the administrator of the spoke gives them.",
  run: ({ spoke }) => spoke?.authorized ?? missing("the cloud of the spoke, or the identity in it,"),
};
