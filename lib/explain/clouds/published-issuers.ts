/*
 * The documents of issuers that Terraform publishes. Every cloud asks the issuer for its keys, unless it was handed
 * them, so an issuer whose documents are wrong or closed is trusted in vain.
 *
 * Source: OpenID Connect Discovery 1.0, sections 4.1 and 4.3.
 */

import { type Answer, broken, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import { ASK_AGAIN } from "./ask-again";
import { own, text } from "../facts/access";
import type { Source } from "../facts/source";
import { isLateText, sameText } from "../facts/terraform";
import { issuerWords } from "./issuer-words";
import { keySet, parsedJson } from "./key-set";
import { type ObjectStore, type StoreDoor, type StoredObject, below } from "./object-stores";

/** Keys that an issuer publishes. */
export interface PublishedKeys {
  /** Ids of the keys. */
  readonly ids: readonly string[];
  /** Where they stand. */
  readonly source: Source;
}

/** A store that publishes an issuer. */
interface Host {
  readonly issuer: string;
  readonly store: ObjectStore;
  /** The door at the issuer's URL; `undefined` where another server stands before the store. */
  readonly door: StoreDoor | undefined;
  /** What names of the issuer's objects begin with, empty or with a slash at the end. */
  readonly base: string;
}

const DISCOVERY = ".well-known/openid-configuration";

/** The issuers that were read. */
export class PublishedIssuers {
  readonly #stores: readonly ObjectStore[];
  readonly #problems = new Map<string, Answer | undefined>();

  constructor(stores: readonly ObjectStore[]) {
    this.#stores = stores;
  }

  /** The answer of a cloud that trusts the issuer and asks it for its keys; `log` is what it says where it cannot. */
  judged(answer: Answer, issuer: string | undefined, log: string): Answer {
    if (this.#stores.length === 0 || issuer === undefined || answer.status === "fail") return answer;
    const problem = this.#problem(issuer);
    if (problem === undefined || (answer.status === "unknown" && problem.status !== "fail")) return answer;
    const { status, reason, evidence, remedy } = problem;
    const both = [...evidence, ...answer.evidence];
    return { status, reason, evidence: both, remedy, ...(status === "fail" ? { log } : {}) };
  }

  /** The keys that an issuer publishes, as far as they were read. */
  keysOf(issuer: string): readonly PublishedKeys[] {
    return this.#hosts(issuer).flatMap((host) =>
      current(host, host.base + DISCOVERY).flatMap((discovery) => {
        const name = this.#nameOf(text(own(parsedJson(discovery.text), "jwks_uri")), host);
        return (name === undefined ? [] : current(host, name))
          .filter((object) => isRead(object))
          .map(({ text: jwks, source }) => ({ ids: keySet(jwks).ids, source }));
      }),
    );
  }

  /** An issuer is judged once, whoever asks. */
  #problem(issuer: string): Answer | undefined {
    if (this.#problems.has(issuer)) return this.#problems.get(issuer);
    const problem = obstacle(this.#hosts(issuer).map((host) => this.#problemOf(host)));
    this.#problems.set(issuer, problem);
    return problem;
  }

  /** Those at the issuer's URL; else those whose discovery document names it, as behind a server of somebody's own. */
  #hosts(issuer: string): readonly Host[] {
    const hosts = this.#stores.flatMap((store) =>
      store.doors.flatMap((door): readonly Host[] => {
        const name = door.nameAt(issuer);
        return name === undefined ? [] : [{ issuer, store, door, base: folder(name) }];
      }),
    );
    const here = hosts.filter((host) => isPublishing(host));
    return here.length > 0 ? here : this.#stores.flatMap((store) => namingHosts(issuer, store));
  }

  #problemOf(host: Host): Answer | undefined {
    const name = host.base + DISCOVERY;
    const discoveries = current(host, name);
    if (discoveries.length === 0) return absent(host, name, "discovery document");
    return obstacle(discoveries.map((discovery) => this.#ofDiscovery(discovery, name, host)));
  }

  #ofDiscovery(discovery: StoredObject, discoveryName: string, host: Host): Answer | undefined {
    const where = seen("discovery document", discovery.source);
    if (!isRead(discovery)) return refusal(host, discoveryName);
    const document = parsedJson(discovery.text);
    const [issuer, url] = [text(own(document, "issuer")), text(own(document, "jwks_uri"))];
    const same = issuer === "" ? "different" : sameText(issuer, host.issuer);
    if (same === "different")
      return wrong(
        discovery,
        `the discovery document of ${issuerWords(host.issuer)} names ${issuer === "" ? "no issuer" : `the issuer ${issuer}`}`,
        "write the issuer to the letter into the discovery document",
        where,
      );
    if (same === "unknown")
      return unknown(
        `whether the discovery document names ${issuerWords(host.issuer)} is known only after apply`,
        ASK_AGAIN,
        where,
      );
    if (url === "")
      return wrong(
        discovery,
        "the discovery document has no jwks_uri",
        "write the URL of the keys into it",
        where,
      );
    const name = this.#nameOf(url, host);
    return obstacle([
      refusal(host, discoveryName),
      ...(name === undefined ? [] : [this.#ofKeys(name, url, host), refusal(host, name)]),
    ]);
  }

  #ofKeys(name: string, url: string, host: Host): Answer | undefined {
    const found = current(host, name);
    if (found.length === 0) return absent(host, name, `key set that jwks_uri names (${issuerWords(url)})`);
    return obstacle(
      found.filter(isRead).map((object) => {
        const { refusal, doubt } = keySet(object.text);
        const where = seen("published keys", object.source);
        if (refusal !== undefined)
          return wrong(object, `the keys that the issuer publishes ${refusal}`, PUBLISH, where);
        return doubt === undefined
          ? undefined
          : unknown(`of the keys that the issuer publishes ${doubt}`, PUBLISH, where);
      }),
    );
  }

  /** The name of the object at a URL of the issuer's, or of the same store's; `undefined` for another place. */
  #nameOf(url: string, { issuer, base, store }: Host): string | undefined {
    const path = below(issuer, url);
    if (path !== undefined) return base + path;
    return store.doors.map((door) => door.nameAt(url)).find((name) => name !== undefined);
  }
}

const PUBLISH =
  "publish the public keys as the API server has them: `oc get --raw /openid/v1/jwks`, or from the PEM files of the keys";

function folder(name: string): string {
  const plain = name.replace(/\/+$/, "");
  return plain === "" ? "" : `${plain}/`;
}

function namingHosts(issuer: string, store: ObjectStore): readonly Host[] {
  return [...store.objects].flatMap(([name, objects]): readonly Host[] => {
    if (name !== DISCOVERY && !name.endsWith(`/${DISCOVERY}`)) return [];
    const isNamed = objects.some((each) => own(parsedJson(each.text), "issuer") === issuer);
    return isNamed ? [{ issuer, store, door: undefined, base: name.slice(0, -DISCOVERY.length) }] : [];
  });
}

/** True where the discovery document or keys of the issuer stand there. */
function isPublishing({ store, base }: Host): boolean {
  if (store.objects.has(base + DISCOVERY)) return true;
  return [...store.objects].some(
    ([name, objects]) =>
      name.startsWith(base) && objects.some((each) => Array.isArray(own(parsedJson(each.text), "keys"))),
  );
}

/** What keeps those without credentials from reading an object at the issuer's URL. */
function refusal({ door, store, issuer }: Host, name: string): Answer | undefined {
  return door ? door.refusal(name) : store.before?.(issuer);
}

/** A state tells what its configuration does not know yet. */
function current({ store }: Host, name: string): readonly StoredObject[] {
  const all = store.objects.get(name) ?? [];
  const literal = all.filter((each) => each.text !== "" && !isLateText(each.text));
  return literal.length > 0 ? literal : all;
}

/** What is uploaded from a file, or made by an expression, is not read. */
function isRead({ text: content }: StoredObject): boolean {
  return content !== "" && (!isLateText(content) || parsedJson(content) !== undefined);
}

function absent({ store, issuer }: Host, name: string, what: string): Answer {
  const reason = `the ${what} of ${issuerWords(issuer)} is missing: nothing declares ${name} in ${store.label}`;
  const remedy = "declare it, or name the Terraform that does as well";
  const places = [...store.objects.values()].flat().map((each) => seen("object beside it", each.source));
  return store.isWhole
    ? broken(reason, remedy, undefined, ...places.slice(0, 1))
    : unknown(reason, remedy, ...places.slice(0, 1));
}

/** What Terraform leaves as it is may be right although what is written is not. */
function wrong(
  { isKept }: StoredObject,
  reason: string,
  remedy: string,
  where: Answer["evidence"][number],
): Answer {
  return isKept
    ? unknown(`${reason}, unless another text is there, which Terraform leaves as it is`, remedy, where)
    : broken(reason, remedy, undefined, where);
}
