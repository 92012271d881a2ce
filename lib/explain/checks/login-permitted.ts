import { type PullCheck, missing } from "./check";

/** May the identity log in at the registry? */
export const loginPermitted: PullCheck = {
  id: "login-permitted",
  asks: "May the identity log in at the registry?",
  why: "A login comes before every pull, and is a permission of its own.",
  run: ({ permission }) => permission?.login ?? missing("the identity"),
};
