/*
 * The API reference, `docs/api/`, one page per entry point, generated from the doc comments. `--check` compares and fails;
 * without it the pages are written.
 */

import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "docs/api");
const scratch = mkdtempSync(join(tmpdir(), "api-docs-"));
const check = process.argv.includes("--check");

/** What a module's page is called is its entry point; `lib/index.ts` is the package's own. */
const FOLDERS = ["", "rules", "cloud/aws", "cloud/azure", "cloud/google", "kubernetes", "openshift", "node"];
const MORE = ["fleet", "registries", "synth", "delivery", "explain", "lint", "testing"];

const app = await Application.bootstrapWithPlugins({
  name: "API reference",
  plugin: ["typedoc-plugin-markdown"],
  tsconfig: join(root, "tsconfig.json"),
  entryPoints: [...FOLDERS, ...MORE].map((folder) => join(root, "lib", folder, "index.ts")),
  outputs: [{ name: "markdown", path: scratch }],
  router: "module",
  readme: "none",
  githubPages: false,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  excludePrivate: true,
  excludeExternals: true,
  useCodeBlocks: true,
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  parametersFormat: "table",
  // Types that are not exported themselves, and links to them.
  validation: { notExported: false, invalidLink: false },
  logLevel: "Error",
});
const project = await app.convert();
if (!project) process.exit(1);
await app.generateOutputs(project);

const pages = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
if (check) {
  const fresh = pages(scratch).sort();
  const stale = fresh.filter((name) => {
    try {
      return readFileSync(join(target, name), "utf8") !== readFileSync(join(scratch, name), "utf8");
    } catch {
      return true;
    }
  });
  const gone = pages(target).filter((name) => !fresh.includes(name));
  if (stale.length + gone.length > 0) {
    console.error(
      `docs/api differs from the doc comments (${[...stale, ...gone].join(", ")}): run \`npm run docs:api\``,
    );
    process.exitCode = 1;
  } else console.log(`docs/api has the ${fresh.length} pages that the doc comments give`);
} else {
  rmSync(target, { recursive: true, force: true });
  cpSync(scratch, target, { recursive: true });
  console.log(`docs/api written: ${pages(target).length} pages`);
}
rmSync(scratch, { recursive: true, force: true });
