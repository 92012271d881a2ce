/* The lines for Jest in docs/testing.md, run with Jest's own `expect`. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TerraformStack } from "cdktf";
import { expect as jestExpect } from "expect";
import { afterAll, describe, expect, it } from "vitest";
import { Manifests } from "../../lib/synth/manifests";
import * as testing from "../../lib/testing";
import { addAccount } from "../fixtures/synth/stack-fixture";

type Matcher = (expected?: unknown) => void;
type Matchers = Readonly<Record<string, Matcher>> & { readonly not: Readonly<Record<string, Matcher>> };

const page = readFileSync(resolve(__dirname, "../../docs/testing.md"), "utf8");
const [, code = ""] = /```js\n(const testing[^]*?)```/.exec(page) ?? [];
new Function("require", "expect", code)((name: string) => {
  expect(name).toBe("cdktf-workload-identity/testing");
  return testing;
}, jestExpect);

const stack = testing.synthStack((app) => {
  const prod = new TerraformStack(app, "prod");
  addAccount(Manifests.of(prod), "x");
  return prod;
});
afterAll(() => stack.remove());

const pull = {
  serviceAccount: "shop/web",
  image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1",
};
const claims = { iss: "https://issuer.example", sub: "system:serviceaccount:shop:web", aud: "a" };

describe("the matchers for Jest", () => {
  it.each([
    ["toAllowPull", testing.allowsPull(stack, pull), pull],
    ["toDenyPull", testing.deniesPull(stack, pull), pull],
    ["toAllowAssume", testing.allowsAssume(stack, claims), claims],
    ["toRejectAssume", testing.rejectsAssume(stack, claims), claims],
    ["toHaveNoLateValues", testing.hasNoLateValues(stack), undefined],
  ])("%s holds where the function does, and fails with its text", (matcher, { holds, text }, expected) => {
    const { not, ...does } = jestExpect(stack) as unknown as Matchers;
    const [right, wrong] = holds ? [does, not] : [not, does];
    right[matcher]?.(expected);
    expect(() => wrong[matcher]?.(expected)).toThrow(text);
  });

  it("hold somewhere, and somewhere not", () => {
    expect([testing.hasNoLateValues(stack).holds, testing.allowsPull(stack, pull).holds]).toEqual([
      true,
      false,
    ]);
  });
});
