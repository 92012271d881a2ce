import { describe, expect, it } from "vitest";
import {
  guid,
  identityName,
  location,
  parseIdentityId,
  parseRegistryId,
  resourceGroupName,
} from "../../../lib/rules/azure/names";
import { refusal } from "../../support/refusal";

const SUBSCRIPTION = "11111111-2222-3333-4444-555555555555";
const LATE = "${TfToken[TOKEN.1]}";

function id(type: string, name: string, group = "images"): string {
  return `/subscriptions/${SUBSCRIPTION}/resourceGroups/${group}/providers/${type}/${name}`;
}

const registry = (name: string, group?: string): string =>
  id("Microsoft.ContainerRegistry/registries", name, group);
const identity = (name: string): string => id("Microsoft.ManagedIdentity/userAssignedIdentities", name);

describe("parseRegistryId", () => {
  it.each([
    ["abcde", "images"],
    ["MyTeam01", "rg_(a).b-c"],
    ["a".repeat(50), "x".repeat(90)],
  ])("reads %s", (name, group) => {
    expect(parseRegistryId(registry(name, group))).toEqual({
      subscriptionId: SUBSCRIPTION,
      resourceGroupName: group,
      name,
    });
  });

  it.each([
    ["too short", registry("abcd")],
    ["too long", registry("a".repeat(51))],
    ["hyphen in the name", registry("my-team")],
    ["letter case of the fixed words", registry("myteam").replace("resourceGroups", "resourcegroups")],
    ["another type", identity("myteam")],
    ["a child", `${registry("myteam")}/replications/eastus`],
    ["trailing slash", `${registry("myteam")}/`],
    ["no leading slash", registry("myteam").slice(1)],
    ["subscription is not a GUID", registry("myteam").replace(SUBSCRIPTION, "prod")],
    ["group ends with a full stop", registry("myteam", "images.")],
    ["a name instead of an id", "myteam"],
    ["login server", "myteam.azurecr.io"],
    ["empty", ""],
  ])("refuses: %s", (_, value) => {
    expect(() => parseRegistryId(value)).toThrowError(refusal("azure-invalid: resource id of", { value }));
  });
});

describe("parseIdentityId", () => {
  it("reads the name", () => {
    expect(parseIdentityId(identity("pull_shop-web"))).toMatchObject({ name: "pull_shop-web" });
  });

  it.each(["ab", "-abc", "a".repeat(129), "a.b.c"])("refuses the name %s", (name) => {
    expect(() => parseIdentityId(identity(name))).toThrowError(refusal("azure-invalid: resource id of"));
  });
});

describe("single values", () => {
  const refused: readonly (readonly [string, () => string, string])[] = [
    ["GUID", () => guid("tenantId", "contoso.onmicrosoft.com"), "azure-invalid: is not a GUID"],
    ["empty GUID", () => guid("tenantId", ""), "azure-invalid: is not a GUID"],
    ["identity name", () => identityName("x"), "azure-invalid: is not a valid name"],
    ["resource group", () => resourceGroupName("a/b"), "azure-invalid: is not a valid name"],
    [
      "resource group's length",
      () => resourceGroupName("a".repeat(91)),
      "azure-invalid: is not a valid name",
    ],
    ["location", () => location(""), "azure-invalid: is not a valid name"],
  ];

  it.each(refused)("refuses a bad %s", (_, run, code) => {
    expect(run).toThrowError(refusal(code));
  });

  it("passes late values and good ones through", () => {
    expect([guid("x", LATE), identityName(LATE), resourceGroupName(LATE), location(LATE)]).toEqual(
      Array(4).fill(LATE),
    );
    expect(guid("x", SUBSCRIPTION)).toBe(SUBSCRIPTION);
    expect(location("West Europe")).toBe("West Europe");
  });
});
