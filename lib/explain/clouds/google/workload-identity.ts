/*
 * Workload identity pools and their providers as Terraform declares them, or as a state holds them.
 */

import { blocks, list, own, record, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, providerOf } from "../../facts/terraform";
import { type IssuerKeysFact, issuerKeys, publishedKeys } from "./issuer-keys";

/** A provider of a workload identity pool. */
export interface PoolProviderFact {
  /** Id of the pool. */
  readonly poolId: string;
  /** Id of the pool provider. */
  readonly providerId: string;
  /** The issuer that it trusts; empty where only apply tells it. */
  readonly issuer: string;
  /** The audiences that it accepts, empty for its own name; `undefined` where only apply tells the list. */
  readonly audiences: readonly string[] | undefined;
  /** Expressions by attribute; `undefined` where only apply tells them. */
  readonly mapping: ReadonlyMap<string, string> | undefined;
  /** Why it exchanges no service account's token: it or its pool is switched off or deleted, or it takes others. */
  readonly off: string | undefined;
  /** The keys that it was handed, by which it verifies tokens. */
  readonly keys: IssuerKeysFact;
  /** The attribute condition; empty where there is none. */
  readonly condition: string;
  /** Where it stands. */
  readonly source: Source;
}

const POOL = "google_iam_workload_identity_pool";

/** Every pool provider. */
export function poolProviders(terraform: Terraform): readonly PoolProviderFact[] {
  const pools = terraform.ofType(POOL);
  const published = publishedKeys(terraform);
  return terraform.ofType(`${POOL}_provider`).map((resource) => {
    const [oidc] = blocks(own(resource.values, "oidc"));
    const resolved = (value: unknown): string => terraform.resolve(text(value), resource.scope);
    const { attribute_mapping: mapping } = resource.values;
    const allowed = own(oidc, "allowed_audiences");
    const pool = poolOf(resource, pools, terraform);
    const issuer = resolved(own(oidc, "issuer_uri"));
    return {
      poolId: terraform.text(resource, "workload_identity_pool_id"),
      providerId: terraform.text(resource, "workload_identity_pool_provider_id"),
      issuer,
      keys: issuerKeys(resolved(own(oidc, "jwks_json")), published.get(issuer) ?? [], resource.source),
      audiences: typeof allowed === "string" ? undefined : list(allowed).map(resolved),
      mapping:
        typeof mapping === "string"
          ? undefined
          : new Map(Object.entries(record(mapping)).map(([key, value]) => [key, resolved(value)])),
      off:
        offReason(resource, "pool provider") ??
        (pool && offReason(pool, "pool")) ??
        (oidc === undefined ? otherKind(resource) : undefined),
      condition: terraform.text(resource, "attribute_condition"),
      source: resource.source,
    };
  });
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

/** `state` is an attribute that only a state has: a deleted pool is kept for 30 days. */
function offReason({ values }: TerraformResource, what: string): string | undefined {
  if (values["disabled"] === true || values["disabled"] === "true") return `the ${what} is disabled`;
  return values["state"] === "DELETED" ? `the ${what} is deleted` : undefined;
}

const OTHER_KINDS: readonly string[] = ["aws", "saml", "x509"];

function otherKind({ values }: TerraformResource): string | undefined {
  const kind = OTHER_KINDS.find((each) => blocks(values[each]).length > 0);
  return kind && `the pool provider takes credentials of the kind ${kind}, not of OpenID Connect`;
}
