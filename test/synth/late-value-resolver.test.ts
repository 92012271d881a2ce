import { ApiObject, App, Chart } from "cdk8s";
import { Fn, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { LateEncoding } from "../../lib/model/late";
import { LateValueResolver } from "../../lib/synth/late-value-resolver";
import { stackFilesOf, stackFixture } from "../fixtures/synth/stack-fixture";

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

  it.each<[string, (fixture: ReturnType<typeof stackFixture>) => object, string]>([
    [
      "a number",
      ({ data }) => ({ spec: { n: data.getNumberAttribute("n") } }),
      "ConfigMap n/x: spec.n is a late number",
    ],
    [
      "a list",
      ({ data }) => ({ spec: { l: data.getListAttribute("l") } }),
      "ConfigMap n/x: spec.l[0] is a late list",
    ],
    [
      "a map",
      ({ data }) => ({ spec: { m: data.getStringMapAttribute("m") } }),
      "ConfigMap n/x: spec.m is a late map",
    ],
    ["a late key", ({ data }) => ({ data: { [data.id]: "x" } }), "ConfigMap n/x: data has a key"],
    [
      "a late name",
      ({ data }) => ({ metadata: { name: data.id } }),
      "name is known only after Terraform apply, but it says which object",
    ],
    [
      "a literal placeholder",
      () => ({ metadata: { name: "x", annotations: { a: "@late(b)@" } } }),
      "ConfigMap x: metadata.annotations.a holds the text that begins a placeholder",
    ],
  ])("refuses %s", (_, props, message) => {
    const fixture = stackFixture();
    // cdk8s wraps errors in its own and keeps only their text.
    expect(() => ownObject(fixture, props(fixture))).toThrowError(message);
  });
});
