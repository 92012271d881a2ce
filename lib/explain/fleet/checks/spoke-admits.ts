import { type Answer, broken, seen, unknown } from "../../answer";
import { missing } from "../../checks/check";
import type { FleetCheck, FleetContext } from "../fleet-context";
import { isBuiltin } from "../plugin-call";

/** Does the spoke know the identity? */
export const spokeAdmits: FleetCheck = {
  id: "spoke-admits",
  asks: "Does the spoke know the identity?",
  why: "A token that the spoke does not take is answered with Unauthorized, whatever rights were granted.",
  run: (context) =>
    otherThanRecorded(context) ??
    context.spoke?.admitted ??
    missing("the cloud of the spoke, or the identity in it,"),
};

/** Credentials of another spoke's access provider are none of this one's. */
function otherThanRecorded({ recorded, exec, cloud, profile }: FleetContext): Answer | undefined {
  if (!recorded || !exec) return undefined;
  const where = profile.status ? [seen("status", profile.status.source)] : [];
  const isCloud = cloud === undefined || recorded.cloud === "" || recorded.cloud === cloud;
  const isProvider =
    recorded.provider === "" || recorded.provider === exec.provider || isBuiltin(exec.provider);
  if (isCloud && isProvider)
    return recorded.server === undefined || recorded.server === exec.server
      ? undefined
      : unknown(
          `the profile leads to ${exec.server}, and ${profile.name} was declared with the server ${recorded.server}: whose cluster the other one is cannot be told`,
          "let the profile lead to the server that was declared",
          ...where,
        );
  return broken(
    `the list chooses ${exec.provider}, and the spoke ${profile.name} was declared with ${recorded.provider || recorded.cloud}`,
    "let the profile name its own access provider alone, or the list have it first",
    "Unauthorized: the server has asked for the client to provide credentials",
    ...where,
  );
}
