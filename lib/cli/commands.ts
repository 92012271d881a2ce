import { cloudNames } from "../model/clouds";
import { type Command, command } from "./command";

const FOLDER = "cdktf.out";

/** The operand and the options that commands which ask a question share. */
const READ = {
  name: "[DIR...]",
  summary: `folders or files: a synth, plans and states in JSON, manifests, node files (default: ${FOLDER})`,
};
const STACK = { value: "NAME", summary: "only this stack" };
const VERBOSE = {
  summary: "name every file and object that was not read, not only the first of many",
} as const;
const FACTS = { value: "FILE", summary: "facts that no file shows, YAML or JSON (docs/facts.schema.json)" };
const CLUSTER = {
  value: "NAME|URL",
  summary: "which cluster is meant: its name in what was read, or the issuer of its tokens",
};
const ABOUT = { value: "TEXT", summary: "html: what was judged, for example a commit and a day" } as const;
const TEXT_OR_JSON = { value: "FORMAT", choices: ["text", "json"], default: "text" } as const;
/** The options of commands that print a list. */
const LISTED = {
  stack: STACK,
  cluster: CLUSTER,
  format: { ...TEXT_OR_JSON, summary: "form of the list" },
  verbose: VERBOSE,
  facts: FACTS,
} as const;

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
        summary:
          "output of a cdk8s app with the LateValueResolver, to finish instead of the stack's own files",
      },
      "dry-run": { summary: "write nothing; say what would change" },
      check: { summary: "write nothing; exit 1 if a file would change or be removed" },
    },
    examples: [
      ["bind --outputs outputs.json --to manifests", "finish what is in cdktf.out"],
      ["bind --outputs outputs.json --to manifests --check", "fail if that was forgotten"],
      ["bind --outputs outputs.json --to gitops/prod cdktf.out/stacks/prod", "finish one stack"],
    ],
    exits: { 0: "done; with --check: up to date", 1: "refused; with --check also: out of date" },
    load: () => import("./bind-command.js"),
  }),
  command({
    name: "explain",
    summary: "Say whether each pull, component, workload and way into a spoke will work",
    more: "Reads files only; asks no cluster and no cloud. If something will not work, it says which link is broken, on what evidence, and what to do.",
    operands: [READ],
    options: {
      "service-account": { value: "NS/NAME", summary: "only this service account" },
      image: {
        value: "REF",
        summary: "only pulls of this image; with --service-account it need not be declared",
      },
      spoke: { value: "NAME", summary: "only ways into this spoke of a fleet" },
      job: {
        value: "JOB",
        choices: ["image-pull", "component", "workload", "fleet-access"],
        summary: "only this job",
      },
      stack: STACK,
      cluster: CLUSTER,
      running: {
        summary:
          "instead of declared pulls, judge those of the pods that run in the cluster; needs the output of `kubectl get pods -A -o yaml` as a file",
      },
      format: {
        value: "FORMAT",
        choices: ["text", "json", "sarif", "junit", "github", "markdown", "mermaid", "html"],
        default: "text",
        summary: "form of the results; the exit code is the same in each",
      },
      verbose: { summary: "text: every chain with all its links, the broken one first" },
      only: { value: "VERDICTS", summary: "text: only these verdicts: denied,unknown,allowed" },
      summary: { summary: "text: only counts by stack and job" },
      audit: { summary: "add what works but should be reviewed" },
      about: ABOUT,
      baseline: {
        value: "FILE",
        summary: "findings that are accepted for a while (docs/baseline.schema.json)",
      },
      facts: FACTS,
      "fail-on": {
        value: "WHAT",
        choices: ["denied", "unknown", "audit-error", "audit-warning"],
        default: "unknown",
        summary:
          "denied: unknown results do not fail the command; audit-error, audit-warning: errors of the audit, or warnings too, exit with 1",
      },
    },
    examples: [
      ["explain", "everything that cdktf.out declares"],
      ["explain --service-account shop/web --image registry.example.com/web:v1", "one pull"],
      ["explain --format sarif --audit > explain.sarif", "a report for code scanning"],
      ["explain --format html plan.json manifests/ > report.html", "a report of other files"],
      ["explain --cluster prod state.json dump.yaml", "a state of several clusters, and the objects of one"],
    ],
    exits: { 0: "all allowed", 1: "something denied", 3: "something unknown, nothing denied" },
    load: () => import("./explain-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "who-can",
    summary: "List the service accounts that may pull an image, declared or not",
    operands: [READ],
    options: {
      image: { value: "REF", required: true, summary: "the image, as a pod names it" },
      ...LISTED,
    },
    examples: [["who-can --image registry.example.com/base/node:20", "who may pull it, and as whom"]],
    exits: { 0: "listed, however many" },
    load: () => import("./who-can-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "reach",
    summary: "List every repository that a service account may read, declared or not",
    operands: [READ],
    options: {
      "service-account": { value: "NS/NAME", required: true, summary: "the service account" },
      ...LISTED,
    },
    examples: [["reach --service-account shop/web", "what it may read, and as whom"]],
    exits: { 0: "listed, however many" },
    load: () => import("./reach-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "compare",
    summary: "Say what service accounts may do on one side and not on the other",
    more: "Compares sets, not spellings: a pattern that covers the same images is not a difference. Names what cannot be compared, with the reason.",
    operands: [
      {
        name: "<OLD>",
        summary:
          "what was: a synth, a plan or state in JSON, or manifests; alone, a plan that holds both sides, or a folder with it",
      },
      { name: "[NEW]", summary: "the same as it will be" },
    ],
    options: {
      format: {
        value: "FORMAT",
        choices: ["text", "json", "sarif", "markdown", "html"],
        default: "text",
        summary: "form of the differences; markdown is for a comment, html also shows the new side",
      },
      verbose: VERBOSE,
      cluster: CLUSTER,
      about: ABOUT,
      facts: { ...FACTS, summary: "facts of both sides that no file shows (docs/facts.schema.json)" },
      "fail-on": {
        value: "WHAT",
        choices: ["widened", "lost", "any"],
        summary:
          "exit with 1 if someone may do more (widened) or less (lost), or if that cannot be determined",
      },
    },
    examples: [
      ["compare plan.json", "what a plan does (terraform show -json plan.out > plan.json)"],
      ["compare main/cdktf.out cdktf.out", "what a change does"],
      ["compare --format markdown --fail-on widened main/cdktf.out cdktf.out", "a gate with a comment"],
    ],
    exits: { 0: "compared", 1: "a difference that `--fail-on` names" },
    load: () => import("./compare-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "doctor",
    summary: "Find why a pull or a login fails, by what was collected of the running system",
    more: "Asks no cluster and no cloud, and takes no secrets. Without arguments it says how to begin.",
    operands: [
      {
        name: "[BUNDLE...]",
        summary:
          "the folder that the script of --collect wrote; files and folders after it are read as by explain",
      },
    ],
    options: {
      message: {
        value: "TEXT",
        summary: "an event, an error or lines of a log; - reads them from standard input",
      },
      collect: {
        value: "CLOUD",
        choices: [...cloudNames, "other"],
        summary: "print the commands that show what cluster, nodes and cloud have; they change nothing",
      },
      script: { summary: "with --collect: as a script that writes what they print into one folder" },
      pod: { value: "NAMESPACE/NAME", summary: "the pod to look at; without it, those that fail" },
      "service-account": { value: "NAMESPACE/NAME", summary: "the service account to look at" },
      image: { value: "IMAGE", summary: "with --service-account: the image that it pulls" },
      declared: { value: "DIR", summary: "synth output: also say what differs from it" },
      cluster: CLUSTER,
      facts: FACTS,
      format: {
        value: "FORMAT",
        choices: ["text", "json", "markdown", "html"],
        default: "text",
        summary: "form of the report; messages have text and json",
      },
    },
    examples: [
      ["doctor --message 'AADSTS700213: No matching federated identity record found'", "one message"],
      ["doctor --message - < kubelet.log", "all known messages of a log"],
      ["doctor --collect aws --script > collect.sh", "a script to read and then run"],
      ["doctor bundle --pod shop/web-5d8f9", "all broken links of one pod's chains"],
    ],
    exits: {
      0: "every link holds, or nothing was asked",
      1: "a link is broken",
      3: "a link is open, or no message proves one broken",
    },
    load: () => import("./doctor-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "lint",
    summary: "Find what kubelets, API servers and registries refuse or pass over in anyone's files",
    more: "Looks at CredentialProviderConfigs, in whatever carries them to nodes, at RBAC for audiences, at service accounts and at pods. docs/lint.md lists the rules.",
    operands: [
      {
        name: "<FILE...>",
        summary:
          "manifests, what `helm template` prints, files of nodes, or folders with them; - reads standard input",
      },
    ],
    options: {
      kubelet: {
        value: "MINOR",
        many: true,
        summary: "a kubelet that is meant, 1.34; may be repeated (default: each known one from 1.34 on)",
      },
      format: {
        value: "FORMAT",
        choices: ["text", "json", "sarif", "github"],
        default: "text",
        summary: "form of the findings; the exit code is the same in each",
      },
      "fail-on": {
        value: "SEVERITY",
        choices: ["error", "warning"],
        default: "warning",
        summary: "error: warnings do not fail the command",
      },
    },
    examples: [
      ["lint chart.yaml nodes/", "a rendered chart, and files of nodes"],
      ["lint --kubelet 1.33 --kubelet 1.34 provider.yaml", "whether two kubelets start with a file"],
    ],
    exits: { 0: "notes, or nothing found", 1: "errors", 3: "warnings, no errors" },
    load: () => import("./lint-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "jwks",
    summary: "Print or write the JWKS of public keys, and an issuer's discovery document",
    operands: [
      {
        name: "<PEM...>",
        summary: "files with one public key in PEM each; - reads any number of keys from standard input",
      },
    ],
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
      ["jwks - < signer.pub", "the same, from standard input"],
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
      format: { ...TEXT_OR_JSON, summary: "form of the differences" },
    },
    examples: [["credentials-diff requests-4.20 requests-4.21", "what an upgrade changes"]],
    exits: { 0: "the same", 1: "different" },
    load: () => import("./credentials-diff-command.js"),
    refusedExit: 2,
  }),
  command({
    name: "adopt",
    summary: "Turn what a cloud's command line prints about a cluster into settings that take it over",
    more: "Asks no cloud: collect the answers with the commands in docs/adopting.md. Guesses nothing: if something is missing or ambiguous, it names the command that shows it or the option that chooses.",
    operands: [],
    options: {
      from: { value: "FILE", required: true, summary: "answers of aws, az or gcloud in JSON, by command" },
      requests: {
        value: "DIR",
        summary: "CredentialsRequests of the cluster's release, for an OpenShift cluster that ccoctl made",
      },
      name: { value: "NAME", summary: "the --name that ccoctl was given, if there are several" },
      issuer: { value: "URL", summary: "the cluster's issuer, if there are several" },
      format: {
        value: "FORMAT",
        choices: ["typescript", "json", "imports"],
        default: "typescript",
        summary: "constructs to paste, everything as JSON, or Terraform import blocks",
      },
    },
    examples: [
      ["adopt --from az.json --requests credentials-requests", "an OpenShift cluster"],
      ["adopt --from aws.json --format imports > imports.tf", "an EKS cluster, in your own Terraform"],
    ],
    exits: { 0: "complete", 1: "something is missing or must be chosen" },
    load: () => import("./adopt-command.js"),
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
