/*
 * The runner: order, what is skipped, what is remembered and by what, and how forks are folded.
 */

import { describe, expect, it } from "vitest";
import { type Answer, broken, pass, unknown } from "../../lib/explain/answer";
import { Runner, stepsOf } from "../../lib/explain/run";

interface Facts {
  readonly image: { readonly name: string };
  readonly account: { readonly name: string };
  readonly node: { readonly name: string } | undefined;
  readonly entry: { readonly name: string } | undefined;
  readonly length: number;
}

const { link, derived, fork } = stepsOf<Facts>();

const START: Facts = {
  image: { name: "image" },
  account: { name: "account" },
  node: undefined,
  entry: undefined,
  length: 0,
};

/** Names that begin with `bad` fail, those that begin with `odd` are unknown. */
function judged(name: string | undefined): Answer {
  if (name?.startsWith("bad")) return broken(`${name} is bad`, "", undefined);
  return name?.startsWith("odd") ? unknown(`${name} is odd`, "") : pass(`${name ?? "nothing"} holds`);
}

const words = { question: "?", why: "!" };
const image = link({
  id: "image-parses",
  ...words,
  per: ["image"],
  run: (facts) => judged(facts.image.name),
});
const entry = link({
  id: "provider-matches-image",
  ...words,
  per: ["entry"],
  run: (facts) => judged(facts.entry?.name),
});
const account = link({
  id: "service-account-present",
  ...words,
  per: ["entry", "account"],
  run: (facts) => judged(facts.account.name),
});

function statuses(runner: Runner<Facts>, facts: Partial<Facts> = {}): readonly string[] {
  const { checks, verdict } = runner.run({ ...START, ...facts });
  return [verdict, ...checks.map(({ status }) => status)];
}

describe("links", () => {
  const runner = new Runner<Facts>([image, entry, account]);
  it.each([
    ["image", "account", ["allowed", "pass", "pass", "pass"]],
    ["odd image", "account", ["unknown", "unknown", "pass", "pass"]],
    ["bad image", "account", ["denied", "fail", "skipped", "skipped"]],
    ["odd image", "bad account", ["denied", "unknown", "pass", "fail"]],
  ])("%s, %s", (name, of, expected) => {
    expect(statuses(runner, { image: { name }, account: { name: of } })).toEqual(expected);
  });
  it("says of a link that was not reached which one is broken", () => {
    const { checks } = runner.run({ ...START, image: { name: "bad image" } });
    expect(checks[1]?.reason).toBe("not reached: image-parses fails");
  });
});

describe("forks", () => {
  const of = (fold: "best" | "worst", names: readonly string[]): Runner<Facts> =>
    new Runner<Facts>([
      image,
      fork({ adds: "entry", per: ["image"], each: () => names.map((name) => ({ name })), fold }),
      entry,
      account,
    ]);
  it.each([
    ["best", ["bad", "good"], "allowed", "good"],
    ["best", ["bad", "odd"], "unknown", "odd"],
    ["best", ["good", "better"], "allowed", "good"],
    ["worst", ["good", "bad"], "denied", "bad"],
    ["worst", ["odd", "good"], "unknown", "odd"],
    ["worst", ["good", "better"], "allowed", "good"],
  ] as const)("%s of %j: %s by %s", (fold, names, verdict, chosen) => {
    const chain = of(fold, names).run(START);
    expect([chain.verdict, chain.facts.entry?.name]).toEqual([verdict, chosen]);
  });
  it("of two denials the chain that gets further counts", () => {
    const runner = new Runner<Facts>([
      fork({
        adds: "entry",
        per: [],
        each: () => [{ name: "bad" }, { name: "good" }],
        fold: "best",
      }),
      entry,
      account,
    ]);
    expect(runner.run({ ...START, account: { name: "bad account" } }).failed).toBe("service-account-present");
  });
});

describe("memory", () => {
  it("asks once for each combination of the facts that a link names", () => {
    const asked: string[] = [];
    const runner = new Runner<Facts>([
      link({
        id: "image-parses",
        ...words,
        per: ["image"],
        run: (facts) => (asked.push(facts.image.name), pass("")),
      }),
      link({
        id: "service-account-present",
        ...words,
        per: ["image", "account"],
        run: (facts) => (asked.push(`${facts.image.name} ${facts.account.name}`), pass("")),
      }),
      derived({
        adds: "length",
        per: ["account"],
        of: (facts) => asked.push(`length of ${facts.account.name}`),
      }),
    ]);
    const [one, other] = [{ name: "a" }, { name: "b" }];
    for (const each of [one, one, other, other]) runner.run({ ...START, account: each });
    expect(asked).toEqual(["image", "image a", "length of a", "image b", "length of b"]);
  });
  it("does not confuse equal facts that are different objects", () => {
    const runner = new Runner<Facts>([image]);
    const facts = { ...START, image: { name: "image" } };
    runner.run(facts);
    expect(statuses(runner, { image: { name: "bad image" } })).toEqual(["denied", "fail"]);
  });
  it("forgets after thousands of questions, and answers the same", () => {
    const runner = new Runner<Facts>([account]);
    const accounts = Array.from({ length: 10_000 }, (_, place) => ({
      name: place % 3 === 0 ? "bad" : "good",
    }));
    const answers = accounts.map((each) => runner.run({ ...START, account: each }).verdict);
    expect(answers).toEqual(accounts.map(({ name }) => (name === "bad" ? "denied" : "allowed")));
  });
});
