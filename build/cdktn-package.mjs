/*
 * Writes the second package of one build: `cdktn-workload-identity` for CDK Terrain, the living fork of cdktf, which has
 * the same interface under other package names. Code, declarations and pages are those of the first package with the names replaced.
 *
 * node build/cdktn-package.mjs FOLDER     after `npm run build`; then `npm pack` in the folder
 */

import { cpSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const PARTS = ["dist/lib", "docs", "examples", "README.md", "LICENSE"];
const TEXT = /\.(?:js|mjs|ts|mts|md|json)$/;

/** Names both packages, so it is the same in both. */
const BOTH = "docs/cdk-terrain.md";

/**
 * Peers of the second package. Bindings follow the core with a delay. The fork has none of Google and Kubernetes on npm, so the
 * ranges are those of the first package's, which an alias puts in their place.
 */
const PEERS = {
  "@cdktn/provider-aws": ">=25 <27",
  "@cdktn/provider-azurerm": ">=16 <17",
  "@cdktn/provider-google": ">=16",
  "@cdktn/provider-kubernetes": ">=12",
  cdktn: ">=0.24.0 <1",
};

/** Versions in place of those that pages and starters pin. */
export const PINS = {
  "@cdktn/provider-aws": "25.7.0",
  "@cdktn/provider-azurerm": "16.1.0",
  "cdktn-cli": "0.24.0",
  cdktn: "0.24.0",
};
/** Bindings that state a core before the pinned one, which npm would refuse. */
const LAGGING = /(npm install .*)(?=@cdktn\/provider-(?:azurerm|google)@)/g;
/** Bindings that the fork has not published: cdktf's under its name, with its core in place of cdktf's. */
const ALIASED = /@cdktn\/provider-(google|kubernetes)@(\d[\d.]*)/g;

/** The same text with versions that there are, after its names were replaced. */
export function pinned(text) {
  return text
    .replace(/(@cdktn\/provider-\w+|cdktn(?:-cli)?)(@|": ")\d[\d.]*(?![\w.])/g, (whole, name, between) =>
      name in PINS ? `${name}${between}${PINS[name]}` : whole,
    )
    .replace(LAGGING, "$1--legacy-peer-deps ")
    .replace(ALIASED, `cdktf@npm:cdktn@${PINS.cdktn} @cdktn/provider-$1@npm:@cdktf/provider-$1@$2`);
}

/** Names of packages and commands; file names (`cdktf.json`, `cdktf.out`) and keys within a tree (`cdktf/…`) are shared. */
export function renamed(text) {
  return text
    .replace(/@cdktf\/provider-/g, "@cdktn/provider-")
    .replace(/(?<![@/\w])cdktf(?![\w/]|\.(?:json|out)\b)/g, "cdktn")
    .replace(/(?<=github\.com\/[\w-]+\/)cdktn\b/g, "cdktf");
}

/** The peers that the entries name where a package is not installed. */
function peersReplaced(text, peers) {
  return text.replaceAll(JSON.stringify(peers), JSON.stringify(peersOf(peers)));
}

/** Peers of the second package: those of the first that are not of cdktf, and {@link PEERS} for the others. */
export function peersOf(peers) {
  const names = Object.keys(peers).map((name) => [name, renamed(name)]);
  return Object.fromEntries(
    names.map(([name, now]) => {
      const range = name === now ? peers[name] : PEERS[now];
      if (range === undefined) throw new Error(`no range of ${now} is stated in build/cdktn-package.mjs`);
      return [now, range];
    }),
  );
}

/** The manifest of the second package. */
export function manifestOf(manifest) {
  const { devDependencies: _, scripts: __, ...rest } = manifest;
  const { peerDependencies, peerDependenciesMeta, ...renamedRest } = JSON.parse(
    renamed(JSON.stringify(rest)),
  );
  return { ...renamedRest, peerDependencies: peersOf(manifest.peerDependencies), peerDependenciesMeta };
}

function write(target) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const put = (path) => {
    const from = join(root, path);
    if (statSync(from).isDirectory()) return readdirSync(from).forEach((name) => put(`${path}/${name}`));
    mkdirSync(dirname(join(target, path)), { recursive: true });
    if (path === BOTH || !TEXT.test(path)) return cpSync(from, join(target, path));
    const text = peersReplaced(readFileSync(from, "utf8"), manifest.peerDependencies);
    const same = renamed(text);
    writeFileSync(join(target, path), path.startsWith("dist/") ? same : pinned(same));
  };
  PARTS.forEach(put);
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifestOf(manifest), null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [target] = process.argv.slice(2);
  if (target === undefined) throw new Error("usage: node build/cdktn-package.mjs FOLDER");
  write(resolve(target));
}
