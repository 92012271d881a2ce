import type { Command } from "./command";

/** The commands by name, in the order of `--help`. */
export const commands: Readonly<Record<string, Command>> = {
  bind: {
    synopsis: "bind --outputs FILE --to DIR [--manifests DIR] [DIR]",
    summary: "finished manifests from Terraform outputs; all or nothing",
    load: () => import("./bind-command.js"),
  },
  explain: {
    synopsis:
      "explain [--service-account NS/NAME] [--image REF] [--stack S] [--format text|json|mermaid] [--cluster FILE] [DIR...]",
    summary:
      "will the pods pull, as whom, and if not, which link is broken; exit 0 all allowed, 1 denied, 2 usage or unreadable input, 3 unknown",
    load: () => import("./explain-command.js"),
    refusedExit: 2,
  },
};
