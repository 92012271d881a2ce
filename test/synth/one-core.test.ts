import { App, TerraformStack } from "cdktf";
import { Manifests } from "cdktf-workload-identity/synth";
import { describe, expect, it } from "vitest";
import { assertOneCore } from "../../lib/synth/one-core";
import { refusal } from "../support/refusal";

const MIXED = refusal("package-mismatch: another core");

describe("cdktf and CDK Terrain in one app", () => {
  it("are refused where the first manifests are asked for", () => {
    const app = new App({ context: {} });
    const stack = new TerraformStack(app, "prod");
    stack.node.setContext("cdktfVersion", "0.24.0");
    expect(() => Manifests.of(stack)).toThrow(MIXED);
  });

  it.each([
    ["0.21.0", "0.21.0", false],
    ["0.21.3", "0.21.0", false],
    ["0.24.0", "0.21.0", true],
    ["0.21.0", "0.24.0", true],
    ["0.24.0-pre.3", "0.24.0", false],
  ])("app %s with library %s: refused %s", (version, loaded, refused) => {
    const stack = new TerraformStack(new App(), "prod");
    stack.node.setContext("cdktfVersion", version);
    const assert = (): void => assertOneCore(stack, loaded);
    if (refused) expect(assert).toThrow(MIXED);
    else expect(assert).not.toThrow();
  });

  it("a tree without a version, as in some unit tests, is taken as it is", () => {
    const stack = new TerraformStack(new App(), "prod");
    for (const version of [undefined, "stubbed"]) {
      stack.node.setContext("cdktfVersion", version);
      expect(() => assertOneCore(stack)).not.toThrow();
    }
  });
});
