import { ApiObject } from "cdk8s";
import { describe, expect, it } from "vitest";
import { ConfigMap, Secret } from "../../lib/kubernetes";
import type { ChartOptions } from "../../lib/model/manifest-sink";
import { filesOf, stackFixture } from "../fixtures/synth/stack-fixture";

const place = { namespace: "shop", name: "creds" };

/** Two files, the second with other options where a row says so. */
function charts(options: Partial<ChartOptions> = {}): ReturnType<typeof stackFixture> & {
  readonly one: ReturnType<ReturnType<typeof stackFixture>["manifests"]["chart"]>;
  readonly two: ReturnType<ReturnType<typeof stackFixture>["manifests"]["chart"]>;
} {
  const fixture = stackFixture();
  return {
    ...fixture,
    one: fixture.manifests.chart("one", { order: 1 }),
    two: fixture.manifests.chart("two", { order: 2, ...options }),
  };
}

describe("an object that is written whole", () => {
  it("is refused in two files, and nothing is written", () => {
    const { app, one, two } = charts();
    new Secret(one, "s", { ...place, stringData: { a: "1" } });
    new Secret(two, "s", { ...place, stringData: { b: "2" } });
    expect(() => app.synth()).toThrowError(
      expect.objectContaining({
        code: "manifest-conflict",
        message:
          "prod: Secret shop/creds is written twice, to manifests/01-one.yaml and to manifests/02-two.yaml, and whichever is applied last would replace the other; allowed: each Secret and ConfigMap once per cluster; put all its keys into one, or give one of them another name",
      }),
    );
    expect(Object.keys(filesOf(app.outdir)).filter((file) => file.endsWith(".yaml"))).toEqual([]);
  });

  it("is refused twice in one file", () => {
    const { manifests, one } = charts();
    for (const id of ["a", "b"]) new ConfigMap(one, id, { ...place, data: { [id]: "1" } });
    expect(() => manifests.render()).toThrowError(expect.objectContaining({ code: "manifest-conflict" }));
  });

  it("may have the name of another kind, of another group's, of another namespace, or of another cluster's", () => {
    const { manifests, one, two } = charts({ appliesTo: "management-cluster" });
    new Secret(one, "s", { ...place, stringData: { a: "1" } });
    new ConfigMap(one, "c", { ...place, data: { a: "1" } });
    new Secret(one, "o", { ...place, namespace: "other", stringData: { a: "1" } });
    new ApiObject(one, "x", { apiVersion: "example.com/v1", kind: "Secret", metadata: place });
    new Secret(two, "s", { ...place, stringData: { a: "1" } });
    expect([...manifests.render().keys()]).toEqual([
      "manifests/01-one.yaml",
      "manifests/02-two.yaml",
      "workload-identity.json",
    ]);
  });
});
