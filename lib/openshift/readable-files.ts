import { isLate } from "../model/late";
import type { NodeFile } from "../model/node-file";

/**
 * Comment lines that show what the encoded files of a MachineConfig hold, for the person who reviews it.
 *
 * A file with late values is only named: its text exists after `bind`.
 */
export function readableFiles(files: readonly NodeFile[]): readonly string[] {
  return files.flatMap(({ path, mode, content }) => {
    const head = `${path} (mode 0${mode.toString(8)})`;
    if (isLate(content)) return [`${head}: filled in by \`bind\``];
    const lines = content.replace(/\n$/, "").split("\n");
    return [`${head}:`, ...lines.map((line) => (line === "" ? "" : `  ${line}`))];
  });
}
