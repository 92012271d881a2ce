/*
 * The objects that are applied on the spokes: their RBAC, and how their API servers accept the hub's tokens.
 */

import { push } from "../../model/grouped";
import { type Known, andThen, joined, known, map, orElse, shown } from "../../model/known";
import { at, list, record, text, texts } from "../../model/parsed";
import { shownAt } from "../../model/parsed-tree";
import { type Tree, itemsAt, listAt, plainOf, textAt, treeAt } from "../../model/tree";
import { authenticationProblems } from "../../rules/fleet/authentication";
import { AUTHENTICATION_FLAG, apiServerArgument } from "../../rules/node/issuers";
import { embedded } from "./documents";
import { lateTree } from "./late-text";
import { mayHold } from "./node-files";
import { isNodeDocument, nodesOfDocuments } from "./node-forms";
import type { ObjectFact } from "./fleet-facts";
import type { KubernetesDocument, KubernetesObject, Objects } from "./objects";
import { BINDINGS, ROLES } from "./refusals";
import type { SkippedDocument, Source } from "./source";

export interface AuthenticatorFact {
  readonly issuer: Known<string>;
  /** `issuer.discoveryURL`; `undefined` if the issuer itself serves the documents. */
  readonly discoveryUrl: Known<string | undefined>;
  readonly audiences: Known<readonly Known<string>[]>;
  /** The prefix before the claim in the user name; `undefined` if an expression computes the name. */
  readonly prefix: Known<string | undefined>;
  readonly claim: Known<string | undefined>;
  readonly expression: Known<string | undefined>;
  readonly hasGroups: boolean;
  /** Expressions that must hold for the claims or the user. */
  readonly rules: readonly Known<string>[];
  readonly entry: Tree;
  readonly source: Source;
}

export interface RoleRules {
  /** `ClusterRole deployer`, or `Role shop/deployer`. */
  readonly key: string;
  /** True if it grants nothing: it has no rules, own or aggregated. */
  readonly isEmpty: boolean;
  /** Its rules, one text each; equal for equal rules. */
  readonly texts: readonly string[];
  /** Names of the users that it allows to impersonate; "any" for all. */
  readonly impersonates: readonly Known<string>[] | "any";
  /** Why the API server refuses the role, which then grants nothing. */
  readonly refusal?: SkippedDocument;
}

/** A user or group that a binding names, with the binding's role. */
export interface BoundName {
  readonly kind: string;
  /** Its name; for a service account `namespace/name`. */
  readonly name: Known<string>;
  readonly role: string;
  /** The role's rules; `undefined` if the role is not among the spoke's objects. */
  readonly rules: RoleRules | undefined;
  readonly source: Source;
}

export interface SpokeFact {
  readonly bound: readonly BoundName[];
  readonly authenticators: readonly AuthenticatorFact[];
  readonly refused: readonly { readonly problem: string; readonly source: Source }[];
  /** True if the stack that recorded its objects wrote all of them; false if some may be missing. */
  readonly isWhole: boolean;
}

const FILE_KIND = "AuthenticationConfiguration";

/** The spokes' own objects, read on demand. */
export class SpokeFacts {
  readonly #objects: readonly KubernetesObject[];
  readonly #setups: readonly KubernetesDocument[];
  readonly #refused: readonly SkippedDocument[];
  #bySpoke: ReadonlyMap<string, readonly KubernetesDocument[]> | undefined;

  /** Takes objects of spokes, objects that may be of any cluster, and setups of nodes. */
  constructor(objects: Objects, setups: readonly KubernetesDocument[]) {
    this.#objects = objects.of(...ROLES, ...BINDINGS, FILE_KIND);
    this.#setups = setups;
    this.#refused = objects.skipped.filter(({ refused }) => refused !== undefined);
  }

  /**
   * The objects of a spoke: those recorded as its own, and those whose file or folder has its name. Others may be of
   * any cluster, so they tell nothing about this one.
   */
  of(spoke: string): SpokeFact {
    this.#bySpoke ??= bySpoke([...this.#objects, ...this.#setups]);
    const refused = this.#refused.filter((each) => namesOf(each).includes(spoke));
    return readSpoke(this.#bySpoke.get(spoke) ?? [], refused);
  }
}

function bySpoke(
  documents: readonly KubernetesDocument[],
): ReadonlyMap<string, readonly KubernetesDocument[]> {
  const groups = new Map<string, KubernetesDocument[]>();
  for (const document of documents)
    for (const name of new Set(document.spoke === undefined ? namesOf(document) : [document.spoke]))
      push(groups, name, document);
  return groups;
}

/** The folders of a file, and its name without extension and without the suffix that this library appends. */
function namesOf({ source }: Pick<KubernetesDocument, "source">): readonly string[] {
  const folders = source.file.split(/[/\\]/);
  const file = folders.pop() ?? "";
  const name = file.replace(/\.[^.]*$/, "");
  return [...folders, name, name.replace(/_control-plane(?:-config)?$/, "")];
}

function readSpoke(documents: readonly KubernetesDocument[], refused: readonly SkippedDocument[]): SpokeFact {
  const all = [...refused.map(refusedRole), ...documents.filter(isOf(ROLES)).map(roleRules)];
  const roles = new Map(all.map((rules) => [rules.key, rules]));
  const configurations = documents.flatMap(configurationsOf);
  const named = documents.flatMap(pathsNamedIn);
  return {
    bound: documents.filter(isOf(BINDINGS)).flatMap((document) => boundNames(document, roles)),
    authenticators: configurations.flatMap(({ value, source }) =>
      itemsAt(value, "jwt").map((entry) => authenticator(entry, source)),
    ),
    refused: configurations.flatMap(({ value, source, path }) =>
      [
        ...authenticationProblems(value),
        ...(path === undefined || named.length === 0 || named.includes(path)
          ? []
          : [`is in ${path}, and their argument names ${named.join(", ")}`]),
      ].map((problem) => ({ problem, source })),
    ),
    // Roles do not tell who is bound.
    isWhole: documents.every((document) => document.spoke !== undefined || isOf(ROLES)(document)),
  };
}

function isOf(kinds: readonly string[]): (document: KubernetesDocument) => boolean {
  return ({ value }) => kinds.includes(text(at(value, "kind")));
}

/** Key of a role; a Role is known only in its namespace. */
function roleKey(kind: string, name: string, namespace: string): string {
  return kind === "Role" ? `Role ${namespace}/${name}` : `${kind} ${name}`;
}

function roleRules({ value, late }: KubernetesDocument): RoleRules {
  const { name, namespace } = record(at(value, "metadata"));
  const rules = list(at(value, "rules"));
  const acting = rules.filter(letsAct).map((rule) => texts(at(rule, "resourceNames")).map(late));
  return {
    key: roleKey(text(at(value, "kind")), text(name), text(namespace)),
    isEmpty: rules.every(givesNothing) && at(value, "aggregationRule") === undefined,
    texts: [
      ...rules.map(roleRuleText),
      ...list(at(value, "aggregationRule", "clusterRoleSelectors")).map(wholeText),
    ],
    impersonates: acting.some((each) => each.length === 0) ? "any" : acting.flat(),
  };
}

function refusedRole(refusal: SkippedDocument): RoleRules {
  return { key: refusal.refused ?? "", isEmpty: true, texts: [], impersonates: [], refusal };
}

/** `get, list on apps/deployments`; names and groups in any order are the same rule. */
function roleRuleText(rule: unknown): string {
  const sorted = (key: string): string => [...new Set(texts(at(rule, key)))].sort().join(", ");
  const [groups, resources] = [sorted("apiGroups"), sorted("resources")];
  const names = sorted("resourceNames");
  const on = [
    resources && `${groups}/${resources}`,
    sorted("nonResourceURLs"),
    names && `of the names ${names}`,
  ].filter(Boolean);
  return `${sorted("verbs")} on ${on.join(" ")}`;
}

function wholeText(selector: unknown): string {
  return `what roles have that match ${JSON.stringify(selector)}`;
}

/** A rule without verbs, or for nothing, allows nothing. */
function givesNothing(rule: unknown): boolean {
  const has = (key: string): boolean => texts(at(rule, key)).length > 0;
  return !has("verbs") || !(has("resources") || has("nonResourceURLs"));
}

function letsAct(rule: unknown): boolean {
  const has = (key: string, word: string): boolean =>
    texts(at(rule, key)).some((each) => each === word || each === "*");
  return has("verbs", "impersonate") && has("resources", "users");
}

function boundNames(
  { value, source, late }: KubernetesDocument,
  roles: ReadonlyMap<string, RoleRules>,
): readonly BoundName[] {
  const [kind, name] = [text(at(value, "roleRef", "kind")), text(at(value, "roleRef", "name"))];
  const rules = roles.get(roleKey(kind, name, text(at(value, "metadata", "namespace"))));
  return list(at(value, "subjects")).map((subject) => {
    const namespace = at(subject, "kind") === "ServiceAccount" ? `${text(at(subject, "namespace"))}/` : "";
    const bound = late(namespace + text(at(subject, "name")));
    return { kind: text(at(subject, "kind")), name: bound, role: `${kind} ${name}`, rules, source };
  });
}

interface ConfigurationFact extends ObjectFact {
  /** Path on the nodes; `undefined` for a document that is no file of nodes. */
  readonly path: string | undefined;
}

/** The files that a document brings to nodes and that hold a word. */
function filesWith(word: string, document: KubernetesDocument): readonly ConfigurationFact[] {
  const nodes = isNodeDocument(document.value) ? nodesOfDocuments([document]) : [];
  return nodes
    .flatMap((node) => [...node.files])
    .filter(([path, { content }]) => path.startsWith("/") && mayHold(content, word))
    .map(([path, file]) => ({ value: embedded(file.content), source: file.source, path }));
}

/** The paths that arguments of API servers name, in a document or in files that it brings. */
function pathsNamedIn(document: KubernetesDocument): readonly string[] {
  const inFiles = filesWith(AUTHENTICATION_FLAG, document).map(({ value }) => plainOf(value, shown));
  return [document.value, ...inFiles].flatMap((each) => apiServerArgument(each, AUTHENTICATION_FLAG));
}

/** The configurations of a document: itself, or those in the files of nodes. */
function configurationsOf(document: KubernetesDocument): readonly ConfigurationFact[] {
  const { value, source, late } = document;
  const inFiles = filesWith(FILE_KIND, document);
  return [...inFiles, { value: lateTree(value, late), source, path: undefined }].filter(
    (each) =>
      shownAt(each.value, "kind") === FILE_KIND &&
      shownAt(each.value, "apiVersion").startsWith("apiserver.config.k8s.io/"),
  );
}

function authenticator(entry: Tree, source: Source): AuthenticatorFact {
  const username = treeAt(entry, "claimMappings", "username");
  const rules = ["userValidationRules", "claimValidationRules"].flatMap((key) => itemsAt(entry, key));
  const claim = stated(treeAt(username, "claim"));
  const prefix = stated(treeAt(username, "prefix"));
  return {
    issuer: textAt(treeAt(entry, "issuer", "url")),
    discoveryUrl: stated(treeAt(entry, "issuer", "discoveryURL")),
    audiences: map(listAt(treeAt(entry, "issuer", "audiences")), (items) => items.map(textAt)),
    prefix: andThen(claim, (name) =>
      name === undefined ? known(undefined) : map(prefix, (each) => each ?? ""),
    ),
    claim,
    expression: stated(treeAt(username, "expression")),
    hasGroups: orElse(treeAt(entry, "claimMappings", "groups"), () => null) !== undefined,
    rules: rules.map(ruleText),
    entry,
    source,
  };
}

/** An optional text; an empty one counts as absent. */
function stated(tree: Tree): Known<string | undefined> {
  return andThen(tree, (value) =>
    value === undefined || value === null || value === "" ? known(undefined) : textAt(tree),
  );
}

/** A rule's text; a rule without an expression compares one claim. */
function ruleText(rule: Tree): Known<string> {
  const claim = textAt(treeAt(rule, "claim"));
  return andThen(stated(treeAt(rule, "expression")), (expression) =>
    expression === undefined
      ? joined("claims.", claim, " == '", textAt(treeAt(rule, "requiredValue")), "'")
      : known(expression),
  );
}
