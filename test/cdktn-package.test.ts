import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/markdown";

type Manifest = Readonly<Record<string, Readonly<Record<string, string>>>>;
/** A script of the build, in JavaScript. */
interface Build {
  readonly renamed: (text: string) => string;
  readonly pinned: (text: string) => string;
  readonly manifestOf: (manifest: Manifest) => Manifest;
}
const build = import("../build/cdktn-package.mjs" as string) as Promise<Build>;
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;

/** Packages that a source imports. */
function packages(text: string): readonly string[] {
  const specifiers = [...text.matchAll(/(?:^|[^\w.])(?:from |import |import\(|require\()"([@\w][^"\s$]*)"/g)];
  return specifiers
    .map(([, path = ""]) => path.split("/"))
    .map(([first = "", second = ""]) => (first.startsWith("@") ? `${first}/${second}` : first))
    .filter((name) => !name.startsWith("node:"));
}

describe("the package for CDK Terrain", () => {
  it.each([
    ['import { App } from "cdktf";', 'import { App } from "cdktn";'],
    [
      'require("@cdktf/provider-aws/lib/iam-role/index.js")',
      'require("@cdktn/provider-aws/lib/iam-role/index.js")',
    ],
    ["npx cdktf-workload-identity explain", "npx cdktn-workload-identity explain"],
    ['"cdktf-workload-identity/proof": false', '"cdktn-workload-identity/proof": false'],
    ["`cdktf deploy`, and cdktf's `Testing`", "`cdktn deploy`, and cdktn's `Testing`"],
    ["cdktf.json, cdktf.out/stacks, cdktf. Then", "cdktf.json, cdktf.out/stacks, cdktn. Then"],
    ['Symbol.for("cdktf/customSynthesis")', 'Symbol.for("cdktf/customSynthesis")'],
    ['"@cdktf/warn"', '"@cdktf/warn"'],
    ['tryGetContext("cdktfVersion")', 'tryGetContext("cdktfVersion")'],
  ])("%s", async (before, after) => {
    const { renamed } = await build;
    expect(renamed(before)).toBe(after);
    expect(renamed(after)).toBe(after);
  });

  it.each([
    [
      "npm install --save-exact @cdktf/provider-aws@21.22.1     # AWS",
      "npm install --save-exact @cdktn/provider-aws@25.7.0     # AWS",
    ],
    [
      "npm install @cdktf/provider-azurerm@14.23.1 # Azure",
      "npm install --legacy-peer-deps @cdktn/provider-azurerm@16.1.0 # Azure",
    ],
    ['    "cdktf": "0.21.0",\n', '    "cdktn": "0.24.0",\n'],
    [
      "npm install cdktf-workload-identity@0.1.0 cdktf@0.21.0",
      "npm install cdktn-workload-identity@0.1.0 cdktn@0.24.0",
    ],
    [
      "npm install --save-exact @cdktf/provider-google@16.12.1 # Google Cloud",
      "npm install --save-exact --legacy-peer-deps cdktf@npm:cdktn@0.24.0 @cdktn/provider-google@npm:@cdktf/provider-google@16.12.1 # Google Cloud",
    ],
    ["npm install --save-exact cdktf-cli@0.21.0", "npm install --save-exact cdktn-cli@0.24.0"],
    ["npx cdktf-cli@0.21 deploy", "npx cdktn-cli@0.24.0 deploy"],
  ])("pins what there is: %s", async (before, after) => {
    const { renamed, pinned } = await build;
    expect(pinned(renamed(before))).toBe(after);
  });

  it("imports nothing that its manifest does not name", async () => {
    const { renamed, manifestOf } = await build;
    const { dependencies, peerDependencies, name } = manifestOf(manifest);
    const known = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), name, "yaml"]);
    const sources = readdirSync(join(ROOT, "lib"), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.m?ts$/.test(path))
      .map((path) => renamed(readFileSync(join(ROOT, "lib", path), "utf8")));
    const missing = sources.flatMap(packages).filter((each) => !known.has(each));
    expect(name).toBe("cdktn-workload-identity");
    expect([...new Set(missing)]).toEqual([]);
  });

  it("states a range for every package whose name it changes", async () => {
    const { manifestOf } = await build;
    expect(() => manifestOf({ ...manifest, peerDependencies: { "@cdktf/provider-other": "1" } })).toThrow(
      "no range of @cdktn/provider-other",
    );
  });
});
