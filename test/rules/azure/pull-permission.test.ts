import { describe, expect, it } from "vitest";
import { parseLoginServer } from "../../../lib/rules/azure/registry";
import {
  type RegistryPull,
  type RoleAssignmentMode,
  permissionKey,
  pullPermissions,
  pullRole,
  renderRepositoryCondition,
} from "../../../lib/rules/azure/permission";
import { refusal } from "../../support/refusal";

const PREFIX =
  "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries";
const LATE = "${TfToken[TOKEN.1]}";

function pull(host: string, change: Partial<RegistryPull> = {}): RegistryPull {
  const loginServer = parseLoginServer(host);
  return {
    registry: `${PREFIX}/${loginServer.registryName}`,
    loginServer,
    roleAssignmentMode: "AbacRepositoryPermissions",
    repositories: undefined,
    ...change,
  };
}

describe("pullRole", () => {
  // learn.microsoft.com: registries in ABAC mode do not honour AcrPull.
  it.each([
    ["LegacyRegistryPermissions", "AcrPull", false],
    ["AbacRepositoryPermissions", "Container Registry Repository Reader", true],
  ] as const)("%s", (mode, roleDefinitionName, limitsRepositories) => {
    expect(pullRole(mode)).toEqual({ roleDefinitionName, limitsRepositories });
  });

  // `rbac` and `rbac-abac` are the words of `az acr create`, not of the property.
  it.each(["rbac", "rbac-abac", "", "toString"])("refuses %s", (mode) => {
    expect(() => pullRole(mode as RoleAssignmentMode)).toThrowError(
      refusal("azure-unknown: roleAssignmentMode", {
        allowed: "LegacyRegistryPermissions, AbacRepositoryPermissions",
      }),
    );
  });
});

describe("pullPermissions", () => {
  it("joins the sources of one registry, regional hosts included, and sorts registries", () => {
    const permissions = pullPermissions([
      pull("teamb.azurecr.io", { repositories: ["shop/web"] }),
      pull("teama.azurecr.io"),
      pull("teamb.eastus.geo.azurecr.io", { repositories: ["base/*"] }),
    ]);
    expect(permissions.map(({ loginServer, repositories }) => [loginServer.home, repositories])).toEqual([
      ["teama.azurecr.io", undefined],
      ["teamb.azurecr.io", ["base/*", "shop/web"]],
    ]);
    expect(permissions[0]?.condition).toBeUndefined();
    expect(permissions[1]?.condition).toBe(renderRepositoryCondition(["base/*", "shop/web"]));
  });

  it("drops the condition when one source asks for every repository", () => {
    const both = [pull("teama.azurecr.io", { repositories: ["a"] }), pull("teama.azurecr.io")];
    expect(pullPermissions(both)).toMatchObject([{ repositories: undefined, condition: undefined }]);
  });

  it("takes resource ids that differ in letter case for one registry", () => {
    const other = pull("teama.azurecr.io", { registry: `${PREFIX}/TeamA` });
    expect(pullPermissions([pull("teama.azurecr.io"), other])).toHaveLength(1);
  });

  it.each([
    [
      "roleAssignmentMode",
      [
        pull("teama.azurecr.io"),
        pull("teama.azurecr.io", { roleAssignmentMode: "LegacyRegistryPermissions" }),
      ],
    ],
    ["resource id", [pull("teama.azurecr.io"), pull("teama.azurecr.io", { registry: `${PREFIX}/teamz` })]],
    ["loginServer", [pull("teama.azurecr.io"), pull("teama-1f2e.azurecr.io")]],
  ])("refuses two sources of one registry with a different %s", (what, pulls) => {
    expect(() => pullPermissions(pulls)).toThrowError(refusal(`azure-mismatch: different ${what}`));
  });

  it("does not compare late resource ids", () => {
    const late = pull("teama.azurecr.io", { registry: LATE });
    expect(pullPermissions([pull("teama.azurecr.io"), late])).toHaveLength(1);
    expect(pullPermissions([late, pull("teamb.azurecr.io", { registry: LATE })])).toHaveLength(2);
  });

  it("refuses a condition over 8 KB and says how long it is", () => {
    const repositories = Array.from({ length: 75 }, (_, i) => `team-${i}`.padEnd(20, "x"));
    expect(() => pullPermissions([pull("teama.azurecr.io", { repositories })])).toThrowError(
      refusal("azure-limit: the condition that limits", {
        value: Buffer.byteLength(renderRepositoryCondition(repositories) ?? ""),
        allowed: "at most 8192 bytes per role assignment",
      }),
    );
    const fewer = repositories.slice(0, 60);
    expect(pullPermissions([pull("teama.azurecr.io", { repositories: fewer })])).toHaveLength(1);
  });
});

describe("permissionKey", () => {
  const key = (...pulls: readonly RegistryPull[]): string => permissionKey(pullPermissions(pulls)).join("\n");

  it("is equal for equal rights, however they are written", () => {
    const one = key(pull("teama.azurecr.io", { repositories: ["a", "b"] }), pull("teamb.azurecr.io"));
    const other = key(
      pull("teamb.azurecr.io", { registry: LATE }),
      pull("teama.azurecr.io", { repositories: ["b"] }),
      pull("teama.azurecr.io", { repositories: ["a"] }),
    );
    expect(other).toBe(one);
  });

  it("differs for different rights", () => {
    const keys = [
      key(pull("teama.azurecr.io")),
      key(pull("teamb.azurecr.io")),
      key(pull("teama.azurecr.io", { repositories: ["a"] })),
      key(pull("teama.azurecr.io", { roleAssignmentMode: "LegacyRegistryPermissions" })),
      key(pull("teama.azurecr.io"), pull("teamb.azurecr.io")),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
