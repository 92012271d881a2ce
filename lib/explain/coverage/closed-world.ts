/*
 * What was not understood, and what it may change: arguments that no table lists, resources of types that are not read,
 * and modules, files in HCL and override files.
 *
 * A thing is changed only through its own service's API, so a resource of a type that is not read bears on what it names
 * of the same service; programs and templates bear on all that they name. From there it spreads to what takes a part from
 * it (a policy document to the policies that hold it) and to what it belongs to (an attachment to its role).
 */

import { push } from "../../model/grouped";
import { type Known, isKnown, orElse } from "../../model/known";
import { remembered } from "../../model/once";
import { type Answer, pass, seen, unknown } from "../answer";
import { type Resource, textsIn } from "../read/block";
import type { ClusterFacts } from "../read/cluster-record";
import type { NotRead, Scope } from "../read/scope";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { awsCoverage } from "./aws";
import { azureCoverage } from "./azure";
import { type CloudCoverage, GRANTS, type TypeRow, words } from "./coverage";
import { googleCoverage } from "./google";
import { isNamed } from "../shared/words";
import { PROVIDERS } from "./providers";

const CLOUDS: readonly CloudCoverage[] = [awsCoverage, azureCoverage, googleCoverage];
const ROWS: ReadonlyMap<string, TypeRow> = new Map(CLOUDS.flatMap(({ rows }) => Object.entries(rows)));
const FAMILIES: readonly (readonly string[])[] = CLOUDS.flatMap(({ families }) => families);
const HARMLESS: ReadonlySet<string> = new Set(CLOUDS.flatMap(({ harmless }) => words(harmless)));
const OF_IDENTITIES: ReadonlySet<string> = new Set(CLOUDS.flatMap(({ ofIdentities }) => words(ofIdentities)));
const CHANGERS: ReadonlySet<string> = new Set(CLOUDS.flatMap(({ changers }) => words(changers)));
export const CLUSTERS: readonly string[] = [...ROWS].flatMap(([type, { isCluster }]) =>
  isCluster ? [type] : [],
);

const isGrant = (type: string): boolean => CLOUDS.some(({ grants }) => grants?.pattern.test(type));

/** The row of a type; `undefined` for one that is not read. */
export function rowOf(type: string, adopted: boolean): TypeRow | undefined {
  return (
    ROWS.get(adopted ? `data.${type}` : type) ??
    CLOUDS.find(({ grants }) => !adopted && grants?.pattern.test(type))?.grants?.rowOf(type)
  );
}

/** True for a resource of an API that is read, all of it, although its Terraform type may change anything. */
function isReadOfApi(resource: Resource): boolean {
  const rows = CLOUDS.map(({ api }) => api?.[resource.type]).find((each) => each !== undefined);
  const kind = orElse(resource.text("type"), () => undefined) ?? "";
  const row = rows?.[kind.toLowerCase().replace(/@.*/s, "")];
  return row !== undefined && resource.notUnderstood(row).length === 0;
}

/** The names of a cluster, as it is recorded and in its cloud. */
export type ClusterNames = Pick<ClusterFacts, "name" | "cloudName">;

export const UNDERSTOOD: Answer = pass(
  "every argument of it is judged or harmless, and nothing that is not read may change it",
);

/** Something that was not understood. */
interface Opening {
  /** A clause about what it bears on: "the argument endpoint of aws_iam_role.web is not judged". */
  readonly says: (what: string) => string;
  readonly remedy: string;
  readonly source: Source;
  /** What it bears on. */
  readonly on: ReadonlySet<Resource>;
  /** Its texts in lower case, one a line. */
  readonly text: string;
  /** Whether it may also declare what no one names. */
  readonly mayDeclare: boolean;
}

const ACCEPT = "if it does not matter here, accept the finding (--baseline)";
const SHOW = "also give explain what `terraform show -json` prints of the plan or state";

export class ClosedWorld {
  readonly #terraform: Terraform;
  readonly #names: Names;
  #openings: readonly Opening[] | undefined;
  #byResource: Map<Resource, Opening> | undefined;
  readonly #users = new Map<string, ReadonlyMap<Resource, readonly Resource[]>>();

  constructor(terraform: Terraform) {
    this.#terraform = terraform;
    this.#names = new Names(terraform);
  }

  /** True if everything was understood. */
  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  /** True if Terraform holds no calls, files or programs that may declare anything. */
  get isWhole(): boolean {
    return this.#found.every(({ mayDeclare }) => !mayDeclare);
  }

  /**
   * The answer if something that was not understood may change one of the resources, or names one of the texts;
   * otherwise `undefined`. `what` says what these are.
   */
  answer(
    what: string,
    resources: readonly Resource[],
    texts: readonly Known<string | undefined>[] = [],
  ): Answer | undefined {
    if (this.#found.length === 0) return undefined;
    const literal = texts.flatMap((text) => orElse(text, () => undefined)?.toLowerCase() || []);
    const opening =
      resources.flatMap((each) => this.#byResource?.get(each) ?? [])[0] ??
      this.#found.find(({ text }) => text !== "" && literal.some((each) => isNamed(text, each)));
    if (opening === undefined) return undefined;
    return unknown(opening.says(what), opening.remedy, seen("not understood", opening.source));
  }

  /** As {@link answer} for an identity and the cluster of the service account, passed if there is nothing of the kind. */
  understood(
    label: string,
    cluster: ClusterNames,
    resources: readonly Resource[],
    texts: readonly Known<string | undefined>[],
  ): Answer {
    if (this.isEmpty) return UNDERSTOOD;
    const isIt = (each: Resource): boolean => {
      const name = orElse(each.text("name"), () => undefined);
      return name !== undefined && [cluster.name, cluster.cloudName].includes(name);
    };
    const clusters = CLUSTERS.flatMap((type) => this.#terraform.ofType(type)).filter(isIt);
    return this.answer(label, [...resources, ...clusters], texts) ?? UNDERSTOOD;
  }

  /** These resources and what they bear on; `undefined` if that may be more than identities. */
  identitiesOf(resources: readonly Resource[]): ReadonlySet<Resource> | undefined {
    // Two identities of one name may be one, or may be in each other's way.
    const namesakes = resources
      .filter(({ type, adopted }) => rowOf(type, adopted)?.names)
      .flatMap((each) => this.#names.of(each).filter(({ type }) => type === each.type));
    const all = this.#spread([...resources, ...namesakes]);
    return [...all].every((each) => this.#isOfIdentities(each)) ? all : undefined;
  }

  #isOfIdentities(resource: Resource): boolean {
    const row = rowOf(resource.type, resource.adopted);
    if (!row || !OF_IDENTITIES.has(resource.type) || resource.notUnderstood(row).length > 0) return false;
    if (row.names) return isKnown(resource.attribute("name"));
    return words(row.owner).some((name) => this.#names.of(resource, name).length > 0);
  }

  get #found(): readonly Opening[] {
    if (this.#openings) return this.#openings;
    const openings = this.#terraform.scopes.flatMap((scope) => [
      ...this.#ofCalls(scope),
      ...this.#ofProviders(scope),
      ...[...scope.resources.values()].flatMap((each) => this.#ofResource(each) ?? []),
    ]);
    this.#openings = openings;
    this.#byResource = new Map(openings.flatMap((each) => [...each.on].map((resource) => [resource, each])));
    return openings;
  }

  /** Modules whose resources a plan or state has are left out. */
  #ofCalls({ notRead }: Scope): readonly Opening[] {
    if (notRead.length === 0) return [];
    const read = new Set(
      this.#terraform.scopes.flatMap(({ isLiteral, resources }) =>
        isLiteral ? [...resources.keys()].flatMap((address) => MODULE.exec(address)?.[1] ?? []) : [],
      ),
    );
    return notRead
      .filter(({ source }) => !read.has(NAME.exec(source.path)?.[1] ?? ""))
      .map((call) => this.#ofCall(call));
  }

  #ofCall({ mentions, texts, reason, source }: NotRead): Opening {
    const text = [...texts].join("\n").toLowerCase();
    const named = this.#names.in(texts);
    const on = this.#spread([...(mentions as ReadonlySet<Resource>), ...named]);
    const says = (what: string): string =>
      NAME.test(source.path)
        ? `${reason}, is given ${what}: what the module does with it is not known`
        : `${reason}; it names ${what}`;
    return { says, remedy: SHOW, source, on, text, mayDeclare: true };
  }

  #ofProviders(scope: Scope): readonly Opening[] {
    return [...scope.providers.keys()].flatMap((key): readonly Opening[] => {
      const row = PROVIDERS[key.split(".")[0] ?? ""];
      const paths = row ? scope.provider(key).notUnderstood(row) : [];
      if (paths.length === 0) return [];
      const all = [...scope.resources.values()].filter(({ providerKey }) => providerKey === key);
      return [
        {
          says: () => `${argument(paths)} of the Terraform provider ${key} is not judged`,
          remedy: `see whether it sends requests elsewhere; ${ACCEPT}`,
          source: all[0]?.source ?? { file: scope.place, path: `provider.${key}` },
          on: this.#spread(all),
          text: "",
          mayDeclare: false,
        },
      ];
    });
  }

  #ofResource(resource: Resource): Opening | undefined {
    const { type, adopted, address, source } = resource;
    const row = rowOf(type, adopted);
    const paths = row && !row.anyTarget ? resource.notUnderstood(row) : [];
    const runs = resource.names.includes("provisioner");
    if (paths.length > 0 && !runs)
      return {
        says: (what) => bearing(what, `${argument(paths)} of ${address} is not judged`),
        remedy: `look up what it does; ${ACCEPT}`,
        source,
        ...this.#bearing([resource]),
        mayDeclare: false,
      };
    const isChanger = runs || (CHANGERS.has(type) && !isReadOfApi(resource));
    const isOther = row === undefined && !adopted && !HARMLESS.has(type);
    const family = isOther ? FAMILIES.filter((prefixes) => startsWith(type, prefixes)) : [];
    if (!isChanger && family.length === 0) return undefined;
    const named = this.#names
      .of(resource)
      .filter((each) => isChanger || family.some((prefixes) => startsWith(each.type, prefixes)));
    if (isChanger) named.push(...this.#ofLateTarget(resource));
    if (named.length === 0 && !isChanger) return undefined;
    return {
      says: (what) =>
        bearing(what, runs ? `${address} runs programs` : `${address}, which is not read, may change it`),
      remedy: `see what it changes; ${ACCEPT}`,
      source,
      ...this.#bearing(runs ? [resource, ...named] : named, isChanger ? textOf(resource) : ""),
      mayDeclare: isChanger,
    };
  }

  /** What a program may be aimed at that does not say at what: anything of its cloud. */
  #ofLateTarget(resource: Resource): readonly Resource[] {
    const isLate = TARGETS.some(
      (name) => !isKnown(resource.text(name)) && this.#names.of(resource, name).length === 0,
    );
    const cloud = isLate && CLOUDS.find(({ changers }) => words(changers).includes(resource.type));
    return cloud ? Object.keys(cloud.rows).flatMap((type) => this.#ofRow(type)) : [];
  }

  /** What this bears on: grants to what is no resource name it in text. */
  #bearing(from: readonly Resource[], own = ""): Pick<Opening, "on" | "text"> {
    const on = this.#spread(from);
    const satellites = [...on].filter(({ type, adopted }) => rowOf(type, adopted)?.names === undefined);
    return { on, text: [own, ...satellites.map(textOf)].join("\n").trim() };
  }

  /** What takes a part from these resources, or is what they belong to, at any distance. */
  #spread(from: readonly Resource[]): ReadonlySet<Resource> {
    const reached = new Set(from);
    for (const resource of reached) {
      const row = rowOf(resource.type, resource.adopted);
      for (const name of words(row?.owner))
        for (const owner of this.#names.of(resource, name)) reached.add(owner);
      for (const type of words(row?.usedBy))
        for (const user of this.#usersIn(type).get(resource) ?? []) reached.add(user);
    }
    return reached;
  }

  #ofRow(type: string): readonly Resource[] {
    if (type === GRANTS)
      return this.#terraform.types.filter(isGrant).flatMap((each) => this.#terraform.ofType(each));
    const isData = type.startsWith("data.");
    return this.#terraform.ofType(type.replace(/^data\./, "")).filter(({ adopted }) => adopted === isData);
  }

  /** The resources of a type by what they name. */
  #usersIn(type: string): ReadonlyMap<Resource, readonly Resource[]> {
    return remembered(this.#users, type, () => {
      const users = new Map<Resource, Resource[]>();
      for (const user of this.#ofRow(type)) for (const each of this.#names.of(user)) push(users, each, user);
      return users;
    });
  }
}

/** Resources by what others call them. */
class Names {
  readonly #terraform: Terraform;
  #index: Map<string, Resource[]> | undefined;

  constructor(terraform: Terraform) {
    this.#terraform = terraform;
  }

  /** The resources that an argument of a resource, or any of them, names by reference or in text. */
  of(resource: Resource, argument?: string): readonly Resource[] {
    const values = resource.written(argument === undefined ? [] : [argument]);
    const named = [...resource.scope.targets(values), ...this.in(textsIn(values))];
    return named.filter((each) => each !== resource);
  }

  in(texts: Iterable<string>): readonly Resource[] {
    const index = (this.#index ??= indexOf(this.#terraform));
    return [...texts].flatMap((text) => [...tokensOf(text)].flatMap((token) => index.get(token) ?? []));
  }
}

/** Attributes that name a resource among others of its kind. */
const BARE: readonly string[] = ["name", "account_id", "workload_identity_pool_id", "repository_id", "url"];

function indexOf(terraform: Terraform): Map<string, Resource[]> {
  const index = new Map<string, Resource[]>();
  for (const { resources } of terraform.scopes)
    for (const resource of resources.values()) {
      const row = rowOf(resource.type, resource.adopted);
      if (row === undefined) continue;
      const attributes = [...words(row.names), ...BARE.filter((name) => words(row.read).includes(name))];
      const values = attributes.flatMap((name) => orElse(resource.attribute(name), () => undefined) ?? []);
      for (const name of new Set(values.map((each) => withoutScheme(each.toLowerCase()))))
        push(index, name, resource);
    }
  return index;
}

const BREAKS = /[\s"'`\\{}[\](),<>$]+/;

/** What stands between quotes, brackets and spaces; between colons; and below or at the end of paths there. */
function tokensOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().split(BREAKS);
  const pieces = words.flatMap((each) => each.split(":").map(withoutScheme));
  const ends = pieces.flatMap((each) => [each.replace(/^[^/]*\//, ""), each.replace(/^.*\//, "")]);
  return new Set([...words.map(withoutScheme), ...pieces, ...ends].filter((each) => each !== ""));
}

function withoutScheme(name: string): string {
  return name.replace(/^(?:https:)?\/\//, "");
}

function textOf(resource: Resource): string {
  return textsIn(resource.written([])).join("\n").toLowerCase();
}

function startsWith(type: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => type.startsWith(prefix));
}

function bearing(what: string, clause: string): string {
  return `${clause}, so what becomes of ${what} is not known`;
}

function argument([first = "", ...others]: readonly string[]): string {
  return others.length === 0
    ? `the argument ${first}`
    : `the argument ${first}, with ${others.length} others,`;
}

/** The arguments of programs that name what they change. */
const TARGETS: readonly string[] = ["parent_id", "resource_id"];
const MODULE = /^module\.([^.[]+)/;
const NAME = /^module(?:\.|\[")([^".\]]+)/;
