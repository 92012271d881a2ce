import { type AccessCheck } from "./access-check";
import { missing } from "./check";

/** Do the workload's pods get a token, as far as can be seen? */
export const podsConfigured: AccessCheck = {
  id: "pods-configured",
  asks: "Do the workload's pods get a token and know where it is, as far as can be seen?",
  why: "What the pods themselves must have stands in somebody else's manifest, and nothing complains where it is missing.",
  run: ({ pods }) => pods ?? missing("the cloud of the workload"),
};
