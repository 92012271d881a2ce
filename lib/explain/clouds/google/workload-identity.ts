/*
 * Workload identity pools and their providers as Terraform declares them, or as a state holds them.
 */

import { CUSTOM_ATTRIBUTES_MAX } from "../../../rules/google/attribute-mapping";
import { AUDIENCES_MAX, poolPath } from "../../../rules/google/workload-identity-names";
import { blocks, own, record, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import {
  LATE_TEXT,
  keptReference,
  knownBlocks,
  listed,
  plainText,
  switched,
} from "../../facts/terraform-values";
import type { Answer } from "../../answer";
import type { PublishedIssuers } from "../published-issuers";
import { type IssuerKeysFact, issuerKeys, keysTrusted } from "./issuer-keys";
import { universeOf } from "./issuer-universe";

/** A provider of a workload identity pool. */
export interface PoolProviderFact {
  /** Id of the pool. */
  readonly poolId: string;
  /** Id of the pool provider. */
  readonly providerId: string;
  /**
   * What stands for its project's number where a grant names the pool by reference; `undefined` where the pool is not
   * declared beside it, or its number is known.
   */
  readonly poolNumber: string | undefined;
  /** The domain of the APIs that it is declared in; empty where that is not known. */
  readonly universe: string;
  /** The issuer that it trusts; empty where only apply tells it. */
  readonly issuer: string;
  /** The audiences that it accepts, empty for its own name; `undefined` where only apply tells the list. */
  readonly audiences: readonly string[] | undefined;
  /** Expressions by attribute; `undefined` where only apply tells them. */
  readonly mapping: ReadonlyMap<string, string> | undefined;
  /** Why it exchanges no service account's token: it or its pool is switched off or deleted, or it takes others. */
  readonly off: string | undefined;
  /** Why it may exchange none, where nothing says that it does not. */
  readonly doubt: string | undefined;
  /** The answer of one that trusts the issuer, unless it cannot verify tokens, or some, by the keys that it has. */
  readonly verified: (answer: Answer) => Answer;
  /** The attribute condition; empty where there is none. */
  readonly condition: string;
  /** Where it stands. */
  readonly source: Source;
}

const POOL = "google_iam_workload_identity_pool";

/** What only apply tells of the block `oidc`. */
const LATE_OIDC = { issuer_uri: LATE_TEXT, allowed_audiences: LATE_TEXT, jwks_json: LATE_TEXT };

/** Every pool provider; the issuers are those that were read. */
export function poolProviders(terraform: Terraform, issuers: PublishedIssuers): readonly PoolProviderFact[] {
  const pools = terraform.ofType(POOL);
  const all: IssuerKeysFact[] = [];
  return terraform.ofType(`${POOL}_provider`).map((resource) => {
    const written = knownBlocks(own(resource.values, "oidc"));
    const oidc = written === undefined ? LATE_OIDC : written[0];
    const resolved = (value: unknown): string => terraform.resolve(plainText(value) ?? "", resource.scope);
    const { attribute_mapping: mapping } = resource.values;
    const allowed = own(oidc, "allowed_audiences");
    const pool = poolOf(resource, pools, terraform);
    const issuer = resolved(own(oidc, "issuer_uri"));
    const keys = issuerKeys(issuer, resolved(own(oidc, "jwks_json")), resource.source);
    all.push(keys);
    return {
      poolId: terraform.text(resource, "workload_identity_pool_id"),
      providerId: terraform.text(resource, "workload_identity_pool_provider_id"),
      poolNumber: pool?.scope === resource.scope ? numberOf(pool, terraform) : undefined,
      universe: universeOf(resource, terraform),
      issuer,
      verified: (answer) => keysTrusted(answer, keys, all, issuers),
      audiences: typeof allowed === "string" ? undefined : listed(allowed).map(resolved),
      mapping:
        typeof mapping === "string"
          ? undefined
          : new Map(Object.entries(record(mapping)).map(([key, value]) => [key, resolved(value)])),
      off:
        offReason(resource, "pool provider") ??
        (pool && (offReason(pool, "pool") ?? otherMode(pool, terraform))) ??
        (oidc === undefined ? otherKind(resource) : undefined),
      doubt:
        offDoubt(resource, "pool provider") ??
        tooMuch(mapping, allowed) ??
        (pool ? poolDoubt(pool, terraform) : otherProject(resource, pools, terraform)),
      condition: terraform.text(resource, "attribute_condition"),
      source: resource.source,
    };
  });
}

/**
 * The name of a pool, with a reference for the number of its project, so that the rest can be compared.
 *
 * Source: Google provider, google_iam_workload_identity_pool, `name`.
 */
export function poolName(pool: TerraformResource, terraform: Terraform): string | undefined {
  const id = terraform.text(pool, "workload_identity_pool_id");
  const number = keptReference(pool.scope.id, pool.address, "name.number");
  return id === "" || isLateText(id) ? undefined : poolPath(number, id);
}

function numberOf(pool: TerraformResource, terraform: Terraform): string | undefined {
  const [, number = ""] = /^projects\/([^/]+)\//.exec(terraform.attribute(pool, "name")) ?? [];
  return isLateText(number) ? number : undefined;
}

/** The project that a resource names, or the one of its provider's configuration. */
export function projectOf(resource: TerraformResource, terraform: Terraform): string {
  const configured = terraform.resolve(text(own(providerOf(resource), "project")), resource.scope);
  return (terraform.text(resource, "project") || configured).replace(/^projects\//, "");
}

function poolOf(
  provider: TerraformResource,
  pools: readonly TerraformResource[],
  terraform: Terraform,
): TerraformResource | undefined {
  const id = terraform.text(provider, "workload_identity_pool_id");
  return pools.find(
    (pool) =>
      terraform.text(pool, "workload_identity_pool_id") === id &&
      projectOf(pool, terraform) === projectOf(provider, terraform),
  );
}

/** A pool provider is made in its own project, where the pool must be; another project's of that id is no pool of it. */
function otherProject(
  provider: TerraformResource,
  pools: readonly TerraformResource[],
  terraform: Terraform,
): string | undefined {
  const id = terraform.text(provider, "workload_identity_pool_id");
  const here = projectOf(provider, terraform);
  const there = pools
    .filter(
      (pool) => pool.scope === provider.scope && terraform.text(pool, "workload_identity_pool_id") === id,
    )
    .map((pool) => projectOf(pool, terraform));
  if (there.length === 0 || [here, ...there].some((project) => project === "" || isLateText(project)))
    return undefined;
  return `the pool provider is of the project ${here}, and the pool ${id} that was read is of ${there.join(", ")}`;
}

/** What Google refuses at apply leaves what was there before. */
function tooMuch(mapping: unknown, audiences: unknown): string | undefined {
  const custom = Object.keys(record(mapping)).filter((key) => key.startsWith("attribute.")).length;
  if (custom > CUSTOM_ATTRIBUTES_MAX)
    return `Google refuses a pool provider with ${custom} custom attributes, ${CUSTOM_ATTRIBUTES_MAX} are allowed`;
  const count = listed(audiences).length;
  return count > AUDIENCES_MAX
    ? `Google refuses a pool provider with ${count} allowed audiences, ${AUDIENCES_MAX} are allowed`
    : undefined;
}

/** Source: REST reference of projects.locations.workloadIdentityPools, `Mode`. */
function otherMode(pool: TerraformResource, terraform: Terraform): string | undefined {
  return terraform.text(pool, "mode") === "TRUST_DOMAIN"
    ? "the pool is of the mode TRUST_DOMAIN, in which no pool provider can be created"
    : undefined;
}

function poolDoubt(pool: TerraformResource, terraform: Terraform): string | undefined {
  const doubt = offDoubt(pool, "pool");
  if (doubt !== undefined) return doubt;
  const mode = terraform.text(pool, "mode");
  return ["", "MODE_UNSPECIFIED", "FEDERATION_ONLY", "TRUST_DOMAIN"].includes(mode)
    ? undefined
    : "whether the pool's mode lets pool providers be created in it is not known";
}

function offDoubt({ values }: TerraformResource, what: string): string | undefined {
  return switched(values["disabled"]) === undefined
    ? `whether the ${what} is disabled is known only after apply`
    : undefined;
}

/** `state` is an attribute that only a state has: a deleted pool is kept for 30 days. */
function offReason({ values }: TerraformResource, what: string): string | undefined {
  if (switched(values["disabled"]) === true) return `the ${what} is disabled`;
  return values["state"] === "DELETED" ? `the ${what} is deleted` : undefined;
}

const OTHER_KINDS: readonly string[] = ["aws", "saml", "x509"];

function otherKind({ values }: TerraformResource): string | undefined {
  const kind = OTHER_KINDS.find((each) => blocks(values[each]).length > 0);
  return kind && `the pool provider takes credentials of the kind ${kind}, not of OpenID Connect`;
}
