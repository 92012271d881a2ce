/*
 * Workload identity pools and their providers as Terraform declares them, or as a state holds them, and the organization
 * policies that limit whom they may trust.
 *
 * Sources: cloud.google.com/iam/docs/manage-workload-identity-pools-providers, "Restrict …"; REST reference of
 * projects.locations.workloadIdentityPools, `Mode`; Google provider, google_org_policy_policy.
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  is,
  isKnown,
  known,
  map,
  not,
  or,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import { entriesOf, isTreeObject, optionalText } from "../../model/tree";
import { CUSTOM_ATTRIBUTES_MAX } from "../../rules/google/attribute-mapping";
import { CelExpression } from "../../rules/google/cel-evaluation";
import { AUDIENCES_MAX } from "../../rules/google/workload-identity-names";
import type { Block, Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { expressionOf } from "./grants";
import { piecesOf, poolNumber, projectOf, taken } from "./names";

/** The name of a pool provider, as an audience has it. */
export interface ProviderName {
  /** Number of the pool's project. */
  readonly number: Known<string>;
  readonly poolId: Known<string>;
  readonly providerId: Known<string>;
}

const AUDIENCE =
  /^\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;

/** The pool provider of an audience `//iam.googleapis.com/projects/…/providers/<id>`; `undefined` for another text. */
export function providerName(audience: Known<string>): Known<ProviderName | undefined> {
  return taken(audience, AUDIENCE, ([number, poolId, providerId]) =>
    known(
      number === undefined || poolId === undefined || providerId === undefined
        ? undefined
        : { number, poolId, providerId },
    ),
  );
}

/** A provider of a workload identity pool. */
export interface PoolProvider {
  readonly poolId: Known<string>;
  readonly providerId: Known<string>;
  readonly project: Known<string>;
  /** Its project's number, as grants have it that name the pool by reference; none where the pool was not read. */
  readonly numbers: readonly Known<string>[];
  readonly issuer: Known<string>;
  /** The audiences that it accepts; none for its own name. */
  readonly audiences: Known<readonly Known<string>[]>;
  /** The keys that it was handed, as text; `undefined` where it asks the issuer. */
  readonly jwks: Known<string | undefined>;
  /** Expressions by attribute. */
  readonly mapping: Known<ReadonlyMap<string, CelExpression>>;
  /** The attribute condition; `undefined` where there is none. */
  readonly condition: CelExpression | undefined;
  /** Why it exchanges no service account's token: it or its pool is off, or Google refuses it. */
  readonly off: string | undefined;
  /** Why it may exchange none, where nothing says that it does not. */
  readonly doubt: string | undefined;
  readonly resource: Resource;
}

const POOL = "google_iam_workload_identity_pool";

/** Every pool provider. */
export function poolProviders(terraform: Terraform): readonly PoolProvider[] {
  const pools = terraform.ofType(POOL);
  const constraints = constraintsOf(terraform);
  return terraform.ofType(`${POOL}_provider`).map((resource) => providerOf(resource, pools, constraints));
}

function providerOf(
  resource: Resource,
  pools: readonly Resource[],
  constraints: readonly Constraint[],
): PoolProvider {
  const oidc = resource.block("oidc");
  const own = pools.filter((pool) => isPoolOf(pool, resource));
  const [project, mapping] = [projectOf(resource), mappingOf(resource)];
  const ofOidc = (name: string): Known<string | undefined> =>
    andThen(oidc, (block) => block?.text(name) ?? known(undefined));
  const issuer = map(ofOidc("issuer_uri"), (uri) => uri ?? "");
  const audiences = andThen(oidc, (block) => block?.list("allowed_audiences") ?? known([]));
  const states = [stateOf(resource, "pool provider"), ...own.map((pool) => stateOf(pool, "pool"))];
  const isOidc = orElse(oidc, () => resource) !== undefined;
  return {
    poolId: poolIdOf(resource),
    providerId: resource.stated("workload_identity_pool_provider_id"),
    project,
    numbers: own.map(poolNumber),
    issuer,
    audiences,
    jwks: map(ofOidc("jwks_json"), (jwks) => jwks || undefined),
    mapping,
    condition: expressionOf(map(resource.text("attribute_condition"), (text) => text || undefined)),
    off:
      states.find(({ off }) => off !== undefined)?.off ??
      (isOidc ? refusal(mapping, audiences) : otherKind(resource)),
    doubt:
      states.find(({ doubt }) => doubt !== undefined)?.doubt ??
      (own.length > 0 ? undefined : otherProject(resource, pools)) ??
      constraintDoubt(constraints, project, issuer),
    resource,
  };
}

/** The pool provider of that name; `undefined` where it was not read, or cannot be told from another. */
export function poolProviderOf(
  { poolId, providerId }: Pick<ProviderName, "poolId" | "providerId">,
  all: readonly PoolProvider[],
): PoolProvider | undefined {
  const named = all.filter(
    (each) => and(same(each.poolId, poolId), same(each.providerId, providerId)) === "yes",
  );
  const [first, ...others] = named;
  if (!first) return undefined;
  // The audience has the project's number, the resource its id: of two projects' pools of one name neither is known. A
  // configuration and its state declare one.
  const isOne = others.every(
    ({ resource, project }) =>
      resource.scope !== first.resource.scope && same(project, first.project) === "yes",
  );
  return isOne ? (named.find(({ issuer }) => isKnown(issuer)) ?? first) : undefined;
}

const POOL_PATH = /^projects\/[^/]+\/locations\/global\/workloadIdentityPools\/([^/]+)$/;

function poolIdOf(resource: Resource): Known<string> {
  const id = resource.stated("workload_identity_pool_id");
  return piecesOf(id, POOL_PATH)[0] ?? id;
}

/** A pool provider is made in its own project, where the pool must be. */
function isPoolOf(pool: Resource, provider: Resource): boolean {
  return and(same(poolIdOf(pool), poolIdOf(provider)), same(projectOf(pool), projectOf(provider))) === "yes";
}

/** Another project's pool of that id is no pool of it. */
function otherProject(provider: Resource, pools: readonly Resource[]): string | undefined {
  const id = poolIdOf(provider);
  const there = pools.filter((pool) => pool.scope === provider.scope && same(poolIdOf(pool), id) !== "no");
  if (there.length === 0) return undefined;
  const places = there.map((pool) => shown(projectOf(pool))).join(", ");
  return `the pool provider is of the project ${shown(projectOf(provider))}, and the pool ${shown(id)} that was read is of ${places}`;
}

function mappingOf(resource: Resource): PoolProvider["mapping"] {
  return map(resource.tree("attribute_mapping"), (tree) => {
    const entries = isTreeObject(tree) ? entriesOf(tree) : [];
    return new Map(
      entries.map(([key, expression]) => [
        orElse(key, () => "an attribute that is known only after apply"),
        new CelExpression(map(optionalText(expression), (text) => text ?? "")),
      ]),
    );
  });
}

const WITHOUT_PROVIDERS: readonly unknown[] = ["TRUST_DOMAIN", "SYSTEM_TRUST_DOMAIN"];
const USUAL: readonly unknown[] = [undefined, "", "MODE_UNSPECIFIED", "FEDERATION_ONLY"];

/** Whether a pool, or a provider, is off. */
function stateOf(resource: Resource, what: string): { readonly off?: string; readonly doubt?: string } {
  const mode = orElse(resource.text("mode"), () => "not known");
  if (is(resource.text("disabled"), "true") === "yes") return { off: `the ${what} is disabled` };
  // An attribute that only a state has: a deleted pool is kept for 30 days.
  if (is(resource.text("state"), "DELETED") === "yes") return { off: `the ${what} is deleted` };
  if (WITHOUT_PROVIDERS.includes(mode))
    return { off: `the pool is of the mode ${mode ?? ""}, in which no pool provider can be created` };
  if (!resource.certain) return { doubt: `count or for_each decides whether the ${what} is there` };
  if (!isKnown(resource.flag("disabled")))
    return { doubt: `whether the ${what} is disabled is known only after apply` };
  return USUAL.includes(mode)
    ? {}
    : { doubt: "whether the pool's mode lets pool providers be created in it is not known" };
}

const OTHER_KINDS: readonly string[] = ["aws", "saml", "x509"];

function otherKind(resource: Resource): string | undefined {
  const kind = OTHER_KINDS.find((each) => orElse(resource.block(each), () => undefined) !== undefined);
  return kind && `the pool provider takes credentials of the kind ${kind}, not of OpenID Connect`;
}

/** What Google refuses at apply is not there. */
function refusal(mapping: PoolProvider["mapping"], audiences: PoolProvider["audiences"]): string | undefined {
  const keys = [...orElse(mapping, () => new Map<string, CelExpression>()).keys()];
  const custom = keys.filter((key) => key.startsWith("attribute.")).length;
  const count = orElse(audiences, () => []).length;
  if (custom > CUSTOM_ATTRIBUTES_MAX)
    return `Google refuses a pool provider with ${custom} custom attributes, ${CUSTOM_ATTRIBUTES_MAX} are allowed`;
  return count > AUDIENCES_MAX
    ? `Google refuses a pool provider with ${count} allowed audiences, ${AUDIENCES_MAX} are allowed`
    : undefined;
}

/**
 * An organization policy that limits whom pool providers may trust. Google asks it when a pool provider is made; which
 * one was there before the other, no artefact says, and neither which projects a folder or an organization holds.
 */
interface Constraint {
  readonly resource: Resource;
  /** The project that it is of; `undefined` where it is of a folder or an organization. */
  readonly project: Known<string> | undefined;
  readonly allows: (issuer: Known<string>) => Ternary;
}

const CONSTRAINT = /(?:^|^constraints\/|\/policies\/)iam\.workloadIdentityPoolProviders$/;
const OF_PROJECT = "google_project_organization_policy";
/** The resources that preceded google_org_policy_policy; their rules are not read. */
const OLDER: readonly string[] = [
  OF_PROJECT,
  "google_folder_organization_policy",
  "google_organization_policy",
];

function constraintsOf(terraform: Terraform): readonly Constraint[] {
  const ofType = (type: string, argument: string): readonly Resource[] =>
    terraform
      .ofType(type)
      .filter(
        (each) => !each.adopted && whether(each.stated(argument), (text) => CONSTRAINT.test(text)) !== "no",
      );
  const newer = ofType("google_org_policy_policy", "name").map((resource): Constraint => {
    const rules = andThen(resource.block("spec"), (spec) => spec?.blocks("rules") ?? known([]));
    return {
      resource,
      project: piecesOf(resource.stated("parent"), /^projects\/(.+)$/)[0],
      allows: (issuer) => whether(rules, (all) => rulesAllow(all, issuer)),
    };
  });
  const older = OLDER.flatMap((type) => ofType(type, "constraint")).map((resource): Constraint => {
    const project = resource.type === OF_PROJECT ? projectOf(resource) : undefined;
    return { resource, project, allows: () => "unknown" };
  });
  return [...newer, ...older];
}

function constraintDoubt(
  constraints: readonly Constraint[],
  project: Known<string>,
  issuer: Known<string>,
): string | undefined {
  const found = constraints.find(
    (each) =>
      (each.project === undefined || same(each.project, project) !== "no") && each.allows(issuer) !== "yes",
  );
  return (
    found &&
    `the organization policy ${found.resource.address} may refuse pool providers that trust ${shown(issuer)}`
  );
}

/** A rule with a condition counts for resources with tags, which are not read. */
function rulesAllow([rule, ...others]: readonly Block[], issuer: Known<string>): Ternary {
  if (rule === undefined) return "yes";
  if (others.length > 0 || orElse(rule.block("condition"), () => rule) !== undefined) return "unknown";
  const isOn = (name: string): boolean => /^true$/i.test(orElse(rule.text(name), () => undefined) ?? "");
  if (isOn("allow_all")) return "yes";
  if (isOn("deny_all")) return "no";
  const values = orElse(rule.block("values"), () => undefined);
  const among = (name: string): Ternary | "none" => {
    const items = orElse(values?.list(name) ?? known([]), () => undefined);
    if (items === undefined) return "unknown";
    return items.length === 0 ? "none" : or(...items.map((item) => same(item, issuer)));
  };
  // Only what is allowed where something is, else everything but what is denied.
  const [allowed, denied] = [among("allowed_values"), among("denied_values")];
  if (allowed !== "none") return allowed;
  return denied === "none" ? "unknown" : not(denied);
}
