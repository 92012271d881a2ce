/*
 * What a difference may touch. Where nothing but identities and their policies differs, byte for byte, or files of some
 * stacks do, all others are judged alike on both sides and need not be compared.
 */

import { isDeepStrictEqual } from "node:util";
import { push } from "../../model/grouped";
import { type Known, isKnown, shown } from "../../model/known";
import { ClosedWorld } from "../coverage/closed-world";
import type { ClusterArtefacts } from "../read/clusters";
import type { Facts } from "../read/facts";
import type { Scope } from "../read/scope";
import { sourceText } from "../read/source";
import type { StackDigest } from "../read/stack-documents";
import { stackOf } from "../read/stack-label";
import { ADDRESS } from "./moves";
import { textOf } from "./not-compared";
import type { Touched } from "./sides";

/** What differences touch: identities on each side, and service accounts by their stack, whatever their identities. */
export interface AllTouched {
  readonly identities: readonly [before: Touched, after: Touched];
  readonly accounts: (stack: string, key: string) => boolean;
}

export function touched(before: Facts, after: Facts): AllTouched {
  const [olds, news] = [before.terraform.scopes, after.terraform.scopes];
  const stacks = changedStacks(before, after);
  const isSame = stacks !== undefined && olds.length === news.length;
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
  const accounts = (stack: string, key: string): boolean =>
    stacks?.includes(stackOf(stack)) === true &&
    isAccountTouched(
      [before, after].map(({ stacks }) => stacks.get(stackOf(stack))),
      key,
    );
  return { identities: [on(before), on(after)], accounts };
}

/** The stacks to which all differences between files are confined; `undefined` if they may bear on more. */
function changedStacks(before: Facts, after: Facts): readonly string[] | undefined {
  const sides = [before, after];
  const names = new Set(sides.flatMap(({ digests }) => [...digests.keys()]));
  const differing = [...names].filter((file) => before.digests.get(file) !== after.digests.get(file));
  if (differing.length === 0) return [];
  const found = sides.map(
    ({ stacks }) =>
      new Map([...stacks].flatMap(([name, { files }]) => files.map((file) => [file, name] as const))),
  );
  const owners = differing.map((file) => found.map((of) => of.get(file)));
  const isOne = owners.every(([one, other]) => one !== undefined && one === other);
  // Which folder is applied last may matter to all.
  const isOnce = sides.every(({ clusters }) => clusters.every((each) => each.rbacOtherwise.length === 0));
  const [was, is] = sides.map(({ clusters }) => clusters.map(ofAll));
  return isOne && isOnce && isDeepStrictEqual(was, is) ? owners.flatMap(([one]) => one ?? []) : undefined;
}

/**
 * What files of one stack tell all service accounts: clusters of one name must expect the issuers of all, trust is compared
 * for every issuer, and RBAC of one namespace says whether audiences are granted, or may be, by RBAC.
 */
function ofAll({ stack, issuer, cluster, hasAudienceRules, rbacPerhaps }: ClusterArtefacts): unknown {
  const { name, additionalIssuers = [] } = cluster;
  const issuers = [issuer, ...additionalIssuers].map(shown);
  return [stack, name, issuers, hasAudienceRules, rbacPerhaps.map(({ what }) => what)];
}

/** RBAC of a namespace is about the objects in it, whoever is bound. */
function isAccountTouched([old, made]: readonly (StackDigest | undefined)[], key: string): boolean {
  const isOther = (each: string): boolean =>
    !isDeepStrictEqual(old?.accounts.get(each), made?.accounts.get(each));
  return old?.others !== made?.others || isOther(key) || isOther(key.replace(/[^/]*$/, ""));
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
