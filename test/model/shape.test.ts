import { Fn, TerraformStack, TerraformVariable, Testing, Token } from "cdktf";
import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../lib/errors";
import { nearestName } from "../../lib/model/nearest-name";
import { unfilledPart } from "../../lib/model/unfilled";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  boolean,
  checkGiven,
  checkProps,
  choice,
  either,
  like,
  list,
  made,
  method,
  number,
  object,
  optional,
  record,
  text,
} from "../../lib/model/shape";

interface Inner {
  readonly path: string;
  readonly mode?: number;
}

interface Props {
  readonly name: string;
  readonly mode?: "strict" | "mixed";
  readonly on?: boolean;
  readonly names?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly inner?: readonly Inner[];
  readonly limit?: number;
  readonly from?: boolean | readonly string[] | Inner;
  readonly carrier?: { carry(): void };
  readonly pools?: readonly string[];
  readonly cluster?: Cluster | readonly Cluster[];
}

interface Cluster {
  readonly kind: "cluster";
  readonly nodes: Inner;
}

const INNER: ObjectKind<Inner> = object({ path: text, mode: optional(number) });
const CLUSTER: Kind<Cluster> = made("a cluster: openShift() or eks()", "openShift(…)", {
  kind: choice(["cluster"]),
  nodes: INNER,
});
const PROPS: ObjectKind<Props> = object({
  name: text,
  mode: optional(choice(["strict", "mixed"])),
  on: optional(boolean),
  names: optional(list(text)),
  tags: optional(record(text)),
  inner: optional(list(INNER)),
  limit: optional(number),
  from: optional(either(boolean, list(text), INNER)),
  carrier: optional(like("a carrier", { carry: method })),
  pools: optional(list(text)),
  cluster: optional(either(CLUSTER, list(CLUSTER))),
});

function message(given: unknown, kind: Kind<never> = PROPS): string {
  try {
    checkGiven("make()", kind, given as never);
    return "";
  } catch (error) {
    if (!isWorkloadIdentityError(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

class Carrier {
  readonly more = 1;
  carry(): void {}
}

describe("a shape", () => {
  const stack = new TerraformStack(Testing.app(), "s");
  const late = new TerraformVariable(stack, "v", { type: "any" });

  it.each<readonly [string, object]>([
    ["nothing but what is required", {}],
    ["undefined for what is optional", { mode: undefined, tags: undefined }],
    [
      "everything",
      { mode: "mixed", on: false, names: ["a"], tags: { a: "b" }, inner: [{ path: "/a", mode: 1 }] },
    ],
    ["each of several kinds", { from: true }],
    ["another of them", { from: ["a"] }],
    ["and the third", { from: { path: "/a" } }],
    ["an instance of a class that has more", { carrier: new Carrier() }],
    ["a late text", { name: late.stringValue }],
    ["a late number", { limit: late.numberValue }],
    ["a late list", { names: late.listValue }],
    ["late values in a list and a map", { names: [Fn.join("", ["a"])], tags: { a: Token.asString(late) } }],
    ["a late map", { tags: Token.asStringMap(late) }],
    ["an object without prototype", Object.assign(Object.create(null), { on: true }) as object],
  ])("takes %s", (_, given) => {
    expect(message({ name: "a", ...given })).toBe("");
  });

  it.each<readonly [unknown, string]>([
    [undefined, "property-missing: props of make() is missing; allowed: an object; state it"],
    [null, "property-invalid: props of make() is null; allowed: an object; correct the value"],
    [[], "property-invalid: props of make() is an array; allowed: an object; correct the value"],
    [
      "secret",
      'property-invalid: props of make() is "secret", a string; allowed: an object; correct the value',
    ],
    [
      "a text that is as long as the keys of clouds",
      "property-invalid: props of make() is a string; allowed: an object; correct the value",
    ],
    [
      { name: "a", limt: undefined },
      "property-unknown: limt of make() is not a known property; allowed: carrier, cluster, from, inner, limit, mode, name, names, on, pools, tags; write limit",
    ],
    [
      { name: "a", somethingElse: 1 },
      "property-unknown: somethingElse of make() is not a known property; allowed: carrier, cluster, from, inner, limit, mode, name, names, on, pools, tags; remove it, or use one of these names",
    ],
    [{}, 'property-missing: name of make() is missing; allowed: a string; state it as in `name: "prod"`'],
    [
      { name: 5 },
      'property-invalid: name of make() is 5, a number; allowed: a string; write it as in `name: "prod"`',
    ],
    [
      { name: "a", mode: "Mixed" },
      'property-invalid: mode of make() is "Mixed"; allowed: "strict", "mixed"; write "mixed"',
    ],
    [
      { name: "a", mode: "loose" },
      'property-invalid: mode of make() is "loose"; allowed: "strict", "mixed"; correct the value',
    ],
    [
      { name: "a", on: 1 },
      "property-invalid: on of make() is 1, a number; allowed: true, false; correct the value",
    ],
    [
      { name: "a", names: "worker" },
      'property-invalid: names of make() is "worker", a string; allowed: an array, each element a string; correct the value',
    ],
    [
      { name: "a", names: ["b", undefined] },
      "property-invalid: names[1] of make() is undefined; allowed: a string; correct the value",
    ],
    [
      { name: "a", tags: { "a.b": 1 } },
      'property-invalid: tags["a.b"] of make() is 1, a number; allowed: a string; write it as in `tags: { team: "shop" }`',
    ],
    [
      { name: "a", tags: new Map([["a", "b"]]) },
      'property-invalid: tags of make() is a Map; allowed: an object, each value a string; write it as in `tags: { team: "shop" }`',
    ],
    [
      { name: "a", inner: [{ path: "/a", mod: 1 }] },
      "property-unknown: inner[0].mod of make() is not a known property; allowed: mode, path; write mode",
    ],
    [
      { name: "a", from: { path: "/a", mod: 1 } },
      "property-unknown: from.mod of make() is not a known property; allowed: mode, path; write mode",
    ],
    [
      { name: "a", from: "a" },
      'property-invalid: from of make() is "a", a string; allowed: true, false, or an array, each element a string, or an object; write it as in `from: { path: "/etc/kubernetes/a.yaml" }`',
    ],
    [
      { name: "a", carrier: new Map() },
      "property-invalid: carrier of make() is a Map; allowed: a carrier; correct the value",
    ],
    [
      { name: "a", carrier: stack },
      "property-invalid: carrier of make() is a TerraformStack at s; allowed: a carrier; correct the value",
    ],
    [
      { name: "a", carrier: {} },
      "property-missing: carrier.carry of make() is missing; allowed: a function; state it",
    ],
    [
      { name: "a", mode: late.stringValue },
      "late-value: mode of make() is known only after Terraform apply, but is needed while synthesizing; allowed: a literal value; write the literal value, for example from configuration, instead of an attribute of a resource",
    ],
    [
      { name: "a", pools: "worker" },
      'property-invalid: pools of make() is "worker", a string; allowed: an array, each element a string; write it as in `pools: ["worker"]`',
    ],
    [
      { name: "a", pools: ["worker", 1] },
      'property-invalid: pools[1] of make() is 1, a number; allowed: a string; write it as in `pools: ["worker"]`',
    ],
    [
      { name: "a", inner: { path: "/a" } },
      'property-invalid: inner of make() is an object; allowed: an array, each element an object; write it as in `inner: [{ path: "/etc/kubernetes/a.yaml" }]`',
    ],
    [
      { name: "a", cluster: "prod" },
      'property-invalid: cluster of make() is "prod", a string; allowed: a cluster: openShift() or eks(), or an array of them; write it as in `cluster: openShift(…)`',
    ],
    [
      { name: "a", cluster: function openShift() {} },
      "property-invalid: cluster of make() is the function openShift; allowed: a cluster: openShift() or eks(), or an array of them; write it as in `cluster: openShift(…)`",
    ],
    [
      { name: "a", cluster: { name: "prod" } },
      "property-missing: cluster of make() is an object without `kind`; allowed: a cluster: openShift() or eks(); call one of these functions, as in `cluster: openShift(…)`",
    ],
    [
      { name: "a", cluster: [{ kind: "hub" }] },
      'property-invalid: cluster[0] of make() is an object whose `kind` is "hub", a string; allowed: a cluster: openShift() or eks(); call one of these functions, as in `cluster: openShift(…)`',
    ],
    [
      { name: "a", cluster: { kind: "cluster", nodes: { path: 1 } } },
      'property-invalid: cluster.nodes.path of make() is 1, a number; allowed: a string; write it as in `path: "/etc/kubernetes/a.yaml"`',
    ],
    [
      { name: "a", names: ["undefined/web"] },
      'property-invalid: names[0] of make() has the part `undefined`, as template literals write a value that is not there, got "undefined/web"; allowed: a text whose parts are all known; check the variable from which the text is built',
    ],
  ])("says of %j what is wrong", (given, expected) => {
    expect(message(given)).toBe(expected);
  });

  it("takes no boolean of Terraform for one that must be known", () => {
    expect(message({ name: "a", on: late.booleanValue })).toMatch(/^late-value: on of make\(\) /);
  });

  it("names an argument that is not the only one", () => {
    const check = (given: unknown): void => checkGiven("make()", list(anyObject), given as never, "requests");
    expect(() => check("a")).toThrowError('requests of make() is "a", a string');
    expect(() => check([1])).toThrowError("requests[0] of make() is 1, a number");
    expect(() => checkGiven("make()", PROPS, {} as never, "options")).toThrowError("options.name of make()");
  });

  it("puts the path of the construct that was to be made before the message", () => {
    expect(() => checkProps("Thing", stack, "thing", PROPS, {} as never)).toThrowError(
      "s/thing: name of Thing is missing",
    );
    expect(() => checkProps("Thing", stack.node.root, "thing", PROPS, undefined as never)).toThrowError(
      /^thing: props of Thing is missing/,
    );
  });
});

describe("unfilledPart", () => {
  it.each([
    ["undefined/web", "undefined"],
    ["shop/null", "null"],
    ["arn:aws:iam::NaN:role/a", "NaN"],
    ["https://undefined/prod", "undefined"],
    ["[object Object]", "[object Object]"],
    ["shop/[object Object]", "[object Object]"],
    ["shop/is-undefined", undefined],
    ["null.example.com/web", undefined],
    ["shop/nan", undefined],
    ["exec >/dev/null", undefined],
    ["/dev/null", undefined],
    ["may be null / undefined", undefined],
  ])("of %s is %s", (name, expected) => {
    expect(unfilledPart(name)).toBe(expected);
  });
});

describe("nearestName", () => {
  it.each([
    ["permissionBoundary", "permissionsBoundary"],
    ["declareServiceAcount", "declareServiceAccount"],
    ["tokenAudiences", "tokenAudience"],
    ["pool", "pools"],
    ["Region", "region"],
    ["provider", undefined],
    ["x", undefined],
  ])("is for %s %s", (name, expected) => {
    const known = ["permissionsBoundary", "declareServiceAccount", "tokenAudience", "pools", "region"];
    expect(nearestName(name, known)).toBe(expected);
  });
});
