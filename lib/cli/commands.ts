import { type Command, command } from "./command";

const FOLDER = "cdktf.out";

/** The commands, in the order of `--help`; completion and help are made from this table alone. */
export const commands: readonly Command[] = [
  command({
    name: "bind",
    summary: "Write finished manifests from Terraform outputs, all or nothing",
    more: `Fills the placeholders in the manifests of a synth with what Terraform knows after apply. Files of earlier runs that the synth no longer writes are removed.`,
    operands: [{ name: "[DIR]", summary: `folder of the synth, or of one stack in it (default: ${FOLDER})` }],
    options: {
      outputs: {
        value: "FILE",
        required: true,
        summary: "JSON that `cdktf output --outputs-file` or `terraform output -json` wrote",
      },
      to: { value: "DIR", required: true, summary: "folder for the finished files" },
      manifests: {
        value: "DIR",
        summary: "folder of manifests with placeholders, where they are no longer beside the configuration",
      },
    },
    examples: [
      ["bind --outputs outputs.json --to manifests", "finish what is in cdktf.out"],
      ["bind --outputs outputs.json --to gitops/prod cdktf.out/stacks/prod", "finish one stack"],
    ],
    exits: { 0: "the files are written", 1: "refused; nothing is written" },
    load: () => import("./bind-command.js"),
  }),
  command({
    name: "explain",
    summary: "Say whether each pull, component, workload and way into a spoke will work",
    more: "Reads files only; asks no cluster and no cloud. Where something will not work, it says which link is broken, what that rests on, and what to do.",
    operands: [
      {
        name: "[DIR...]",
        summary: `folders or files: a synth, plans and states in JSON, manifests, node files (default: ${FOLDER})`,
      },
    ],
    options: {
      "service-account": { value: "NS/NAME", summary: "only this service account" },
      image: { value: "REF", summary: "only pulls of this image, which need not be declared" },
      spoke: { value: "NAME", summary: "only ways into this spoke of a fleet" },
      stack: { value: "NAME", summary: "only this stack" },
      format: {
        value: "FORMAT",
        choices: ["text", "json", "mermaid", "html"],
        default: "text",
        summary: "form of the results",
      },
      facts: {
        value: "FILE",
        summary: "facts that no file shows, YAML or JSON (docs/facts.schema.json)",
      },
      "fail-on": {
        value: "VERDICT",
        choices: ["denied", "unknown"],
        default: "unknown",
        summary: "denied: what is unknown does not fail the command",
      },
    },
    examples: [
      ["explain", "everything that cdktf.out declares"],
      ["explain --service-account shop/web --image registry.example.com/web:v1", "one pull"],
      ["explain --format html plan.json manifests/ > report.html", "a report of other files"],
    ],
    exits: { 0: "all allowed", 1: "something denied", 3: "something unknown, nothing denied" },
    load: () => import("./explain-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "compare",
    summary: "Say what service accounts may do on one side and not on the other",
    more: "Compares sets, not spellings: a pattern that covers the same images is no difference. What cannot be compared is said, with the reason.",
    operands: [
      { name: "<OLD>", summary: "what was: a synth, a plan or state in JSON, or manifests" },
      { name: "<NEW>", summary: "the same as it will be" },
    ],
    options: {
      format: {
        value: "FORMAT",
        choices: ["text", "json", "markdown"],
        default: "text",
        summary: "form of the differences; markdown is for a comment",
      },
      facts: { value: "FILE", summary: "facts of both sides that no file shows (docs/facts.schema.json)" },
      "fail-on": {
        value: "WHAT",
        choices: ["widened", "lost", "any"],
        summary:
          "exit with 1 where someone may do more (widened) or less (lost), or where that cannot be told",
      },
    },
    examples: [
      ["compare main/cdktf.out cdktf.out", "what a change does"],
      ["compare --format markdown --fail-on widened main/cdktf.out cdktf.out", "a gate with a comment"],
    ],
    exits: { 0: "compared", 1: "a difference of `--fail-on`" },
    load: () => import("./compare-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "jwks",
    summary: "Print or write the JWKS of public keys, and an issuer's discovery document",
    operands: [{ name: "<PEM...>", summary: "files with public keys in PEM" }],
    options: {
      issuer: { value: "URL", summary: "issuer of the discovery document; without it, only the JWKS" },
      "jwks-path": {
        value: "PATH",
        default: "keys.json",
        summary: "where the issuer serves the JWKS, below its URL",
      },
      to: { value: "DIR", summary: "write below this folder, at the paths that the issuer serves" },
    },
    examples: [
      ["jwks signer.pub", "the JWKS"],
      ["jwks old.pub new.pub --issuer https://oidc.example.com --to site", "both documents, two keys"],
    ],
    exits: { 0: "done", 1: "refused; nothing is written" },
    load: () => import("./jwks-command.js"),
  }),
  command({
    name: "credentials-diff",
    summary: "Compare what the CredentialsRequests of two OpenShift releases ask for",
    operands: [
      { name: "<OLD>", summary: "folder of CredentialsRequests, as `oc adm release extract` writes it" },
      { name: "<NEW>", summary: "the same of the other release" },
    ],
    options: {
      format: {
        value: "FORMAT",
        choices: ["text", "json"],
        default: "text",
        summary: "form of the differences",
      },
    },
    examples: [["credentials-diff requests-4.20 requests-4.21", "what an upgrade changes"]],
    exits: { 0: "the same", 1: "different" },
    load: () => import("./credentials-diff-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "completion",
    summary: "Print a script that completes commands and options in a shell",
    operands: [{ name: "<SHELL>", choices: ["bash", "zsh", "fish"], summary: "your shell" }],
    options: {},
    examples: [
      ["completion bash > ~/.local/share/bash-completion/completions/cdktf-workload-identity", "for bash"],
      ["completion zsh > ~/.zfunc/_cdktf-workload-identity", "for zsh, where ~/.zfunc is in $fpath"],
      ["completion fish > ~/.config/fish/completions/cdktf-workload-identity.fish", "for fish"],
    ],
    exits: { 0: "done" },
    load: () => import("./completion-command.js"),
  }),
];
