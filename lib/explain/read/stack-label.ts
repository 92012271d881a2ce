/*
 * How results name where a chain was declared: the stack, or the stack and the cluster if it has folders for several.
 */

/** Ids of stacks have no slash. */
const SEPARATOR = "/";

export function stackLabel(stack: string, cluster: string): string {
  return stack + SEPARATOR + cluster;
}

/** The id of the stack of a label. */
export function stackOf(label: string): string {
  return label.split(SEPARATOR)[0] ?? label;
}
