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
  isKnown,
  known,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import { childOf, isTreeList, optionalText, parsedTree } from "../../model/tree";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import { keySet } from "./key-set";
import type { Issuers, ObjectStore, PublishedKeys, StoreDoor, StoredObject } from "./object-store";
import { remembered } from "./references";

/** A store that publishes an issuer. */
interface Host {
  readonly issuer: Known<string>;
  readonly store: ObjectStore;
  /** The door at the issuer's URL; `undefined` if another server is in front of the store. */
  readonly door: StoreDoor | undefined;
  /** Prefix of the names of the issuer's objects, empty or with a slash at the end. */
  readonly base: string;
}

const DISCOVERY = ".well-known/openid-configuration";

/** The issuers that were read. */
export class PublishedIssuers implements Issuers {
  readonly #stores: readonly ObjectStore[];
  /** By the issuer's text for people, which is unique for each value. */
  readonly #problems = new Map<string, Answer | undefined>();

  constructor(stores: readonly ObjectStore[]) {
    this.#stores = stores;
  }

  judged(answer: Answer, issuer: Known<string>, log: string): Answer {
    if (this.#stores.length === 0 || answer.status === "fail") return answer;
    const problem = remembered(this.#problems, shown(issuer), () =>
      obstacle(this.#hosts(issuer).map((host) => this.#problemOf(host))),
    );
    if (problem === undefined || (answer.status === "unknown" && problem.status !== "fail")) return answer;
    const { status, reason, evidence, remedy } = problem;
    const both = [...evidence, ...answer.evidence];
    return { status, reason, evidence: both, remedy, ...(status === "fail" ? { log } : {}) };
  }

  keysOf(issuer: Known<string>): readonly PublishedKeys[] {
    return this.#hosts(issuer).flatMap((host) =>
      current(host, host.base + DISCOVERY).flatMap((discovery) => {
        const url = optionalText(childOf(parsedTree(discovery.text), "jwks_uri"));
        const name = this.#nameOf(url, host);
        return (name === undefined ? [] : current(host, name))
          .filter(isRead)
          .map(({ text, source }) => ({ ...keysIn(text), source }));
      }),
    );
  }

  get published(): readonly Known<string>[] {
    return this.#stores.flatMap(({ objects }) =>
      [...objects].flatMap(([name, documents]) =>
        isDiscovery(name)
          ? documents.flatMap(({ text }): readonly Known<string>[] => {
              const issuer = optionalText(childOf(parsedTree(text), "issuer"));
              return isAbsent(issuer) ? [] : [issuer as Known<string>];
            })
          : [],
      ),
    );
  }

  /** Stores at the issuer's URL, or else those whose discovery document names it, as behind a server of the user's. */
  #hosts(issuer: Known<string>): readonly Host[] {
    const hosts = this.#stores.flatMap((store) =>
      store.doors.flatMap((door): readonly Host[] => {
        const name = nameAt(door, issuer);
        return name === undefined ? [] : [{ issuer, store, door, base: folder(name) }];
      }),
    );
    const here = hosts.filter(isPublishing);
    return here.length > 0 ? here : this.#stores.flatMap((store) => namingHosts(issuer, store));
  }

  #problemOf(late: Host): Answer | undefined {
    const name = late.base + DISCOVERY;
    const [host, ...others] = toldBy(late, name);
    const discoveries = current(host, name);
    if (discoveries.length === 0) return absent(host, name, "discovery document");
    return obstacle([
      ...discoveries.map((discovery) => this.#ofDiscovery(discovery, name, host)),
      ...others.map((other) => refusal(other, name)),
    ]);
  }

  #ofDiscovery(discovery: StoredObject, discoveryName: string, host: Host): Answer | undefined {
    const where = seen("discovery document", discovery.source);
    if (!isRead(discovery)) return refusal(host, discoveryName);
    const document = parsedTree(discovery.text);
    const issuer = optionalText(childOf(document, "issuer"));
    const url = optionalText(childOf(document, "jwks_uri"));
    const isNamed = !isAbsent(issuer);
    const agreement = !isNamed ? "no" : same<string | undefined>(issuer, host.issuer);
    const who = shown(host.issuer);
    if (agreement === "no")
      return wrong(
        discovery,
        `the discovery document of ${who} names ${isNamed ? `the issuer ${shown(issuer)}` : "no issuer"}`,
        "write exactly the issuer into the discovery document",
        where,
      );
    if (agreement === "unknown")
      return unknown(
        `whether the discovery document names ${who} is known only after apply`,
        isKnown(issuer) ? APPLIED : LATER,
        where,
      );
    if (isAbsent(url))
      return wrong(discovery, "the discovery document has no jwks_uri", "write the URL of the keys", where);
    const name = this.#nameOf(url, host);
    return obstacle([
      refusal(host, discoveryName),
      ...(name === undefined ? [] : [this.#ofKeys(name, shown(url), host), refusal(host, name)]),
    ]);
  }

  #ofKeys(name: string, url: string, host: Host): Answer | undefined {
    const documents = current(host, name);
    if (documents.length === 0) return absent(host, name, `key set that jwks_uri names (${url})`);
    return obstacle(
      documents.filter(isRead).map((object) => {
        const { refusal: reason, doubt } = keySet(object.text);
        const where = seen("published keys", object.source);
        if (reason !== undefined)
          return wrong(object, `the keys that the issuer publishes ${reason}`, PUBLISH, where);
        return doubt === undefined
          ? undefined
          : unknown(`of the keys that the issuer publishes ${doubt}`, PUBLISH, where);
      }),
    );
  }

  /** The name of the object at a URL of the issuer or of the same store; `undefined` for another place. */
  #nameOf(url: Known<string | undefined>, { issuer, base, store }: Host): string | undefined {
    const path = below(issuer, url);
    if (path !== undefined) return base + path;
    return store.doors.map((door) => nameAt(door, url as Known<string>)).find((name) => name !== undefined);
  }
}

const LATER = "apply it, and explain the state or the finished files";
const APPLIED =
  "the document is that of a state: also give explain the state of what serves the issuer's URL, and see that the document names this URL";
const PUBLISH =
  "publish the public keys as the API server has them: `oc get --raw /openid/v1/jwks`, or from the PEM files of the keys";

function nameAt(door: StoreDoor, url: Known<string>): string | undefined {
  const name = door.nameAt(url);
  return orElse(name ?? known(undefined), () => undefined);
}

function folder(name: string): string {
  const plain = name.replace(/(?<!\/)\/+$/, "");
  return plain === "" ? "" : `${plain}/`;
}

function isDiscovery(name: string): boolean {
  return name === DISCOVERY || name.endsWith(`/${DISCOVERY}`);
}

/** The keys of a set that was published or handed over. */
export function keysIn(text: Known<string>): Omit<PublishedKeys, "source"> {
  const { ids, signing } = keySet(text);
  return { ids, signing };
}

function namingHosts(issuer: Known<string>, store: ObjectStore): readonly Host[] {
  return [...store.objects].flatMap(([name, objects]): readonly Host[] => {
    if (!isDiscovery(name)) return [];
    const isNamed = objects.some((object) => same(issuerIn(object), issuer) === "yes");
    return isNamed ? [{ issuer, store, door: undefined, base: name.slice(0, -DISCOVERY.length) }] : [];
  });
}

/** True if the store has the issuer's discovery document or keys. */
function isPublishing({ store, base }: Host): boolean {
  if (store.objects.has(base + DISCOVERY)) return true;
  return [...store.objects].some(
    ([name, objects]) =>
      name.startsWith(base) &&
      objects.some(({ text }) => isTreeList(orElse(childOf(parsedTree(text), "keys"), () => undefined))),
  );
}

/** What keeps readers without credentials from an object at the issuer's URL. */
function refusal({ door, store, issuer }: Host, name: string): Answer | undefined {
  return door ? door.refusal(name) : store.before?.(issuer);
}

/** A state shows what its configuration does not know yet. */
function current({ store }: Host, name: string): readonly StoredObject[] {
  const all = store.objects.get(name) ?? [];
  const literal = all.filter(({ text }) => isKnown(text));
  return literal.length > 0 ? literal : all;
}

/**
 * The host with the issuer as the document of a state names it, if the issuer is known only after apply, the
 * configuration's document names it, and the state's names a URL of the same place, and hosts for the further doors of
 * this issuer; otherwise the host in question.
 */
function toldBy(host: Host, name: string): readonly [Host, ...Host[]] {
  const { issuer, store, door, base } = host;
  const named = (store.objects.get(name) ?? []).map(issuerIn);
  if (isKnown(issuer) || door === undefined || !named.some((each) => same(each, issuer) === "yes"))
    return [host];
  const doors = store.doors.filter(
    (each) => each === door || (door.address !== undefined && each.address === door.address),
  );
  const leadsTo = (each: Known<string>, place: StoreDoor): boolean => {
    const found = isKnown(each) ? nameAt(place, each) : undefined;
    return found !== undefined && folder(found) === base;
  };
  const [first, ...told] = named.filter((each) => doors.some((place) => leadsTo(each, place)));
  if (first === undefined || told.some((each) => same(each, first) !== "yes")) return [host];
  const own = { ...host, issuer: first };
  const others = doors.filter((each) => each !== door && leadsTo(first, each));
  return [own, ...others.map((other) => ({ ...own, door: other }))];
}

/** The issuer that a discovery document names; a text that none is, where it names none. */
function issuerIn({ text }: StoredObject): Known<string> {
  const issuer = optionalText(childOf(parsedTree(text), "issuer"));
  return isAbsent(issuer) ? known("") : (issuer as Known<string>);
}

/** Objects uploaded from a file or made by an expression are not read; JSON with references in its texts is. */
function isRead({ text }: StoredObject): boolean {
  return isKnown(text) || isKnown(parsedTree(text));
}

function absent({ store, issuer }: Host, name: string, what: string): Answer {
  const reason = `the ${what} of ${shown(issuer)} is missing: nothing declares ${name} in ${store.label}`;
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
