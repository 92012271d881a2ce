/*
 * Workload identity pools and their pool providers, as Terraform declares them or a state holds them.
 * Sources: REST references of projects.locations.workloadIdentityPools and .providers.
 */

import {
  type Known,
  and,
  andThen,
  is,
  isKnown,
  joined,
  known,
  map,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import { entriesOf, isTreeObject, optionalText } from "../../model/tree";
import { CelExpression } from "../../rules/google/cel-evaluation";
import { CUSTOM_ATTRIBUTES_MAX } from "../../rules/google/mapping";
import { AUDIENCES_MAX } from "../../rules/google/provider";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { expressionOf } from "./grants";
import { piecesOf, poolNumber, projectOf, taken } from "./names";

/** The name of a pool provider as an audience states it. */
export interface ProviderName {
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

/** The audience that names a pool provider. */
export function audienceOf({ number, poolId, providerId }: ProviderName): Known<string> {
  const pool = joined("projects/", number, "/locations/global/workloadIdentityPools/", poolId);
  return joined("//iam.googleapis.com/", pool, "/providers/", providerId);
}

export interface PoolProvider {
  readonly poolId: Known<string>;
  readonly providerId: Known<string>;
  readonly project: Known<string>;
  /** Its project's number as in grants that refer to the pool; empty if the pool was not read. */
  readonly numbers: readonly Known<string>[];
  readonly issuer: Known<string>;
  /** The audiences that it accepts; empty if it accepts only its own name. */
  readonly audiences: Known<readonly Known<string>[]>;
  /** The keys that it was given, as text; `undefined` if it fetches them from the issuer. */
  readonly jwks: Known<string | undefined>;
  readonly mapping: Known<ReadonlyMap<string, CelExpression>>;
  /** The attribute condition; `undefined` if it has none. */
  readonly condition: CelExpression | undefined;
  /** Why it does not exchange service account tokens: it or its pool is off, or Google refuses it. */
  readonly off: string | undefined;
  /** Why it may not exchange them, although nothing certain prevents it. */
  readonly doubt: string | undefined;
  readonly resource: Resource;
}

const POOL = "google_iam_workload_identity_pool";

export function poolProviders(terraform: Terraform): readonly PoolProvider[] {
  const pools = terraform.ofType(POOL);
  const policy = organizationPolicy(terraform);
  return terraform.ofType(`${POOL}_provider`).map((resource) => providerOf(resource, pools, policy));
}

function providerOf(
  resource: Resource,
  pools: readonly Resource[],
  policy: Resource | undefined,
): PoolProvider {
  const oidc = resource.block("oidc");
  const [poolId, project, mapping] = [poolIdOf(resource), projectOf(resource), mappingOf(resource)];
  const alike = pools.filter((pool) => same(poolIdOf(pool), poolId) === "yes");
  // A pool provider is created in its own project, where the pool must be.
  const candidates = alike.filter((pool) => same(projectOf(pool), project) === "yes");
  const ofOidc = (name: string): Known<string | undefined> =>
    andThen(oidc, (block) => block?.text(name) ?? known(undefined));
  const audiences = andThen(oidc, (block) => block?.list("allowed_audiences") ?? known([]));
  const states = [stateOf(resource, "pool provider"), ...candidates.map((pool) => stateOf(pool, "pool"))];
  const isElsewhere = candidates.length === 0 && alike.some(({ scope }) => scope === resource.scope);
  return {
    poolId,
    providerId: resource.stated("workload_identity_pool_provider_id"),
    project,
    numbers: candidates.map(poolNumber),
    issuer: map(ofOidc("issuer_uri"), (uri) => uri ?? ""),
    audiences,
    jwks: map(ofOidc("jwks_json"), (jwks) => jwks || undefined),
    mapping,
    condition: expressionOf(map(resource.text("attribute_condition"), (text) => text || undefined)),
    off:
      states.find(({ off }) => off !== undefined)?.off ??
      (orElse(oidc, () => resource) ? undefined : "the pool provider accepts no OpenID Connect tokens") ??
      refusal(mapping, audiences),
    doubt:
      states.find(({ doubt }) => doubt !== undefined)?.doubt ??
      (isElsewhere ? `the pool ${shown(poolId)} that was read is in another project` : undefined) ??
      (policy && `the organization policy ${policy.address} may refuse pool providers`),
    resource,
  };
}

/** The pool provider with the name; `undefined` if it was not read, or cannot be told from another. */
export function poolProviderOf(
  { poolId, providerId }: Pick<ProviderName, "poolId" | "providerId">,
  all: readonly PoolProvider[],
): PoolProvider | undefined {
  const named = all.filter(
    (each) => and(same(each.poolId, poolId), same(each.providerId, providerId)) === "yes",
  );
  const [first, ...others] = named;
  if (!first) return undefined;
  // The audience has the project's number, the resource its id, so pools with one name in two projects cannot be told
  // apart. A configuration and its state declare the same one.
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

/** Whether a pool or a pool provider is off. */
function stateOf(resource: Resource, what: string): { readonly off?: string; readonly doubt?: string } {
  if (is(resource.text("disabled"), "true") === "yes") return { off: `the ${what} is disabled` };
  // Only a state has this attribute: Google keeps a deleted pool for 30 days.
  if (is(resource.text("state"), "DELETED") === "yes") return { off: `the ${what} is deleted` };
  if (!resource.certain) return { doubt: `count or for_each decides whether the ${what} exists` };
  if (!isKnown(resource.flag("disabled")))
    return { doubt: `whether the ${what} is disabled is known only after apply` };
  const mode = orElse(resource.text("mode"), () => "not known") ?? "";
  return ["", "MODE_UNSPECIFIED", "FEDERATION_ONLY"].includes(mode)
    ? {}
    : { doubt: `whether pool providers can be created in a pool with the mode ${mode} is not known` };
}

/** Why Google refuses a pool provider at apply, so that it does not exist. */
function refusal(mapping: PoolProvider["mapping"], audiences: PoolProvider["audiences"]): string | undefined {
  const keys = [...orElse(mapping, () => new Map<string, CelExpression>()).keys()];
  const custom = keys.filter((key) => key.startsWith("attribute.")).length;
  const isTooMuch = custom > CUSTOM_ATTRIBUTES_MAX || orElse(audiences, () => []).length > AUDIENCES_MAX;
  return isTooMuch
    ? `Google refuses a pool provider with more than ${CUSTOM_ATTRIBUTES_MAX} custom attributes or ${AUDIENCES_MAX} allowed audiences`
    : undefined;
}

const CONSTRAINT = "iam.workloadIdentityPoolProviders";
const POLICIES: readonly string[] = [
  "google_org_policy_policy",
  "google_project_organization_policy",
  "google_folder_organization_policy",
  "google_organization_policy",
];

/** An organization policy that limits whom pool providers may trust; its scope and rules are not read. */
function organizationPolicy(terraform: Terraform): Resource | undefined {
  const isLimit = (each: Resource): boolean =>
    whether(each.stated(each.type === POLICIES[0] ? "name" : "constraint"), (text) =>
      text.endsWith(CONSTRAINT),
    ) !== "no";
  return POLICIES.flatMap((type) => terraform.ofType(type)).find((each) => !each.adopted && isLimit(each));
}
