/*
 * The arguments of a resource that a row does not understand, as a configuration, a plan, a state and a data source
 * hold them.
 */

import { describe, expect, test } from "vitest";
import type { Coverage } from "../../../lib/explain/coverage/coverage";
import { Terraform } from "../../../lib/explain/read/terraform";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { readTerraformShow } from "../../../lib/explain/read/terraform-show";

const ROW: Coverage = {
  read: "name policy",
  harmless: "tags",
  computed: "arn",
  only: { force: [true] },
  blocks: { rule: { read: "name" } },
};
const source = { file: "a.json", path: "" };

function configured(values: object, section = "resource"): readonly string[] {
  const terraform = new Terraform([]);
  const value = { [section]: { aws_x: { a: values } } };
  readConfiguration(terraform, ".", [{ source, value }], undefined);
  return terraform.ofType("aws_x")[0]?.notUnderstood(ROW) ?? ["nothing was read"];
}

function shown(values: object, expressions?: object, mode = "managed"): readonly string[] {
  const terraform = new Terraform([]);
  const address = "aws_x.a";
  const module = { resources: [{ address, mode, type: "aws_x", values }] };
  const plan = expressions !== undefined && {
    configuration: { root_module: { resources: [{ address, expressions }] } },
  };
  const section = expressions === undefined ? "values" : "planned_values";
  readTerraformShow(
    terraform,
    { format_version: "1.2", [section]: { root_module: module }, ...plan },
    source,
  );
  return terraform.ofType("aws_x")[0]?.notUnderstood(ROW) ?? ["nothing was read"];
}

const IGNORED = ["lifecycle.ignore_changes"];

describe("in a configuration", () => {
  test.each<[object, readonly string[], string?]>([
    [{ name: "a", policy: "${local.policy}", tags: {}, force: true, rule: [{ name: "b" }] }, []],
    [{ name: "a", endpoint: false, rule: { name: "b", filter: "" } }, ["endpoint", "rule.filter"]],
    [{ endpoint: false }, ["endpoint"], "data"],
    [{ "//": {}, depends_on: ["aws_y.b"], provider: "aws.b", timeouts: { create: "1h" } }, []],
    [{ count: 1 }, []],
    // Whether it is there at all is asked where its arguments are read.
    [{ count: "${var.count}" }, []],
    [{ for_each: "${var.names}" }, []],
    [{ provisioner: [{ "local-exec": {} }], connection: {} }, ["provisioner", "connection"]],
    [{ lifecycle: { prevent_destroy: true, ignore_changes: ["tags", 'tags["a"]', "arn"] } }, []],
    [{ lifecycle: { ignore_changes: ["tags", "policy"] } }, IGNORED],
    [{ lifecycle: [{ ignore_changes: ["rule[0].name"] }] }, IGNORED],
    [{ lifecycle: { ignore_changes: "all" } }, IGNORED],
    [{ lifecycle: { ignore_changes: ["endpoint"] } }, IGNORED],
  ])("%j: %j", (values, paths, section) => {
    expect(configured(values, section)).toEqual(paths);
  });

  test("a row may read what is ignored itself", () => {
    const terraform = new Terraform([]);
    const value = { resource: { aws_x: { a: { lifecycle: { ignore_changes: "all" } } } } };
    readConfiguration(terraform, ".", [{ source, value }], undefined);
    const found = terraform.ofType("aws_x").map((each) => each.notUnderstood({ read: "lifecycle" }));
    expect(found).toEqual([[]]);
  });
});

describe("in a state, or in a plan without the configuration of the resource", () => {
  test.each<[object, readonly string[]]>([
    [{ name: "a", arn: "b", endpoint: false, hosts: [], rule: [{ name: "b", filter: "" }] }, []],
    [{ endpoint: true, rule: [{ name: "b", filter: "c" }] }, ["endpoint", "rule[0].filter"]],
  ])("%j: %j", (values, paths) => {
    expect(shown(values)).toEqual(paths);
  });
});

describe("in a plan", () => {
  const FALSE = { constant_value: false };

  test.each<[object, object, readonly string[]]>([
    [{ endpoint: false, hosts: null }, {}, []],
    [{ endpoint: false }, { endpoint: FALSE }, ["endpoint"]],
    [{ endpoint: null }, { endpoint: {} }, []],
    // What a provider adds, and the blocks of `dynamic`, are not in the configuration.
    [{ endpoint: "a", other: [{ name: "b" }] }, {}, ["endpoint", "other"]],
    [{ rule: [{ name: "b", filter: "" }] }, { rule: [{ name: {} }] }, []],
    [{ rule: [{ name: "b", filter: "c" }] }, { rule: [{ name: {} }] }, ["rule[0].filter"]],
  ])("%j, configured %j: %j", (values, expressions, paths) => {
    expect(shown(values, expressions)).toEqual(paths);
  });

  test("a data source", () => {
    expect(shown({ endpoint: false }, { endpoint: FALSE }, "data")).toEqual([]);
    expect(shown({ endpoint: "a" }, { endpoint: {} }, "data")).toEqual(["endpoint"]);
  });
});
