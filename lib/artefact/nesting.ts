/** True for a value nested deeper than so many levels; an object that an alias makes hold itself is infinitely deep. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}
