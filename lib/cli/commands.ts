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
      "explain [--service-account NS/NAME] [--image REF] [--spoke NAME] [--stack S] [--format text|json|mermaid|html] [--facts FILE] [--fail-on denied|unknown] [DIR...]",
    summary:
      "will the pods pull, as whom, and if not, which link is broken; exit 0 all allowed, 1 denied, 2 usage or unreadable input, 3 unknown",
    load: () => import("./explain-command.js"),
    refusedExit: 2,
  },
  jwks: {
    synopsis: "jwks [--issuer URL] [--jwks-path PATH] [--to DIR] PEM...",
    summary: "the JWKS of public keys, and an issuer's discovery document; printed, or written below DIR",
    load: () => import("./jwks-command.js"),
  },
  "credentials-diff": {
    synopsis: "credentials-diff [--format text|json] OLD NEW",
    summary:
      "what the CredentialsRequests of another release ask for, by folder; exit 0 the same, 1 different, 2 usage or unreadable input",
    load: () => import("./credentials-diff-command.js"),
    refusedExit: 2,
  },
};
