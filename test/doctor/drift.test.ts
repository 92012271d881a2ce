/*
 * What was declared against what was collected: the bundle of a cluster to which a stack was applied, and then changed.
 */

import { TerraformStack } from "cdktf";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, it } from "vitest";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { ecr } from "../../lib/cloud/aws";
import { diagnose } from "../../lib/doctor/diagnosis";
import { reportText } from "../../lib/doctor/report";
import { kubernetes } from "../../lib/node";
import { ImagePulls } from "../../lib/synth";
import { ACCOUNT, HEALTHY } from "../fixtures/doctor/bundles";
import { type Edit, file, folderOf, text } from "../fixtures/doctor/edits";
import { synthesized } from "../support/synthesized";

const declared = synthesized((app) => {
  const stack = new TerraformStack(app, "prod");
  new AwsProvider(stack, "aws", { region: "eu-west-1" });
  new ImagePulls(stack, "pulls", {
    cluster: kubernetes({
      name: "prod",
      version: "1.34",
      issuer: "https://oidc.example.com/prod",
      plugins: { ecr: { version: "1.34.2" } },
    }),
    pulls: [
      {
        serviceAccount: ACCOUNT,
        from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/*"] }),
      },
    ],
  });
});

/** The provider file that the stack wrote. */
const provider = ((): string => {
  const folder = join(declared, "stacks", "prod", "nodes");
  const [name = ""] = readdirSync(folder);
  const { files } = parse(readFileSync(join(folder, name), "utf8")) as {
    readonly files: readonly {
      readonly path: string;
      readonly contents?: string;
      readonly content?: string;
    }[];
  };
  const [first] = files;
  return first?.content ?? first?.contents ?? "";
})();

const { image, options } = HEALTHY.aws;
const asDeclared = file("credential-provider-config.yaml", provider);
const OLD = file("credential-provider-config.yaml", `${provider}# changed\n`.replace("12h", "10m"));

it.each<[why: string, edits: readonly Edit[], drift: readonly string[]]>([
  ["nothing has changed", [asDeclared], []],
  ["only a comment differs", [file("credential-provider-config.yaml", `${provider}# changed\n`)], []],
  [
    "of one value it is not known whether it differs",
    [file("credential-provider-config.yaml", provider.replace("12h", '"@late(aws_x.y.z)@"'))],
    [],
  ],
  ["an older file on the node", [OLD], ["the provider file of the node is none of those that were declared"]],
  [
    "a trust policy that someone edited",
    [asDeclared, text("aws-roles.json", "shop:web", "shop:wob")],
    ["subject-admitted holds as declared: the trust policy admits"],
  ],
  [
    "an annotation and a binding that someone removed",
    [
      asDeclared,
      text("objects.json", "eks.amazonaws.com/ecr-role-arn", "eks.amazonaws.com/none"),
      text("rbac.json", "system:nodes", "system:masters"),
    ],
    ["annotations-present holds as declared", "audience-granted holds as declared"],
  ],
])("%s", (_, edits, drift) => {
  const folder = folderOf(edits.reduce((all, edit) => edit(all), HEALTHY.aws.files));
  const report = diagnose(folder, { serviceAccount: ACCOUNT, image }, { ...options, declared });
  const reasons = report.diagnoses.flatMap((each) => each.drift.map(({ reason }) => reason));
  expect(reasons).toEqual(drift.map((each) => expect.stringContaining(each)));
  const lines = reportText(report).split("\n");
  expect(lines.filter((line) => line.startsWith("  drift: "))).toHaveLength(drift.length);
});
