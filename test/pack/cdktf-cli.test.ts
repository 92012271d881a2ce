/*
 * The commands of cdktf that the pages name, with the real command line: every option exists (it ignores those that it does not know), a
 * starter synthesizes under it, and a stack that needs no provider is deployed with Terraform.
 */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  commandLineVersion,
  emptyProject,
  hasCommandLine,
  inProject,
  manifestIn,
} from "../support/empty-project";
import { ROOT, documentedCode, markdownFiles } from "../support/markdown";
import { noTerraform } from "../support/terraform-program";

const STARTER = join(ROOT, "examples/starter-commonjs");
const INSTALL = /npm install --save-dev --save-exact cdktf-cli@(\S+)/;

/** A command of cdktf in a page. */
interface Documented {
  readonly command: string;
  readonly options: readonly string[];
}

const commands: readonly Documented[] = documentedCode().flatMap(({ code }) =>
  [...code.matchAll(/\bnpx cdktf(?:-cli@[\d.]+)? (\w+)(.*)/g)].map(([, command = "", rest = ""]) => ({
    command,
    options: [...(rest.split(/[#|;&]/)[0] ?? "").matchAll(/ (--?[a-z][\w-]*)/g)].map(
      ([, option = ""]) => option,
    ),
  })),
);
const names = [...new Set(commands.map(({ command }) => command))].sort();

describe("pages that call cdktf", () => {
  it("are found", () => {
    expect(names).toEqual(["deploy", "output", "synth"]);
  });

  it("begin with a line that installs its command line, in the version of the tests", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    expect(INSTALL.exec(readme)?.[1]).toBe(commandLineVersion);
    expect(commandLineVersion).toBe(manifestIn(join(ROOT, "node_modules/cdktf")).version);
    for (const name of ["starter-commonjs", "starter-esm"])
      expect(manifestIn(join(ROOT, "examples", name)).devDependencies?.["cdktf-cli"]).toBe(
        commandLineVersion,
      );
    const versions = markdownFiles().flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/\bcdktf-cli@([\d.]+)/g)].map(
        ([, version = ""]) => version,
      ),
    );
    expect(versions.filter((version) => !commandLineVersion.startsWith(version))).toEqual([]);
  });

  it("name the file that its command line needs, as the starters have it", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const [, text = ""] = /^echo '(.*)' > cdktf\.json$/m.exec(readme) ?? [];
    const starter = JSON.parse(readFileSync(join(STARTER, "cdktf.json"), "utf8")) as object;
    expect(JSON.parse(text)).toEqual({ ...starter, app: "npx tsx main.ts" });
  });
});

const title = "the command line of cdktf (skipped without `npm ci --prefix test/cdktf-cli`)";
describe.skipIf(!hasCommandLine)(title, () => {
  const project = (): string =>
    emptyProject([
      "cdktf-cli",
      ...Object.keys({ ...manifestIn(STARTER).dependencies, ...manifestIn(STARTER).devDependencies }),
    ]);
  const offline = "CHECKPOINT_DISABLE=1 npx --no-install";

  it.each(names)("knows every documented option of %s", (name) => {
    const [status, help] = inProject(project(), `${offline} cdktf ${name} --help`);
    const options = new Set(
      commands.filter(({ command }) => command === name).flatMap(({ options }) => options),
    );
    expect(status).toBe(0);
    expect([...options].filter((option) => !help.includes(` ${option} `))).toEqual([]);
  });

  it.skipIf(noTerraform)(
    "synthesizes a starter, and shows our summary as such (skipped without terraform)",
    () => {
      const folder = project();
      cpSync(STARTER, folder, { recursive: true });
      const [status, printed] = inProject(folder, `${offline} cdktf synth`);
      expect([status, printed]).toEqual([
        0,
        expect.stringContaining("stack prod-eu: Kubernetes files are in"),
      ]);
      expect(
        printed.split("\n").filter((line) => line.includes("[ERROR]") && /stack prod-eu|warning:/.test(line)),
      ).toEqual([]);
    },
  );

  it.skipIf(noTerraform)("deploys, and writes the outputs (skipped without terraform)", () => {
    const folder = project();
    writeFileSync(
      join(folder, "main.js"),
      `const { App, TerraformOutput, TerraformStack } = require("cdktf");
const app = new App();
for (const id of ["prod", "prod-objects"]) new TerraformOutput(new TerraformStack(app, id), "name", { value: id });
app.synth();
`,
    );
    writeFileSync(
      join(folder, "cdktf.json"),
      JSON.stringify({ language: "typescript", app: "node main.js" }),
    );
    const cdktf = (words: string): void => {
      expect(inProject(folder, `${offline} cdktf ${words}`)).toEqual([0, expect.any(String)]);
    };
    const written = { prod: { name: "prod" }, "prod-objects": { name: "prod-objects" } };
    const outputs = (): unknown => JSON.parse(readFileSync(join(folder, "outputs.json"), "utf8"));
    cdktf("deploy prod prod-objects --auto-approve --outputs-file outputs.json");
    expect(outputs()).toEqual(written);
    cdktf("output prod --outputs-file outputs.json");
    expect(outputs()).toEqual({ prod: written.prod });
  });
});
