import { describe, expect, it } from "vitest";
import type { AzureCloudName } from "../../../lib/rules/azure/clouds";
import { orElse, unread } from "../../../lib/model/known";
import { treeOf } from "../../../lib/model/tree";
import {
  azureJsonCloud,
  azureJsonFindings,
  clientAnswered,
  renderAzureJson,
} from "../../../lib/rules/azure/plugin";
import { refusal } from "../../support/refusal";

const TENANT = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
const SUBSCRIPTION = "11111111-2222-3333-4444-555555555555";
const LATE = "${TfToken[TOKEN.1]}";

describe("renderAzureJson", () => {
  it("writes no more than the plugin needs, keys sorted", () => {
    expect(renderAzureJson({ cloud: "AzurePublicCloud", tenantId: TENANT })).toBe(
      `{\n  "cloud": "AzurePublicCloud",\n  "tenantId": "${TENANT}",\n  "useManagedIdentityExtension": true\n}\n`,
    );
    const more = renderAzureJson({
      cloud: "AzureChinaCloud",
      tenantId: TENANT,
      subscriptionId: SUBSCRIPTION,
    });
    expect(Object.keys(JSON.parse(more) as object)).toEqual([
      "cloud",
      "subscriptionId",
      "tenantId",
      "useManagedIdentityExtension",
    ]);
  });

  it("leaves a late tenant readable for the later binding", () => {
    expect(renderAzureJson({ cloud: "AzurePublicCloud", tenantId: LATE })).toContain(`"tenantId": "${LATE}"`);
  });

  it.each([
    ["azure-invalid: is not a GUID", { tenantId: "contoso.com" }],
    ["azure-invalid: is not a GUID", { subscriptionId: "prod" }],
    ["azure-unknown: the Azure cloud", { cloud: "AzureStackCloud" as AzureCloudName }],
  ])("refuses with %s", (code, change) => {
    const run = (): string => renderAzureJson({ cloud: "AzurePublicCloud", tenantId: TENANT, ...change });
    expect(run).toThrowError(refusal(code));
  });

  it.each(["AzurePublicCloud", "AzureUSGovernmentCloud", "AzureChinaCloud"] as const)(
    "passes its own check in %s",
    (cloud) => {
      expect(azureJsonFindings(treeOf(JSON.parse(renderAzureJson({ cloud, tenantId: TENANT }))))).toEqual([]);
    },
  );
});

const NOT_KNOWN = unread("known only after apply");

describe("azureJsonFindings", () => {
  const good = { cloud: "AzureCloud", tenantId: TENANT, useManagedIdentityExtension: true };

  it.each([
    ["as it should be", good, []],
    ["cloud left out means the public one", { ...good, cloud: undefined }, []],
    ["letter case of the cloud does not count", { ...good, cloud: " azureusgovernment" }, []],
    ["an unknown cloud is taken for the public one", { ...good, cloud: "AzureGermanCloud" }, ["cloud"]],
    ["token thrown away", { ...good, useManagedIdentityExtension: false }, ["useManagedIdentityExtension"]],
    ["text is not true", { ...good, useManagedIdentityExtension: "true" }, ["useManagedIdentityExtension"]],
    ["stock file without tenant", { useManagedIdentityExtension: true }, ["tenantId"]],
    ["empty tenant", { ...good, tenantId: "" }, ["tenantId"]],
    ["nothing", {}, ["tenantId", "useManagedIdentityExtension"]],
    ["no object", [], [""]],
    ["null", null, [""]],
    ["text", "cloud", [""]],
  ])("%s", (_, document, fields) => {
    expect(azureJsonFindings(treeOf(document)).map((finding) => finding.field)).toEqual(fields);
  });

  it.each(["cloud", "tenantId", "useManagedIdentityExtension"])("leaves a late %s open", (field) => {
    expect(azureJsonFindings(treeOf({ ...good, [field]: NOT_KNOWN }))).toMatchObject([
      { field, isCertain: false },
    ]);
  });

  it("leaves a file open of which nothing is known", () => {
    expect(azureJsonFindings(NOT_KNOWN)).toMatchObject([{ field: "", isCertain: false }]);
  });
});

it.each([
  ["none", {}, "AzurePublicCloud"],
  ["an empty one", { cloud: "" }, "AzurePublicCloud"],
  ["another name of it", { cloud: " azureusgovernment" }, "AzureUSGovernmentCloud"],
  ["one that the plugin does not know", { cloud: "AzureGermanCloud" }, undefined],
  ["no text", { cloud: 1 }, undefined],
])("the cloud of a file that names %s", (_, document, name) => {
  expect(orElse(azureJsonCloud(treeOf(document)), () => undefined)?.name).toBe(name);
});

// kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider/azure_credentials.go.
it.each([
  ["with the extension", { useManagedIdentityExtension: true, aadClientId: "x" }, undefined],
  ["without, and no client", { useManagedIdentityExtension: false }, "none"],
  ["left out, and an empty client", { aadClientId: "", aadClientSecret: "" }, "none"],
  ["without, and a client", { useManagedIdentityExtension: false, aadClientId: "x" }, "some"],
  ["with what is no truth value", { useManagedIdentityExtension: "false" }, undefined],
  ["no object", null, undefined],
  ["with an extension that is not known", { useManagedIdentityExtension: NOT_KNOWN }, undefined],
  ["without, and a client that is not known", { aadClientId: NOT_KNOWN }, "some"],
])("a client is answered %s", (_, document, client) => {
  expect(clientAnswered(treeOf(document))).toBe(client);
});
