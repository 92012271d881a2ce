/*
 * The documents of issuers that Terraform publishes. Every cloud asks the issuer for its keys, unless it was handed
 * them, so an issuer whose documents are wrong or closed is trusted in vain.
 *
 * Source: OpenID Connect Discovery 1.0, sections 4.1 and 4.3.
 */

import {
  type Known,
  afterPrefix,
  isAbsent,
  isBlank,
  isKnown,
  known,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import { remembered } from "../../model/once";
import type { AcceptedAlgorithms } from "../../rules/openid/jwks";
import { childOf, isTreeList, optionalText, parsedTree } from "../../model/tree";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import type { ClosedWorld } from "../coverage/closed-world";
import { obstacle } from "../obstacle";
import { VERIFIABLE, keySet } from "./key-set";
import type { Doubt, Issuers, ObjectStore, PublishedKeys, StoreDoor, StoredObject } from "./object-store";

interface Host {
  readonly issuer: Known<string>;
  readonly store: ObjectStore;
  /** The door at the issuer's URL; `undefined` if something else serves that. */
  readonly door: StoreDoor | undefined;
  /** Prefix of the names of the issuer's objects, empty or with a slash at the end. */
  readonly base: string;
}

const DISCOVERY = ".well-known/openid-configuration";

export class PublishedIssuers implements Issuers {
  readonly #stores: readonly ObjectStore[];
  readonly #world: ClosedWorld;
  /** By the issuer's text for people, which is unique for each value. */
  readonly #problems = new Map<string, Answer | undefined>();

  constructor(stores: readonly ObjectStore[], world: ClosedWorld) {
    this.#stores = stores;
    this.#world = world;
  }

  judged(
    answer: Answer,
    issuer: Known<string>,
    log: string,
    accepted: AcceptedAlgorithms = VERIFIABLE,
  ): Answer {
    if (this.#stores.length === 0 || answer.status === "fail") return answer;
    const problem = remembered(this.#problems, `${accepted.by} ${shown(issuer)}`, () =>
      obstacle(this.#hosts(issuer).map((host) => this.#problemOf(host, accepted))),
    );
    if (problem === undefined || (answer.status === "unknown" && problem.status !== "fail")) return answer;
    const { status, reason, evidence, remedy } = problem;
    const both = [...evidence, ...answer.evidence];
    return { status, reason, evidence: both, remedy, ...(status === "fail" ? { log } : {}) };
  }

  keysOf(issuer: Known<string>): readonly PublishedKeys[] {
    return this.#hosts(issuer).flatMap((host) =>
      current(host, host.base + DISCOVERY)
        .flatMap((discovery) => nameOf(keysUrl(discovery), host) ?? [])
        .flatMap((name) => current(host, name))
        .map(({ text, source }) => ({ ...keySet(text), text, source })),
    );
  }

  get published(): readonly Known<string>[] {
    const all = this.#stores.flatMap(({ objects }) => [...objects]).filter(([name]) => isDiscovery(name));
    return all.flatMap(([, documents]) => documents.map(issuerIn)).filter((each) => !isBlank(each));
  }

  /** Stores at the issuer's URL, or else those whose documents or whose name suggest that they are. */
  #hosts(issuer: Known<string>): readonly Host[] {
    const here = this.#stores.flatMap((store) =>
      store.doors.flatMap((door): readonly Host[] => {
        const base = baseAt(door, issuer);
        return base === undefined ? [] : [{ issuer, store, door, base }];
      }),
    );
    const publishing = here.filter(isPublishing);
    return publishing.length > 0 ? publishing : this.#stores.flatMap((store) => suspected(issuer, store));
  }

  #problemOf(late: Host, accepted: AcceptedAlgorithms): Answer | undefined {
    const name = late.base + DISCOVERY;
    const host = issuerOf(late, name);
    const discoveries = current(host, name);
    const urls = discoveries.map(keysUrl);
    const names = urls.map((url) => (isAbsent(url) ? name : nameOf(url, host)));
    const keys = names.flatMap((each) => (each === undefined || each === name ? [] : current(host, each)));
    const documents = [...discoveries, ...keys];
    const needed = [name, ...names].filter((each) => each !== undefined && host.store.objects.has(each));
    const unread = documents.find((each) => !isRead(each));
    const doubt =
      doubtAt(host, needed as readonly string[]) ??
      documents.find((each) => each.doubt)?.doubt ??
      (unread && { reason: UNREAD, evidence: [seen("object", unread.source)] });
    const toFetch = fetched(host.issuer, urls[0]);
    if (doubt) return unknown(doubt.reason, toFetch, doubt.evidence);
    const parts = [...(host.door?.parts ?? []), ...documents.map(({ resource }) => resource)];
    const opening = this.#world.answer(`what serves ${shown(host.issuer)}`, parts, [host.store.name]);
    if (opening) return unknown(opening.reason, toFetch, opening.evidence);
    if (discoveries.length === 0) return absent(host, name, "discovery document");
    return obstacle(
      discoveries.map((discovery, place) => {
        const [url = known(undefined), keysName] = [urls[place], names[place]];
        return (
          ofDiscovery(discovery, host) ??
          (keysName === undefined
            ? unknown(KEYS_ELSEWHERE, toFetch, seen("discovery document", discovery.source))
            : ofKeys(keysName, shown(url), host, accepted))
        );
      }),
    );
  }
}

const LATER = "apply it, and explain the state or the finished files";
const APPLIED =
  "the document is that of a state: also give explain the state of what serves the issuer's URL, and see that the document names this URL";
const PUBLISH =
  "publish the public keys as the API server has them: `oc get --raw /openid/v1/jwks`, or from the PEM files of the keys";

/** Prefix of the names of objects whose URLs begin with the issuer; `undefined` if that is not here. */
function baseAt(door: StoreDoor, issuer: Known<string>): string | undefined {
  const [path] = door.basesFor(issuer).flatMap((each) => below(each, issuer) ?? []);
  if (path === undefined) return undefined;
  return path === "" ? "" : `${path.replace(/\/+$/, "")}/`;
}

/** The name of the object at a URL below the issuer. */
function nameOf(url: Known<string | undefined>, { issuer, base }: Host): string | undefined {
  const path = below(issuer, url);
  return path === undefined ? undefined : base + path;
}

function keysUrl({ text }: StoredObject): Known<string | undefined> {
  return optionalText(childOf(parsedTree(text), "jwks_uri"));
}

function isDiscovery(name: string): boolean {
  return name === DISCOVERY || name.endsWith(`/${DISCOVERY}`);
}

/** The discovery documents that name the issuer, or all if the issuer's URL has the name of the store. */
function suspected(issuer: Known<string>, store: ObjectStore): readonly Host[] {
  const words = store.isServedElsewhere(issuer) ? [] : orElse(issuer, () => "").split(/[/.:]/);
  const isNamed = words.includes(orElse(store.name, () => "?"));
  return [...store.objects].flatMap(([name, objects]): readonly Host[] => {
    const isMeant = isNamed || objects.some((object) => same(issuerIn(object), issuer) === "yes");
    const base = name.slice(0, -DISCOVERY.length);
    return isDiscovery(name) && isMeant ? [{ issuer, store, door: undefined, base }] : [];
  });
}

/** True if the store has the issuer's discovery document or keys. */
function isPublishing({ store, base }: Host): boolean {
  const hasKeys = ({ text }: StoredObject): boolean =>
    isTreeList(orElse(childOf(parsedTree(text), "keys"), () => undefined));
  return [...store.objects].some(
    ([name, objects]) => name === base + DISCOVERY || (name.startsWith(base) && objects.some(hasKeys)),
  );
}

/** Why it is not certain that everyone gets the documents at the issuer's URL. */
function doubtAt({ door, store, issuer }: Host, names: readonly string[]): Doubt | undefined {
  if (door) return door.doubt(names);
  if (store.isServedElsewhere(issuer)) return undefined;
  const reason = `explain does not judge what serves ${shown(issuer)}, whose documents are in ${shown(store.name)}`;
  const [beside] = [...store.objects.values()].flat();
  return { reason, evidence: beside ? [seen("object", beside.source)] : [] };
}

const UNREAD = "the text of the issuer's document was not read";
const KEYS_ELSEWHERE = "explain does not judge what serves the URL in jwks_uri";

/** The commands that decide what files leave open. */
function fetched(issuer: Known<string>, keys: Known<string | undefined> = known(undefined)): string {
  const base = orElse(issuer, () => "<issuer>").replace(/\/$/, "");
  return `see that everyone gets the issuer's discovery document with \`curl ${base}/${DISCOVERY}\`, and the keys of the cluster with \`curl ${orElse(keys, () => undefined) ?? "<jwks_uri>"}\``;
}

/** A state shows what its configuration does not know yet. */
function current({ store }: Host, name: string): readonly StoredObject[] {
  const all = store.objects.get(name) ?? [];
  const literal = all.filter(({ text }) => isKnown(text));
  return literal.length > 0 ? literal : all;
}

/**
 * The host with the issuer as the document of a state names it, if the issuer is known only after apply, the
 * configuration's document names it, and the state's names a URL of the same place; otherwise the host in question.
 */
function issuerOf(host: Host, name: string): Host {
  const { issuer, store, door, base } = host;
  const named = (store.objects.get(name) ?? []).map(issuerIn);
  if (isKnown(issuer) || door === undefined || !named.some((each) => same(each, issuer) === "yes"))
    return host;
  const [first, ...others] = named.filter((each) => isKnown(each) && baseAt(door, each) === base);
  return first === undefined || others.some((each) => same(each, first) !== "yes")
    ? host
    : { ...host, issuer: first };
}

/** The issuer that a discovery document names; a text that none is, where it names none. */
function issuerIn({ text }: StoredObject): Known<string> {
  const issuer = optionalText(childOf(parsedTree(text), "issuer"));
  return isAbsent(issuer) ? known("") : (issuer as Known<string>);
}

function ofDiscovery(discovery: StoredObject, { issuer }: Host): Answer | undefined {
  const where = seen("discovery document", discovery.source);
  const named = issuerIn(discovery);
  const who = shown(issuer);
  if (isBlank(named) || same(named, issuer) === "no")
    return wrong(
      discovery,
      `the discovery document of ${who} names ${isBlank(named) ? "no issuer" : `the issuer ${shown(named)}`}`,
      "write exactly the issuer into the discovery document",
      where,
    );
  if (same(named, issuer) === "unknown")
    return unknown(
      `whether the discovery document names ${who} is known only after apply`,
      isKnown(named) ? APPLIED : LATER,
      where,
    );
  return isAbsent(keysUrl(discovery))
    ? wrong(discovery, "the discovery document has no jwks_uri", "write the URL of the keys", where)
    : undefined;
}

function ofKeys(name: string, url: string, host: Host, accepted: AcceptedAlgorithms): Answer | undefined {
  const documents = current(host, name);
  if (documents.length === 0) return absent(host, name, `key set that jwks_uri names (${url})`);
  return obstacle(
    documents.map((object) => {
      const { refusal: reason, doubt } = keySet(object.text, accepted);
      const where = seen("published keys", object.source);
      if (reason !== undefined)
        return wrong(object, `the keys that the issuer publishes ${reason}`, PUBLISH, where);
      return doubt === undefined
        ? undefined
        : unknown(`of the keys that the issuer publishes ${doubt}`, PUBLISH, where);
    }),
  );
}

/** Objects uploaded from a file or made by an expression are not read; JSON with references in its texts is. */
function isRead({ text }: StoredObject): boolean {
  return isKnown(text) || isKnown(parsedTree(text));
}

function absent({ store, issuer }: Host, name: string, what: string): Answer {
  const reason = `the ${what} of ${shown(issuer)} is missing: nothing declares ${name} in ${shown(store.name)}`;
  const remedy = "declare it, or also give explain the Terraform that does";
  const [beside] = [...store.objects.values()].flat();
  const places = beside ? [seen("object beside it", beside.source)] : [];
  return store.isWhole ? broken(reason, remedy, undefined, places) : unknown(reason, remedy, places);
}

/** A text that Terraform leaves as it is may be right although the written one is not. */
function wrong({ isKept }: StoredObject, reason: string, remedy: string, where: Evidence): Answer {
  return isKept
    ? unknown(`${reason}, unless the object has another text, which Terraform leaves as it is`, remedy, where)
    : broken(reason, remedy, undefined, where);
}

/** The rest of a text after a URL, without a leading slash; `undefined` if it may not begin with the URL. */
export function below(base: Known<string>, url: Known<string | undefined>): string | undefined {
  const rest = afterPrefix(url as Known<string>, base);
  const path = orElse(rest ?? known(undefined), () => undefined);
  if (path === undefined || path === "") return path;
  const isInside = path.startsWith("/") || whether(base, (text) => text.endsWith("/")) === "yes";
  return isInside ? path.replace(/^\//, "") : undefined;
}
