/*
 * Arguments of the acr plugin and the cloud of its configuration file. Source: kubernetes-sigs/cloud-provider-azure,
 * cmd/acr-credential-provider/main.go and pkg/credentialprovider/azure_credentials.go.
 */

import { expect, it } from "vitest";
import type { Edit } from "../../fixtures/explain/artefacts";
import { firstOpen } from "../../fixtures/explain/azure-pulls";

const NODE = "all-nodes.yaml";
const FILE = "- /etc/kubernetes/acr-azure.json";
const args = (...words: readonly string[]): readonly Edit[] => [
  [NODE, FILE, words.map((word) => `- ${JSON.stringify(word)}`).join("\n            ")],
];
const PATH = "/etc/kubernetes/acr-azure.json";
const ELSEWHERE = "acmeshop.azurecr.io:other.azurecr.io";
const version = (to: string): Edit => ["workload-identity.json", '"version": "1.36.5"', `"version": "${to}"`];

it.each<[string, readonly Edit[], string]>([
  ["the file", args(PATH), "allowed"],
  ["the file after the end of flags", args("--", PATH), "allowed"],
  ["the level of logging", args("-v=2", PATH), "allowed"],
  [
    "levels of modules",
    args("--vmodule", "x=3", PATH),
    "unknown provider-on-node: explain does not judge what the plugin does with --vmodule",
  ],
  [
    "a mirror of another host",
    args(`--registry-mirror=mcr.microsoft.com:acmeshop.azurecr.io`, PATH),
    "unknown provider-on-node: explain does not judge what the plugin does with --registry-mirror",
  ],
  [
    "no file",
    args("-v=2"),
    "fail provider-on-node: the plugin takes one argument, the configuration file, but is given none",
  ],
  ["two files", args(PATH, "/etc/x"), "fail provider-on-node: the plugin takes one argument"],
  [
    "a file after the end of flags beside one",
    args(PATH, "--", "-x"),
    "fail provider-on-node: the plugin takes one",
  ],
  [
    "a flag that is not there",
    args("--nope=1", PATH),
    "fail provider-on-node: the plugin has no flag --nope",
  ],
  ["a short one", args("-n", PATH), "fail provider-on-node: the plugin has no flag -"],
  [
    "a flag without value",
    args(PATH, "--registry-mirror"),
    "fail provider-on-node: --registry-mirror has no value",
  ],
  // The plugin of 1.36.5, run with it, prints its help and exits with 0.
  ["help", args(PATH, "--help"), "fail provider-on-node: --help makes the plugin print"],
  ["no help", args(PATH, "--help=false"), "allowed"],
  [
    "a level that is no number",
    args("--v=notanumber", PATH),
    'fail provider-on-node: the plugin does not accept "notanumber" for --v',
  ],
  [
    "a duration without unit",
    args("--log-flush-frequency=5", PATH),
    "unknown provider-on-node: explain does not judge what the plugin does with --log-flush-frequency",
  ],
  [
    "identity bindings",
    args("--ib-sni-name=x", PATH),
    "unknown provider-on-node: explain does not judge what the plugin does with --ib-sni-name",
  ],
  [
    "this host elsewhere",
    args(`-r${ELSEWHERE}`, PATH),
    "unknown provider-on-node: explain does not judge what the plugin does with --registry-mirror",
  ],
  [
    "the file of another cloud",
    [[NODE, "AzurePublicCloud", "AzureChinaCloud"]],
    `fail provider-on-node: ${PATH} makes the plugin get tokens from AzureChinaCloud, but acmeshop.azurecr.io is`,
  ],
  [
    "the file of a cloud that answers for itself",
    [[NODE, '"AzurePublicCloud"', '"AzureChinaCloud", "resourceManagerEndpoint": "https://arm.example"']],
    "unknown provider-on-node: whether acmeshop.azurecr.io is a registry in the cloud",
  ],
])("%s", (_, edits, outcome) => {
  expect(firstOpen(() => undefined, { edits }).slice(0, outcome.length)).toBe(outcome);
});

it("a registry in another cloud", () => {
  const edits: readonly Edit[] = [[NODE, "- acmeshop.azurecr.io", "- acmeshop.azurecr.us"]];
  const image = "acmeshop.azurecr.us/models/llm";
  expect(firstOpen(() => undefined, { edits, image })).toContain(
    "fail provider-on-node: /etc/kubernetes/acr-azure.json makes the plugin get tokens from AzurePublicCloud",
  );
});

it("flags of a release that is not known", () => {
  expect(firstOpen(() => undefined, { edits: [...args("--nope=1", PATH), version("1.99.0")] })).toMatch(
    /^unknown/,
  );
});
