const SHOWN = 4;

/** The first few names, and how many more there are. */
export function named(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
