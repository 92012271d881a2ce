/*
 * What differs although explain does not read it. What names an identity may change who acts as it, so it cannot be
 * compared; the rest is counted by type.
 */

import { basename } from "node:path";
import { areAlike, known, shown } from "../../model/known";
import { at, record, text } from "../../model/parsed";
import { type Tree, plainOf } from "../../model/tree";
import { rowOf } from "../coverage/closed-world";
import { type Coverage, words } from "../coverage/coverage";
import { PROVIDERS } from "../coverage/providers";
import type { Block, Resource } from "../read/block";
import { textIfReadable } from "../read/documents";
import { titleOf, unreadIn } from "../read/objects";
import type { Scope } from "../read/scope";
import { Hidden } from "../read/sensitive";
import { type Source, sourceText } from "../read/source";
import { isVariablesFile } from "../read/terraform-configuration";
import { type Change, UNSAID, placed } from "./change";
import { type Mentions, mentionsOf, namesIn } from "./mentions";
import type { Canonical } from "./moves";
import { type Pair, type Whole, pairs } from "./sides";

/** A resource, an object, or a part of a configuration that is not read. */
interface Thing {
  readonly title: string;
  readonly type: string;
  readonly source: () => Source;
  readonly value: unknown;
  /** The resources that it is or mentions. */
  readonly mentions: () => readonly Resource[];
  readonly resource?: Resource;
  /** A provider's configuration, and the table of its arguments. */
  readonly provider?: { readonly block: Block; readonly row: Coverage | undefined };
  /** The value of a sensitive argument, variable or output that was looked at, of which no text may be shown. */
  readonly secret?: { readonly value: Tree };
  /** True for what lets others into the cluster, whomever it names. */
  readonly admits?: boolean;
  /** Of an object, whose service accounts are named without it. */
  readonly namespace?: string;
}

/** The changes that cannot be compared, and the number of all others by type. */
export function notCompared(
  before: Whole,
  after: Whole,
  reported: readonly Change[],
): { readonly changes: readonly Change[]; readonly counts: ReadonlyMap<string, number> } {
  const isOne = [before, after].every(({ inside }) => inside.facts.terraform.scopes.length === 1);
  const [olds, news] = [thingsOf(before, isOne), thingsOf(after, isOne)];
  const [were, are] = [mentionsOf(before), mentionsOf(after)];
  const changes = [...annotationChanges(before, after, reported)];
  const counts = new Map<string, number>();
  // What is not read as a whole may still be compared as a grant.
  const granted = reported.filter(({ about, kind }) => about === "right" && kind !== "incomparable");
  const places = granted.flatMap(({ removed, added }) => [...removed, ...added]);
  const told = new Set(places.map(({ source }) => source && sourceText(source)));
  const count = (type: string, more = 1): void => void counts.set(type, (counts.get(type) ?? 0) + more);
  const relabelled = pairs(before, after).flatMap((pair) => relabelledAccounts(pair, after.canonical));
  if (relabelled.length > 0) count("ServiceAccount", relabelled.length);
  for (const key of new Set([...olds.keys(), ...news.keys()])) {
    const [oldThing, newThing] = [olds.get(key), news.get(key)];
    const either = newThing ?? oldThing ?? NOTHING;
    const { title, type } = either;
    const paths = differences(oldThing, newThing, after.canonical);
    const isWhole = paths.length === 1 && paths[0] === "";
    if (paths.length === 0 || (isWhole && told.has(sourceText(either.source())))) continue;
    const path = paths.find((each) => !PLAIN.test(each) && !isCounted(each, either));
    const named = path === undefined ? undefined : (nameIn(newThing, are) ?? nameIn(oldThing, were));
    if (named === undefined) count(type);
    else
      changes.push(
        changeOf(path ? `${title}.${path}` : title, named === title ? "" : named, oldThing, newThing),
      );
  }
  return { changes, counts };
}

/** Where a provider sends requests, and as whom, shows in what is judged, unless its table does not have the argument. */
function isCounted(path: string, { provider }: Thing): boolean {
  return (
    provider !== undefined &&
    (path === "" || [provider.row?.read, provider.row?.harmless].flatMap(words).includes(path))
  );
}

const NOTHING: Thing = thing("", "", () => ({ file: "", path: "" }), "");

/** The service accounts of both sides that have other labels, by which webhooks and policies select them. */
function relabelledAccounts({ before, after }: Pair, canonical: Canonical): readonly string[] {
  const [olds, news] = [before, after].map(({ artefacts }) => artefacts?.open.accountLabels);
  return [...(olds ?? [])].flatMap(([title, was]) => {
    const is = news?.get(title);
    return is === undefined || was === canonical(is) ? [] : [title];
  });
}

function nameIn(thing: Thing | undefined, mentions: Mentions): string | undefined {
  if (thing?.secret || thing?.admits) return thing.title;
  return thing && mentions(thing.mentions(), JSON.stringify(thing.value) ?? "", thing.namespace);
}

function changeOf(target: string, named: string, oldThing?: Thing, newThing?: Thing): Change {
  const evidence = (thing: Thing | undefined): Change["added"] =>
    thing ? placed([{ text: thing.title, source: thing.source() }]) : [];
  const whom = named === "" ? "" : `; it names ${named}`;
  return {
    ...UNSAID,
    kind: "incomparable",
    target,
    removed: evidence(oldThing),
    added: evidence(newThing),
    reason: newThing?.secret
      ? "it is sensitive, and has another value"
      : `it differs, and explain does not read it${whom}`,
  };
}

function thing(
  title: string,
  type: string,
  source: () => Source,
  value: unknown,
  more?: Partial<Thing>,
): Thing {
  return { title, type, source, value, mentions: () => [], ...more };
}

/**
 * By what pairs the two sides: the stack, unless each side has only one, and the name. Things of the same name in several
 * clusters are paired in order.
 */
function thingsOf({ inside, canonical }: Whole, isOne: boolean): ReadonlyMap<string, Thing> {
  const { clusters, terraform, skipped } = inside.facts;
  const things = new Map<string, Thing>();
  const add = (key: string, each: Thing): void =>
    void (things.has(key) ? add(`${key} again`, each) : things.set(key, each));
  for (const scope of terraform.scopes) {
    const place = scope.isLiteral || isOne ? "" : basename(scope.place);
    for (const each of thingsIn(scope))
      add(`${place} ${canonical(each.title)} ${each.secret ? "secret" : ""}`, each);
  }
  const variables = skipped.filter(({ source }) => isVariablesFile(source.file));
  for (const { source } of variables) {
    const name = basename(source.file);
    add(
      `${isOne ? "" : source.file} ${name}`,
      thing(name, "file", () => source, textIfReadable(source.file) ?? ""),
    );
  }
  // Objects outside of stacks are read with each cluster.
  const webhooks = new Set(clusters.flatMap(({ open }) => open.webhooks));
  const entrants = new Set(clusters.flatMap(({ open }) => open.entrants));
  for (const document of [...skipped.flatMap(unreadIn), ...webhooks, ...entrants]) {
    const { value: object, source } = document;
    const { kind, apiVersion, metadata, status: _, ...applied } = record(object);
    const { annotations, labels, namespace = "default" } = record(metadata);
    const title = titleOf(object, text(kind));
    const value = { ...applied, annotations, labels };
    add(
      `${text(apiVersion)} ${title}`,
      thing(title, text(kind), () => source, value, {
        namespace: text(namespace),
        admits: entrants.has(document),
      }),
    );
  }
  return things;
}

function thingsIn(scope: Scope): readonly Thing[] {
  const resources = [...scope.resources.values()];
  const place = { file: scope.place, path: "" };
  return [
    ...resources.map((resource) => {
      const value = resource.written([]);
      const mentions = (): readonly Resource[] => [resource, ...scope.targets(value)];
      return thing(resource.address, resource.type, () => resource.source, value, { resource, mentions });
    }),
    ...[...scope.providers].map(([key, value]) => {
      const provider = { block: scope.provider(key), row: PROVIDERS[key.split(".")[0] ?? ""] };
      const mentions = (): readonly Resource[] => resources.filter(({ providerKey }) => providerKey === key);
      return thing(`provider.${key}`, "provider", () => place, value, { provider, mentions });
    }),
    ...[...scope.asked].map(([name, value]) => {
      const owner = (): Resource | undefined =>
        resources.find(({ address }) => name.startsWith(`${address}.`));
      return thing(name, "", () => owner()?.source ?? place, "", { secret: { value } });
    }),
    ...scope.notRead.map(({ source, whole, mentions }) => {
      const [title, type] = source.path ? [source.path, "module"] : [basename(source.file), "file"];
      return thing(title, type, () => source, whole, {
        mentions: () => [...mentions] as readonly Resource[],
      });
    }),
  ];
}

/** Arguments of Terraform itself, which change no object in a cloud. */
const META = /^(?:\/\/|depends_on|provider|timeouts)$/;
/** Arguments that only describe. */
const PLAIN = /^(?:description|tags(?:_all)?|(?:effective_|terraform_)?labels)$/;

/** Paths of what differs and is not judged; empty for all of it. */
function differences(
  oldThing: Thing | undefined,
  newThing: Thing | undefined,
  canonical: Canonical,
): readonly string[] {
  const [secret, other] = [oldThing?.secret, newThing?.secret];
  if (secret || other) return !secret || !other || areAlike(secret.value, other.value) ? [] : [""];
  const resources = [oldThing, newThing].flatMap((each) => each?.resource ?? []);
  const row = resources.map(({ type, adopted }) => rowOf(type, adopted))[0];
  if (!oldThing || !newThing) return row ? [] : [""];
  const isSame = (one: unknown, another: unknown): boolean =>
    textOf(one, oldThing.resource ?? oldThing.provider?.block) ===
    canonical(textOf(another, newThing.resource ?? newThing.provider?.block));
  if (isSame(oldThing.value, newThing.value)) return [];
  if (typeof oldThing.value === "string") return [""];
  const [were, are] = [record(oldThing.value), record(newThing.value)];
  const names = new Set([...Object.keys(were), ...Object.keys(are)]);
  const changed = [...names].filter((name) => !isSame(were[name], are[name]));
  if (!row) return changed.filter((name) => !oldThing.resource || !META.test(name));
  return [...new Set(resources.flatMap((each) => each.notUnderstood(row)))].filter((path) =>
    changed.includes(/^\w*/.exec(path)?.[0] ?? ""),
  );
}

/** A text that is equal for equal values. It may hold secrets. */
export function textOf(value: unknown, block: Block | undefined): string {
  const written = JSON.stringify(value) ?? "";
  const whole = written.includes(SENSITIVE) ? JSON.stringify(value, uncovered) : written;
  return block && /\b(?:local|var)\./.test(written)
    ? whole + JSON.stringify(plainOf(block.evaluate(value), shown))
    : whole;
}

const SENSITIVE = "<sensitive>";

function uncovered(this: unknown, key: string, value: unknown): unknown {
  const written = at(this, key);
  return written instanceof Hidden ? written.read((secret) => [secret]) : value;
}

/** Annotations of service accounts that name an identity, unless another change says so. */
function* annotationChanges(before: Whole, after: Whole, reported: readonly Change[]): Generator<Change> {
  for (const { stack, ...sides } of pairs(before, after)) {
    const [olds, news] = [sides.before, sides.after].map(({ artefacts }) => artefacts?.serviceAccounts);
    for (const key of new Set([...(olds?.keys() ?? []), ...(news?.keys() ?? [])])) {
      const both = [olds?.get(key), news?.get(key)];
      for (const name of new Set(both.flatMap((each) => [...(each?.annotations.keys() ?? [])]))) {
        const [was = "", is = ""] = both.map((each) =>
          shown(each?.annotations.get(name) ?? known(undefined)),
        );
        const names = was === after.canonical(is) ? [] : namesIn(`${was} ${is}`);
        const isSaid = ({ subject, ...change }: Change): boolean =>
          subject === key && namesIn(JSON.stringify(change)).some((each) => names.includes(each));
        if (names.length === 0 || reported.some(isSaid)) continue;
        const [one, other] = both.flatMap((each) => {
          const { source } = each ?? {};
          return source ? [thing(`ServiceAccount ${key}`, "", () => source, "")] : [undefined];
        });
        yield { ...changeOf(`annotation ${name}`, names.join(", "), one, other), stack, subject: key };
      }
    }
  }
}
