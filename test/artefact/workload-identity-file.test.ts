import { describe, expect, it } from "vitest";
import { readWorkloadIdentity } from "../../lib/artefact/workload-identity-file";
import { refusal } from "../support/refusal";
import { rowsOf } from "../support/tables";

const valid = {
  version: 2,
  stack: "prod-eu",
  clusters: [{ name: "prod-eu" }],
  manifests: [{ file: "manifests/20-service-accounts.yaml", appliesTo: "cluster" }],
  nodes: [{ file: "nodes/all-nodes.yaml" }],
  placeholders: {
    "@late(a.b.c)@": { output: "a_b_c", path: ["prod-eu", "Manifests", "a_b_c"], expression: "${a.b.c}" },
    "@late(data-url.00)@": { encoding: "data-url", text: "@late(a.b.c)@" },
  },
};

describe("readWorkloadIdentity", () => {
  it("reads what the writer writes", () => {
    expect(readWorkloadIdentity(JSON.stringify(valid), "f")).toEqual(valid);
  });

  it.each(
    rowsOf<unknown>({
      "is not JSON": { nothing: undefined },
      "is not a JSON object": { "a list": [] },
      "has version undefined": { "no version": { ...valid, version: undefined } },
      "has version 1, not 2": { "another version": { ...valid, version: 1 } },
      "has no valid stack": {
        "no stack": { ...valid, stack: undefined },
        "a stack that is a path": { ...valid, stack: "../prod" },
      },
      "has no valid clusters": {
        "no clusters": { ...valid, clusters: undefined },
        "clusters that are an object": { ...valid, clusters: {} },
        "a cluster that is null": { ...valid, clusters: [null] },
      },
      "has no valid stack, manifests, nodes, pods or registries": {
        "a manifest for nothing that is known": {
          ...valid,
          manifests: [{ file: "manifests/a.yaml", appliesTo: "all" }],
        },
        "a spoke that is no name": { ...valid, nodes: [{ file: "nodes/a.yaml", spoke: null }] },
        "pods that are null": { ...valid, pods: [null] },
        "no manifests": { ...valid, manifests: undefined },
        "an absolute file": { ...valid, nodes: [{ file: "/etc/passwd" }] },
        "a file of another folder": { ...valid, pods: [{ file: "charts/x.yaml" }] },
      },
      "has no valid placeholders": {
        "an output without expression": { ...valid, placeholders: { a: { output: "x", path: ["x"] } } },
        "no placeholders": { ...valid, placeholders: [] },
        "a placeholder of neither kind": { ...valid, placeholders: { a: {} } },
        "an unknown encoding": { ...valid, placeholders: { a: { encoding: "rot13", text: "" } } },
        "an output without path": { ...valid, placeholders: { a: { output: "x" } } },
      },
      "is nested deeper than 200 levels": {
        "an object that is too deep": {
          ...valid,
          clusters: [JSON.parse('{"a":'.repeat(300) + "1" + "}".repeat(300))],
        },
      },
      "has no valid stack, manifests": {
        "a file outside": { ...valid, manifests: [{ file: "manifests/../../x.yaml" }] },
      },
    }),
  )("refuses %s", (_, document, reason) => {
    expect(() =>
      readWorkloadIdentity(JSON.stringify(document) ?? "", "dir/workload-identity.json"),
    ).toThrowError(refusal(`bind-invalid: ${reason}`, { value: "dir/workload-identity.json" }));
  });
});
