/**
 * The id of the stack of a label. Results name where a chain was declared by `<stack>`, or `<stack>/<cluster>` if it has
 * folders for several; ids of stacks have no slash.
 */
export function stackOf(label: string): string {
  return label.split("/")[0] ?? label;
}
