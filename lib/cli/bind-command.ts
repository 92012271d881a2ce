import { printable } from "../explain/render/printable";
import { bind } from "../synth/bind/bind-folder";
import type { Asked, CommandIo } from "./command";

const EXIT_DONE = 0;
const EXIT_OUT_OF_DATE = 1;

interface Values {
  readonly outputs: string;
  readonly to: string;
  readonly manifests?: string;
  readonly "dry-run"?: true;
  readonly check?: true;
}

/** `bind`: prints each file that changes or is removed, and how many there are of each. */
export function run({ values, operands: [from] }: Asked<Values>, io: CommandIo): number {
  const { outputs, to, manifests, check = false, "dry-run": dryRun = check } = values;
  const { files, changed, removed, undone } = bind({ outputs, to, dryRun, from, manifests });
  if (undone.length > 0)
    io.err(
      "an earlier bind was interrupted: what it had changed was undone before these files were written\n",
    );
  for (const file of changed) io.out(`changed  ${printable(`${to}/${file}`)}\n`);
  for (const file of removed) io.out(`removed  ${printable(`${to}/${file}`)}\n`);
  // One more than `files`: the list of written files, which can change too.
  const unchanged = files.length + 1 - changed.length;
  const counts = `${changed.length} changed, ${unchanged} unchanged, ${removed.length} removed`;
  io.out(`${counts} in ${printable(to)}${dryRun ? "; nothing was written" : ""}\n`);
  return check && changed.length + removed.length > 0 ? EXIT_OUT_OF_DATE : EXIT_DONE;
}
