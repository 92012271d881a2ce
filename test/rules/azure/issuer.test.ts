import { describe, expect, it } from "vitest";
import { azureClouds } from "../../../lib/rules/azure/clouds";
import { blobContainerName, containerUrl, storageAccountName } from "../../../lib/rules/azure/issuer";
import { refusal } from "../../support/refusal";

// learn.microsoft.com, "Naming rules and restrictions for Azure resources", Microsoft.Storage. The characters at each place
// and the lengths are in names-of-clouds.test.ts.
describe("names of storage", () => {
  it.each<[string, () => unknown]>([
    ["two hyphens in a container's name", () => blobContainerName("a--b")],
    ["a line break behind an account's name", () => storageAccountName("abc\n")],
  ])("refuse %s", (_, check) => {
    expect(check).toThrowError(refusal("azure-invalid: is not a valid name"));
  });

  it("has an endpoint in every cloud", () => {
    expect(azureClouds.map(({ name }) => containerUrl(name, "acct", "keys"))).toEqual([
      "https://acct.blob.core.windows.net/keys",
      "https://acct.blob.core.usgovcloudapi.net/keys",
      "https://acct.blob.core.chinacloudapi.cn/keys",
    ]);
  });
});
