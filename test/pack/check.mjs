/*
 * Packs the library, installs the tarball into an empty folder and loads every subpath with `import` and
 * `require`, as a user's plain Node does; then asks publint and attw about the package's shape.
 */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, install, manifest, packed, project, root, run } from "./scratch.mjs";

const subpaths = Object.keys(manifest.exports).filter(
  (path) => path !== "./package.json" && path !== "./vitest",
);

await check("package check", () => {
  const { files, size, tarball } = packed();
  const stray = files
    .map(({ path }) => path)
    .filter((path) => !/^(dist\/lib\/|docs\/|examples\/|package\.json$|README\.md$|LICENSE$)/.test(path));
  if (stray.length > 0) throw new Error(`the package holds files that it should not: ${stray.join(", ")}`);

  const folder = project("project");
  const peers = ["cdktf", "constructs", "cdk8s"].map((name) => `${name}@${manifest.devDependencies[name]}`);
  install(folder, "--legacy-peer-deps", tarball, ...peers);
  for (const [language, load] of Object.entries({
    "missing.mjs": `import { PullRole } from "${manifest.name}/aws";`,
    "missing.cjs": `const { PullRole } = require("${manifest.name}/aws");`,
  })) {
    writeFileSync(
      join(folder, language),
      `${load}
      try { new PullRole(); } catch (error) { process.stdout.write(error.message); }`,
    );
    const said = run("node", [language], folder);
    if (!said.includes('npm install "@cdktf/provider-aws@')) throw new Error(`${language}: ${said}`);
  }

  // The bindings are a gigabyte; the ones that are installed here serve as well.
  mkdirSync(join(folder, "node_modules/@cdktf"), { recursive: true });
  for (const cloud of ["aws", "azurerm", "google"]) {
    symlinkSync(
      join(root, `node_modules/@cdktf/provider-${cloud}`),
      join(folder, `node_modules/@cdktf/provider-${cloud}`),
    );
  }

  const names = subpaths.map((path) => path.replace(/^\./, manifest.name));
  writeFileSync(
    join(folder, "load.mjs"),
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
    join(folder, "lazy.cjs"),
    `const { pullRoles } = require("${manifest.name}/aws");
    const loaded = Object.keys(require.cache).filter((path) => /provider-aws.lib.(cloudfront|s3|eks)-/.test(path));
    if (!pullRoles || loaded.length > 0) throw new Error("pullRoles loads " + loaded.join(", "));`,
  );
  const preserve = ["--preserve-symlinks"];
  run("node", [...preserve, "lazy.cjs"], folder);
  run("node", [...preserve, "load.mjs"], folder);
  const help = run("npx", ["--no-install", manifest.name, "--help"], folder);
  if (!help.includes("bind")) throw new Error("the command line does not answer to --help");

  run("npx", ["--no-install", "publint", "--strict", tarball], root);
  run(
    "npx",
    ["--no-install", "attw", tarball, "--profile", "node16", "--exclude-entrypoints", "./vitest"],
    root,
  );
  return `package of ${files.length} files (${Math.round(size / 1000)} kB): ${names.length} subpaths load by import and require; publint and attw agree`;
});
