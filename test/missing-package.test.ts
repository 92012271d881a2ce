/*
 * What a user sees who did not install a cloud's bindings: the package to install, not a TypeError or a module path.
 */

import { createRequire } from "node:module";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as lib from "../lib/missing-package";

const PEERS = { "@cdktf/provider-none": ">=21 <27", none: "^1.0.0" };
const requireFrom = createRequire(__filename);

/** What Node throws for a module that is not there. */
function notFound(module: string): unknown {
  try {
    requireFrom(module);
  } catch (error) {
    return error;
  }
  throw new Error(`${module} is installed`);
}

describe("an export whose package is not installed", () => {
  const MODULE = "@cdktf/provider-none/lib/iam-role/index.js";
  const Missing = lib.missingPackage(notFound(MODULE), PEERS) as new () => { readonly x: number };
  const call = Missing as unknown as { (): void; from(): void };

  it.each<readonly [string, () => unknown]>([
    ["made", () => new Missing()],
    ["called", () => call()],
    ["asked for a static method", () => call.from()],
    ["extended", () => class extends Missing {}],
  ])("names it when it is %s", (_, use) => {
    expect(use).toThrowError(
      expect.objectContaining({
        code: "package-missing",
        message:
          'package @cdktf/provider-none is not installed, or the installed version lacks a module, got "@cdktf/provider-none/lib/iam-role/index.js"; allowed: @cdktf/provider-none >=21 <27; install it: npm install "@cdktf/provider-none@>=21 <27"',
      }),
    );
  });

  it.each([notFound("./nothing"), notFound("nonesuch"), new Error("Cannot find module 'none'"), "none"])(
    "is not made of another error",
    (error) => {
      expect(() => lib.missingPackage(error, PEERS)).toThrowError(
        expect.toSatisfy((thrown: unknown) => thrown === error) as Error,
      );
    },
  );
});

describe("a compiled entry", () => {
  it("loads, and names the package when an export of it is used", async () => {
    // The build is no part of the library, and has no types.
    const { lazily } = (await import("../build/lazy-entries.mjs" as string)) as {
      lazily: (text: string, file: string) => string;
    };
    const source = 'export { ecr } from "./ecr";\nexport { PullRole } from "./pull-role";\n';
    const compiled = ts.transpile(source, {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
    });
    const ecr = (): string => "ecr";
    const modules: Readonly<Record<string, () => unknown>> = {
      "./ecr": () => ({ ecr }),
      "./pull-role": () => requireFrom("@cdktf/provider-aws/lib/nothing/index.js") as unknown,
      "../../missing-package": () => lib,
    };
    const exported: { ecr?: unknown; PullRole?: new () => unknown } = {};
    const run = new Function("exports", "require", lazily(compiled, "cloud/aws/index.js"));
    run(exported, (path: string) => modules[path]?.());
    const { PullRole } = exported;
    expect(exported.ecr).toBe(ecr);
    expect(() => PullRole && new PullRole()).toThrowError(
      /^package @cdktf\/provider-aws is not installed, .* npm install "@cdktf\/provider-aws@/,
    );
  });
});
