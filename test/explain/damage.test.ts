/*
 * Examples with random damage: keys that are gone, null, values of other types, lists that end early. Whatever it is, the
 * verifier answers or refuses; it never falls over.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { isWorkloadIdentityError } from "../../lib/errors";
import { Explainer, renderJson } from "../../lib/explain";
import { type Artefacts, type ExampleName, synthesized } from "../fixtures/explain/artefacts";
import { plain, pull } from "../fixtures/explain/plain";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { runsOf, sampleNote } from "../support/sample";

const RUNS = 25;
const SAMPLE = 5;

/** Damages of a value; `GONE` takes it out of its object or list. */
const GONE = Symbol("gone");
const DAMAGES: readonly ((value: unknown) => unknown)[] = [
  () => GONE,
  () => null,
  () => "",
  () => "x",
  () => 7,
  () => true,
  () => [],
  () => ({}),
  () => [null],
  () => ({ a: null }),
  () => "${local.none}",
  () => "${".repeat(2_000),
  () => "(".repeat(10_000),
  () => '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000),
  () => `{"Version":"2012-10-17","Statement":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
  () => JSON.parse('{"__proto__":{"a":1},"constructor":null,"toString":[]}') as unknown,
  (value) => [value],
  (value) => ({ value }),
  (value) => JSON.stringify(value),
  (value) => (Array.isArray(value) ? value.slice(0, -1) : value),
  (value) => (Array.isArray(value) ? [...(value as unknown[]), ...(value as unknown[])] : value),
  (value) => (Array.isArray(value) ? [null, ...(value as unknown[])] : value),
  (value) => (typeof value === "string" ? value.slice(0, value.length / 2) : value),
];

interface Damage {
  /** Which of all values, counted modulo their number. */
  readonly place: number;
  readonly damage: number;
}

/** A value with the damage at the place; the places are counted from the outside in, texts that are JSON included. */
function damaged(value: unknown, { place, damage }: Damage): unknown {
  let left = place % count(value);
  const walk = (each: unknown): unknown => {
    if (left-- === 0) return DAMAGES[damage]?.(each);
    const inner = parsed(each);
    if (inner !== undefined) return JSON.stringify(kept(walk(inner)));
    if (Array.isArray(each)) return each.map(walk).filter((item) => item !== GONE);
    if (typeof each !== "object" || each === null) return each;
    const rows = Object.entries(each).map(([key, item]) => [key, walk(item)] as const);
    return Object.fromEntries(rows.filter(([, item]) => item !== GONE));
  };
  return kept(walk(value));
}

function kept(value: unknown): unknown {
  return value === GONE ? undefined : value;
}

function count(value: unknown): number {
  const inner = parsed(value);
  if (inner !== undefined) return 1 + count(inner);
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + count(each), 1);
}

/** The JSON object that a text is, such as a policy. */
function parsed(value: unknown): object | undefined {
  // What is longer is a damage itself.
  if (typeof value !== "string" || !value.startsWith("{") || value.length > 9_000) return undefined;
  try {
    return JSON.parse(value) as object;
  } catch {
    return undefined;
  }
}

/** A file's text with one more damage; a YAML file as one JSON document after the other. */
function damagedFile(path: string, text: string, damage: Damage): string {
  if (path.endsWith(".json")) return JSON.stringify(damaged(JSON.parse(text), damage)) ?? "";
  const documents = parseAllDocuments(text).map((document) => document.toJS() as unknown);
  const all = damaged(documents, damage);
  return (Array.isArray(all) ? all : [all])
    .map((each: unknown) => JSON.stringify(each) ?? "")
    .join("\n---\n");
}

/** Everything that can be asked, in words; or the code of the refusal. */
function asked(paths: readonly string[]): string {
  try {
    const explainer = Explainer.read(paths);
    const results = [...explainer.all(), ...explainer.pulls(pull)];
    const accounts = new Set(results.map(({ subject }) => subject).filter((name) => name.includes("/")));
    for (const account of accounts) JSON.stringify(explainer.reach(account));
    const pulls = results.filter(({ job }) => job === "image-pull");
    for (const image of new Set(pulls.map(({ target }) => target)))
      JSON.stringify(explainer.whoMayPull(image));
    return [...renderJson(results)].join("") + JSON.stringify(explainer.skipped);
  } catch (error) {
    if (isWorkloadIdentityError(error)) return error.code;
    throw error;
  }
}

interface Source {
  readonly artefacts: Artefacts;
  /** What the verifier is given, below the folder of the artefacts. */
  readonly paths: readonly string[];
}

const example = (name: ExampleName): Source => ({ artefacts: synthesized(name), paths: [""] });

/** The resources of a configuration as `terraform show -json` lists them. */
function planOf(configuration: string): string {
  const { resource } = JSON.parse(configuration) as Readonly<
    Record<"resource", Readonly<Record<string, Readonly<Record<string, object>>>>>
  >;
  const resources = Object.entries(resource).flatMap(([type, named]) =>
    Object.entries(named).map(([name, values]) => ({
      address: `${type}.${name}`,
      mode: "managed",
      type,
      name,
      provider_name: "registry",
      values,
    })),
  );
  const configured = resources.map(({ values, ...of }) => ({
    ...of,
    expressions: Object.fromEntries(
      Object.entries(values).map(([key, value]: [string, unknown]) => [key, { constant_value: value }]),
    ),
  }));
  return JSON.stringify({
    format_version: "1.2",
    planned_values: { root_module: { resources } },
    resource_changes: resources.map(({ values, ...of }) => ({
      ...of,
      change: { actions: ["create"], after: values },
    })),
    configuration: { root_module: { resources: configured } },
  });
}

function ofOthers(): Source {
  const [, text = ""] = [...synthesized("three-clouds")].find(([path]) => path.endsWith("cdk.tf.json")) ?? [];
  return { artefacts: new Map([...Object.entries(plain), ["plan.json", planOf(text)]]), paths: [""] };
}

/** A synth output with the files that `bind` has made of it. */
function bound(name: ExampleName): Source {
  const artefacts = synthesized(name);
  const manifests = [...artefacts].filter(([path]) => /^stacks\/[^/]+\/(?:manifests|nodes)\//.test(path));
  const finished = manifests.map(([path, text]): [string, string] => [
    path.replace("stacks", "gitops"),
    text.replace(/@late\([^)]*\)@/g, "0b1f6471-1bf0-4dda-aec3-cb9272f09590"),
  ]);
  const written = finished.map(([path]) => `${path.replace("gitops/", "")}\n`).join("");
  const list: [string, string] = ["gitops/.workload-identity-files", written];
  return {
    artefacts: new Map([
      ...[...artefacts].map(([path, text]): [string, string] => [`out/${path}`, text]),
      ...finished,
      list,
    ]),
    paths: ["out", "gitops"],
  };
}

const SOURCES: Readonly<Record<string, () => Source>> = {
  "aro-hcp, and what bind made of it": () => bound("aro-hcp"),
  "fleet-argocd": () => example("fleet-argocd"),
  "fleet-multikueue": () => example("fleet-multikueue"),
  "openshift-aws": () => example("openshift-aws"),
  "openshift-manual-aws": () => example("openshift-manual-aws"),
  "openshift-manual-azure": () => example("openshift-manual-azure"),
  "openshift-manual-google": () => example("openshift-manual-google"),
  "three-clouds": () => example("three-clouds"),
  "manifests and a plan of other people": ofOthers,
};

describe.each(Object.entries(SOURCES))("%s", (_, source) => {
  it(`is answered or refused, whatever is damaged${sampleNote(SAMPLE)}`, () => {
    const { artefacts, paths } = source();
    const folder = temporaryFolder();
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const answers = (): string => asked(paths.map((path) => join(folder, path)));
    for (const [path, text] of artefacts) write(path, text);
    expect(answers()).toContain('"verdict": "');

    const files = [...artefacts].filter(([path]) => /(?:\.ya?ml|\.json)$/.test(path));
    const record = files.findIndex(([path]) => path.endsWith("workload-identity.json"));
    const damages = fc.record({
      // The record is small, and each of its parts is used.
      file: fc.oneof(fc.nat(files.length - 1), fc.constant(Math.max(0, record))),
      place: fc.nat(100_000),
      damage: fc.nat(DAMAGES.length - 1),
    });
    fc.assert(
      fc.property(fc.array(damages, { minLength: 1, maxLength: 3 }), (all) => {
        const now = new Map(files);
        for (const { file, ...damage } of all) {
          const [path = ""] = files[file] ?? [];
          const text = now.get(path) ?? "";
          if (text !== "") now.set(path, damagedFile(path, text, damage));
        }
        const changed = [...now].filter(([path, text]) => text !== artefacts.get(path));
        for (const [path, text] of changed) write(path, text);
        try {
          expect(answers()).not.toBe("");
        } finally {
          for (const [path] of changed) write(path, artefacts.get(path) ?? "");
        }
      }),
      { numRuns: runsOf(RUNS, SAMPLE), seed: 2026 },
    );
  });
});
