import { describe, expect, it } from "vitest";
import { readWorkloadIdentity } from "../../lib/artefact/workload-identity-file";

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

  it.each([
    ["nothing", undefined, "is not JSON"],
    ["a list", [], "is not a JSON object"],
    ["no version", { ...valid, version: undefined }, "has version undefined"],
    ["another version", { ...valid, version: 1 }, "has version 1, not 2"],
    ["no stack", { ...valid, stack: undefined }, "has no valid stack"],
    ["a stack that is a path", { ...valid, stack: "../prod" }, "has no valid stack"],
    ["no clusters", { ...valid, clusters: undefined }, "has no valid clusters"],
    ["clusters that are an object", { ...valid, clusters: {} }, "has no valid clusters"],
    ["a cluster that is null", { ...valid, clusters: [null] }, "has no valid clusters"],
    [
      "a manifest for nothing that is known",
      { ...valid, manifests: [{ file: "manifests/a.yaml", appliesTo: "all" }] },
      "has no valid stack, manifests, nodes or pods",
    ],
    [
      "a spoke that is no name",
      { ...valid, nodes: [{ file: "nodes/a.yaml", spoke: null }] },
      "has no valid stack, manifests, nodes or pods",
    ],
    ["pods that are null", { ...valid, pods: [null] }, "has no valid stack, manifests, nodes or pods"],
    [
      "an output without expression",
      { ...valid, placeholders: { a: { output: "x", path: ["x"] } } },
      "has no valid placeholders",
    ],
    [
      "an object that is too deep",
      { ...valid, clusters: [JSON.parse('{"a":'.repeat(300) + "1" + "}".repeat(300))] },
      "is nested deeper than 200 levels",
    ],
    ["no manifests", { ...valid, manifests: undefined }, "has no valid stack, manifests, nodes or pods"],
    [
      "a file outside",
      { ...valid, manifests: [{ file: "manifests/../../x.yaml" }] },
      "has no valid stack, manifests",
    ],
    [
      "an absolute file",
      { ...valid, nodes: [{ file: "/etc/passwd" }] },
      "has no valid stack, manifests, nodes or pods",
    ],
    [
      "a file of another folder",
      { ...valid, pods: [{ file: "charts/x.yaml" }] },
      "has no valid stack, manifests, nodes or pods",
    ],
    ["no placeholders", { ...valid, placeholders: [] }, "has no valid placeholders"],
    ["a placeholder of neither kind", { ...valid, placeholders: { a: {} } }, "has no valid placeholders"],
    [
      "an unknown encoding",
      { ...valid, placeholders: { a: { encoding: "rot13", text: "" } } },
      "has no valid placeholders",
    ],
    [
      "an output without path",
      { ...valid, placeholders: { a: { output: "x" } } },
      "has no valid placeholders",
    ],
  ])("refuses %s", (_, document, reason) => {
    expect(() =>
      readWorkloadIdentity(JSON.stringify(document) ?? "", "dir/workload-identity.json"),
    ).toThrowError(
      expect.objectContaining({
        code: "bind-invalid",
        value: "dir/workload-identity.json",
        problem: expect.stringContaining(reason) as unknown,
      }),
    );
  });
});
