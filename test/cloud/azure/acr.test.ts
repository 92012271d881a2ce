import { describe, expect, it } from "vitest";
import { type AcrProps, acr, pullIdentities } from "../../../lib/cloud/azure";
import type { IPullSource } from "../../../lib/model/pulls";
import type { AzureCloudName } from "../../../lib/rules/azure/clouds";
import type { RoleAssignmentMode } from "../../../lib/rules/azure/permission";
import type { Construct } from "constructs";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { newStack, registryId } from "./synth";
import { refusal } from "../../support/refusal";

const LATE = "${TfToken[TOKEN.1]}";
const ABAC = "AbacRepositoryPermissions";

function props(change: Partial<AcrProps> = {}): AcrProps {
  return { registry: registryId("MyTeam"), roleAssignmentMode: "LegacyRegistryPermissions", ...change };
}

describe("acr", () => {
  it.each([
    ["the registry's name in lower case", {}, ["myteam.azurecr.io/*"]],
    ["another cloud", { cloud: "AzureChinaCloud" }, ["myteam.azurecr.cn/*"]],
    ["a domain name label", { loginServer: "myteam-a1b2.azurecr.io" }, ["myteam-a1b2.azurecr.io/*"]],
    ["a regional host", { loginServer: "myteam.eastus.geo.azurecr.io" }, ["myteam.eastus.geo.azurecr.io/*"]],
    ["a late resource id", { registry: LATE, loginServer: "other.azurecr.us" }, ["other.azurecr.us/*"]],
    [
      "repositories",
      { roleAssignmentMode: ABAC, repositories: ["team/*", "base/os"] },
      ["myteam.azurecr.io/base/os", "myteam.azurecr.io/team/*"],
    ],
    ["every repository", { roleAssignmentMode: ABAC, repositories: ["*"] }, ["myteam.azurecr.io/*"]],
  ] as const)("images of %s", (_, change, images) => {
    expect(acr(props(change))).toMatchObject({ cloud: "azure", images });
  });

  it("takes the cloud from the login server", () => {
    expect(acr(props({ loginServer: "myteam.azurecr.us" })).loginServer.cloud).toBe("AzureUSGovernmentCloud");
  });

  it.each([
    ["azure-invalid: resource id of", { registry: "myteam" }],
    ["azure-missing: login server cannot be derived", { registry: LATE }],
    ["azure-invalid: login server", { loginServer: "myteam.azurecr.io/shop" }],
    ["azure-mismatch: does not belong to the registry", { loginServer: "other.azurecr.io" }],
    ["late-value", { loginServer: LATE }],
    ["azure-unknown: the Azure cloud", { cloud: "AzureStackCloud" as AzureCloudName }],
    [
      "azure-mismatch: in another Azure cloud",
      { cloud: "AzureChinaCloud", loginServer: "myteam.azurecr.io" },
    ],
    ["azure-unknown: roleAssignmentMode", { roleAssignmentMode: "rbac" as RoleAssignmentMode }],
    ["azure-invalid: repository ", { roleAssignmentMode: ABAC, repositories: ["team*"] }],
    ["azure-invalid: repository ", { roleAssignmentMode: ABAC, repositories: [] }],
  ] as const)("refuses with %s: %o", (code, change) => {
    expect(() => acr(props(change))).toThrowError(refusal(code));
  });

  it("refuses to limit repositories where the mode cannot, and says why", () => {
    expect(() => acr(props({ repositories: ["team/*"] }))).toThrowError(
      refusal("azure-unsupported: repositories cannot be limited", {
        message: expect.stringContaining("AcrPull covers the whole registry") as string,
      }),
    );
  });

  it("has no identities to offer by itself, and says what to give", () => {
    expect(() => acr(props()).defaultIdentities()).toThrowError(
      refusal("azure-missing: pulls from a container registry need", {
        message: expect.stringContaining("pullIdentities({ resourceGroupName, location })") as string,
      }),
    );
  });

  it("is the only source that the azure identities accept", () => {
    const foreign: IPullSource<Construct> = { ...acr(props()), defaultIdentities: () => pullIdentities({}) };
    const accounts = [{ subject: Subject.of("shop/web"), asks: [foreign] }];
    const declare = (): unknown =>
      pullIdentities({ resourceGroupName: "ids", location: "westeurope" }).declare(newStack(), {
        clusterName: "prod-eu",
        issuer: Issuer.of("https://issuer.example.com"),
        accounts,
      });
    expect(declare).toThrowError(refusal("azure-foreign: not created by acr()"));
  });
});
