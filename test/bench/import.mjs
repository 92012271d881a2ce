/*
 * Time to import ./aws and take some of its exports ("*": all), or cdktf with the provider sub-paths that it loads for
 * them: `import.mjs ours NAMES`, `import.mjs theirs SUB-PATHS`, and `import.mjs needs NAMES` for the list of these.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const [what, listed] = process.argv.slice(2);

function take(names) {
  const aws = require(fileURLToPath(new URL("../../dist/lib/cloud/aws/index.js", import.meta.url)));
  for (const name of names === "*" ? Object.keys(aws) : names.split(","))
    if (aws[name] === undefined) throw new Error(`./aws has no ${name}`);
}

const begin = performance.now();
if (what === "theirs") for (const name of ["constructs", "cdktf", ...listed.split(",")]) require(name);
else take(listed);
const ms = performance.now() - begin;
const needs = Object.keys(require.cache).flatMap(
  (path) => /@cdktf\/provider-aws\/lib\/[\w-]+\/index\.js$/.exec(path.replaceAll("\\", "/"))?.[0] ?? [],
);
console.log(JSON.stringify(what === "needs" ? { needs } : { ms }));
