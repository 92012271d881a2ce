/* Time to import ./aws, or cdktf with the provider sub-paths that it needs. */
import { createRequire } from "node:module";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const aws = fileURLToPath(new URL("../../dist/lib/cloud/aws/", import.meta.url));
const bindings = new Set(
  readdirSync(aws)
    .filter((file) => file.endsWith(".js"))
    .flatMap(
      (file) => readFileSync(aws + file, "utf8").match(/@cdktf\/provider-aws\/lib\/[\w-]+\/index\.js/g) ?? [],
    ),
);
const begin = performance.now();
if (process.argv[2] === "ours") require(`${aws}index.js`);
else for (const name of ["constructs", "cdktf", ...bindings]) require(name);
console.log(JSON.stringify({ ms: performance.now() - begin }));
