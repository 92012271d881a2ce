import { printable } from "../explain/render/printable";
import { bind } from "../synth/bind/bind-folder";
import type { Asked, CommandIo } from "./command";

interface Values {
  readonly outputs: string;
  readonly to: string;
  readonly manifests?: string;
}

/** `bind`: prints each file that now stands in the target folder. */
export function run({ values, operands: [from] }: Asked<Values>, io: CommandIo): number {
  const { outputs, to, manifests } = values;
  const { files, removed, undone } = bind({
    outputs,
    to,
    ...(from === undefined ? {} : { from }),
    ...(manifests === undefined ? {} : { manifests }),
  });
  if (undone.length > 0)
    io.err(
      "an earlier bind was interrupted: what it had changed was undone before these files were written\n",
    );
  for (const file of files) io.out(`${printable(`${to}/${file}`)}\n`);
  for (const file of removed) io.out(`${printable(`${to}/${file}`)} (removed)\n`);
  io.out(`${files.length} finished ${files.length === 1 ? "file" : "files"} in ${printable(to)}\n`);
  return 0;
}
