/*
 * Every package of the lock file: its licence is one of the list, it runs nothing when it is installed, and its content
 * is pinned by a checksum. Needs no network; advisories do, and are asked for by `npm audit` in the release workflow.
 *
 * node build/dependencies.mjs
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Permissive licences, by SPDX id. */
const LICENCES = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Python-2.0",
];

/** Packages with another licence, and why they are used all the same; `*` at the end of a name is any text. */
const OTHERS = [
  ["cdktf", "MPL-2.0", "the core that users install themselves; nothing of it is in the package"],
  [
    "@cdktf/*",
    "MPL-2.0",
    "bindings, optional peers, and parts of cdktf-cli; nothing of them is in the package",
  ],
  ["cdktf-cli", "MPL-2.0", "the command line that users install, for tests"],
  ["spdx-license-list", "CC0-1.0", "of cdktf-cli, for tests"],
  ["stream-buffers", "Unlicense", "of cdktf-cli, for tests"],
  ["lightningcss*", "MPL-2.0", "of vitest, for tests"],
  ["jsonify", "Public Domain", "bundled in cdktf"],
];

/** Packages for development that may run a script when they are installed, and why. */
const INSTALL_SCRIPTS = [
  [
    "@cdktf/node-pty-prebuilt-multiarch",
    "of cdktf-cli, which works without it; .ci/run does not run the script",
  ],
  ["esbuild", "of tsx, which runs the starters: puts the platform's program in its place"],
];

const RUN_AT_INSTALL = ["preinstall", "install", "postinstall"];

const matches = (pattern, name) =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Of `A OR B` one must be allowed, of `A AND B` both. */
function isAllowed(licence) {
  const alternatives = String(licence).replace(/[()]/g, "").split(" OR ");
  return alternatives.some((each) => each.split(" AND ").every((id) => LICENCES.includes(id)));
}

/**
 * What is wrong with the packages of a lock file. `manifestOf` reads the manifest of an installed one; `undefined` where
 * it is for another platform.
 */
export function problemsOf(lock, manifestOf) {
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    if (path === "") return [];
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const who = `${name} ${entry.version}`;
    const problems = [];
    const isStated = OTHERS.some(([own, licence]) => matches(own, name) && licence === entry.license);
    if (!isAllowed(entry.license) && !isStated)
      problems.push(`${who}: licence ${entry.license ?? "is not stated"} is none of ${LICENCES.join(", ")}`);
    const scripts = manifestOf(path)?.scripts ?? {};
    const runs = RUN_AT_INSTALL.filter((script) => scripts[script] !== undefined);
    const mayRun = entry.dev === true && INSTALL_SCRIPTS.some(([own]) => matches(own, name));
    if ((entry.hasInstallScript || runs.length > 0) && !mayRun)
      problems.push(`${who}: runs ${runs.join(", ") || "a script"} when it is installed`);
    if (entry.integrity === undefined && !entry.inBundle)
      problems.push(`${who}: no checksum in the lock file`);
    if (entry.resolved !== undefined && !entry.resolved.startsWith("https://registry.npmjs.org/"))
      problems.push(`${who}: comes from ${entry.resolved}`);
    return problems;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
  const folders = [".", "test/cdktf-cli"].map((folder) => [folder, read(join(folder, "package-lock.json"))]);
  const problems = folders.flatMap(([folder, lock]) =>
    problemsOf(lock, (path) =>
      existsSync(join(root, folder, path, "package.json"))
        ? read(join(folder, path, "package.json"))
        : undefined,
    ),
  );
  const count = folders.reduce((sum, [, { packages }]) => sum + Object.keys(packages).length - 1, 0);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${count} packages: licences, checksums and scripts are as stated`);
}
