import { ApiObject } from "cdk8s";
import {
  Fn,
  Lazy,
  TerraformIterator,
  TerraformLocal,
  TerraformVariable,
  Token,
  conditional,
  propertyAccess,
  type TerraformStack,
} from "cdktf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LateEncoding, LateText, encode, encodeNow } from "../../lib/model/late";
import { boundFiles } from "../../lib/synth/bind/bound-files";
import { readTerraformOutputs } from "../../lib/synth/bind/outputs";
import {
  addAccount,
  stackFixture,
  temporaryFolder,
  type LateData,
  type StackFixture,
} from "../fixtures/synth/stack-fixture";
import { parse } from "yaml";

const where = (): string => "file: Kind ns/name: path";

describe("text", () => {
  it.each<[string, (data: LateData, stack: TerraformStack) => string, string, unknown]>([
    ["a literal", () => "a ${b} %{c} $${d}", "a ${b} %{c} $${d}", {}],
    [
      "an attribute",
      (d) => d.id,
      "@late(terraform_data.d.id)@",
      { output: "terraform_data_d_id", expression: "${terraform_data.d.id}" },
    ],
    [
      "an attribute in text",
      (d) => `x\${y}${d.id}z`,
      "x${y}@late(terraform_data.d.id)@z",
      { output: "terraform_data_d_id" },
    ],
    [
      "a nested attribute",
      (d) => Token.asString(propertyAccess(d.output, ["a", 0, "b"])),
      "@late(terraform_data.d.output.a.0.b)@",
      { output: "terraform_data_d_output_a_0_b" },
    ],
    [
      "a quoted index: more than a reference",
      (d) => Token.asString(propertyAccess(d.output, ["a/b"])),
      "@late(output.terraform_data_d_output_c6bd0cf7)@",
      { output: "terraform_data_d_output_c6bd0cf7", expression: '${terraform_data.d.output["a/b"]}' },
    ],
    [
      "a function",
      (d) => Fn.upper(d.id),
      "@late(output.terraform_data_d_id_6b616c3e)@",
      { output: "terraform_data_d_id_6b616c3e", expression: "${upper(terraform_data.d.id)}" },
    ],
    [
      "a condition",
      (d) => Token.asString(conditional(d.id, "a", "b")),
      "@late(output.terraform_data_d_id_0c63ed69)@",
      { expression: '${terraform_data.d.id ? "a" : "b"}' },
    ],
    [
      "a variable",
      (_, stack) => new TerraformVariable(stack, "v", {}).stringValue,
      "@late(var.v)@",
      { output: "var_v" },
    ],
    [
      "a local",
      (_, stack) => new TerraformLocal(stack, "l", "x").asString,
      "@late(local.l)@",
      { output: "local_l" },
    ],
    ["a lazy literal", () => Lazy.stringValue({ produce: () => "now" }), "now", {}],
    ["a lazy attribute", (d) => Lazy.stringValue({ produce: () => d.id }), "@late(terraform_data.d.id)@", {}],
    [
      "a function without reference",
      () => Fn.timestamp(),
      "@late(output.expression_8cde7b24)@",
      { expression: "${timestamp()}" },
    ],
  ])("%s", (_, value, text, entry) => {
    const { data, stack, manifests } = stackFixture();
    expect(manifests.late.text(value(data, stack), where)).toBe(text);
    expect(Object.values(manifests.late.placeholders)[0] ?? {}).toMatchObject(entry as object);
  });

  it("gives one placeholder and one output to one value, however often it is read", () => {
    const { data, manifests } = stackFixture();
    const texts = [
      data.id,
      data.getStringAttribute("id"),
      Fn.upper(data.id),
      Fn.upper(data.getStringAttribute("id")),
    ];
    const placed = texts.map((text) => manifests.late.text(text, where));
    expect(new Set(placed).size).toBe(2);
    expect(Object.keys(manifests.late.placeholders)).toEqual([...new Set(placed)].sort());
  });

  it("keeps the outputs of references apart that differ only in their dots", () => {
    const { data, manifests } = stackFixture();
    const read = (name: string): string => manifests.late.text(data.getStringAttribute(name), where);
    expect([read("a_b"), read("a.b")]).toEqual([
      "@late(terraform_data.d.a_b)@",
      "@late(terraform_data.d.a.b)@",
    ]);
    const outputs = Object.values(manifests.late.placeholders).map(
      (entry) => "output" in entry && entry.output,
    );
    expect(new Set(outputs).size).toBe(2);
  });
});

describe("encoded text", () => {
  it("stands for its template, which holds placeholders and no late value", () => {
    const { data, manifests } = stackFixture();
    const content = `{"id":"${data.id}"}`;
    const placed = manifests.late.text(new LateEncoding("data-url", content), where);
    expect(placed).toMatch(/^@late\(data-url\.[0-9a-f]{16}\)@$/);
    expect(manifests.late.placeholders[placed]).toEqual({
      encoding: "data-url",
      text: '{"id":"@late(terraform_data.d.id)@"}',
    });
    expect(manifests.late.text(new LateEncoding("data-url", content), where)).toBe(placed);
    expect(manifests.late.text(new LateEncoding("base64", content), where)).not.toBe(placed);
  });

  it("is encoded at once where its late values turn out literal", () => {
    const { manifests } = stackFixture();
    const lazy = Lazy.stringValue({ produce: () => "é" });
    expect(manifests.late.text(new LateEncoding("base64", lazy), where)).toBe(encodeNow("base64", "é"));
  });

  it("goes through cdk8s as a whole value and inside of text", () => {
    const { data, manifests } = stackFixture();
    const encoded = encode("data-url", `id ${data.id}`);
    if (!(encoded instanceof LateEncoding)) throw new Error("literal");
    new ApiObject(manifests.chart("config", { order: 40 }), "x", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x" },
      data: { whole: encoded, list: [encoded], text: new LateText(["source: '", encoded, "'\n"]) },
    });
    const text = manifests.render().get("manifests/40-config.yaml") ?? "";
    const name =
      Object.keys(manifests.late.placeholders).find((key) => key.startsWith("@late(data-url.")) ?? "?";
    expect(parse(text)).toMatchObject({ data: { whole: name, list: [name], text: `source: '${name}'\n` } });
  });
});

describe("refusals", () => {
  const file = "prod: manifests/20-service-accounts.yaml: ServiceAccount shop/web: ";
  const path = 'metadata.annotations["example.com/id"]';

  it.each<[string, (fixture: StackFixture) => unknown, string, string]>([
    [
      "a number",
      ({ data }) => data.getNumberAttribute("x"),
      "manifest-unsupported",
      `${file}${path} is a late number`,
    ],
    [
      "a number in text",
      ({ data }) => `x${data.getNumberAttribute("x")}`,
      "manifest-unsupported",
      `${path} is a late number`,
    ],
    [
      "a list",
      ({ data }) => data.getListAttribute("x"),
      "manifest-unsupported",
      `${path}[0] is a late list or map`,
    ],
    [
      "a list of numbers",
      ({ data }) => data.getNumberListAttribute("x"),
      "manifest-unsupported",
      `${path}[0] is a late number`,
    ],
    ["a map", ({ data }) => data.getStringMapAttribute("x"), "manifest-unsupported", `${path} is a late map`],
    ["a late key", ({ data }) => ({ [data.id]: "x" }), "manifest-unsupported", `${path} has a key`],
    [
      "a value of an iterator",
      () => TerraformIterator.fromList(["a"]).value as unknown,
      "manifest-unsupported",
      `${path} refers to a value that exists only inside a Terraform block, got "each.value"`,
    ],
    ["a literal placeholder", () => "x @late(a.b)@", "manifest-invalid", `${path} contains the text @late(`],
    ["half a literal placeholder", () => "@late(", "manifest-invalid", path],
    ["one beside a late value", ({ data }) => `${data.id}@late(`, "manifest-invalid", path],
    [
      "one in an encoded text",
      ({ data }) => new LateEncoding("base64", `${data.id}@late(`),
      "manifest-invalid",
      path,
    ],
  ])("%s", (_, value, code, message) => {
    const fixture = stackFixture();
    addAccount(fixture.manifests, value(fixture));
    expect(() => fixture.app.synth()).toThrowError(
      expect.objectContaining({ code, message: expect.stringContaining(message) as unknown }),
    );
  });

  it.each(["apiVersion", "kind", "metadata.name", "metadata.namespace"])("a late %s", (field) => {
    const { app, data, manifests } = stackFixture();
    const late = (name: string, literal: string): string => (name === field ? data.id : literal);
    new ApiObject(manifests.chart("x", { order: 1 }), "x", {
      apiVersion: late("apiVersion", "v1"),
      kind: late("kind", "X"),
      metadata: { name: late("metadata.name", "x"), namespace: late("metadata.namespace", "n") },
    });
    expect(() => app.synth()).toThrowError(
      expect.objectContaining({
        code: "manifest-unsupported",
        message: expect.stringContaining(`prod: manifests/01-x.yaml: ${field} is known only`) as unknown,
      }),
    );
  });
});

describe("placeholder, outputs, bind", () => {
  const FILE = "manifests/01-x.yaml";

  it("give back every text around every value, in plain and in encoded form, and leak nothing", () => {
    const text = fc
      .string({ unit: "binary" })
      .map((value) => value.replaceAll(/@late\(|TfToken|e\+298/g, ""));
    const outdir = temporaryFolder();
    const value = text.filter((candidate) => candidate !== "");
    fc.assert(
      fc.property(text, text, value, (before, after, late) => {
        const { data, manifests } = stackFixture(outdir);
        const whole = `${before}${data.id}${after}`;
        new ApiObject(manifests.chart("x", { order: 1 }), "x", {
          apiVersion: "v1",
          kind: "X",
          metadata: { name: "x" },
          data: {
            plain: whole,
            encoded: new LateEncoding("base64", whole),
            mixed: new LateText([before, new LateEncoding("data-url", whole)]),
          },
        });
        const files = manifests.render();
        expect([...files.values()].join("")).not.toContain("TfToken");
        const outputs = readTerraformOutputs(
          JSON.stringify({ terraform_data_d_id: { value: late, type: "string", sensitive: false } }),
          "o",
        );
        const manifest = new Map([[FILE, files.get(FILE) ?? ""]]);
        const bound = boundFiles({
          stack: "prod",
          placeholders: manifests.late.placeholders,
          clusters: [],
          files: manifest,
          outputs,
        });
        const expected = `${before}${late}${after}`;
        expect(parse(bound.get(FILE) ?? "")).toMatchObject({
          data: {
            plain: expected,
            encoded: encodeNow("base64", expected),
            mixed: `${before}${encodeNow("data-url", expected)}`,
          },
        });
      }),
      { numRuns: 100 },
    );
  });
});
