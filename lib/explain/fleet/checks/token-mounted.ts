import { unknown } from "../../answer";
import { missing } from "../../checks/check";
import { refusedToken } from "../../clouds/refused-token";
import type { FleetCheck } from "../fleet-context";

/** Do the pods of the controller get a token, and know where it is? */
export const tokenMounted: FleetCheck = {
  id: "token-mounted",
  asks: "Do the pods of the controller get a token, and know where it is?",
  why: "What the pods themselves must have stands in the manifests of the controller, and nothing complains where it is missing.",
  run: ({ reading, controller }) => {
    const refused = refusedToken(controller.workloads.map((each) => each.pods));
    if (refused) return refused;
    const pods = reading?.pods ?? missing("the cloud of the spoke, or the identity in it,");
    // Other jobs leave open what pods do that nobody wrote; here the plugin's container is one of the links.
    return pods.status === "skipped"
      ? unknown(pods.reason, `name the manifests of ${controller.title} as well`, ...pods.evidence)
      : pods;
  },
};
