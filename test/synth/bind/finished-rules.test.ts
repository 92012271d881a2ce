import { describe, expect, it } from "vitest";
import type { FinishedRuleName } from "../../../lib/artefact/finished-rule";
import { readWorkloadIdentity } from "../../../lib/artefact/workload-identity-file";
import { boundFiles } from "../../../lib/synth/bind/bound-files";
import { readTerraformOutputs } from "../../../lib/synth/bind/outputs";
import { CA } from "../../fixtures/fleet/ca";
import { refusal } from "../../support/refusal";

const PLACEHOLDER = "@late(var.x)@";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function bound(rule: FinishedRuleName, value: string, text: string = PLACEHOLDER): string | undefined {
  return boundFiles({
    stack: "hub",
    placeholders: { [PLACEHOLDER]: { output: "x", path: ["hub", "x"], expression: "${var.x}" } },
    clusters: [],
    rules: [{ of: "server of spoke a", rule, text }],
    files: new Map([["status.yaml", `value: "${text}"\n`]]),
    outputs: readTerraformOutputs(
      JSON.stringify({ x: { value, type: "string", sensitive: false } }),
      "o.json",
    ),
  }).get("status.yaml");
}

describe("bind, of values with a rule", () => {
  it.each<readonly [FinishedRuleName, string, string]>([
    ["server", "https://spoke.example.com:6443", PLACEHOLDER],
    ["server", "spoke.example.com", `https://${PLACEHOLDER}:443`],
    ["certificate-authority", CA, PLACEHOLDER],
    ["proxy", "socks5://proxy.example.com:1080", PLACEHOLDER],
  ])("%s takes %s", (rule, value, text) => {
    expect(bound(rule, value, text)).toContain(text.replace(PLACEHOLDER, value));
  });

  it.each<readonly [FinishedRuleName, string]>([
    ["server", "http://hunter2.example.com"],
    ["server", "https://user:hunter2@spoke.example.com"],
    ["server", "https://spoke.example.com/?token=hunter2"],
    ["certificate-authority", "hunter2"],
    ["certificate-authority", base64("-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n")],
    ["proxy", "http://user:hunter2@proxy.example.com"],
  ])("%s refuses %s and does not show it", (rule, value) => {
    const refused = (): unknown => bound(rule, value);
    expect(refused).toThrowError(
      refusal("bind-invalid: cannot be written", {
        message: expect.stringMatching(
          /^server of spoke a now has its value, from (?:@late\(var\.x\)@|x), and/,
        ) as unknown,
      }),
    );
    expect(refused).toThrowError(
      expect.not.objectContaining({ message: expect.stringContaining(value) as unknown }),
    );
    expect(refused).toThrowError(
      expect.not.objectContaining({ message: expect.stringContaining("hunter2") as unknown }),
    );
  });

  it("a rule that this version does not know is refused", () => {
    const file = { version: 2, stack: "hub", manifests: [], nodes: [], placeholders: {}, clusters: [] };
    const text = (rules: unknown): string => JSON.stringify({ ...file, rules });
    expect(readWorkloadIdentity(text([{ of: "x", rule: "server", text: "y" }]), "f").rules).toHaveLength(1);
    for (const rules of [
      {},
      [null],
      [{ of: "x", rule: "other", text: "y" }],
      [{ rule: "server", text: "y" }],
    ])
      expect(() => readWorkloadIdentity(text(rules), "f")).toThrowError(refusal("bind-invalid"));
  });
});
