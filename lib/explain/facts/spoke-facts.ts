/*
 * What is applied on the spokes: their RBAC, and how their API servers take the hub's tokens.
 */

import { authenticationProblems } from "../../rules/fleet/authentication-document";
import { type Json, at, list, own, record, text, texts } from "./access";
import { embedded } from "./embedded";
import type { LateReader } from "./late-text";
import { isNodeSetup, readNodeSetup } from "./node-facts";
import type { Source } from "./source";
import { type RoleRules, readRoles, roleKey } from "./spoke-roles";
import { isLateText } from "./terraform";

/** One entry of `jwt` of an AuthenticationConfiguration. */
export interface AuthenticatorFact {
  /** `issuer.url`. */
  readonly issuer: string;
  /** `issuer.discoveryURL`; empty where the documents stand at the issuer. */
  readonly discoveryUrl: string;
  /** `issuer.audiences`. */
  readonly audiences: readonly string[];
  /** What stands before the claim in the user's name; `undefined` where an expression makes the name. */
  readonly prefix: string | undefined;
  /** The claim that the user's name is made of; empty for an expression. */
  readonly claim: string;
  /** The expression that makes the user's name; empty for a claim. */
  readonly expression: string;
  /** True where claims make the user's groups. */
  readonly hasGroups: boolean;
  /** Expressions that must hold for the claims or the user. */
  readonly rules: readonly string[];
  /** Where it stands. */
  readonly source: Source;
}

/** A user or group that a binding names, with what the binding refers to. */
export interface BoundName {
  /** `User`, `Group` or `ServiceAccount`. */
  readonly kind: string;
  /** Its name, a late value as reference; of a service account `namespace/name`. */
  readonly name: string;
  /** The role, `ClusterRole cluster-admin`. */
  readonly role: string;
  /** What the role says; `undefined` where it does not stand among the spoke's objects. */
  readonly rules: RoleRules | undefined;
  /** Where the binding stands. */
  readonly source: Source;
}

/** What is wrong with an AuthenticationConfiguration. */
export interface RefusedConfiguration {
  /** The end of a sentence. */
  readonly problem: string;
  /** Where it stands. */
  readonly source: Source;
}

/** One spoke, as far as its own objects were read. */
export interface SpokeFact {
  /** Users and groups that its bindings name. */
  readonly bound: readonly BoundName[];
  /** Whose tokens its API servers take. */
  readonly authenticators: readonly AuthenticatorFact[];
  /** Why its API servers do not start with such a configuration, each the end of a sentence. */
  readonly refused: readonly RefusedConfiguration[];
  /** True where all of its objects were written by who recorded them; false where others may have been left out. */
  readonly isWhole: boolean;
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
  #bySpoke: ReadonlyMap<string, readonly SpokeDocument[]> | undefined;

  /** Documents of spokes, and such as may be of any cluster. */
  constructor(documents: readonly SpokeDocument[]) {
    this.#documents = documents.filter(({ value }) => isRead(value));
  }

  /**
   * The objects of a spoke: those that somebody recorded as its own, and those whose file or folder has its name.
   * Others may be of any cluster, and say nothing of this one.
   */
  of(spoke: string): SpokeFact {
    this.#bySpoke ??= grouped(this.#documents);
    return readSpoke(this.#bySpoke.get(spoke) ?? []);
  }
}

function isRead(value: unknown): boolean {
  const kind = text(own(value, "kind"));
  return BINDINGS.includes(kind) || ROLES.includes(kind) || kind === KIND || isNodeSetup(value);
}

function grouped(documents: readonly SpokeDocument[]): ReadonlyMap<string, readonly SpokeDocument[]> {
  const groups = new Map<string, SpokeDocument[]>();
  for (const document of documents)
    for (const name of new Set(document.spoke === undefined ? namesOf(document) : [document.spoke])) {
      const same = groups.get(name);
      if (same) same.push(document);
      else groups.set(name, [document]);
    }
  return groups;
}

/** The folders of a file, and its own name without its ending, and without what this library appends. */
function namesOf({ source }: SpokeDocument): readonly string[] {
  const folders = source.file.split(/[/\\]/);
  const file = folders.pop() ?? "";
  const name = file.replace(/\.[^.]*$/, "");
  return [...folders, name, name.replace(/_control-plane$/, "")];
}

const KIND = "AuthenticationConfiguration";
const ROLES: readonly string[] = ["ClusterRole", "Role"];
const BINDINGS: readonly string[] = ["ClusterRoleBinding", "RoleBinding"];

function readSpoke(documents: readonly SpokeDocument[]): SpokeFact {
  const roles = new Map(documents.flatMap(readRoles).map((role) => [role.key, role]));
  const configurations = documents.flatMap(configurationsOf);
  return {
    bound: documents.flatMap((document) => boundNames(document, roles)),
    authenticators: configurations.flatMap(({ value, source }) =>
      list(own(value, "jwt")).map((entry) => authenticator(record(entry), source)),
    ),
    refused: configurations.flatMap(({ value, source }) =>
      authenticationProblems(value, isLateText).map((problem) => ({ problem, source })),
    ),
    // Roles say nothing of who is bound.
    isWhole: documents.every(
      ({ spoke, value }) => spoke !== undefined || ROLES.includes(text(own(value, "kind"))),
    ),
  };
}

function boundNames(
  { value, source, late }: SpokeDocument,
  roles: ReadonlyMap<string, RoleRules>,
): readonly BoundName[] {
  const binding = text(own(value, "kind"));
  const [kind, name] = [text(at(value, "roleRef", "kind")), text(at(value, "roleRef", "name"))];
  if (!BINDINGS.includes(binding) || !ROLES.includes(kind) || name === "") return [];
  // The API server takes no role of a namespace for the whole cluster.
  if (binding === "ClusterRoleBinding" && kind === "Role") return [];
  const rules = roles.get(roleKey(kind, name, text(at(value, "metadata", "namespace"))));
  return list(own(value, "subjects")).map((subject) => ({
    kind: text(own(subject, "kind")),
    name: late(accountName(subject)),
    role: `${kind} ${name}`,
    rules,
    source,
  }));
}

function accountName(subject: unknown): string {
  const name = text(own(subject, "name"));
  return own(subject, "kind") === "ServiceAccount" ? `${text(own(subject, "namespace"))}/${name}` : name;
}

/** The configurations of a document: itself, or those in the files of nodes. */
function configurationsOf({
  value,
  source,
  late,
}: SpokeDocument): readonly { readonly value: unknown; readonly source: Source }[] {
  const all = isNodeSetup(value)
    ? [...readNodeSetup(value, source, late).files]
        .filter(([path, { content }]) => path.startsWith("/") && content?.includes(KIND))
        .map(([, file]) => ({ value: embedded(file.content ?? ""), source: file.source }))
    : [{ value, source }];
  return all.filter(
    (each) =>
      own(each.value, "kind") === KIND &&
      text(own(each.value, "apiVersion")).startsWith("apiserver.config.k8s.io/"),
  );
}

function authenticator(entry: Json, source: Source): AuthenticatorFact {
  const username = at(entry, "claimMappings", "username");
  const claim = text(own(username, "claim"));
  const rules = [...list(entry["userValidationRules"]), ...list(entry["claimValidationRules"])];
  return {
    issuer: text(at(entry, "issuer", "url")),
    discoveryUrl: text(at(entry, "issuer", "discoveryURL")),
    audiences: texts(at(entry, "issuer", "audiences")),
    prefix: claim === "" ? undefined : text(own(username, "prefix")),
    claim,
    expression: text(own(username, "expression")),
    hasGroups: at(entry, "claimMappings", "groups") !== undefined,
    rules: rules.map(ruleText),
    source,
  };
}

/** A rule without expression compares one claim. */
function ruleText(rule: unknown): string {
  const expression = text(own(rule, "expression"));
  return expression === ""
    ? `claims.${text(own(rule, "claim"))} == '${text(own(rule, "requiredValue"))}'`
    : expression;
}
