import fc from "fast-check";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { TerraformOutput } from "cdktf";
import { stackText, synthStack } from "../../lib/testing";
import { record } from "../support/json";
import { aroHcp, emptyStack, prodEu, threeClouds } from "./stacks";

const ENCODED = [
  {
    tag: "!data-url",
    resolve: (text: string) => `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`,
  },
  { tag: "!json", resolve: (text: string) => ({ json: JSON.parse(text) as unknown }) },
  { tag: "!yaml", resolve: (text: string) => ({ yaml: documents(text) }) },
];

/** The values of a text, with what it decoded encoded again. */
function documents(text: string): unknown[] {
  return parseAllDocuments(text, { version: "1.1", customTags: ENCODED }).map((each) => {
    expect(each.errors).toEqual([]);
    return each.toJS() as unknown;
  });
}

it.each([
  ["openshift-aws", prodEu],
  ["aro-hcp", aroHcp],
  ["three-clouds", threeClouds],
] as const)("%s: the manifests can be read back, and the same synth gives the same text", (_, build) => {
  const stack = build();
  const text = stackText(stack);
  const [, ...rest] = documents(text);
  const objects = rest.slice(0, stack.manifests.length);
  expect(objects).toEqual(stack.manifests.map(withEmbeddedYaml));
  expect(stackText(build())).toBe(text);
});

function withEmbeddedYaml(object: unknown): unknown {
  const config = record(record(object)["data"])["config"];
  return typeof config === "string"
    ? { ...record(object), data: { config: { yaml: documents(config) } } }
    : object;
}

it("holds no versions, no folders of this machine, no notes, and decodes what is encoded", () => {
  const stack = prodEu();
  const text = stackText(stack);
  expect(text).not.toContain(process.cwd());
  expect(text).not.toContain(stack.outdir);
  expect(text).not.toContain("base64,");
  expect(text).not.toContain('"//"');
  expect(text).not.toMatch(/uniqueId|stackName|source: aws\n +version/);
  expect(text).toMatch(/^ +assume_role_policy: !json \|\n +\{\n +"Statement": \[/m);
  expect(text).toMatch(/source: !data-url \|\n(?: +#.*\n)* +apiVersion: kubelet\.config\.k8s\.io\/v1\n/);
  expect(text).toContain("# manifests/40-machine-configs.yaml\n");
});

it("loses no value of the configuration", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (value) => {
      const stack = synthStack((app) => {
        const built = emptyStack(app);
        new TerraformOutput(built, "out", {
          value: { a: JSON.stringify({ b: value }), c: value.replaceAll("${", "") },
        });
        return built;
      });
      const [configuration] = documents(stackText(stack));
      const outputs = record(record(stack.terraform["output"])["out"])["value"];
      const read = record(record(record(record(configuration as never)["output"])["out"])["value"]);
      stack.remove();
      expect(read["a"]).toEqual({ json: JSON.parse(String(record(outputs)["a"])) as unknown });
      if (!/^\s*[[{]/.test(value)) expect(read["c"]).toBe(record(outputs)["c"]);
    }),
    { numRuns: 50 },
  );
});

it("is what a snapshot shows", async () => {
  await import("cdktf-workload-identity/vitest");
  const stack = synthStack(emptyStack);
  expect(stack).toMatchInlineSnapshot(`
    # cdk.tf.json
    provider:
      aws:
        - allowed_account_ids:
            - "111122223333"
          region: eu-west-1
    terraform:
      backend:
        local:
          path: terraform.empty.tfstate
      required_providers:
        aws:
          source: aws
  `);
});
