import type { Command } from "./command";

/** The commands by name, in the order of `--help`. */
export const commands: Readonly<Record<string, Command>> = {
  bind: {
    synopsis: "bind --outputs FILE --to DIR [--manifests DIR] [DIR]",
    summary: "finished manifests from Terraform outputs; all or nothing",
    load: () => import("./bind-command.js"),
  },
};
