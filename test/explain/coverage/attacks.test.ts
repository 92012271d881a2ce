/*
 * Whatever is added to a resource of a chain, or points at one, and is in no table, opens the chain: of each type in each
 * example one resource is attacked in every way.
 */

import { describe, expect, test } from "vitest";
import { Explainer } from "../../../lib/explain";
import { rowOf } from "../../../lib/explain/coverage/closed-world";
import { type Json, record } from "../../../lib/model/parsed";
import {
  type Artefacts,
  EXAMPLES,
  type ExampleName,
  heldFolder,
  synthesized,
} from "../../fixtures/explain/artefacts";
import { sampleNote, sampleOf } from "../../support/sample";

interface Place {
  readonly file: string;
  readonly section: "resource" | "data";
  readonly type: string;
  readonly name: string;
}

/** Resources to add, by type. */
type Added = Readonly<Record<string, Json>>;

/** Arguments to add to the resource, and resources beside it. */
interface Attack {
  readonly arguments?: Json;
  readonly beside?: (reference: string, type: string) => Added | undefined;
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  "an argument that no table has": { arguments: { tomorrow: "x" } },
  "a block that no table has": { arguments: { tomorrow: [{ a: "x" }] } },
  "dynamic blocks that no table has": { arguments: { dynamic: { tomorrow: { content: {} } } } },
  "changes that Terraform leaves as they are": { arguments: { lifecycle: { ignore_changes: "all" } } },
  "a program after it is made": {
    arguments: { provisioner: [{ "local-exec": { command: "true" } }] },
  },
  "a resource of its family": {
    beside: (reference, type) => ({ [`${type}_tomorrow`]: { of: { to: [reference] } } }),
  },
  "a program of another resource": {
    beside: (reference) => ({
      terraform_data: { provisioner: [{ "local-exec": { command: `change ${reference}` } }] },
    }),
  },
  "a template": { beside: (reference) => ({ aws_cloudformation_stack: { parameters: { a: reference } } }) },
};

const allowed = (files: Artefacts): number =>
  [...Explainer.read([heldFolder(files)]).all()].filter(({ verdict }) => verdict === "allowed").length;

/** One resource of each type in an example that the tables have. */
function placesIn(files: Artefacts): readonly Place[] {
  const documents = [...files].filter(([file]) => file.endsWith("cdk.tf.json"));
  const all = documents.flatMap(([file, text]) =>
    (["resource", "data"] as const).flatMap((section) =>
      Object.entries(record(record(JSON.parse(text))[section])).flatMap(([type, named]): readonly Place[] => {
        const [name] = Object.keys(record(named));
        return name !== undefined && rowOf(type, section === "data") ? [{ file, section, type, name }] : [];
      }),
    ),
  );
  return [...new Map(all.map((place) => [`${place.section} ${place.type}`, place])).values()];
}

function attacked(files: Artefacts, place: Place, attack: Attack): Artefacts {
  const { file, section, type, name } = place;
  const document = record(JSON.parse(files.get(file) ?? ""));
  const resources: Record<string, unknown> = { ...record(document["resource"]) };
  const ofSection = section === "resource" ? resources : { ...record(document["data"]) };
  const named = record(ofSection[type]);
  ofSection[type] = { ...named, [name]: { ...record(named[name]), ...attack.arguments } };
  const reference = `\${${section === "data" ? "data." : ""}${type}.${name}.id}`;
  for (const [other, values] of Object.entries(attack.beside?.(reference, type) ?? {}))
    resources[other] = { ...record(resources[other]), tomorrow: values };
  const changed = { ...document, [section]: ofSection, resource: resources };
  return new Map([...files, [file, JSON.stringify(changed)]]);
}

/** The smallest example with each type. */
const sizeOf = (name: ExampleName): number => [...synthesized(name).values()].join("").length;
const examples = Object.keys(EXAMPLES) as readonly ExampleName[];
const byType = new Map(
  [...examples]
    .sort((one, other) => sizeOf(other) - sizeOf(one))
    .flatMap((example) =>
      placesIn(synthesized(example)).map(
        (place) => [`${place.section} ${place.type}`, { example, place }] as const,
      ),
    ),
);

const SAMPLE = 4;

describe.each([...byType])("%s", (title, { example, place }) => {
  const files = synthesized(example);

  // What is not read never changes a cluster by naming it: it may run in it.
  const isNamed = rowOf(place.type, place.section === "data")?.isCluster !== true;

  test(`is not understood, so that less is allowed${sampleNote(SAMPLE)}`, () => {
    const before = allowed(files);
    const attacks = sampleOf(Object.entries(ATTACKS), SAMPLE, ([attack]) => `${title} ${attack}`);
    const survivors = attacks.filter(
      ([, each]) => (isNamed || each.beside === undefined) && allowed(attacked(files, place, each)) >= before,
    );
    expect(survivors.map(([attack]) => attack)).toEqual([]);
  });
});
