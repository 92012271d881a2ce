/*
 * What no difference touches is not compared. That must never hide a change: with a file more beside the stacks, by which
 * everything is compared, the changes are the same.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ecr, pullRoles } from "../../../lib/cloud/aws";
import { acr, pullIdentities } from "../../../lib/cloud/azure";
import { isWorkloadIdentityError } from "../../../lib/errors";
import { Explainer } from "../../../lib/explain";
import { comparison } from "../../../lib/explain/compare/compare";
import { kubernetes } from "../../../lib/node";
import { ImagePulls } from "../../../lib/synth";
import { type Artefacts, edited, folderOf, synthesizedStacks } from "../../fixtures/explain/artefacts";
import { type Block, policy } from "../../fixtures/explain/changed";
import { type Damage, Damaged, type Place, damages, shownPlace } from "../../support/damage";
import { runsOf, sampleNote } from "../../support/sample";

const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const REGISTRY = `${SUBSCRIPTION}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop`;
const ACR = { registry: REGISTRY, roleAssignmentMode: "AbacRepositoryPermissions" } as const;
const ECR = { account: "111122223333", region: "eu-west-1" };
const ALLOWED = policy({ Effect: "Allow", Action: "ecr:BatchGetImage", Resource: "*" });

const IDENTITIES = {
  resourceGroupName: "images",
  location: "westeurope",
  tenantId: "72f988bf-86f1-41af-91ab-2d7cd011db47",
};
/** A cluster that pulls from AWS, whose roles have policies in several ways, and one that pulls from Azure. */
const artefacts = withPolicies(
  synthesizedStacks(["aws", "azure"], (stack, name) => {
    const issuer = `https://oidc.example.com/${name}`;
    new AwsProvider(stack, "aws", { region: ECR.region, allowedAccountIds: [ECR.account] });
    new AzurermProvider(stack, "azurerm", { features: [{}] });
    const from = (...repositories: readonly string[]) =>
      name === "aws" ? ecr({ ...ECR, repositories }) : acr({ ...ACR, repositories });
    new ImagePulls(stack, "pulls", {
      cluster: kubernetes({ name, version: "1.35", issuer, plugins: { ecr: "1.35.2", acr: "1.36.5" } }),
      identities: [name === "aws" ? pullRoles(ECR) : pullIdentities(IDENTITIES)],
      pulls: [
        { serviceAccount: "shop/web", from: from("web") },
        { serviceAccount: "shop/jobs", from: from("jobs/*") },
        { serviceAccount: "tools/ci", from: from("web") },
      ],
    });
  }),
);

/** Managed policies that are named by reference and by ARN, a policy that names its role, and one that refers to another role. */
function withPolicies(all: Artefacts): Artefacts {
  const path = "stacks/aws/cdk.tf.json";
  const json = JSON.parse(all.get(path) ?? "") as { resource: Record<string, Record<string, Block>> };
  const [[one = "", role] = [], [two = ""] = []] = Object.entries(json.resource["aws_iam_role"] ?? {});
  const arn = `arn:aws:iam::${ECR.account}:policy/base`;
  Object.assign(json.resource, {
    aws_iam_policy: { base: { name: "base", policy: ALLOWED } },
    aws_iam_role_policy_attachment: {
      referred: { role: `\${aws_iam_role.${one}.name}`, policy_arn: "${aws_iam_policy.base.arn}" },
      named: { role: `\${aws_iam_role.${two}.name}`, policy_arn: arn },
    },
    aws_ecr_repository_policy: { web: { repository: "web", policy: ALLOWED } },
  });
  const acting = { Effect: "Allow", Action: "sts:AssumeRole", Resource: `\${aws_iam_role.${one}.arn}` };
  json.resource["aws_iam_role_policy"] = {
    ...json.resource["aws_iam_role_policy"],
    other: { name: "other", role: `\${aws_iam_role.${two}.name}`, policy: policy(acting) },
    more: { name: "more", role: role?.["name"], policy: ALLOWED },
  };
  return new Map([...all, [path, JSON.stringify(json)]]);
}

const RBAC = "stacks/aws/manifests/10-token-audience.yaml";

it("compares all service accounts where RBAC of one namespace may be for others", () => {
  // Nothing grants the audience in the namespace tools, unless a binding that is not understood does.
  const old = edited(artefacts, [[RBAC, "  namespace: tools\n", "  namespace: other\n"]]);
  const made = edited(old, [[RBAC, "  namespace: shop\n", "  namespace: shop\nunknown: field\n"]]);
  const { changes } = comparison(Explainer.read([folderOf(old)]), Explainer.read([folderOf(made)]));
  expect(changes.map(({ subject }) => subject)).toContain("tools/ci");
});

/** The artefacts as they are, and with a file beside the stacks. */
function read(folder: string): readonly Explainer[] {
  const beside = join(folder, "beside.json");
  try {
    const alone = Explainer.read([folder]);
    writeFileSync(beside, "{}");
    return [alone, Explainer.read([folder])];
  } catch (error) {
    if (isWorkloadIdentityError(error)) return [];
    throw error;
  } finally {
    rmSync(beside, { force: true });
  }
}

const FILES: readonly (readonly [what: string, files: RegExp, runs: number])[] = [
  ["Terraform", /cdk\.tf\.json$/, 100],
  ["the RBAC of namespaces", /stacks\/aws\/manifests\/.*token-audience\.yaml$/, 100],
  [
    "the manifests and records of a stack",
    /stacks\/aws\/(?:manifests\/.*\.yaml|workload-identity\.json)$/,
    100,
  ],
];

it.each(FILES)(`hides no change of %s${sampleNote(4)}`, { timeout: 240_000 }, (_, files, all) => {
  const example = new Damaged(artefacts, (file) => files.test(file), read);
  const [old] = example.intact;
  const names = example.places.filter(({ keys }) => keys[1] === "aws_iam_role" && keys[3] === "name");
  const renamed = names.map((place): [Place, Damage] => [place, "another text"]);
  let counted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...example.places), fc.constantFrom(...damages), (place, damage) => {
      const [made, all] = example.after(place, damage) ?? [];
      if (!old || !made || !all) return;
      const changes = comparison(old, made);
      if (changes.changes.length > 0) counted++;
      expect(changes, `${damage}: ${shownPlace(place)}`).toEqual(comparison(old, all));
    }),
    { numRuns: runsOf(all, 4), seed: 5, examples: renamed },
  );
  expect(counted).toBeGreaterThan(runsOf(10, 4));
});
