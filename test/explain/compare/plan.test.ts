/*
 * One plan holds both sides: the state before it, and what it makes of it.
 */

import { describe, expect, it } from "vitest";
import { compare, comparePlan } from "../../../lib/explain";
import { cli } from "../../support/cli";
import { folderOf } from "../../fixtures/explain/artefacts";

const HOST = "oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A";
const PROVIDER = `arn:aws:iam::111122223333:oidc-provider/${HOST}`;

const resource = (type: string, values: object): object => ({
  address: `${type}.web`,
  mode: "managed",
  type,
  name: "web",
  provider_name: "registry.terraform.io/hashicorp/aws",
  values,
});

/** A role that admits the service accounts. */
const stateOf = (...accounts: readonly string[]): object => ({
  root_module: {
    resources: [
      resource("aws_iam_openid_connect_provider", {
        arn: PROVIDER,
        url: HOST,
        client_id_list: ["sts.amazonaws.com"],
      }),
      resource("aws_iam_role", {
        arn: "arn:aws:iam::111122223333:role/web",
        name: "web",
        path: "/",
        assume_role_policy: JSON.stringify({
          Version: "2012-10-17",
          Statement: [
            {
              Effect: "Allow",
              Action: "sts:AssumeRoleWithWebIdentity",
              Principal: { Federated: PROVIDER },
              Condition: {
                StringEquals: {
                  [`${HOST}:aud`]: "sts.amazonaws.com",
                  [`${HOST}:sub`]: accounts.map((each) => `system:serviceaccount:${each}`),
                },
              },
            },
          ],
        }),
      }),
    ],
  },
});

const planOf = (after: object, before?: object): string =>
  JSON.stringify({
    format_version: "1.2",
    planned_values: after,
    ...(before && { prior_state: { format_version: "1.0", values: before } }),
    configuration: { root_module: {} },
  });
const ONE = stateOf("shop:web");
const TWO = stateOf("shop:web", "shop:api");

const texts = (paths: readonly string[]): readonly string[] =>
  comparePlan(paths).changes.map(({ kind, subject }) => `${kind} ${subject}`);

describe("a plan alone", () => {
  it.each<[string, string, readonly string[]]>([
    ["of no change", planOf(ONE, ONE), []],
    ["that admits one more", planOf(TWO, ONE), ["widened shop/api"]],
    ["that admits one less", planOf(ONE, TWO), ["narrowed shop/api"]],
    ["that is the first", planOf(ONE), ["added shop/web"]],
    ["that destroys everything", planOf({}, ONE), ["removed shop/web"]],
  ])("%s", (_, plan, expected) => {
    expect(texts([folderOf({ "plan.json": plan })])).toEqual(expected);
  });

  it("is the same as its state and itself", () => {
    const folder = folderOf({
      "plan.json": planOf(TWO, ONE),
      "state.json": JSON.stringify({ format_version: "1.0", values: ONE }),
    });
    const named = ({ kind, about, subject }: { kind: string; about: string; subject: string }): string =>
      `${kind} ${about} ${subject}`;
    const sides = compare([`${folder}/state.json`], [`${folder}/plan.json`]);
    expect(comparePlan([`${folder}/plan.json`]).changes.map(named)).toEqual(sides.changes.map(named));
  });

  it("must be one", () => {
    const folder = folderOf({ "state.json": JSON.stringify({ format_version: "1.0", values: ONE }) });
    expect(() => comparePlan([folder])).toThrowError(
      /no plan was read.*terraform show -json plan.out > plan.json/,
    );
  });

  it("is compared by the command", async () => {
    const folder = folderOf({ "plan.json": planOf(TWO, ONE) });
    const { code, out } = await cli("compare", "--fail-on", "widened", `${folder}/plan.json`);
    expect([code, out]).toEqual([1, expect.stringContaining("1 widened")]);
  });
});
