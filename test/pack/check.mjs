/*
 * Packs the library, installs the tarball into an empty folder and loads every subpath with `import` and
 * `require`, as a user's plain Node does; then asks publint and attw about the package's shape.
 */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const subpaths = Object.keys(manifest.exports).filter(
  (path) => path !== "./package.json" && path !== "./vitest",
);
const scratch = mkdtempSync(join(tmpdir(), "pack-check-"));

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

try {
  if (!existsSync(join(root, "dist/lib/index.js"))) run("npm", ["run", "--silent", "build"], root);
  const [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch], root),
  );
  const tarball = join(scratch, packed.filename);
  const stray = packed.files
    .map(({ path }) => path)
    .filter((path) => !/^(dist\/lib\/|docs\/|package\.json$|README\.md$|LICENSE$)/.test(path));
  if (stray.length > 0) throw new Error(`the package holds files that it should not: ${stray.join(", ")}`);

  const project = join(scratch, "project");
  mkdirSync(project);
  const peers = ["cdktf", "constructs", "cdk8s"].map((name) => `${name}@${manifest.devDependencies[name]}`);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true }));
  run(
    "npm",
    ["install", "--prefer-offline", "--no-audit", "--no-fund", "--legacy-peer-deps", tarball, ...peers],
    project,
  );
  for (const [language, load] of Object.entries({
    "missing.mjs": `import { PullRole } from "${manifest.name}/aws";`,
    "missing.cjs": `const { PullRole } = require("${manifest.name}/aws");`,
  })) {
    writeFileSync(
      join(project, language),
      `${load}
      try { new PullRole(); } catch (error) { process.stdout.write(error.message); }`,
    );
    const said = run("node", [language], project);
    if (!said.includes('npm install "@cdktf/provider-aws@')) throw new Error(`${language}: ${said}`);
  }

  // The bindings are a gigabyte; the ones that are installed here serve as well.
  mkdirSync(join(project, "node_modules/@cdktf"), { recursive: true });
  for (const cloud of ["aws", "azurerm", "google"]) {
    symlinkSync(
      join(root, `node_modules/@cdktf/provider-${cloud}`),
      join(project, `node_modules/@cdktf/provider-${cloud}`),
    );
  }

  const names = subpaths.map((path) => path.replace(/^\./, manifest.name));
  writeFileSync(
    join(project, "load.mjs"),
    `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    const unnamed = [];
    for (const path of ${JSON.stringify(names)}) {
      const required = require(path);
      const imported = await import(path);
      const exported = Object.entries(required);
      if (exported.length === 0) unnamed.push(path + " exports nothing");
      for (const [name, value] of exported)
        if (value === undefined || imported[name] !== value) unnamed.push(path + " by import: " + name);
    }
    if (unnamed.length > 0) throw new Error(unnamed.join("; "));`,
  );
  writeFileSync(
    join(project, "lazy.cjs"),
    `const { pullRoles } = require("${manifest.name}/aws");
    const loaded = Object.keys(require.cache).filter((path) => /provider-aws.lib.(cloudfront|s3|eks)-/.test(path));
    if (!pullRoles || loaded.length > 0) throw new Error("pullRoles loads " + loaded.join(", "));`,
  );
  const preserve = ["--preserve-symlinks"];
  run("node", [...preserve, "lazy.cjs"], project);
  run("node", [...preserve, "load.mjs"], project);
  const help = run("npx", ["--no-install", manifest.name, "--help"], project);
  if (!help.includes("bind")) throw new Error("the command line does not answer to --help");

  run("npx", ["--no-install", "publint", "--strict", tarball], root);
  run(
    "npx",
    ["--no-install", "attw", tarball, "--profile", "node16", "--exclude-entrypoints", "./vitest"],
    root,
  );
  console.log(
    `package of ${packed.files.length} files (${Math.round(packed.size / 1024)} kB): ${names.length} subpaths load by import and require; publint and attw agree`,
  );
} catch (error) {
  console.error(`package check failed: ${error.message}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
