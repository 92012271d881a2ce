import { isWorkloadIdentityError } from "../errors";
import { AskedNames } from "../rules/asked-names";
import { lookupRepository } from "../rules/kubelet/image-reference";

/** A repository, or every repository that a declared pattern covers. */
export interface AskedRepository {
  /** Host, with its port if the image has one. */
  readonly host: string;
  /** The paths below the host. */
  readonly paths: AskedNames;
  /** `<host>/<path>` as it was asked. */
  readonly name: string;
}

/** An image, or a declared pattern; one object for each text, by which answers are remembered. */
export interface AskedImage {
  /** The image as written, or the pattern. */
  readonly text: string;
  /** What the kubelet looks up; `undefined` if it refuses the name. */
  readonly repository: AskedRepository | undefined;
  /** Why the kubelet refuses the name; empty if it does not, or if the image is not known. */
  readonly problem: string;
  /** True if a placeholder in its name was not filled in. */
  readonly isUnfilled?: true;
}

/** An image with a placeholder in its name. */
export function unfilledImage(text: string): AskedImage {
  return { ...lateImage(text), isUnfilled: true };
}

/** An image of which only a text for people is known. */
export function lateImage(text: string): AskedImage {
  return { text, repository: undefined, problem: "" };
}

/** An image as a pod names it. */
export function askedImage(image: string): AskedImage {
  let name: string;
  try {
    name = lookupRepository(image);
  } catch (error) {
    // Here, a refused name is an outcome.
    if (isWorkloadIdentityError(error)) return { text: image, repository: undefined, problem: error.problem };
    throw error;
  }
  return asked(image, name);
}

/** A declared pattern: in its path `*` is any text. */
export function askedPattern(pattern: string): AskedImage {
  const slash = pattern.indexOf("/");
  return pattern.indexOf("*") > slash && slash > 0 ? asked(pattern, pattern) : askedImage(pattern);
}

function asked(text: string, name: string): AskedImage {
  const slash = name.indexOf("/");
  const host = name.slice(0, slash);
  return { text, problem: "", repository: { host, name, paths: AskedNames.covered(name.slice(slash + 1)) } };
}
