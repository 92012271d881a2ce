/* Repositories that everyone may read: no broken link keeps a pull from them, but credentials that are refused do. */

import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import { type Artefacts, type Edit, edited, folderOf, synthesized } from "../fixtures/explain/artefacts";

const whole = synthesized("three-clouds");

function withResources(more: Readonly<Record<string, object>>): Artefacts {
  return new Map(
    [...whole].map(([path, text]) => {
      if (!path.endsWith("cdk.tf.json")) return [path, text];
      const json = JSON.parse(text) as { resource: Record<string, object> };
      for (const [type, block] of Object.entries(more))
        json.resource[type] = { ...json.resource[type], more: block };
      return [path, JSON.stringify(json)];
    }),
  );
}

const READER = { project: "acme-images", location: "europe-west1", role: "roles/artifactregistry.reader" };
const open = withResources({
  azurerm_container_registry: { name: "acmeopen", anonymous_pull_enabled: true },
  google_artifact_registry_repository_iam_binding: { ...READER, repository: "public", members: ["allUsers"] },
});
const late = withResources({
  azurerm_container_registry: { name: "acmeopen", anonymous_pull_enabled: "${var.is_open}" },
  google_artifact_registry_repository_iam_binding: {
    ...READER,
    repository: "public",
    members: ["allAuthenticatedUsers"],
  },
});

const changed = withResources({
  azurerm_container_registry: { name: "acmeopen", anonymous_pull_enabled: true },
  azapi_update_resource: {
    type: "Microsoft.ContainerRegistry/registries@2023-07-01",
    resource_id: "${azurerm_container_registry.more.id}",
    body: { properties: { anonymousPullEnabled: false } },
  },
});

describe("a repository that everyone may read", () => {
  it.each<[artefacts: Artefacts, serviceAccount: string, image: string, verdict: string, as: string | null]>([
    [open, "shop/tools", "acmeopen.azurecr.io/x", "unknown", "anonymous"],
    [open, "shop/none", "acmeopen.azurecr.io/x", "unknown", "anonymous"],
    [open, "shop/web", "europe-west1-docker.pkg.dev/acme-images/public/x", "unknown", "anonymous"],
    [open, "shop/web", "public.ecr.aws/acme/web:1", "unknown", "anonymous"],
    // Another registry, another repository, a switch that is not known, and who is signed in is not everyone.
    [open, "shop/tools", "acmeother.azurecr.io/x", "denied", null],
    [open, "shop/web", "europe-west1-docker.pkg.dev/acme-images/private/x", "denied", null],
    [late, "shop/tools", "acmeopen.azurecr.io/x", "denied", null],
    [changed, "shop/tools", "acmeopen.azurecr.io/x", "denied", null],
    [late, "shop/web", "europe-west1-docker.pkg.dev/acme-images/public/x", "denied", null],
    // The role of shop/web is refused, and nothing is tried without it.
    [open, "shop/web", "111122223333.dkr.ecr.eu-west-1.amazonaws.com/other", "denied", null],
  ])("row %#", (artefacts, serviceAccount, image, verdict, as) => {
    const [result] = explain([folderOf(artefacts)], { serviceAccount, image });
    expect([result?.verdict, result?.as]).toEqual([verdict, as]);
    const otherwise = result?.checks.find(({ id }) => id === "otherwise");
    expect(otherwise?.reason.startsWith("everyone may read the repository")).toBe(as !== null);
  });

  it("does not make a declared pull work whose chain is broken", () => {
    const declared: Edit = [
      "workload-identity.json",
      "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/*",
      "public.ecr.aws/acme/web",
    ];
    const results = explain([folderOf(edited(whole, [declared]))], { serviceAccount: "shop/web" });
    const result = results.find(({ target }) => target.startsWith("public.ecr.aws"));
    expect([result?.verdict, result?.as]).toEqual(["denied", "anonymous"]);
  });
});
