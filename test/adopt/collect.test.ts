/* The lines of docs/adopting.md, run by bash and jq with programs in place of the clouds' command lines. */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { type Answers, awsAnswers, azureAnswers, googleAnswers } from "./answers";
import { eksAnswers, gkeAnswers } from "./managed-answers";

const page = readFileSync(resolve(__dirname, "../../docs/adopting.md"), "utf8");

function script(name: string): string {
  const [, code = ""] = new RegExp(`<!-- script: ${name} -->\n+\`\`\`sh\n([^]*?)\`\`\``).exec(page) ?? [];
  expect(code).not.toBe("");
  return code;
}

/** Answers as the real program does, from a file; says no as they do where something is not there. */
const PROGRAM = `#!${process.execPath}
const answers = JSON.parse(require("node:fs").readFileSync(process.env.ANSWERS, "utf8"));
const args = process.argv.slice(2);
const print = (value) => process.stdout.write(JSON.stringify(value, undefined, 2) + "\\n");
const option = (name) => args.find((_, place) => args[place - 1] === name);
const lists = {
  "eks describe-cluster": () => answers["eks describe-cluster"][option("--name")].cluster.identity.oidc.issuer,
  "eks list-pod-identity-associations": () => answers["eks list-pod-identity-associations"][option("--cluster-name")].associations.map((e) => e.associationId).join("\\t"),
  "iam list-role-policies": () => answers["iam list-role-policies"][option("--role-name")].PolicyNames.join("\\t"),
  "iam list-open-id-connect-providers": () => Object.keys(answers["iam get-open-id-connect-provider"]).join("\\t"),
  "iam list-roles": () => Object.keys(answers["iam get-role"]).join("\\t"),
  "identity list": () => answers["identity list"].map((e) => [e.id, e.name, e.resourceGroup].join("\\t")).join("\\n"),
  "iam service-accounts list": () => answers["iam service-accounts list"].map((e) => e.email).join("\\n"),
};
const command = [...Object.keys(answers), ...Object.keys(lists)]
  .filter((each) => args.join(" ").startsWith(each))
  .sort((a, b) => b.length - a.length)[0];
const wantsText = args.some((each) => each === "--query" || each.startsWith("--format=value"));
if (wantsText) process.stdout.write(lists[command]() + "\\n");
else if (process.env.KEYED.split(",").includes(command)) {
  const name = option("--identity-name");
  if (option("--policy-name")) args.push(option("--role-name") + "/" + option("--policy-name"));
  const key = Object.keys(answers[command]).find((each) =>
    name === undefined ? args.slice(option("--policy-name") ? -1 : 0).some((arg) => arg.replace("gs://", "").replace(/^--[a-z-]+=/, "") === each) : each.endsWith("/" + name));
  if (key === undefined || answers[command][key] === null) {
    process.stderr.write("An error occurred (NoSuchBucket): the bucket does not exist\\n");
    process.exit(254);
  }
  print(answers[command][key]);
} else print(answers[command]);
`;

const KEYED = [
  ...["iam get-open-id-connect-provider", "iam get-role", "s3api get-bucket-location"],
  ...["s3api get-public-access-block", "identity federated-credential list", "storage buckets describe"],
  ...["iam workload-identity-pools providers list", "iam service-accounts get-iam-policy"],
  ...["eks describe-cluster", "eks list-pod-identity-associations", "container clusters describe"],
  ...["eks describe-pod-identity-association", "iam list-role-policies", "iam get-role-policy"],
  "iam list-attached-role-policies",
];

function collected(program: string, answers: Answers, lines = program): unknown {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", program), PROGRAM);
  chmodSync(join(folder, "bin", program), 0o755);
  writeFileSync(join(folder, "answers.json"), JSON.stringify(answers));
  const { status, stderr } = spawnSync(
    "bash",
    ["--norc", "-euo", "pipefail", "-c", `${script("all")}\n${script(lines)}`],
    {
      cwd: folder,
      encoding: "utf8",
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
        ANSWERS: join(folder, "answers.json"),
        KEYED: KEYED.join(","),
      },
    },
  );
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(readFileSync(join(folder, `${program}.json`), "utf8"));
}

const hasTools = ["bash", "jq"].every((tool) => spawnSync(tool, ["--version"]).status === 0);

describe.runIf(hasTools)("the lines of the page collect what adopt reads", () => {
  it.each<[string, string, () => Answers, string?]>([
    ["a public bucket", "aws", () => ({ ...awsAnswers("public"), "cloudfront list-distributions": {} })],
    ["a private bucket", "aws", () => awsAnswers("private")],
    [
      "no bucket",
      "aws",
      () => ({
        ...awsAnswers("private"),
        "s3api get-bucket-location": { "mycluster-oidc": null },
        "s3api get-public-access-block": { "mycluster-oidc": null },
      }),
    ],
    ["Azure", "az", azureAnswers],
    ["Google Cloud", "gcloud", googleAnswers],
    ["EKS", "aws", eksAnswers, "eks"],
    ["GKE", "gcloud", gkeAnswers, "gke"],
  ])("%s", (_, program, answers, lines) => {
    expect(collected(program, answers(), lines)).toEqual(answers());
  });
});
