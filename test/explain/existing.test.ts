/*
 * What explain says of clusters that exist, from a state and a dump alone, as people have them before they write anything
 * for explain. The answers are known: each chain is right, or has one of the typical mistakes.
 */

import { describe, expect, it } from "vitest";
import { type ExplainOptions, type ExplainResult, explain } from "../../lib/explain";
import { once } from "../../lib/model/once";
import { aksWorlds } from "../fixtures/existing/aks";
import { eksWorlds } from "../fixtures/existing/eks";
import { gkeWorlds } from "../fixtures/existing/gke";
import { nativeWorlds } from "../fixtures/existing/gke-native";
import { ownWorlds } from "../fixtures/existing/own";
import { planWorlds } from "../fixtures/existing/plans";
import type { Chain, World } from "../fixtures/existing/world";
import { folderOf } from "../fixtures/explain/artefacts";

const states: readonly World[] = [...eksWorlds, ...aksWorlds, ...gkeWorlds, ...nativeWorlds, ...ownWorlds];
const worlds: readonly World[] = [...states, ...planWorlds];

/** A chain, and what was said of it: `undefined` if nothing was. */
interface Judged extends Chain {
  readonly said: ExplainResult | undefined;
}

function judged(world: World, options: ExplainOptions): readonly Judged[] {
  const results = explain([folderOf(world.files)], {}, options);
  expect(results.filter(({ subject }) => !world.chains.some((each) => each.subject === subject))).toEqual([]);
  return world.chains.map((chain) => {
    const [said, ...others] = results.filter(({ subject }) => subject === chain.subject);
    expect(others).toEqual([]);
    return { ...chain, said };
  });
}

const stated = once((world: World) => judged(world, {}));
const named = once((world: World) => judged(world, { which: world.which }));

const isDecided = ({ said }: Judged): boolean => said !== undefined && said.verdict !== "unknown";
const failedAt = ({ said }: Judged): string | undefined =>
  said?.checks.find(({ status }) => status === "fail")?.id;

/** Chains that are decided, and decided otherwise than they are. */
const wrong = (all: readonly Judged[]): readonly string[] =>
  all
    .filter((each) => isDecided(each) && (each.said?.verdict !== each.verdict || failedAt(each) !== each.at))
    .map((each) => `${each.subject} (${each.because}): ${each.said?.verdict ?? ""} ${failedAt(each) ?? ""}`);

function share(judge: (world: World) => readonly Judged[]): number {
  const all = states.flatMap(judge);
  return all.filter(isDecided).length / all.length;
}

describe.each(worlds)("$title", (world) => {
  it("is never decided wrongly", () => {
    expect(wrong(stated(world))).toEqual([]);
    expect(wrong(named(world))).toEqual([]);
  });

  it("denies nothing that it does not deny once the cluster is named", () => {
    const verdicts = new Map(named(world).map(({ subject, said }) => [subject, said?.verdict]));
    const decided = stated(world).filter(isDecided);
    expect(decided.filter(({ subject, said }) => verdicts.get(subject) !== said?.verdict)).toEqual([]);
  });
});

describe("states and dumps", () => {
  it("are many", () => {
    expect(states.flatMap(({ chains }) => chains).length).toBeGreaterThanOrEqual(60);
  });

  it("decide three of four chains without any fact", () => {
    expect(share(stated)).toBeGreaterThanOrEqual(0.75);
  });

  it("decide nearly all chains once the cluster is named", () => {
    expect(share(named)).toBeGreaterThanOrEqual(0.95);
  });
});

describe("first plans", () => {
  it.each(planWorlds)("deny every wrong subject: $title", (world) => {
    const denied = stated(world).filter(({ verdict }) => verdict === "denied");
    expect(denied.length).toBeGreaterThan(0);
    expect(denied.filter((each) => !isDecided(each))).toEqual([]);
  });
});
