import { isWorkloadIdentityError } from "../../errors";
import { lookupRepository } from "../../rules/kubelet/image-reference";
import { broken, pass } from "../answer";
import type { Repository } from "../clouds/cloud";
import type { PullCheck } from "./check";

/** Does the kubelet accept the image's name? */
export const imageParses: PullCheck = {
  id: "image-parses",
  asks: "Does the kubelet accept the image's name?",
  why: "It looks up credentials for the repository that it reads from the name; for another name it pulls nothing.",
  run: ({ image, repository }) => {
    if (repository) return pass(`the kubelet looks up ${repository.name}`);
    const reason = refusal(image);
    return broken(
      reason,
      "write the image as `podman pull` accepts it",
      `InvalidImageName: Failed to apply default image tag "${image.slice(0, SHOWN)}": ${reason.split(": ").slice(1).join(": ")}`,
    );
  },
};

const SHOWN = 300;

/** The repository of an image; `undefined` where the kubelet refuses the name. */
export function repositoryOf(image: string): Repository | undefined {
  const name = attempt(image);
  if (typeof name !== "string") return undefined;
  const slash = name.indexOf("/");
  return { name, host: name.slice(0, slash), path: name.slice(slash + 1) };
}

function refusal(image: string): string {
  const name = attempt(image);
  return typeof name === "string" ? "" : name.problem;
}

/** The rule answers with an error; here a refused name is an outcome. */
function attempt(image: string): string | { readonly problem: string } {
  try {
    return lookupRepository(image);
  } catch (error) {
    if (isWorkloadIdentityError(error)) return { problem: error.problem };
    throw error;
  }
}
