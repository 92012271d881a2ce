/* Which packages an entry of the built library loads, every export taken. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
Object.values(require(fileURLToPath(new URL(`../../dist/lib/${process.argv[2]}.js`, import.meta.url))));
const modules = Object.keys(require.cache);
const packages = [
  ...new Set(modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
];
const foreign = packages.filter((name) => /^(cdktf|cdk8s|constructs|@cdktf)/.test(name));
console.log(
  JSON.stringify({
    modules: modules.length,
    packages: packages.join(", ") || "none",
    foreign: foreign.join(", ") || "none",
  }),
);
