/*
 * Asks the compilers that users have about the packed declarations, in each kind of project that they can have: TypeScript 5.9, 6 and 7.
 * Needs the package registry, so it is no part of the tests: `npm run pack:types`.
 */

import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECTS, compilerErrors, writePrograms, writeProject } from "./compilers.mjs";
import { build, check, install, packed, project, root } from "./scratch.mjs";

const COMPILERS = ["5.9.3", "6.0.3", "7.0.2"];
/** Installed here already; the bindings are a gigabyte. */
const LINKED = ["cdktf", "constructs", "cdk8s", "@types/node", "vitest"].concat(
  ["aws", "azurerm", "google"].map((cloud) => `@cdktf/provider-${cloud}`),
);

await check("types", () => {
  build();
  const folder = project("types");
  install(folder, "--legacy-peer-deps", packed().tarball);
  for (const name of LINKED) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  writePrograms(folder);
  const compiled = COMPILERS.flatMap((version) => {
    const home = project(`typescript-${version}`);
    install(home, "--save-exact", `typescript@${version}`);
    const major = Number(version.split(".")[0]);
    return Object.entries(PROJECTS).flatMap(([name, kind]) => {
      if (major > (kind.until ?? major)) return [];
      writeProject(folder, kind, major);
      const errors = compilerErrors(folder, join(home, "node_modules/typescript/bin/tsc"));
      if (errors.length > 0) throw new Error(`TypeScript ${version}, ${name}:\n${errors.join("\n")}`);
      console.log(`TypeScript ${version}: ${name}`);
      return [name];
    });
  });
  return `${compiled.length} projects compile with TypeScript ${COMPILERS.join(", ")}`;
});
