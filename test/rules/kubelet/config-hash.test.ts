import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  credentialProviderAlerts,
  credentialProviderConfigHash,
} from "../../../lib/rules/kubelet/config-hash";

describe("the hash that the kubelet shows of its configuration", () => {
  // kubernetes/kubernetes, pkg/credentialprovider/plugin/config.go: length in eight bytes, then the bytes, of each file.
  it.each([
    ["one file", ["ab"], "000000000000000261 62"],
    ["characters of several bytes", ["é"], "0000000000000002 c3a9"],
    ["files in their order", ["a", "bc"], "000000000000000161 000000000000000262 63"],
    ["an empty file", [""], "0000000000000000"],
  ])("is that of %s", (_, contents, bytes) => {
    const hashed = createHash("sha256").update(Buffer.from(bytes.replaceAll(" ", ""), "hex"));
    expect(credentialProviderConfigHash(contents)).toBe(`sha256:${hashed.digest("hex")}`);
  });

  it("tells files from one file with both contents", () => {
    expect(credentialProviderConfigHash(["a", "b"])).not.toBe(credentialProviderConfigHash(["ab"]));
  });
});

it("alerts name every expected hash, whatever their order", () => {
  const rules = credentialProviderAlerts(["sha256:b", "sha256:a"]);
  expect(rules).toEqual(credentialProviderAlerts(["sha256:a", "sha256:b"]));
  expect(JSON.stringify(rules)).toContain(
    'kubelet_credential_provider_config_info{hash!~\\"sha256:a|sha256:b\\"}',
  );
});
