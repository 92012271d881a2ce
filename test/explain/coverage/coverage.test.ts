import { describe, expect, test } from "vitest";
import { type Coverage, type Origin, notUnderstood } from "../../../lib/explain/coverage/coverage";

const ROW: Coverage = {
  read: "role policy",
  harmless: "tags",
  computed: "id arn",
  only: { force: [true], scope: ["cluster"], hosts: [["a"]] },
  blocks: { rule: { read: "name", blocks: { filter: { read: "prefix" } } } },
};

const cases: readonly (readonly [object, readonly string[], Origin?])[] = [
  [{ role: "web", policy: "{}", tags: { a: "b" } }, []],
  [{ role: "web", endpoint: "https://other" }, ["endpoint"]],
  // Terraform leaves out what is null.
  [{ endpoint: null }, []],
  [{ endpoint: false }, ["endpoint"]],
  // A state has a value for every argument.
  [{ endpoint: false, hosts: [], limit: 0, name: "", deep: { a: [{ b: null }] } }, [], "complete"],
  [{ endpoint: true, deep: { a: [{ b: 1 }] } }, ["endpoint", "deep"], "complete"],
  [{ force: true, scope: "cluster", hosts: ["a"] }, []],
  [{ force: "true" }, []],
  [{ force: false }, ["force"]],
  [{ scope: "${var.scope}", hosts: ["a", "b"] }, ["scope", "hosts"]],
  [{ rule: { name: "a", other: 1 } }, ["rule.other"]],
  [{ rule: [{ name: "a" }, { name: "b", filter: [{ prefix: "c", tag: "d" }] }] }, ["rule[1].filter[0].tag"]],
  [{ rule: "${var.rules}" }, ["rule"]],
  [{ dynamic: { rule: { content: {} } } }, ["rule"]],
  [{ dynamic: [{ policy: {} }, { tags: {} }] }, []],
  [{ dynamic: "${var.blocks}" }, ["dynamic"]],
  // Inherited names are not in any table.
  [{ toString: 1, constructor: 2 }, ["toString", "constructor"]],
];

describe("what a row does not understand", () => {
  test.each(cases.map(([values, paths, origin = "written"]) => ({ values, paths, origin })))(
    "$values: $paths",
    ({ values, paths, origin }) => {
      expect(notUnderstood(values, ROW, origin)).toEqual(paths);
    },
  );
});
