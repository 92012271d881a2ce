import { type Evidence, seen } from "../answer";
import type { NodeConfiguration } from "../facts/node-configuration";

/** Evidence of files that several MachineConfigs write: the one that counts, and each that is overwritten. */
export function contestedFiles({ contested }: NodeConfiguration): readonly Evidence[] {
  return [...contested].flatMap(([path, { owner = "", source, overwrites = [] }]) => [
    seen(`MachineConfig ${owner} writes ${path}; it sorts last, so this one counts`, source),
    ...overwrites.map((lost) => seen(`MachineConfig ${lost.owner ?? ""} is overwritten there`, lost.source)),
  ]);
}

/** Words for a reason where a file of the pool is contested; empty otherwise. */
export function contestedHint({ contested }: NodeConfiguration): string {
  const [first] = contested;
  if (first === undefined) return "";
  const [path, { owner = "", overwrites = [] }] = first;
  const lost = [...new Set(overwrites.map((each) => each.owner ?? ""))].join(" and ");
  return `; MachineConfig ${owner} writes ${path} over that of ${lost}, and files are not merged`;
}
