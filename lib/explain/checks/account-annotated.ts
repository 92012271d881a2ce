import { type AccessCheck } from "./access-check";
import { missing } from "./check";

/** Is the workload told whom to act as? */
export const accountAnnotated: AccessCheck = {
  id: "account-annotated",
  asks: "Is the workload told whom to act as, by annotations or a credential file?",
  why: "The webhook and the SDK learn the identity there; without it pods start and have no credentials.",
  run: ({ named }) => named ?? missing("the cloud of the workload"),
};
