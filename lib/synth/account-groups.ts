/*
 * Sorts lines of intent: per service account, to annotate it once, and per cloud, to make its identities once. The
 * same for what service accounts pull and for what they may do.
 */

import { fail } from "../errors";
import { Subject } from "../model/subject";

/** How one cloud's identities are made. */
interface Maker {
  readonly cloud: string;
}

/** What a line asks of one cloud. */
interface Asked<M extends Maker> {
  readonly cloud: string;
  defaultIdentities(): M;
}

/** One line: a service account and what it asks for. */
export interface AccountLine<A> {
  /** Who. */
  readonly subject: Subject;
  /** Whether the manifests declare it, or only annotate it. */
  readonly declare: boolean;
  /** What it asks for, of whatever cloud. */
  readonly asked: readonly A[];
}

/** All that one cloud is asked for. */
export interface CloudGroup<A, M> {
  /** The cloud's key. */
  readonly cloud: string;
  /** The cloud's maker. */
  readonly identities: M;
  /** Each service account that asks it for something, and for what; sorted. */
  readonly accounts: readonly Omit<AccountLine<A>, "declare">[];
}

/** Words for the refusal of a maker that nothing asks for. */
export interface UnusedWords {
  /** How the cloud is unused, after "a cloud". */
  readonly unused: string;
  /** What a line is called. */
  readonly line: string;
}

/** What one line of a list says; a line for one thing need not write a list. */
export function oneOrMany<A extends object>(stated: A | readonly A[]): readonly A[] {
  return isList(stated) ? stated : [stated];
}

/** The lines of one service account joined, sorted by `namespace/name`; throws `service-account-ownership`. */
export function joinedAccounts<A>(lines: readonly AccountLine<A>[]): readonly AccountLine<A>[] {
  const accounts = new Map<string, AccountLine<A> & { readonly asked: A[] }>();
  for (const { subject, declare, asked } of lines) {
    const known = accounts.get(subject.key);
    if (known && known.declare !== declare) return fail("service-account-ownership", subject.key);
    if (known) known.asked.push(...asked);
    else accounts.set(subject.key, { subject, declare, asked: [...asked] });
  }
  return [...accounts.values()].sort((a, b) => order(a.subject.key, b.subject.key));
}

/**
 * The accounts by cloud, sorted by the cloud's key, each with the stated maker or its own default.
 *
 * Throws `identities-twice` or `identities-unused`, and what a cloud throws that cannot do without settings.
 */
export function cloudGroups<A extends Asked<M>, M extends Maker>(
  accounts: readonly AccountLine<A>[],
  stated: readonly M[],
  { unused, line }: UnusedWords,
): readonly CloudGroup<A, M>[] {
  const makers = new Map<string, M>();
  for (const maker of stated) {
    if (makers.has(maker.cloud)) return fail("identities-twice", maker.cloud);
    makers.set(maker.cloud, maker);
  }
  const first = new Map<string, A>();
  for (const { asked } of accounts)
    for (const one of asked) if (!first.has(one.cloud)) first.set(one.cloud, one);
  const idle = [...makers.keys()].find((cloud) => !first.has(cloud));
  if (idle !== undefined) return fail("identities-unused", idle, [...first.keys()].sort(), unused, line);
  return [...first]
    .sort(([a], [b]) => order(a, b))
    .map(([cloud, one]) => ({
      cloud,
      identities: makers.get(cloud) ?? one.defaultIdentities(),
      accounts: accounts
        .map(({ subject, asked }) => ({ subject, asked: asked.filter((each) => each.cloud === cloud) }))
        .filter(({ asked }) => asked.length > 0),
    }));
}

function isList<A>(stated: A | readonly A[]): stated is readonly A[] {
  return Array.isArray(stated);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
