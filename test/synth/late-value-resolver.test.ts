import { ApiObject, App, Chart } from "cdk8s";
import { Fn, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { LateEncoding } from "../../lib/model/late";
import { LateValueResolver } from "../../lib/synth/late-value-resolver";
import {
  LateData,
  addAccount,
  stackFilesOf,
  stackFixture,
  temporaryFolder,
} from "../fixtures/synth/stack-fixture";

/** A user's own cdk8s app with one object. */
function ownObject(fixture: ReturnType<typeof stackFixture>, props: object): Record<string, unknown> {
  const chart = new Chart(new App({ resolvers: [new LateValueResolver(fixture.stack)] }), "own");
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: "n" }, ...props };
  new ApiObject(chart, "x", object as ConstructorParameters<typeof ApiObject>[2]);
  return (chart.toJson() as Record<string, unknown>[])[0] ?? {};
}

describe("LateValueResolver", () => {
  it("puts placeholders into the charts of another cdk8s app", () => {
    const fixture = stackFixture();
    const { data } = fixture;
    const object = ownObject(fixture, {
      metadata: { name: "x", annotations: { a: `x${data.id}`, b: "plain ${x}" }, labels: { l: data.id } },
      data: { list: [data.id], upper: Fn.upper(data.id), encoded: new LateEncoding("base64", data.id) },
    });
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "x",
        annotations: { a: "x@late(terraform_data.d.id)@", b: "plain ${x}" },
        labels: { l: "@late(terraform_data.d.id)@" },
      },
      data: {
        list: ["@late(terraform_data.d.id)@"],
        upper: "@late(output.terraform_data_d_id_6b616c3e)@",
        encoded: expect.stringMatching(/^@late\(base64\.[0-9a-f]{16}\)@$/) as unknown,
      },
    });
  });

  it("declares the outputs and records the placeholders in the stack", () => {
    const fixture = stackFixture();
    ownObject(fixture, { data: { a: fixture.data.id } });
    const { output } = JSON.parse(Testing.synth(fixture.stack)) as { output: object };
    expect(Object.keys(output)).toEqual(["terraform_data_d_id"]);
    fixture.app.synth();
    const files = stackFilesOf(fixture.app);
    expect(Object.keys(files)).toEqual(["workload-identity.json"]);
    expect(JSON.parse(files["workload-identity.json"] ?? "")).toMatchObject({
      manifests: [],
      placeholders: { "@late(terraform_data.d.id)@": { output: "terraform_data_d_id" } },
    });
  });

  it.each([
    ["has manifests", (fixture: ReturnType<typeof stackFixture>) => addAccount(fixture.manifests, "x")],
    ["has a late value elsewhere", ({ manifests, data }) => addAccount(manifests, data.output)],
  ] satisfies [string, (fixture: ReturnType<typeof stackFixture>) => unknown][])(
    "refuses a new late value once the stack is written and %s",
    (_, prepare) => {
      const fixture = stackFixture();
      prepare(fixture);
      fixture.app.synth();
      const run = (): unknown => ownObject(fixture, { data: { a: fixture.data.id } });
      const message =
        /data\.a has a late value without an output, .*\$\{terraform_data\.d\.id\}.*call synth\(\) of the cdk8s app before/;
      expect(run).toThrowError(message);
      expect(run, "not only the first time").toThrowError(message);
    },
  );

  it("refuses a late value where the stack was written before there was a resolver", () => {
    const app = Testing.app({ outdir: temporaryFolder() });
    const stack = new TerraformStack(app, "prod");
    const data = new LateData(stack, "d");
    app.synth();
    const chart = new Chart(new App({ resolvers: [new LateValueResolver(stack)] }), "own");
    new ApiObject(chart, "x", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", labels: { l: data.id } },
    });
    expect(() => chart.toJson()).toThrowError("call synth() of the cdk8s app before");
  });

  it("takes a late value of which the written stack has an output, and literals", () => {
    const fixture = stackFixture();
    addAccount(fixture.manifests, fixture.data.id);
    fixture.app.synth();
    const { data } = ownObject(fixture, { data: { a: fixture.data.id, b: "plain" } });
    expect(data).toEqual({ a: "@late(terraform_data.d.id)@", b: "plain" });
  });

  it("takes new late values again where the stack is written once more", () => {
    const fixture = stackFixture();
    fixture.app.synth();
    fixture.manifests.render();
    ownObject(fixture, { data: { a: fixture.data.id } });
    fixture.app.synth();
    expect(stackFilesOf(fixture.app)["workload-identity.json"]).toContain("@late(terraform_data.d.id)@");
  });

  // What else is refused, and the words, are in late-values.test.ts.
  it.each<[string, (data: LateData) => object, string]>([
    ["a number", (data) => ({ spec: { n: data.getNumberAttribute("n") } }), "spec.n is a late number"],
    ["a list", (data) => ({ spec: { l: data.getListAttribute("l") } }), "spec.l[0] is a late list"],
    ["a map", (data) => ({ spec: { m: data.getStringMapAttribute("m") } }), "spec.m is a late map"],
    ["a late key", (data) => ({ data: { [data.id]: "x" } }), "ConfigMap n/x: data has a key"],
    ["a late name", (data) => ({ metadata: { name: data.id } }), "name is known only after Terraform apply"],
  ])("refuses %s", (_, props, message) => {
    const fixture = stackFixture();
    // cdk8s wraps errors in its own and keeps only their text.
    expect(() => ownObject(fixture, props(fixture.data))).toThrowError(message);
  });
});
