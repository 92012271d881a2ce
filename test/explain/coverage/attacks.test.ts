/*
 * Whatever is added to a resource of a chain, or points at one, and is in no table, opens the chain.
 */

import { describe, expect, test } from "vitest";
import { Explainer } from "../../../lib/explain";
import { rowOf } from "../../../lib/explain/coverage/closed-world";
import { record } from "../../../lib/model/parsed";
import { type Artefacts, EXAMPLES, type ExampleName, heldFolder, synthesized } from "../../fixtures/explain/artefacts";

interface Place {
  readonly file: string;
  readonly section: string;
  readonly type: string;
  readonly name: string;
}

const allowed = (files: Artefacts): number =>
  [...Explainer.read([heldFolder(files)]).all()].filter(({ verdict }) => verdict === "allowed").length;

/** The resources of an example that the tables have. */
const placesIn = (files: Artefacts): readonly Place[] =>
  [...files].flatMap(([file, text]) =>
    ["resource", "data"].flatMap((section) =>
      file.endsWith("cdk.tf.json")
        ? Object.entries(record(record(JSON.parse(text))[section])).flatMap(([type, all]) =>
            rowOf(type, section === "data")
              ? Object.keys(record(all)).map((name) => ({ file, section, type, name }))
              : [],
          )
        : [],
    ),
  );

type Change = (document: Record<string, any>, place: Place) => void;

function survivors(example: ExampleName, change: Change): readonly string[] {
  const files = synthesized(example);
  const before = allowed(files);
  return placesIn(files).flatMap((place) => {
    const document = JSON.parse(files.get(place.file) ?? "") as Record<string, any>;
    change(document, place);
    const after = allowed(new Map([...files, [place.file, JSON.stringify(document)]]));
    return after < before ? [] : [`${place.section}.${place.type}.${place.name}`];
  });
}

describe.each(Object.keys(EXAMPLES) as ExampleName[])("%s", (example) => {
  test("an argument that no table has", () => {
    const found = survivors(example, (document, { section, type, name }) => {
      document[section][type][name].tomorrow = "x";
    });
    expect(found).toEqual([]);
  });
});
