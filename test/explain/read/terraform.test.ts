/*
 * What arguments are when every reference is followed, and that what is known only after apply stays one value wherever it is
 * named.
 */

import { describe, expect, it } from "vitest";
import {
  type Known,
  known,
  map,
  match,
  orElse,
  same,
  shown,
  whyText,
  withoutPrefix,
} from "../../../lib/model/known";
import { fieldOf, isTreeObject } from "../../../lib/model/tree";
import {
  isTerraformConfiguration,
  readConfiguration,
} from "../../../lib/explain/read/terraform-configuration";
import { readTerraformShow } from "../../../lib/explain/read/terraform-show";
import { type ComputedAttribute, Terraform } from "../../../lib/explain/read/terraform";
import type { Resource } from "../../../lib/explain/read/block";
import type { Json } from "../../../lib/model/parsed";

const ARN: ComputedAttribute = { type: "aws_x", attribute: "arn", value: () => known("arn:aws:x") };

function configuration(...files: readonly Json[]): Terraform {
  const terraform = new Terraform([ARN]);
  readConfiguration(
    terraform,
    "stack",
    files.map((value) => ({ value, source: { file: "cdk.tf.json", path: "" } })),
    undefined,
  );
  return terraform;
}

function only(terraform: Terraform, type: string): Resource {
  const [first, ...more] = terraform.ofType(type);
  if (first === undefined || more.length > 0) throw new Error(`${more.length + 1} resources of ${type}`);
  return first;
}

const said = (value: Known<string | undefined>): string =>
  match(
    value,
    (text) => text ?? "(absent)",
    (why) => `? ${whyText(why)}`,
  );

describe("arguments as text", () => {
  const rows: readonly (readonly [why: string, value: unknown, expected: string])[] = [
    ["literal", "a", "a"],
    ["number", 7, "7"],
    ["switch", true, "true"],
    ["absent", undefined, "(absent)"],
    ["null", null, "(absent)"],
    ["escape", "$${aws:username} %%{x}", "${aws:username} %{x}"],
    ["reference to an argument", "${aws_role.web.name}", "web"],
    ["with a space, by place", "${ aws_x.y.nested.0.inner }${aws_x.y.nested[0].inner}", "webweb"],
    ["through a local", "${local.name}-x", "web-x"],
    ["splat of a resource", '${join(",", aws_role.web[*].name)}', "web"],
    ["splat of blocks", "${one(aws_x.y.nested[*].inner)}", "web"],
    ["splat of a resource that is not there", "${one(aws_none.a[*].b)}", "? <one(aws_none.a[*].b)>"],
    ["member of a local", '${local.map["a"]}${local.map.a}${local.list[1]}', "AA2"],
    ["variable with default", "${var.region}", "eu-west-1"],
    ["variable without default", "${var.secret}", "? <var.secret>"],
    ["computed", "${aws_x.y.arn}", "arn:aws:x"],
    ["only apply tells", "id-${aws_role.web.unique_id}", "? id-<aws_role.web.unique_id>"],
    ["nested", "${aws_eks.c.identity[0].oidc[0].issuer}", "? <aws_eks.c.identity[0].oidc[0].issuer>"],
    ["no such resource", "${aws_none.a.b}", "? <aws_none.a.b>"],
    ["function", '${trimprefix("https://${aws_role.web.name}.example", "https://")}', "web.example"],
    ["function in another spelling", '${ trimprefix( "https://a" , "https://" ) }', "a"],
    ["suffix", '${trimsuffix(local.slash, "/")}', "https://a"],
    ["function that is not evaluated", "${title(aws_role.web.name)}", '? <title("web")>'],
    [
      "function that is not evaluated, of what only apply tells, through a local",
      "${lower(local.id)}",
      '? <lower("id-" + aws_role.web.unique_id)>',
    ],
    ["function of a map", "id-${jsonencode({ a = { b = 1 } })}", 'id-{"a":{"b":1}}'],
    ["condition", '${var.x ? "a" : "b"}', '? <var.x ? "a" : "b">'],
    ["directive", "a%{ if true }b%{ endif }", "? <a%{ if true }b%{ endif }>"],
    ["brace that never closes", "${aws_role", "? <${aws_role>"],
    ["circle", "${local.loop}", "? <${local.loop}>"],
    ["list", ["a"], "? value is not a string"],
  ];
  it.each(rows)("%s", (_why, value, expected) => {
    const terraform = configuration({
      resource: {
        aws_role: { web: { name: "web" } },
        aws_x: { y: { nested: [{ inner: "${aws_role.web.name}" }] } },
        aws_eks: { c: {} },
        asked: { it: { value } },
      },
      locals: {
        name: "${aws_role.web.name}",
        map: { a: "A" },
        list: ["1", "2"],
        slash: "https://a/",
        loop: "${local.loop}",
        id: "id-${aws_role.web.unique_id}",
      },
      variable: { region: { default: "eu-west-1" }, secret: {} },
    });
    expect(said(only(terraform, "asked").text("value"))).toBe(expected);
  });
});

describe("two values that are not known", () => {
  const terraform = configuration({
    resource: {
      aws_eks: { c: {}, d: {} },
      asked: {
        it: {
          one: "${aws_eks.c.issuer}",
          same: "${ aws_eks.c.issuer }",
          other: "${aws_eks.d.issuer}",
          host: '${trimprefix(aws_eks.c.issuer, "https://")}',
          key: '${trimprefix(aws_eks.c.issuer,"https://")}:aud',
          https: "https://${aws_eks.c.domain}",
          ftp: "ftp://${aws_eks.c.domain}",
        },
      },
    },
  });
  const asked = only(terraform, "asked");
  /** By the name of an argument, `=` before a literal, `host of` before an argument. */
  const value = (name: string): Known<string | undefined> => {
    if (name.startsWith("=")) return known(name.slice(1));
    if (name.startsWith("host of ")) return withoutPrefix(asked.stated(name.slice(8)), "https://");
    return asked.text(name);
  };
  it.each([
    ["one", "same", "yes"],
    ["one", "other", "unknown"],
    ["one", "=https://a", "unknown"],
    ["https", "=https://a", "unknown"],
    ["https", "=http://a", "no"],
    ["https", "ftp", "no"],
    ["host", "host of one", "yes"],
  ])("%s, %s: %s", (one, other, expected) => {
    expect([same(value(one), value(other)), same(value(other), value(one))]).toEqual([expected, expected]);
  });
  it("throws where it is used as text", () => {
    expect(() => `${asked.text("one") as unknown as string}`).toThrow("<aws_eks.c.issuer>");
    expect(() => JSON.stringify({ a: asked.text("one") })).toThrow("<aws_eks.c.issuer>");
  });
});

describe("policies", () => {
  it("keep references in values and in keys", () => {
    const terraform = configuration({
      resource: {
        aws_eks: { c: {} },
        asked: {
          it: {
            policy:
              '{"Condition":{"${trimprefix(aws_eks.c.issuer, "https://")}:aud":"a"},"Sid":"x${aws_eks.c.id}","n":1}',
          },
        },
      },
    });
    const seen = match(
      only(terraform, "asked").json("policy"),
      (value): unknown => {
        if (!isTreeObject(value)) return "no object";
        const condition = orElse(fieldOf(value, "Condition"), () => undefined);
        const key = isTreeObject(condition) ? fieldOf(condition, "a:aud") : known("none");
        return [
          shown(fieldOf(value, "Sid") as Known<string>),
          shown(fieldOf(value, "n") as Known<number>),
          shown(key as Known<string>),
        ];
      },
      whyText,
    );
    expect(seen).toEqual(["x<aws_eks.c.id>", "1", '<aws_eks.c.issuer without the prefix "https://">:aud']);
  });
  it.each(["", "{", "[1,", '{"a":${aws_eks.c.id}}'])("that are no JSON are not known: %s", (policy) => {
    const terraform = configuration({ resource: { aws_eks: { c: {} }, asked: { it: { policy } } } });
    expect(orElse(only(terraform, "asked").json("policy"), () => "not known")).toBe("not known");
  });
});

describe("count and for_each", () => {
  const rows: readonly (readonly [string, Json, readonly string[]])[] = [
    ["none", { name: "a" }, ["asked.it=a"]],
    ["count 0", { count: 0, name: "a" }, []],
    ["count 2", { count: 2, name: "a${count.index}" }, ["asked.it[0]=a0", "asked.it[1]=a1"]],
    [
      "a list",
      { for_each: '${toset(["x", "y"])}', name: "${each.value}" },
      ['asked.it["x"]=x', 'asked.it["y"]=y'],
    ],
    ["a map", { for_each: { k: { n: "v" } }, name: "${each.key}-${each.value.n}" }, ['asked.it["k"]=k-v']],
    [
      "only apply tells",
      { for_each: "${aws_none.a.b}", name: "a" },
      ["asked.it=? count or for_each decides whether asked.it exists"],
    ],
    [
      "owner",
      { count: "${aws_none.a.b}", name: "a", role: "r" },
      ["asked.it=? count or for_each decides whether asked.it exists"],
    ],
  ];
  it.each(rows)("%s", (_why, values, expected) => {
    const terraform = configuration({ resource: { asked: { it: values } } });
    expect(terraform.ofType("asked").map((each) => `${each.address}=${said(each.text("name"))}`)).toEqual(
      expected,
    );
  });
  it.each([
    ["1000", 1000, true],
    ["1001", 1, false],
    ["-1", 1, false],
    ["1.5", 1, false],
  ])("count %s is %i, certain: %s", (count, length, certain) => {
    const found = configuration({ resource: { asked: { it: { count } } } }).ofType("asked");
    expect([found.length, found.every((each) => each.certain)]).toEqual([length, certain]);
  });
  it("refers to an instance by its key", () => {
    const terraform = configuration({
      resource: {
        role: { r: { for_each: { a: 1, b: 2 }, name: "role-${each.key}" } },
        asked: { it: { name: '${role.r["b"].name}', policy: '${role.r["a"].arn}' } },
      },
    });
    const asked = only(terraform, "asked");
    expect(said(asked.text("name"))).toBe("role-b");
    expect(asked.referred("policy", ["arn"])?.address).toBe('role.r["a"]');
  });
  it("refers to all instances by a splat", () => {
    const terraform = configuration({
      resource: {
        role: { r: { count: 2, name: "role-${count.index}" }, one: { count: 1, name: "role" } },
        asked: { it: { name: '${join(",", role.r[*].name)}', policy: "${one(role.one[*].arn)}" } },
      },
    });
    const asked = only(terraform, "asked");
    expect(said(asked.text("name"))).toBe("role-0,role-1");
    expect(asked.referred("policy", ["arn"])?.address).toBe("role.one[0]");
  });
});

describe("the form of arguments", () => {
  const asked = (values: Json): Resource =>
    only(configuration({ resource: { asked: { it: values } } }), "asked");
  const LATE = "(late)";
  const orLate = <T>(value: Known<T>): T | string => orElse(value, () => LATE);

  // developer.hashicorp.com/terraform/language/syntax/json, "Expression Mapping".
  it.each<[string, unknown, unknown]>([
    ["absent", undefined, []],
    ["null", null, []],
    ["texts", ["a", "${var.b}"], ["a", LATE]],
    ["an expression where the list should be", "${var.a}", LATE],
    ["a text where the list should be, which Terraform refuses", "a", LATE],
    ["an element that is not known", [null, "a"], [LATE, "a"]],
    ["numbers", [1], ["1"]],
    ["an object", { a: 1 }, LATE],
  ])("a list: %s", (_, value, expected) => {
    const items = orElse(asked({ a: value }).list("a"), () => undefined);
    expect(items?.map(orLate) ?? LATE).toEqual(expected);
  });

  it.each<[string, Json, unknown]>([
    ["absent", {}, 0],
    ["one", { b: { a: 1 } }, 1],
    ["several", { b: [{ a: 1 }, { a: 2 }] }, 2],
    ["an expression", { b: "${var.a}" }, LATE],
    ["one that is not known among others", { b: [{ a: 1 }, "${var.a}"] }, LATE],
    ["made by `dynamic`", { dynamic: { b: { for_each: ["x"] } } }, LATE],
    ["made by `dynamic` beside a static one", { b: { c: 1 }, dynamic: [{ b: [{}] }] }, LATE],
    ["a text of that name", { dynamic: "b" }, 0],
  ])("blocks: %s", (_, values, expected) => {
    expect(orLate(map(asked(values).blocks("b"), ({ length }) => length))).toBe(expected);
  });

  it.each<[unknown, boolean | string]>([
    [undefined, false],
    [null, false],
    [true, true],
    ["true", true],
    ["false", false],
    ["${var.off}", LATE],
    [["true", "false"], LATE],
  ])("a switch: %j is %s", (value, expected) => {
    expect(orLate(asked({ a: value }).flag("a"))).toBe(expected);
  });

  it("blocks may stand in lists at each level", () => {
    const terraform = configuration({ resource: [{ asked: [{ it: [{ name: "n" }] }] }] });
    expect(said(only(terraform, "asked").text("name"))).toBe("n");
  });

  it("is not a configuration where it is a Kubernetes object", () => {
    expect(isTerraformConfiguration({ kind: "Widget", resource: {} })).toBe(false);
    expect(isTerraformConfiguration({ resource: {} })).toBe(true);
  });
});

it("references of two configurations are two values, also where they are spelled alike", () => {
  const terraform = new Terraform([]);
  const value = { resource: { aws_eks: { c: {} }, asked: { it: { one: "${aws_eks.c.id}" } } } };
  for (const folder of ["a", "b"])
    readConfiguration(terraform, folder, [{ value, source: { file: folder, path: "" } }], undefined);
  const [one, other] = terraform.ofType("asked");
  const [left, right] = [one, other].map((each) => each?.text("one") ?? known("none"));
  expect([left && same(left, left), left && right && same(left, right)]).toEqual(["yes", "unknown"]);
  expect(other?.referred("one", ["id"])?.scope).toBe(other?.scope);
});

describe("what is not read", () => {
  it("lists the calls of modules and what they mention", () => {
    const terraform = configuration({
      resource: { role: { r: { name: "x" } } },
      module: { m: { source: "./m", roles: ["${role.r.name}"], bucket: "b" } },
    });
    const [found] = terraform.scopes[0]?.notRead ?? [];
    expect(found?.source).toEqual({ file: "cdk.tf.json", path: "module.m" });
    expect([...(found?.mentions ?? [])]).toEqual([only(terraform, "role")]);
    expect(found?.texts).toContain("b");
  });
});

describe("a plan", () => {
  const terraform = new Terraform([]);
  readTerraformShow(
    terraform,
    {
      format_version: "1.2",
      planned_values: {
        root_module: {
          resources: [
            { address: "aws_role.web", type: "aws_role", mode: "managed", values: { name: "web" } },
            {
              address: "aws_att.a",
              type: "aws_att",
              mode: "managed",
              values: { policy: "${aws:username}", role: null },
            },
          ],
        },
      },
      resource_changes: [
        { address: "aws_role.web", change: { after_unknown: { arn: true } } },
        { address: "aws_att.a", change: { after_unknown: { role: true } } },
      ],
      configuration: {
        root_module: {
          resources: [
            {
              address: "aws_att.a",
              expressions: { role: { references: ["aws_role.web.arn", "aws_role.web"] } },
            },
          ],
        },
      },
    },
    { file: "plan.json", path: "" },
  );
  it("has literal texts, and references where the configuration names them", () => {
    const attached = only(terraform, "aws_att");
    expect(said(attached.text("policy"))).toBe("${aws:username}");
    expect(attached.referred("role", ["arn"])?.address).toBe("aws_role.web");
  });
});
