/*
 * What almost fits, in one form of words for every name and URL that explain looks up.
 */

import { type Known, orElse } from "../../model/known";
import { nearestName } from "../../model/nearest-name";
import { differsAsGenerated } from "../../rules/generated-names";

type Name = string | Known<string | undefined>;

/** `; the nearest is …`, with what is easily overlooked in it; empty if no name is similar. */
export function nearest(asked: Name, read: Iterable<Name>): string {
  const [name, others] = literals(asked, read);
  if (name === undefined) return "";
  const near = others.find((each) => overlooked(name, each)) ?? nearestName(name, others);
  if (near === undefined) return "";
  const difference = overlooked(name, near);
  return `; the nearest is ${near}${difference === undefined ? "" : `, which differs only in ${difference}`}`;
}

/** `; … differs only in letter case`, or in a trailing slash; empty if no name does. */
export function difference(asked: Name, read: Iterable<Name>): string {
  const [name, others] = literals(asked, read);
  const near = name === undefined ? undefined : others.find((each) => overlooked(name, each));
  return near === undefined ? "" : `; ${near} differs only in ${overlooked(name ?? "", near) ?? ""}`;
}

/**
 * What is said of a service account's subject or principal that is not admitted if one that is admitted differs only in
 * the end that a tool generates, and how to get a fixed name; `undefined` if none does.
 */
export function regenerated(
  asked: Name,
  read: Iterable<Name>,
): { readonly near: string; readonly remedy: string } | undefined {
  const [name, others] = literals(asked, read);
  for (const each of name === undefined ? [] : others) {
    const made = differsAsGenerated(name ?? "", each);
    if (made)
      return { near: `; ${each} differs only in its generated end: ${made.makes}`, remedy: made.remedy };
  }
  return undefined;
}

/** What is said of a name that was asked for and not found. */
export function notAmongRead(what: string, asked: Name, read: Iterable<Name>): string {
  return `${what} is not among what was read${nearest(asked, read)}`;
}

/** How two texts differ, if only by what is easily overlooked; every cloud compares issuers and subjects exactly. */
export function overlooked(one: string, other: string): string | undefined {
  const [first, second] = [one, other].map(withoutSlashes);
  if (one === other || first?.toLowerCase() !== second?.toLowerCase()) return undefined;
  const isOfCase = first !== second;
  const isOfSlash = one.endsWith("/") !== other.endsWith("/");
  return [...(isOfCase ? ["letter case"] : []), ...(isOfSlash || !isOfCase ? ["a trailing slash"] : [])].join(
    " and ",
  );
}

function literals(asked: Name, read: Iterable<Name>): readonly [string | undefined, readonly string[]] {
  const name = literal(asked);
  const others = new Set([...read].flatMap((each) => literal(each) || []));
  return [name, [...others].filter((each) => each !== name)];
}

function literal(name: Name): string | undefined {
  return typeof name === "string" ? name : orElse(name, () => undefined);
}

function withoutSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end--;
  return text.slice(0, end);
}
