/*
 * What is applied on the spokes: their RBAC, and how their API servers take the hub's tokens.
 */

import { type Json, at, list, own, record, text, texts } from "./access";
import { embedded } from "./embedded";
import type { LateReader } from "./late-text";
import { isNodeSetup, readNodeSetup } from "./node-facts";
import type { Source } from "./source";

/** One entry of `jwt` of an AuthenticationConfiguration. */
export interface AuthenticatorFact {
  /** `issuer.url`. */
  readonly issuer: string;
  /** `issuer.audiences`. */
  readonly audiences: readonly string[];
  /** What stands before the claim in the user's name; `undefined` where an expression makes the name. */
  readonly prefix: string | undefined;
  /** The claim that the user's name is made of; empty for an expression. */
  readonly claim: string;
  /** Expressions that must hold for the claims or the user. */
  readonly rules: readonly string[];
  /** Where it stands. */
  readonly source: Source;
}

/** A user or group that a binding names, with what the binding refers to. */
export interface BoundName {
  /** `User` or `Group`. */
  readonly kind: string;
  /** Its name, a late value as reference. */
  readonly name: string;
  /** The role, `ClusterRole cluster-admin`. */
  readonly role: string;
  /** Where the binding stands. */
  readonly source: Source;
}

/** One spoke, as far as its own objects were read. */
export interface SpokeFact {
  /** Users and groups that its bindings name. */
  readonly bound: readonly BoundName[];
  /** Whose tokens its API servers take. */
  readonly authenticators: readonly AuthenticatorFact[];
}

/** A document, and the spoke that it belongs to; `undefined` where nothing says it. */
export interface SpokeDocument {
  /** The parsed document. */
  readonly value: unknown;
  /** Where it stands. */
  readonly source: Source;
  /** Reads its late values. */
  readonly late: LateReader;
  /** Name of the spoke. */
  readonly spoke: string | undefined;
}

/** The spokes' own objects; read when they are asked for. */
export class SpokeFacts {
  readonly #documents: readonly SpokeDocument[];
  #bySpoke: ReadonlyMap<string | undefined, SpokeFact> | undefined;

  /** Documents of spokes, and such as may be of any cluster. */
  constructor(documents: readonly SpokeDocument[]) {
    this.#documents = documents.filter(({ value }) => isRead(value));
  }

  /** The objects of a spoke; with none, those of which nothing says whose they are. */
  of(spoke: string): SpokeFact {
    this.#bySpoke ??= grouped(this.#documents);
    return this.#bySpoke.get(spoke) ?? this.#bySpoke.get(undefined) ?? { bound: [], authenticators: [] };
  }
}

function isRead(value: unknown): boolean {
  const kind = text(own(value, "kind"));
  return BINDINGS.includes(kind) || kind === KIND || isNodeSetup(value);
}

function grouped(documents: readonly SpokeDocument[]): ReadonlyMap<string | undefined, SpokeFact> {
  const groups = new Map<string | undefined, SpokeDocument[]>();
  for (const document of documents) {
    const same = groups.get(document.spoke);
    if (same) same.push(document);
    else groups.set(document.spoke, [document]);
  }
  return new Map([...groups].map(([spoke, each]) => [spoke, readSpoke(each)]));
}

const KIND = "AuthenticationConfiguration";
const BINDINGS: readonly string[] = ["ClusterRoleBinding", "RoleBinding"];

function readSpoke(documents: readonly SpokeDocument[]): SpokeFact {
  return {
    bound: documents.flatMap(boundNames),
    authenticators: documents.flatMap(authenticators),
  };
}

function boundNames({ value, source, late }: SpokeDocument): readonly BoundName[] {
  if (!BINDINGS.includes(text(own(value, "kind")))) return [];
  const role = `${text(at(value, "roleRef", "kind"))} ${text(at(value, "roleRef", "name"))}`;
  return list(own(value, "subjects")).map((subject) => ({
    kind: text(own(subject, "kind")),
    name: late(text(own(subject, "name"))),
    role,
    source,
  }));
}

function authenticators({ value, source, late }: SpokeDocument): readonly AuthenticatorFact[] {
  if (isNodeSetup(value))
    return [...readNodeSetup(value, source, late).files.values()]
      .filter(({ content }) => content?.includes(KIND))
      .flatMap((file) => entries(embedded(file.content ?? ""), file.source));
  return entries(value, source);
}

function entries(value: unknown, source: Source): readonly AuthenticatorFact[] {
  const isOne =
    own(value, "kind") === KIND && text(own(value, "apiVersion")).startsWith("apiserver.config.k8s.io/");
  return isOne ? list(own(value, "jwt")).map((entry) => authenticator(record(entry), source)) : [];
}

function authenticator(entry: Json, source: Source): AuthenticatorFact {
  const username = at(entry, "claimMappings", "username");
  const claim = text(own(username, "claim"));
  const rules = [
    ...list(entry["userValidationRules"]),
    ...list(entry["claimValidationRules"]).filter((rule) => own(rule, "expression") !== undefined),
  ];
  return {
    issuer: text(at(entry, "issuer", "url")),
    audiences: texts(at(entry, "issuer", "audiences")),
    prefix: claim === "" ? undefined : text(own(username, "prefix")),
    claim,
    rules: rules.map((rule) => text(own(rule, "expression"))),
    source,
  };
}
