/*
 * Values that must not be shown: whether they differ is all that a comparison says of them. Only those are compared
 * that a judgement or another comparison asked for, so this one comes last.
 */

import { basename } from "node:path";
import { grouped } from "../../model/grouped";
import { areAlike } from "../../model/known";
import type { Tree } from "../../model/tree";
import type { Inside } from "../explainer";
import type { Scope } from "../read/scope";
import { type Change, placed } from "./change";

/** The sensitive values of both sides that are not certainly the same. */
export function sensitiveChanges(before: Inside, after: Inside): readonly Change[] {
  const [olds, news] = [askedOf(before), askedOf(after)];
  return [...olds].flatMap(([key, old]): readonly Change[] => {
    // What only one side has is reported with the block to which it belongs.
    const newValues = news.get(key) ?? [];
    if (newValues.length === 0 || (isWithin(old, newValues) && isWithin(newValues, old))) return [];
    return [
      {
        kind: "incomparable",
        job: "trust",
        about: "trust",
        stack: "",
        subject: "",
        target: newValues[0]?.name ?? "",
        before: null,
        after: null,
        reason: "it is sensitive, and has another value",
        removed: placed(old.map(evidenceOf)),
        added: placed(newValues.map(evidenceOf)),
      },
    ];
  });
}

interface Asked {
  readonly name: string;
  readonly value: Tree;
  readonly scope: Scope;
}

/** By name; the stacks of two folders have names of their own, and plans and states of one side may share addresses. */
function askedOf({ facts }: Inside): ReadonlyMap<string, readonly Asked[]> {
  const { scopes } = facts.terraform;
  const all = scopes.flatMap((scope) => [...scope.asked].map(([name, value]) => ({ name, value, scope })));
  return grouped(all, ({ name, scope }) => {
    const isOne = scope.isLiteral || scopes.length === 1;
    return JSON.stringify([isOne ? "" : basename(scope.place), name]);
  });
}

function isWithin(some: readonly Asked[], others: readonly Asked[]): boolean {
  return some.every(({ value }) => others.some((other) => areAlike(value, other.value)));
}

function evidenceOf({ name, scope }: Asked): Change["added"][number] {
  const resource = [...scope.resources.values()].find(({ address }) => name.startsWith(`${address}.`));
  return { text: name, source: resource?.source ?? { file: scope.place, path: "" } };
}
