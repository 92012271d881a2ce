/*
 * Both sides of the synth benchmark must write the same objects, or the ratio means nothing: compares the Terraform
 * resources (names of blocks and references to them aside) and the Kubernetes objects of two small runs.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { parse, parseAllDocuments } from "yaml";

const COUNT = 45;

export function assertSameObjects() {
  const [ours, byHand] = ["synth-ours.mjs", "synth-by-hand.mjs"].map(objectsOf);
  for (const kind of ["resources", "manifests"]) {
    if (!isDeepStrictEqual(ours[kind], byHand[kind])) {
      const index = ours[kind].findIndex((text, at) => text !== byHand[kind][at]);
      throw new Error(`the two sides differ in ${kind}:\n${ours[kind][index]}\n${byHand[kind][index]}`);
    }
  }
}

function objectsOf(script) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const env = { ...process.env, BENCH_KEEP: "1" };
  const { outdir } = JSON.parse(execFileSync(process.execPath, [path, COUNT], { encoding: "utf8", env }));
  const stack = join(outdir, "stacks/prod-eu");
  const resources = resourcesOf(JSON.parse(readFileSync(join(stack, "cdk.tf.json"), "utf8")));
  const manifests = readdirSync(join(stack, "manifests"))
    .flatMap((file) => parseAllDocuments(readFileSync(join(stack, "manifests", file), "utf8")))
    .map((document) => JSON.stringify(sorted(document.toJS()), decoded))
    .sort();
  rmSync(outdir, { recursive: true, force: true });
  return { resources, manifests };
}

function resourcesOf({ resource }) {
  const texts = Object.entries(resource).flatMap(([type, blocks]) =>
    Object.values(blocks).map(({ "//": _, ...block }) => JSON.stringify(sorted({ type, ...block }))),
  );
  return texts.map((text) => text.replace(/(aws_iam_\w+)\.[\w-]+/g, "$1.#")).sort();
}

/** Node files as what they say; a comment in one is no difference. */
function decoded(key, value) {
  const encoded = key === "source" ? /;base64,(.*)$/.exec(value)?.[1] : undefined;
  return encoded === undefined ? value : parse(Buffer.from(encoded, "base64").toString("utf8"));
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
