import { synthStack } from "cdktf-workload-identity/testing";
import { expect, it } from "vitest";
import { ProdEu } from "./stack.js";

const stack = synthStack((app) => new ProdEu(app, "prod-eu"));
const registry = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";

it("lets shop/web pull its image, and not that of shop/jobs", () => {
  expect(stack).toAllowPull({ serviceAccount: "shop/web", image: `${registry}/shop/web:v1` });
  expect(stack).toDenyPull({ serviceAccount: "shop/web", image: `${registry}/shop/jobs:v1` });
});
