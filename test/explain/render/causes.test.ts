import { describe, expect, it } from "vitest";
import { type AnyFinding, causesOf } from "../../../lib/explain/render/causes";

const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";

function finding(changes: Partial<AnyFinding> = {}): AnyFinding {
  return {
    ...{
      id: "repository-permitted",
      severity: "error",
      job: "image-pull",
      stack: "prod",
      evidence: [],
      remedy: "",
    },
    subject: "shop/web",
    target: `${HOST}/base/node:20`,
    reason: "why",
    ...changes,
  };
}

describe("findings have one cause", () => {
  it.each<[string, readonly Partial<AnyFinding>[], string, string]>([
    [
      "that differ in the identity called after the service account",
      ["web", "jobs", "mail", "cart"].map((name) => ({
        subject: `shop/${name}`,
        reason: `role prod_shop_${name} lacks ecr:BatchGetImage on base/node`,
      })),
      `4 pulls (shop/web, shop/jobs, shop/mail, shop/cart pulls ${HOST}/base/node:20)`,
      "role prod_shop_web, prod_shop_jobs, prod_shop_mail, prod_shop_cart lacks ecr:BatchGetImage on base/node",
    ],
    [
      "that differ in the subject",
      ["web", "jobs"].map((name) => ({
        subject: `shop/${name}`,
        reason: `does not admit system:serviceaccount:shop:${name}: nothing allows it`,
      })),
      `2 pulls (shop/web, shop/jobs pulls ${HOST}/base/node:20)`,
      "does not admit system:serviceaccount:shop:web, system:serviceaccount:shop:jobs: nothing allows it",
    ],
    [
      "that differ in the image",
      ["node", "go"].map((name) => ({
        target: `${HOST}/base/${name}`,
        reason: `may not read arn:aws:ecr:eu-west-1:111122223333:repository/base/${name}`,
      })),
      `2 pulls (shop/web pulls ${HOST}/base/node, ${HOST}/base/go)`,
      "may not read arn:aws:ecr:eu-west-1:111122223333:repository/base/node, arn:aws:ecr:eu-west-1:111122223333:repository/base/go",
    ],
    [
      "that are many: the first of them, and how many more there are",
      ["a", "b", "c", "d", "e", "f"].map((name) => ({
        subject: `shop/${name}-1`,
        reason: `nothing lets shop/${name}-1 in`,
      })),
      `6 pulls (shop/a-1, shop/b-1, shop/c-1, shop/d-1 and 2 more pulls ${HOST}/base/node:20)`,
      "nothing lets shop/a-1, shop/b-1, shop/c-1, shop/d-1 and 2 more in",
    ],
    [
      "of names without anything in common",
      [
        { subject: "shop/web", reason: "nothing lets shop/web in" },
        { subject: "batch/jobs", reason: "nothing lets batch/jobs in" },
      ],
      `2 pulls (shop/web, batch/jobs pulls ${HOST}/base/node:20)`,
      "nothing lets shop/web, batch/jobs in",
    ],
    [
      "that differ in the service account's name alone",
      ["web", "jobs"].map((name) => ({ subject: `shop/${name}`, reason: `in shop, ${name} is missing` })),
      `2 pulls (shop/web, shop/jobs pulls ${HOST}/base/node:20)`,
      "in shop, web, jobs is missing",
    ],
    [
      "that differ in the namespace alone",
      ["shop", "batch"].map((name) => ({ subject: `${name}/web`, reason: `no namespace ${name}` })),
      `2 pulls (shop/web, batch/web pulls ${HOST}/base/node:20)`,
      "no namespace shop, batch",
    ],
  ])("%s", (_, changes, who, reason) => {
    const causes = causesOf(changes.map(finding));
    expect(causes.map((each) => [each.who, each.reason])).toEqual([[who, reason]]);
  });
});

it("several stacks are listed, not covered by a pattern that other stacks match", () => {
  const stacks = ["prod-a", "test-a", "dev-a"];
  const [cause] = causesOf(stacks.map((stack) => finding({ stack })));
  expect(cause?.stack).toBe("prod-a, test-a, dev-a");
});

describe("findings have causes of their own", () => {
  it.each<[string, Partial<AnyFinding>, Partial<AnyFinding>]>([
    [
      "by another action",
      { reason: "lacks ecr:BatchGetImage" },
      { reason: "lacks ecr:GetDownloadUrlForLayer" },
    ],
    ["by another check", { id: "login-permitted" }, {}],
    ["by another remedy", { remedy: "grant it" }, { remedy: "declare it" }],
    ["by another text in the log", { log: "no basic auth credentials" }, { log: "silent" }],
    ["by another verdict", { severity: "warning" }, {}],
    ["in another job", { job: "workload" }, {}],
    [
      "by a word that is someone else's name",
      { subject: "shop/web", reason: "wants jobs" },
      { subject: "shop/jobs", reason: "wants web" },
    ],
    ["where one is accepted", { accepted: { check: "x", reason: "y", expires: "2027-01-31" } }, {}],
  ])("%s", (_, one, other) => {
    expect(causesOf([finding(one), finding(other)])).toHaveLength(2);
  });
});

it("errors come first, then what is unknown, then warnings, and accepted ones last", () => {
  const accepted = { check: "x", reason: "y", expires: "2027-01-31" };
  const causes = causesOf([
    finding({ severity: "error", accepted }),
    finding({ severity: "note" }),
    finding({ severity: "warning" }),
    finding({ severity: "error" }),
  ]);
  expect(causes.map(({ findings: [first] }) => [first.severity, first.accepted !== undefined])).toEqual([
    ["error", false],
    ["warning", false],
    ["note", false],
    ["error", true],
  ]);
});
