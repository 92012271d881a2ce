/*
 * A project in an empty folder with the package as npm packs it, and of this checkout's packages only those that are named: what a
 * user has after `npm install`, without the network.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { ROOT } from "./markdown";

/** What `npm pack` says of the package. */
export interface Packed {
  /** Bytes of the tarball. */
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** The fields of a package.json that a project needs. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

export const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

const LIBRARY = manifestIn(ROOT);

/** The command line of cdktf, which has a lock file apart from the other packages. */
const COMMAND_LINE = "cdktf-cli";
const ITS_PROJECT = join(ROOT, "test/cdktf-cli");

/** The version of cdktf's command line that the tests run with. */
export const commandLineVersion: string = manifestIn(ITS_PROJECT).devDependencies?.[COMMAND_LINE] ?? "";

/** Whether cdktf's command line is installed: `npm ci --prefix test/cdktf-cli`. */
export const hasCommandLine: boolean = existsSync(join(ITS_PROJECT, "node_modules", COMMAND_LINE));

const folderOf = (name: string): string =>
  join(name === COMMAND_LINE ? ITS_PROJECT : ROOT, "node_modules", name);
let known: Packed | undefined;

/** The package of the last build, which must be newer than the sources. */
export function packed(): Packed {
  return (known ??= packedNow());
}

/** The command line of the last build, which must be newer than the sources. */
export function builtProgram(): string {
  assertBuilt();
  return join(ROOT, "dist/lib/cli/main.js");
}

function assertBuilt(): void {
  const built = join(ROOT, "dist/lib/index.js");
  const sources = readdirSync(join(ROOT, "lib"), { recursive: true, encoding: "utf8" });
  const newest = Math.max(...sources.map((path) => statSync(join(ROOT, "lib", path)).mtimeMs));
  if (!existsSync(built) || statSync(built).mtimeMs < newest)
    throw new Error("dist is missing or older than lib: npm run build");
}

function packedNow(): Packed {
  assertBuilt();
  const text = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [answer] = JSON.parse(text) as readonly Packed[];
  if (!answer) throw new Error("npm packs nothing");
  return answer;
}

/** An empty folder with the packed library and packages of this checkout below its `node_modules`. */
export function emptyProject(packages: readonly string[]): string {
  const folder = temporaryFolder();
  const library = join(folder, "node_modules", LIBRARY.name);
  for (const { path } of packed().files) {
    mkdirSync(dirname(join(library, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(library, path));
  }
  mkdirSync(join(folder, "node_modules/.bin"));
  const { dependencies = {} } = LIBRARY;
  const wanted = packages.filter((name) => name !== COMMAND_LINE || hasCommandLine);
  for (const name of new Set([...wanted, ...Object.keys(dependencies)]))
    if (name !== LIBRARY.name) link(folderOf(name), join(folder, "node_modules", name));
  for (const name of new Set([...wanted, LIBRARY.name])) linkCommands(name, join(folder, "node_modules"));
  return folder;
}

function linkCommands(name: string, modules: string): void {
  const { bin = {} } = manifestIn(join(modules, name));
  const commands = typeof bin === "string" ? { [basename(name)]: bin } : bin;
  for (const [command, path] of Object.entries(commands)) {
    // As npm does when it installs.
    if (name === LIBRARY.name) chmodSync(join(modules, name, path), 0o755);
    link(join(modules, name, path), join(modules, ".bin", command));
  }
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Exit code and output of a command line, as in a terminal of the project. */
export function inProject(project: string, command: string): readonly [number | null, string] {
  // Without what the runner of these tests says to its own processes.
  const outer = Object.entries(process.env).filter(([key]) => !/^(VITEST|NODE_ENV$|TEST$)/.test(key));
  const env = { ...Object.fromEntries(outer), CI: "1", NO_COLOR: "1", npm_config_offline: "true" };
  const { status, stdout, stderr } = spawnSync(command, { shell: true, cwd: project, encoding: "utf8", env });
  return [status, stdout + stderr];
}
