/*
 * What an init container copies into a volume that begins empty. Source: the manual of cp (POSIX.1-2017).
 */

import { list, own, text } from "../facts/access";

/** A file that a volume must hold. */
export interface WantedCopy {
  /** Name of the volume. */
  readonly name: string;
  /** Path of the file in the volume, with `/` before it. */
  readonly rest: string;
  /** Path of the file in the image that it is copied from; `undefined` where nobody says. */
  readonly path: string | undefined;
}

/** What a container does: `elsewhere` for a copy of another name, `unclear` for all that is no plain `cp`. */
export type Copy = "copied" | "elsewhere" | "unclear";

/** Options that do not change where a file is copied to; `-t` turns the paths around. */
const HARMLESS = /^-(?:[adfnpRruv]+|-(?:archive|force|recursive|verbose|preserve(?:=[\w,]+)?))$/;
/** With these a whole folder is copied, if it is one. */
const RECURSIVE = /^-(?:\w*[aRr]\w*|-archive|-recursive)$/;

/** What the container copies into the volume, one per mount of it. */
export function copyInto(container: unknown, { name, rest, path }: WantedCopy): readonly Copy[] {
  const mounts = list(own(container, "volumeMounts")).filter((mount) => own(mount, "name") === name);
  return mounts.map((mount): Copy => {
    const words = [...list(own(container, "command")), ...list(own(container, "args"))].map(text);
    const [program = "", ...others] = words;
    const paths = others.filter((word) => !HARMLESS.test(word));
    const [from, to] = paths;
    if (!/^(?:\/bin\/|\/usr\/bin\/)?cp$/.test(program) || paths.length !== 2 || !from || !to?.startsWith("/"))
      return "unclear";
    if (text(own(mount, "subPath")) !== "" || (path !== undefined && from !== path)) return "unclear";
    const base = text(own(mount, "mountPath")).replace(/\/$/, "");
    const isDirectory = to.endsWith("/") || to === base;
    const copied = isDirectory ? to.replace(/\/$/, "") + from.slice(from.lastIndexOf("/")) : to;
    if (copied === base + rest) return "copied";
    return others.some((word) => RECURSIVE.test(word)) ? "unclear" : "elsewhere";
  });
}
