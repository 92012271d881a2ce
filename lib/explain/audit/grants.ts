/*
 * What is granted: to whom the files do not declare, with which others' rights can be had, beyond what is declared.
 */

import { grouped } from "../../model/grouped";
import type { Power } from "../../rules/powers";
import { seen } from "../answer";
import type { Cloud, Granted, HeldRight } from "../cloud";
import { EVERYONE } from "../compare/danger";
import type { Found } from "../findings";
import { named } from "../shared/words";

interface Grants {
  readonly clouds: readonly Cloud[];
  readonly granted: readonly Granted[];
}

/** All grants, their rights read once; of what is declared, only those that amount to more than their words. */
export function grantsOf(clouds: readonly Cloud[]): readonly Granted[] {
  return clouds
    .flatMap(({ granted }) => granted)
    .map((each) => {
      let rights: readonly HeldRight[] | undefined;
      const read = (): readonly HeldRight[] =>
        each.isOwn ? each.rights().filter(({ power }) => power) : each.rights();
      return { ...each, rights: () => (rights ??= read()) };
    });
}

/** What is granted to some of the principals that the files do not declare, one finding for each. */
export function grantedTo(
  { clouds, granted }: Grants,
  isAsked: (granted: Granted) => boolean,
): readonly Found[] {
  const asked = granted.filter((each) => !each.isOwn && isAsked(each));
  if (asked.length === 0) return [];
  const identityNames = new Set(clouds.flatMap(({ identities }) => identities.flatMap(({ names }) => names)));
  const others = asked.filter(({ to }) => !identityNames.has(to));
  return [...grouped(others, ({ to }) => to)].flatMap(([to, all]): readonly Found[] => {
    const isEveryone = EVERYONE.includes(to);
    const who = isEveryone ? "anyone" : (all[0]?.who ?? "a principal that is not declared here");
    const rights = all.flatMap((each) => each.rights());
    const remedy = isEveryone
      ? "remove the grant if its resource is not meant to be public"
      : "check that this principal is intended, and that it needs the grant";
    return rights.length === 0 ? [] : [of(to, `${who} is granted ${textsOf(rights)}`, rights, remedy)];
  });
}

/** Rights with which their holders get others, one finding for each holder and what they amount to. */
export function powerful(
  { granted }: Grants,
  isAsked: (granted: Granted, power: Power, right: HeldRight) => boolean,
): readonly Found[] {
  const all = granted.flatMap((each) =>
    each.rights().flatMap((right) => {
      const { power, limits, takes } = right;
      const isSure = power && !limits && !takes && isAsked(each, power, right);
      return isSure ? [{ to: each.to, says: power.says, right }] : [];
    }),
  );
  return [...grouped(all, ({ to, says }) => `${to} ${says}`).values()].flatMap((group) => {
    const rights = group.map(({ right }) => right);
    const [first] = group;
    const reason = `${first?.says ?? ""}: it is granted ${textsOf(rights)}`;
    return first ? [of(first.to, reason, rights, "grant only what it needs, on what it needs it for")] : [];
  });
}

export function beyondDeclared(
  stack: string,
  subject: string,
  rights: readonly HeldRight[],
  declared: string,
): readonly Found[] {
  if (rights.length === 0) return [];
  const reason = `it is granted ${textsOf(rights)}, which is more than ${declared}`;
  return [{ ...of(subject, reason, rights, "declare what it needs, or take the rights away"), stack }];
}

function textsOf(rights: readonly HeldRight[]): string {
  return named([...new Set(rights.map(({ text }) => text))].sort());
}

function of(subject: string, reason: string, rights: readonly HeldRight[], remedy: string): Found {
  const evidence = rights.map(({ text, source }) => seen(text, source));
  return { stack: "", subject, target: "", reason, evidence, remedy };
}
