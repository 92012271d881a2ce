/*
 * What a difference may touch. Where nothing but identities and their policies differs, byte for byte, all others are
 * judged alike on both sides and need not be compared.
 */

import { isDeepStrictEqual } from "node:util";
import { push } from "../../model/grouped";
import { type Known, isKnown } from "../../model/known";
import { ClosedWorld } from "../coverage/closed-world";
import type { Facts } from "../read/facts";
import type { Scope } from "../read/scope";
import { sourceText } from "../read/source";
import { ADDRESS } from "./moves";
import { textOf } from "./not-compared";
import type { Touched } from "./sides";

/** What differences touch on each side. */
export function touched(before: Facts, after: Facts): readonly [before: Touched, after: Touched] {
  const [olds, news] = [before.terraform.scopes, after.terraform.scopes];
  const isSame = isDeepStrictEqual(before.digests, after.digests) && olds.length === news.length;
  const changed = olds.map((old, place) => changedIn(old, news[place] ?? old));
  const on = ({ terraform }: Facts): Touched => {
    const resources = terraform.scopes.flatMap((scope, place) =>
      [...(changed[place] ?? [])].flatMap((address) => scope.resources.get(address) ?? []),
    );
    const isOther = !isSame || changed.some((addresses) => addresses.has(OTHERS));
    const found = isOther ? undefined : new ClosedWorld(terraform).identitiesOf(resources);
    const places = found && new Set([...found].map(({ source }) => sourceText(source)));
    return (source) => places === undefined || source === undefined || places.has(sourceText(source));
  };
  return [on(before), on(after)];
}

/** What is no resource of a configuration. */
const OTHERS = "";

/** The addresses of what differs, and of what names something that does. */
function changedIn(old: Scope, made: Scope): ReadonlySet<string> {
  const [were, are] = [textsIn(old), textsIn(made)];
  const changed = new Set([...were.keys(), ...are.keys()].filter((each) => were.get(each) !== are.get(each)));
  const users = new Map<string, string[]>();
  for (const [user, text] of changed.size > 0 ? are : [])
    for (const [address] of text.matchAll(ADDRESS)) push(users, withoutKey(address), user);
  for (const each of changed) for (const user of users.get(withoutKey(each)) ?? []) changed.add(user);
  return changed;
}

function withoutKey(address: string): string {
  return address.replace(/\[.*/s, "");
}

/** A configuration as texts, by address. */
function textsIn({ resources, ...scope }: Scope): ReadonlyMap<string, string> {
  const named = [...scope.named].map(([name, value]) => [name, isKnown(value as Known<unknown>) && value]);
  const calls = scope.notRead.map(({ whole }) => whole);
  const others = [[...scope.providers], named, [...scope.outputs], calls, scope.backend];
  const texts = [...resources].map(([address, each]) => [address, each.written([])] as const);
  return new Map(
    [...texts, [OTHERS, others] as const].map(([key, value]) => [key, textOf(value, undefined)]),
  );
}
