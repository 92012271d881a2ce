/* The lines for Jest in docs/testing.md, run with vitest's `expect`, whose `extend` has Jest's contract. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TerraformStack } from "cdktf";
import { expect, it } from "vitest";
import { Manifests } from "../../lib/synth/manifests";
import * as testing from "../../lib/testing";
import { addAccount } from "../fixtures/synth/stack-fixture";

it("makes matchers of the functions", () => {
  const page = readFileSync(resolve(__dirname, "../../docs/testing.md"), "utf8");
  const [, code = ""] = /```js\n(const \{ allowsPull[^]*?)```/.exec(page) ?? [];
  const extended: Record<
    string,
    (stack: unknown, expected: unknown) => { pass: boolean; message: () => string }
  > = {};
  const extend = (matchers: object): void => void Object.assign(extended, matchers);
  new Function("require", "expect", code)(() => testing, { extend });
  expect(Object.keys(extended)).toEqual(["toAllowPull", "toDenyPull"]);

  const stack = testing.synthStack((app) => {
    const prod = new TerraformStack(app, "prod");
    addAccount(Manifests.of(prod), "x");
    return prod;
  });
  const pull = {
    serviceAccount: "shop/web",
    image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1",
  };
  const { holds, text } = testing.allowsPull(stack, pull);
  const result = extended["toAllowPull"]?.(stack, pull);
  expect([result?.pass, result?.message()]).toEqual([holds, text]);
  expect(holds).toBe(false);
  expect(testing.stackText(stack)).toBe(testing.stackText(stack));
  stack.remove();
});
