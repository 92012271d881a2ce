import { printable } from "../explain/render/printable";
import { bind } from "../synth/bind/bind-folder";
import { type CommandIo, UsageError, readArguments } from "./command";

/** `bind --outputs FILE --to DIR [--manifests DIR] [DIR]`: prints each file that now stands in the target folder. */
export function run(args: readonly string[], io: CommandIo): number {
  const { values, positionals } = readArguments(args, {
    outputs: { type: "string" },
    to: { type: "string" },
    manifests: { type: "string" },
  });
  const { outputs, to, manifests } = values;
  const [from, ...others] = positionals;
  if (!outputs) throw new UsageError("bind needs --outputs FILE");
  if (!to) throw new UsageError("bind needs --to DIR");
  if (others.length > 0) throw new UsageError(`bind takes one folder, got ${positionals.length}`);

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
