/*
 * The keys with which tokens are verified: those that issuers publish, and those that were handed to a cloud.
 */

import { grouped } from "../../model/grouped";
import { isKnown, shown } from "../../model/known";
import type { PublishedKeys } from "../shared/object-store";
import { named } from "../shared/words";
import { type Change, UNSAID, placed } from "./change";
import type { Canonical } from "./moves";
import type { Whole } from "./sides";

/** The differences of all issuers whose keys both sides show. */
export function* keyChanges(before: Whole, after: Whole): Generator<Change> {
  const [olds, news] = [keysOf(before), keysOf(after)];
  for (const [issuer, oldKeys] of olds) {
    const newKeys = news.get(issuer);
    // An issuer that only one side has shows in the chains that rest on it.
    if (newKeys) yield* changesOf(issuer, oldKeys, newKeys, after.canonical);
  }
}

/** By issuer; a cloud that was handed keys uses these alone. */
function keysOf({ inside, canonical }: Whole): ReadonlyMap<string, readonly PublishedKeys[]> {
  const { issuers, clouds } = inside;
  const published = issuers.published.map(
    (issuer) => [canonical(shown(issuer)), issuers.keysOf(issuer)] as const,
  );
  const handed = clouds.flatMap(({ identities }) =>
    identities.map(({ terms, address }) => {
      const place = canonical(`${terms.issuers.map(shown).join()} at ${address}`);
      return [place, terms.keys ? [terms.keys] : []] as const;
    }),
  );
  return new Map(
    [...grouped([...published, ...handed], ([issuer]) => issuer)].map(([issuer, group]) => [
      issuer,
      group.flatMap(([, keys]) => keys),
    ]),
  );
}

const ROTATE =
  "tokens that it signed are refused from the apply on; publish the old and the new key together, let the cluster sign with the new one, and drop the old one once its tokens have expired (docs/key-rotation.md)";
const DROPPED = "tokens that it signed are refused from the apply on";

function* changesOf(
  issuer: string,
  oldKeys: readonly PublishedKeys[],
  newKeys: readonly PublishedKeys[],
  canonical: Canonical,
): Generator<Change> {
  const [was, is] = [signingOf(oldKeys), signingOf(newKeys)];
  const [gone, added] = [without(was, is), without(is, was)];
  const isReplaced = gone.length === was.size;
  const change = (kind: Change["kind"], ids: readonly string[], reason: string): Change => ({
    ...UNSAID,
    kind,
    target: issuer,
    reason,
    subject: `a token signed with the key ${named(ids)}`,
    before: { verdict: kind === "widened" ? "denied" : "allowed", as: null },
    after: { verdict: kind === "widened" ? "allowed" : "denied", as: null },
    removed: evidenceOf(oldKeys),
    added: evidenceOf(newKeys),
    // Whoever has the key can make tokens of the issuer.
    ...(kind === "widened" && { danger: "issuer" }),
  });
  const known = [was, is].filter(({ size }) => size > 0);
  const isUnlike = textsOf(oldKeys) !== canonical(textsOf(newKeys));
  if (known.length === 1 || (known.length === 0 && isUnlike)) {
    const side = known.length === 0 ? "neither side" : `the ${known[0] === was ? "old" : "new"} side alone`;
    const open = change("incomparable", [], `its keys are known on ${side}`);
    return yield { ...open, subject: "", before: null, after: null };
  }
  if (gone.length > 0) yield change(isReplaced ? "removed" : "narrowed", gone, isReplaced ? ROTATE : DROPPED);
  if (added.length > 0) yield change("widened", added, "");
}

/** The texts of those that are not known. */
function textsOf(all: readonly PublishedKeys[]): string {
  return all.flatMap(({ text }) => (isKnown(text) ? [] : [shown(text)])).join();
}

function signingOf(all: readonly PublishedKeys[]): ReadonlyMap<string, string> {
  return new Map(all.flatMap(({ signing }) => [...signing]));
}

/** The ids of the keys that the other side does not have; a key with another id is found by no token. */
function without(keys: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): readonly string[] {
  return [...keys].flatMap(([key, id]) => (others.has(key) ? [] : [id || "without id"]));
}

function evidenceOf(all: readonly PublishedKeys[]): Change["added"] {
  return placed(all.map(({ source, ids }) => ({ text: `keys ${ids.join(", ")}`, source })));
}
