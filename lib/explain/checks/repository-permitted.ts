import { type PullCheck, missing } from "./check";

/** May the identity read the repository? */
export const repositoryPermitted: PullCheck = {
  id: "repository-permitted",
  asks: "May the identity read the repository?",
  why: "Registries check each repository; a role for one is none for its neighbour.",
  run: ({ permission }) => permission?.repository ?? missing("the identity"),
};
