/**
 * Whether to write colours to a stream: to a terminal that is not dumb (`TERM`), unless NO_COLOR
 * (https://no-color.org) or FORCE_COLOR (https://force-color.org) decides. NO_COLOR wins over FORCE_COLOR.
 */
export function usesColour(isTerminal: boolean, environment: Readonly<NodeJS.ProcessEnv>): boolean {
  const { NO_COLOR: none, FORCE_COLOR: force, TERM: terminal } = environment;
  if (none || force === "0" || force === "false") return false;
  return force ? true : isTerminal && terminal !== "dumb";
}
