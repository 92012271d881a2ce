/* What the scripts of this folder share: the packed tarball, empty projects in a temporary folder, and programs run there. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
export const scratch = mkdtempSync(join(tmpdir(), "pack-"));

/** What a program prints; throws where it fails. */
export const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Builds anew, so that what is packed is of these sources. */
export const build = () => run("npm", ["run", "--silent", "build"], root);

/** What npm says of the tarball of a folder, with the tarball's path as `tarball`. */
export function packed(folder = root) {
  if (folder === root && !existsSync(join(root, "dist/lib/index.js"))) build();
  const [answer] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch], folder),
  );
  return { ...answer, tarball: join(scratch, answer.filename) };
}

/** An empty folder that npm takes for a project. */
export function project(name, fields = {}) {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, ...fields }));
  return folder;
}

/** `npm install`, which takes what it can from npm's cache. */
export const install = (folder, ...words) =>
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...words], folder);

/** Runs a check, prints what it returns or why it failed, and removes the temporary folder. */
export async function check(name, steps) {
  try {
    console.log(await steps());
  } catch (error) {
    console.error(`${name} failed: ${error.message}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
