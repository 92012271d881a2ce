/*
 * What no difference touches is not compared. That must never hide a change: with one more line in a manifest, by which
 * everything is compared, the changes are the same.
 */

import { readFileSync, writeFileSync } from "node:fs";
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
import { type Artefacts, synthesizedStacks } from "../../fixtures/explain/artefacts";
import { type Block, policy } from "../../fixtures/explain/changed";
import { Damaged, damages, shownPlace } from "../../support/damage";

const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const REGISTRY = `${SUBSCRIPTION}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop`;
const ACR = { registry: REGISTRY, roleAssignmentMode: "AbacRepositoryPermissions" } as const;
const ECR = { account: "111122223333", region: "eu-west-1" };
const ALLOWED = policy({ Effect: "Allow", Action: "ecr:BatchGetImage", Resource: "*" });

/** Two clusters, whose roles have policies in several ways. */
const artefacts = withPolicies(
  synthesizedStacks(["one", "two"], (stack, name) => {
    const issuer = `https://oidc.example.com/${name}`;
    new AwsProvider(stack, "aws", { region: "eu-west-1" });
    new AzurermProvider(stack, "azurerm", { features: [{}] });
    new ImagePulls(stack, "pulls", {
      cluster: kubernetes({ name, version: "1.35", issuer, plugins: { ecr: "1.35.2", acr: "1.36.5" } }),
      identities: [
        pullRoles(ECR),
        pullIdentities({
          resourceGroupName: name,
          location: "westeurope",
          tenantId: "72f988bf-86f1-41af-91ab-2d7cd011db47",
        }),
      ],
      pulls: [
        { serviceAccount: "shop/web", from: ecr({ ...ECR, repositories: ["web"] }) },
        { serviceAccount: "shop/jobs", from: ecr({ ...ECR, repositories: ["jobs/*"] }) },
        { serviceAccount: "shop/models", from: acr({ ...ACR, repositories: ["models"] }) },
        { serviceAccount: "shop/tools", from: acr({ ...ACR, repositories: ["tools"] }) },
      ],
    });
  }),
);

/** Managed policies that are named by reference and by ARN, also from the other stack, and one by the name of a role. */
function withPolicies(all: Artefacts): Artefacts {
  const path = "stacks/one/cdk.tf.json";
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
  json.resource["aws_iam_role_policy"] = {
    ...json.resource["aws_iam_role_policy"],
    more: { name: "more", role: role?.["name"], policy: ALLOWED },
  };
  return new Map([...all, [path, JSON.stringify(json)]]);
}

/** The artefacts as they are, and with an empty line more. */
function read(folder: string): readonly Explainer[] {
  const file = join(folder, "stacks/one/manifests/20-service-accounts.yaml");
  const text = readFileSync(file, "utf8");
  try {
    return ["", "\n"].map((more) => {
      writeFileSync(file, text + more);
      return Explainer.read([folder]);
    });
  } catch (error) {
    if (isWorkloadIdentityError(error)) return [];
    throw error;
  } finally {
    writeFileSync(file, text);
  }
}

it("hides no change", { timeout: 120_000 }, () => {
  const example = new Damaged(artefacts, (file) => file.endsWith("cdk.tf.json"), read);
  const [old] = example.intact;
  let counted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...example.places), fc.constantFrom(...damages), (place, damage) => {
      const [made, longer] = example.after(place, damage) ?? [];
      if (!old || !made || !longer) return;
      const changes = comparison(old, made);
      if (changes.changes.length > 0) counted++;
      expect(changes, `${damage}: ${shownPlace(place)}`).toEqual(comparison(old, longer));
    }),
    { numRuns: 100, seed: 5 },
  );
  expect(counted).toBeGreaterThan(10);
});
