import { missing } from "../../checks/check";
import type { FleetCheck } from "../fleet-context";

/** Does something say as which identity the controller acts in the cloud of the spoke, and is that one declared? */
export const identityNamed: FleetCheck = {
  id: "identity-named",
  asks: "Does something say as which identity the controller acts in the cloud of the spoke, and is that one declared?",
  why: "Every service account that runs the plugin needs an identity of its own, and a name alone is none.",
  run: ({ reading }) => {
    const named = reading?.answer ?? missing("the cloud of the spoke, or the identity in it,");
    const found = reading?.identity?.found;
    if (named.status !== "pass" || found === undefined) return named;
    return { ...found, evidence: [...named.evidence, ...found.evidence] };
  },
};
