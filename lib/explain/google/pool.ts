/*
 * Workload identity pools and their providers as Terraform declares them, or as a state holds them.
 */

import {
  type Known,
  andThen,
  and,
  is,
  isKnown,
  known,
  map,
  match,
  orElse,
  same,
  shown,
} from "../../model/known";
import { entriesOf, isTreeObject, optionalText } from "../../model/tree";
import { CUSTOM_ATTRIBUTES_MAX } from "../../rules/google/attribute-mapping";
import { CelExpression } from "../../rules/google/cel-evaluation";
import { AUDIENCES_MAX } from "../../rules/google/workload-identity-names";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { ProviderConstraints } from "./constraints";
import { piecesOf, poolNumber, projectOf } from "./names";

/** A provider of a workload identity pool. */
export interface PoolProvider {
  /** Id of the pool. */
  readonly poolId: Known<string>;
  /** Id of the pool provider. */
  readonly providerId: Known<string>;
  /** Its project. */
  readonly project: Known<string>;
  /** Its project's number, as grants have it that name the pool by reference; none where the pool was not read. */
  readonly numbers: readonly Known<string>[];
  /** The issuer that it trusts. */
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
  /** What declares it. */
  readonly resource: Resource;
}

const POOL = "google_iam_workload_identity_pool";

/** Every pool provider. */
export function poolProviders(terraform: Terraform): readonly PoolProvider[] {
  const pools = terraform.ofType(POOL);
  const constraints = new ProviderConstraints(terraform);
  return terraform.ofType(`${POOL}_provider`).map((resource) => {
    const oidc = resource.block("oidc");
    const inOidc = (name: string): Known<string | undefined> =>
      andThen(oidc, (block) => block?.text(name) ?? known(undefined));
    const own = pools.filter((pool) => isPoolOf(pool, resource));
    const issuer = map(inOidc("issuer_uri"), (uri) => uri ?? "");
    const audiences = andThen(oidc, (block) => block?.list("allowed_audiences") ?? known([]));
    const mapping = mappingOf(resource);
    return {
      poolId: poolIdOf(resource),
      providerId: resource.stated("workload_identity_pool_provider_id"),
      project: projectOf(resource),
      numbers: own.map(poolNumber),
      issuer,
      audiences,
      jwks: map(inOidc("jwks_json"), (jwks) => (jwks === "" ? undefined : jwks)),
      mapping,
      condition: conditionOf(resource),
      off:
        offReason(resource, "pool provider") ??
        firstOf(own, (pool) => offReason(pool, "pool") ?? withoutProviders(pool)) ??
        (orElse(oidc, () => resource) === undefined ? otherKind(resource) : undefined) ??
        refusal(mapping, audiences),
      doubt:
        offDoubt(resource, "pool provider") ??
        firstOf(own, (pool) => offDoubt(pool, "pool") ?? modeDoubt(pool)) ??
        (own.length > 0 ? undefined : otherProject(resource, pools)) ??
        constraints.doubt(projectOf(resource), issuer),
      resource,
    };
  });
}

/** The pool provider of an exchange; `undefined` where it was not read, or cannot be told from another. */
export function poolProviderOf(
  { poolId, providerId }: { readonly poolId: Known<string>; readonly providerId: Known<string> },
  all: readonly PoolProvider[],
): PoolProvider | undefined {
  const named = all.filter(
    (each) => and(same(each.poolId, poolId), same(each.providerId, providerId)) === "yes",
  );
  const [first] = named;
  // The audience has the project's number, the resource its id: of two projects' pools of one name neither is known.
  if (!first || named.some((other) => same(other.project, first.project) !== "yes")) return undefined;
  // A configuration and its state declare one.
  return named.find(({ issuer }) => isKnown(issuer)) ?? first;
}

const POOL_PATH = /^projects\/[^/]+\/locations\/global\/workloadIdentityPools\/([^/]+)$/;

function poolIdOf(resource: Resource): Known<string> {
  const id = resource.stated("workload_identity_pool_id");
  const [inPath] = orElse(piecesOf(id, POOL_PATH), () => undefined) ?? [];
  return inPath ?? id;
}

/** A pool provider is made in its own project, where the pool must be. */
function isPoolOf(pool: Resource, provider: Resource): boolean {
  return and(same(poolIdOf(pool), poolIdOf(provider)), same(projectOf(pool), projectOf(provider))) === "yes";
}

function firstOf(
  pools: readonly Resource[],
  problem: (pool: Resource) => string | undefined,
): string | undefined {
  return pools.map(problem).find((each) => each !== undefined);
}

/** Another project's pool of that id is no pool of it. */
function otherProject(provider: Resource, pools: readonly Resource[]): string | undefined {
  const [id, here] = [poolIdOf(provider), projectOf(provider)];
  const there = pools.filter((pool) => pool.scope === provider.scope && same(poolIdOf(pool), id) !== "no");
  if (there.length === 0) return undefined;
  const places = there.map((pool) => shown(projectOf(pool))).join(", ");
  return `the pool provider is of the project ${shown(here)}, and the pool ${shown(id)} that was read is of ${places}`;
}

function mappingOf(resource: Resource): PoolProvider["mapping"] {
  return map(resource.tree("attribute_mapping"), (tree) => {
    const entries = isTreeObject(tree) ? entriesOf(tree) : [];
    return new Map(
      entries.map(([key, expression]) => [
        orElse(key, () => "an attribute that only apply tells"),
        new CelExpression(map(optionalText(expression), (text) => text ?? "")),
      ]),
    );
  });
}

function conditionOf(resource: Resource): CelExpression | undefined {
  const written = resource.text("attribute_condition");
  return match(
    written,
    (text) => (text === undefined || text === "" ? undefined : new CelExpression(known(text))),
    () => new CelExpression(map(written, (text) => text ?? "")),
  );
}

/** `state` is an attribute that only a state has: a deleted pool is kept for 30 days. */
function offReason(resource: Resource, what: string): string | undefined {
  if (is(resource.text("disabled"), "true") === "yes") return `the ${what} is disabled`;
  return is(resource.text("state"), "DELETED") === "yes" ? `the ${what} is deleted` : undefined;
}

function offDoubt(resource: Resource, what: string): string | undefined {
  if (!resource.certain) return `count or for_each decides whether the ${what} is there`;
  return isKnown(resource.flag("disabled"))
    ? undefined
    : `whether the ${what} is disabled is known only after apply`;
}

/** Source: REST reference of projects.locations.workloadIdentityPools, `Mode`. */
const WITHOUT_PROVIDERS: readonly string[] = ["TRUST_DOMAIN", "SYSTEM_TRUST_DOMAIN"];
const USUAL: readonly (string | undefined)[] = [undefined, "", "MODE_UNSPECIFIED", "FEDERATION_ONLY"];

function withoutProviders(pool: Resource): string | undefined {
  const mode = orElse(pool.text("mode"), () => undefined);
  return mode !== undefined && WITHOUT_PROVIDERS.includes(mode)
    ? `the pool is of the mode ${mode}, in which no pool provider can be created`
    : undefined;
}

function modeDoubt(pool: Resource): string | undefined {
  const isUsual = USUAL.includes(orElse(pool.text("mode"), () => "not known"));
  return isUsual ? undefined : "whether the pool's mode lets pool providers be created in it is not known";
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
  if (custom > CUSTOM_ATTRIBUTES_MAX)
    return `Google refuses a pool provider with ${custom} custom attributes, ${CUSTOM_ATTRIBUTES_MAX} are allowed`;
  const count = orElse(audiences, () => []).length;
  return count > AUDIENCES_MAX
    ? `Google refuses a pool provider with ${count} allowed audiences, ${AUDIENCES_MAX} are allowed`
    : undefined;
}
