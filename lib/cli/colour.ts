/**
 * Whether to write colours to a stream: https://no-color.org, https://force-color.org, and what ncurses calls a dumb
 * terminal. What asks for none wins.
 */
export function usesColour(isTerminal: boolean, environment: Readonly<NodeJS.ProcessEnv>): boolean {
  const { NO_COLOR: none, FORCE_COLOR: force, TERM: terminal } = environment;
  if (none || force === "0" || force === "false") return false;
  return force ? true : isTerminal && terminal !== "dumb";
}
