/*
 * Whole examples: what each writes is judged by the library's own rules and compared with its committed file below
 * `__snapshots__/examples`, which only `npm run test:update` writes.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { bind } from "../lib/synth/bind/bind-folder";
import { filesOf, temporaryFolder } from "./fixtures/synth/stack-fixture";
import { example, exampleNames as allExamples } from "./support/examples";
import { faults } from "./support/faults";
import { committed, comparable, compare } from "./support/golden";
import { type Json, record } from "./support/json";
import { writtenStacks } from "./support/synth-output";
import { synthesized } from "./support/synthesized";
import { madeUpOutputs } from "./support/terraform";

/** Examples that are not one good stack, with the reason. */
const OTHER_EXAMPLES: Readonly<Record<string, string>> = {
  rollout: "is one stack at several stages; rollout.test.ts compares and judges each",
  "starter-commonjs": "is a project of its own; pack/starters.test.ts runs it in an empty folder",
  "starter-esm": "is a project of its own; pack/starters.test.ts runs it in an empty folder",
  "denied-pulls": "damages what its good stacks write; denied-pulls.test.ts judges both",
};

/** Examples whose committed file has only these paths, with the reason. */
const COMMITTED: Readonly<Record<string, RegExp>> = {
  // What each cluster is given; other examples have the resources and the nodes' files of the same constructs.
  "platform-team": /\/(?:manifests|control-plane|pods)\//,
  "other-registries": /\/(?:nodes|registries)\//,
};

const exampleNames = allExamples.filter((name) => !(name in OTHER_EXAMPLES));

async function synthesizedAgain(name: string): Promise<string> {
  const { Stack, id } = await example(name);
  return synthesized((app) => void new Stack(app, id));
}

const folders = new Map<string, Promise<string>>();

/** What the example writes; nothing below writes into the folder. */
function written(name: string): Promise<string> {
  const folder = folders.get(name) ?? synthesizedAgain(name);
  folders.set(name, folder);
  return folder;
}

describe.each(exampleNames)("example %s", (name) => {
  it("works by the library's own rules, without a warning", async () => {
    const outdir = await written(name);
    expect(faults(outdir)).toEqual([]);
    expect(writtenStacks(outdir).flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it("writes the committed file, finished by either kind of outputs file", async () => {
    const outdir = await written(name);
    const files = Object.entries(comparable(outdir)).filter(([path]) => COMMITTED[name]?.test(path) ?? true);
    await compare(name, { ...Object.fromEntries(files), ...finished(outdir) });
  });

  it("has a README that names every file it writes, and no other", async () => {
    const readme = readFileSync(resolve(__dirname, `../examples/${name}/README.md`), "utf8");
    const named = [
      ...readme.matchAll(
        /`((?:manifests|nodes|control-plane|pods|spokes|registries)\/[\w./-]+|cdk\.tf\.json|workload-identity\.json)`/g,
      ),
    ].map(([, path = ""]) => path);
    const files = writtenStacks(await written(name)).flatMap((stack) => [...stack.files.keys()]);
    expect([...new Set(named)].sort()).toEqual([...new Set(files)].sort());
  });

  it("writes the same bytes again", async () => {
    expect(filesOf(await synthesizedAgain(name))).toEqual(filesOf(await written(name)));
  });
});

it("no committed file is left of an example that is gone", () => {
  expect(committed()).toEqual([...exampleNames, "rollout"].sort());
});

const isLate = (text = ""): boolean => text.includes("@late(");

/** The lines of finished files that `bind` has changed; all others are as they were written. */
function finished(outdir: string): Readonly<Record<string, string>> {
  const [stack] = writtenStacks(outdir);
  const files = [...(stack?.files ?? [])].filter(([path]) => path.endsWith(".yaml"));
  if (!files.some(([, text]) => isLate(text))) return {};
  const all = bound(outdir);
  const changes = files.flatMap(([path, text]): readonly [string, string][] => {
    const made = `${all[`${stack?.name}/${path}`]}`;
    if (!isLate(text)) expect(made, path).toBe(text);
    const [before, after] = [text.replace(/^# Holds values that .*\n/m, ""), made].map((each) =>
      each.split("\n"),
    );
    expect(after?.length, path).toBe(before?.length);
    const changed = (after ?? []).filter((line, place) => line !== before?.[place]);
    return isLate(text) ? [[`finished ${path}, lines that differ`, `${changed.join("\n")}\n`]] : [];
  });
  return Object.fromEntries(changes);
}

/** The files that `bind` makes, the same for either kind of outputs file. */
function bound(outdir: string): Readonly<Record<string, string>> {
  const folder = temporaryFolder();
  const [terraform, cdktf] = Object.entries(outputsFiles(outdir)).map(([form, outputs]) => {
    const file = join(folder, `${form}.json`);
    writeFileSync(file, JSON.stringify(outputs));
    bind({ outputs: file, to: join(folder, form), from: outdir });
    const { ".workload-identity-files": _, ...files } = filesOf(join(folder, form));
    return files;
  });
  expect(cdktf).toEqual(terraform);
  expect(Object.entries(terraform ?? {}).filter(([, text]) => /@late\(|TfToken|\$\{/.test(text))).toEqual([]);
  return terraform ?? {};
}

/** `terraform output -json` of the one stack, and the file of `cdktf output --outputs-file`. */
function outputsFiles(outdir: string): Readonly<Record<"terraform" | "cdktf", Json>> {
  const [stack, ...others] = writtenStacks(outdir);
  if (!stack || others.length > 0) throw new Error("not exactly one stack");
  const terraform = madeUpOutputs(stack.terraform);
  const values = Object.entries(terraform).map(([name, output]) => [name, record(output)["value"]]);
  // cdktf nests by construct path: stack, construct of the manifests, output.
  return { terraform, cdktf: { [stack.name]: { Manifests: Object.fromEntries(values) as Json } } };
}
