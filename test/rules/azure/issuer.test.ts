import { describe, expect, it } from "vitest";
import { azureClouds } from "../../../lib/rules/azure/clouds";
import { blobContainerName, containerUrl, storageAccountName } from "../../../lib/rules/azure/issuer";

// learn.microsoft.com, "Naming rules and restrictions for Azure resources", Microsoft.Storage
describe("names of storage", () => {
  it.each([["abc"], ["0123456789"], ["a".repeat(24)]])("takes the account %s", (name) => {
    expect(storageAccountName(name)).toBe(name);
  });

  it.each([["ab"], ["a".repeat(25)], ["Abc"], ["a-b"], ["a_b"], ["a.b"], ["abc\n"], [""]])(
    "refuses the account %j",
    (name) => {
      expect(() => storageAccountName(name)).toThrowError(
        expect.objectContaining({
          code: "azure-invalid",
          problem: expect.stringContaining("is not a valid name") as string,
        }),
      );
    },
  );

  it.each([["abc"], ["a-b"], ["1-2-3"], ["a".repeat(63)]])("takes the container %s", (name) => {
    expect(blobContainerName(name)).toBe(name);
  });

  it.each([["ab"], ["a".repeat(64)], ["a--b"], ["-ab"], ["ab-"], ["aBc"], ["a/b"], ["$web"]])(
    "refuses the container %j",
    (name) => {
      expect(() => blobContainerName(name)).toThrowError(
        expect.objectContaining({
          code: "azure-invalid",
          problem: expect.stringContaining("is not a valid name") as string,
        }),
      );
    },
  );

  it("has an endpoint in every cloud", () => {
    expect(azureClouds.map(({ name }) => containerUrl(name, "acct", "keys"))).toEqual([
      "https://acct.blob.core.windows.net/keys",
      "https://acct.blob.core.usgovcloudapi.net/keys",
      "https://acct.blob.core.chinacloudapi.cn/keys",
    ]);
  });
});
