/*
 * Registries of Azure and Google Cloud that clusters of other stacks pull from: what is granted on them is declared in the
 * stack of their owner. AWS: test/cloud/aws/shared-registry.test.ts.
 */

import { ArtifactRegistryRepository } from "@cdktf/provider-google/lib/artifact-registry-repository/index.js";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { ContainerRegistry } from "@cdktf/provider-azurerm/lib/container-registry/index.js";
import { EcrRepository } from "@cdktf/provider-aws/lib/ecr-repository/index.js";
import { type TerraformResource, type TerraformStack, Testing } from "cdktf";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AcrProps, acr } from "../../lib/cloud/azure";
import { ecr } from "../../lib/cloud/aws";
import { artifactRegistry, gcrRepository } from "../../lib/cloud/google";
import { explain } from "../../lib/explain";
import { ImagePulls, type ImagePullsProps } from "../../lib/synth";
import type { Json } from "../support/json";
import { REGISTRY_ID, makers, plainCluster } from "../support/image-pulls";
import { providersStack } from "../support/platform-components";
import { refusal } from "../support/refusal";
import { synthesized } from "../support/synthesized";
import { resources } from "../support/terraform";

const OWNER = "444455556666";

type Sources = (owner: TerraformStack) => ImagePullsProps["pulls"][number]["from"];

/** Two clusters, each in a stack, that pull from what the stack `images` owns. */
function folderOf(sources: Sources, identities: () => ImagePullsProps["identities"]): string {
  return synthesized((app) => {
    const owner = providersStack(app, "images");
    for (const name of ["one", "two"])
      new ImagePulls(providersStack(app, name), "pulls", {
        cluster: plainCluster({ name, issuer: `https://oidc.example.com/${name}` }),
        identities: identities() ?? [],
        pulls: [{ serviceAccount: "shop/web", from: sources(owner) }],
      });
  });
}

const azure = (owner: TerraformStack, more: Partial<AcrProps> = {}) =>
  acr({
    registry: REGISTRY_ID,
    roleAssignmentMode: "AbacRepositoryPermissions",
    owner: { scope: owner },
    ...more,
  });

// [what, sources, identities, type of what is granted]
const ROWS: readonly (readonly [string, Sources, () => ImagePullsProps["identities"], string])[] = [
  [
    "role assignments of ACR",
    (owner) => azure(owner, { repositories: ["shop/*"] }),
    () => [makers.azure()],
    "azurerm_role_assignment",
  ],
  [
    "bindings of Artifact Registry",
    (owner) =>
      artifactRegistry({
        project: "acme-images",
        location: "europe-west1",
        repository: "tools",
        owner: { scope: owner },
      }),
    () => [makers.google()],
    "google_artifact_registry_repository_iam_member",
  ],
  [
    "bindings behind gcr.io",
    (owner) => gcrRepository({ project: "acme-images", host: "gcr.io", owner: { scope: owner } }),
    () => [makers.google()],
    "google_artifact_registry_repository_iam_member",
  ],
];

describe("a registry that several clusters pull from", () => {
  it.each(ROWS)("%s are declared in the owner's stack", (_, sources, identities, type) => {
    const outdir = folderOf(sources, identities);
    const counts = ["images", "one", "two"].map((name) => {
      const text = readFileSync(join(outdir, "stacks", name, "cdk.tf.json"), "utf8");
      return [name, resources(JSON.parse(text) as Json, type).length];
    });
    expect(counts).toEqual([
      ["images", 2],
      ["one", 0],
      ["two", 0],
    ]);
    const verdicts = explain([outdir]).map(({ verdict }) => verdict);
    expect(verdicts).toHaveLength(2);
    expect(verdicts).not.toContain("denied");
  });

  const declare: Readonly<Record<string, (owner: TerraformStack) => TerraformResource>> = {
    azurerm_role_assignment: (owner) =>
      new ContainerRegistry(owner, "registry", {
        name: "AcmeShop",
        resourceGroupName: "images",
        location: "westeurope",
        sku: "Premium",
      }),
    google_artifact_registry_repository_iam_member: (owner) =>
      new ArtifactRegistryRepository(owner, "registry", {
        repositoryId: "tools",
        location: "europe-west1",
        format: "DOCKER",
      }),
    aws_ecr_repository_policy: (owner) => new EcrRepository(owner, "registry", { name: "shop/web" }),
  };
  const grants: readonly (readonly [string, Sources, () => ImagePullsProps["identities"], string])[] = [
    ...ROWS.slice(0, 2),
    [
      "policies of ECR",
      (owner) =>
        ecr({
          account: OWNER,
          region: "eu-west-1",
          repositories: ["shop/web"],
          ownerPolicy: { provider: new AwsProvider(owner, "owner", { region: "eu-west-1", alias: "owner" }) },
        }),
      () => [makers.aws()],
      "aws_ecr_repository_policy",
    ],
  ];

  it.each(grants)(
    "%s wait for one that the stack declares, in whatever order",
    (_, sources, identities, type) => {
      for (const order of ["before", "after"]) {
        const stack = providersStack(Testing.app(), "one");
        const registry = order === "before" ? declare[type]?.(stack) : undefined;
        new ImagePulls(stack, "pulls", {
          cluster: plainCluster(),
          identities: identities() ?? [],
          pulls: [{ serviceAccount: "shop/web", from: sources(stack) }],
        });
        const declared = registry ?? declare[type]?.(stack);
        const config = JSON.parse(Testing.synth(stack, true)) as Json;
        expect(resources(config, type).map((each) => each["depends_on"])).toEqual([
          expect.arrayContaining([`${declared?.terraformResourceType}.registry`]),
        ]);
      }
    },
  );

  it("is owned by one stack, whatever line names it", () => {
    const app = Testing.app();
    const [owner, other, stack] = ["images", "other", "one"].map((name) => providersStack(app, name));
    if (!owner || !other || !stack) throw new Error("no stacks");
    const { declarations } = new ImagePulls(stack, "pulls", {
      cluster: plainCluster(),
      identities: [makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: azure(owner) }],
    });
    expect(declarations["azure"]?.grants).toHaveLength(1);
    const identity = stack.node.findAll().find((each) => "grantPull" in each) as
      { grantPull(source: unknown): void } | undefined;
    expect(() => identity?.grantPull(azure(other))).toThrowError(
      refusal("azure-mismatch: two sources of the registry"),
    );
  });
});
