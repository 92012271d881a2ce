/*
 * What the plugins do with their arguments, files and variables. Single arguments are in
 * test/rules/plugin-arguments.test.ts and test/explain/{aws,google}/plugin.test.ts.
 */

import { checks } from "../../../fixtures/explain/checks";
import { HOST, acr, ecr, node, record, tools } from "../../../fixtures/explain/three-clouds";

const ID = "provider-on-node";
const NAME = "name: ecr-credential-provider\n";
const REQUIRED_ROLE = "requiredServiceAccountAnnotationKeys:\n              - eks.amazonaws.com/ecr-role-arn";
const ecrArgs = (list: string) => node(NAME, `${NAME}          args: ${list}\n`);

// The plugins of 1.34.1 and 1.36.0 were run with these arguments.
checks(ID, "the ecr plugin", ecr, [
  [
    "too old for tokens",
    record('"1.35.2"', '"1.33.4"'),
    "fail",
    "silently uses the node identity",
    { log: "silent", as: "node identity" },
  ],
  [
    "of a version that is not known",
    record('"version": "1.35.2"', '"other": "1.35.2"'),
    "unknown",
    "its version is not stated",
  ],
  [
    "an argument by which it prints its help",
    ecrArgs('["--help"]'),
    "fail",
    "--help makes the plugin print something other than credentials",
    { log: "error decoding credential provider plugin response from stdout" },
  ],
  ["a flag", ecrArgs("[get-credentials, --v=2]"), "fail", "", { log: "Error: unknown flag: --v", as: null }],
  [
    "an argument that it does not take",
    ecrArgs('["completion"]'),
    "unknown",
    "the argument completion is not known",
  ],
  [
    "ECR Public without AWS_REGION",
    node(HOST, "public.ecr.aws"),
    "fail",
    "sets no AWS_REGION",
    { image: "public.ecr.aws/acme/web", log: "endpoint rule error, Invalid Configuration: Missing Region" },
  ],
  [
    "by another name",
    node("name: ecr-credential-provider", "name: totally-different-plugin"),
    "unknown",
    "nothing says that the plugin totally-different-plugin does what the ecr plugin does",
  ],
  [
    "of someone else",
    [
      node("name: ecr-credential-provider", "name: acme-plugin"),
      node(REQUIRED_ROLE, "requiredServiceAccountAnnotationKeys:\n              - acme.example/role"),
      node(HOST, '"*.*.*.*.*.com"'),
    ],
    "unknown",
    "nothing is known about the plugin acme-plugin",
    { verdict: "denied" },
  ],
]);

const PATH = "/etc/kubernetes/acr-azure.json";
const args = (...words: readonly string[]) =>
  node(`- ${PATH}`, words.map((word) => `- ${JSON.stringify(word)}`).join("\n            "));
const ONE = "the plugin takes one argument, the configuration file";
const extension = (value: string) => node('"useManagedIdentityExtension": true', value);
const notJudged = (flag: string): string => `explain does not judge what the plugin does with ${flag}`;

// kubernetes-sigs/cloud-provider-azure, cmd/acr-credential-provider/main.go and pkg/credentialprovider/azure_credentials.go;
// the plugin of 1.36.5, run with --help, prints it and exits with 0.
checks(ID, "the acr plugin", acr, [
  ["the file after the end of flags", args("--", PATH), "pass"],
  ["the level of logging", args("-v=2", PATH), "pass"],
  ["levels of modules", args("--vmodule", "x=3", PATH), "unknown", notJudged("--vmodule")],
  [
    "a mirror of another host",
    args("--registry-mirror=mcr.microsoft.com:acmeshop.azurecr.io", PATH),
    "unknown",
    notJudged("--registry-mirror"),
  ],
  ["no file", args("-v=2"), "fail", `${ONE}, but is given none`, { log: "config file is not specified" }],
  ["two files", args(PATH, "/etc/x"), "fail", ONE],
  ["a file after the end of flags beside one", args(PATH, "--", "-x"), "fail", ONE],
  ["a flag that is not there", args("--nope=1", PATH), "fail", "the plugin has no flag --nope"],
  [
    "a flag that is not there, of a release that is not known",
    [args("--nope=1", PATH), record('"version": "1.36.5"', '"version": "1.99.0"')],
    "unknown",
  ],
  ["a flag without value", args(PATH, "--registry-mirror"), "fail", "--registry-mirror has no value"],
  ["help", args(PATH, "--help"), "fail", "--help makes the plugin print"],
  ["no help", args(PATH, "--help=false"), "pass"],
  [
    "a duration without unit",
    args("--log-flush-frequency=5", PATH),
    "unknown",
    notJudged("--log-flush-frequency"),
  ],
  ["identity bindings", args("--ib-sni-name=x", PATH), "unknown", notJudged("--ib-sni-name")],
  [
    "a file that is not read",
    node(`path: ${PATH}`, "path: /etc/pki/other.json"),
    "unknown",
    "is not among what was read",
  ],
  [
    "useManagedIdentityExtension is not true",
    extension('"useManagedIdentityExtension": false'),
    "fail",
    "useManagedIdentityExtension",
    { log: "silent", as: null, then: "no anonymous pull is attempted" },
  ],
  [
    "the same, and a client in the file",
    extension('"useManagedIdentityExtension": false, "aadClientId": "x", "aadClientSecret": "y"'),
    "fail",
    "",
    { log: "silent", as: "node identity", then: "which may pull" },
  ],
  [
    "the file of another cloud",
    node("AzurePublicCloud", "AzureChinaCloud"),
    "fail",
    `${PATH} makes the plugin get tokens from AzureChinaCloud, but acmeshop.azurecr.io is`,
  ],
  [
    "the file of a cloud that answers for itself",
    node('"AzurePublicCloud"', '"AzureChinaCloud", "resourceManagerEndpoint": "https://arm.example"'),
    "unknown",
    "whether acmeshop.azurecr.io is a registry in the cloud",
  ],
  [
    "a registry in another cloud",
    node("- acmeshop.azurecr.io", "- acmeshop.azurecr.us"),
    "fail",
    `${PATH} makes the plugin get tokens from AzurePublicCloud`,
    { image: "acmeshop.azurecr.us/models/llm" },
  ],
]);

checks(ID, "the gcp plugin", tools, [
  ["as written", [], "pass"],
  [
    "a custom pool with a release",
    record('"custom-pools"', '"tokens"'),
    "fail",
    "a custom pool needs a build with --sts-audience",
  ],
  ["no pool provider", node("--sts-audience=", "--audience="), "fail", "no pool to exchange the token at"],
  [
    "half of a pool",
    node("--sts-audience=", "--identity-provider="),
    "fail",
    "",
    { log: "--project-id is required when --identity-provider is set" },
  ],
]);
