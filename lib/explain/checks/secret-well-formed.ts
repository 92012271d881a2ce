import { type AccessCheck } from "./access-check";
import { missing } from "./check";

/** Does the Secret say what the component's SDK reads, and nothing that wins over it? */
export const secretWellFormed: AccessCheck = {
  id: "secret-well-formed",
  asks: "Does the Secret say what the component's SDK reads, and nothing that wins over it?",
  why: "A wrong key or path is met only when the component first calls the cloud; a long-lived key in it would be used instead.",
  run: ({ named }) => named ?? missing("the cloud of the Secret"),
};
