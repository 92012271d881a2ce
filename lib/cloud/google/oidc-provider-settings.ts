import type { TerraformProvider } from "cdktf";
import { fail } from "../../errors";
import { Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import { type AttributeConditionForm, ownAttributeCondition } from "../../rules/google/condition";
import { ACCEPTED_ALGORITHMS, publicJwks } from "../../rules/google/issuer";
import { type AttributeMapping, additionalAttributes } from "../../rules/google/mapping";
import { workloadIdentityId } from "../../rules/google/names";
import { allowedAudiences, defaultAudience, stsAudience } from "../../rules/google/provider";
import { shortText, withReason } from "../../rules/google/text";
import { publishedJwks } from "../../rules/openid/issuer-documents";
import { requireAlgorithms } from "../../rules/openid/jwks";
import type { OidcProviderProps } from "./oidc-provider-props";
import type { IWorkloadIdentityPool } from "./workload-identity-pool";

/** The checked settings of a pool provider; equal settings are equal member by member. */
export interface OidcProviderSettings {
  /** Id of the pool provider. */
  readonly providerId: string;
  /** Whose tokens are trusted. */
  readonly issuer: Issuer;
  /** Audiences that tokens may carry, at least one. */
  readonly audiences: readonly [string, ...string[]];
  /** The audience of the token exchange. */
  readonly stsAudience: string;
  /** Canonical JSON text of the public keys, `undefined` where Google fetches them. */
  readonly jwks: string | undefined;
  /** Further custom attributes. */
  readonly attributeMapping: AttributeMapping;
  /** The caller's own condition. */
  readonly attributeCondition: string | undefined;
  /** Why the caller has a condition of their own; it stands at the end of the description. */
  readonly reason: string | undefined;
  /** Name for people. */
  readonly displayName: string | undefined;
  /** Description, with the caller's reason. */
  readonly description: string | undefined;
  /** Terraform provider of the resource. */
  readonly provider: TerraformProvider | undefined;
}

const DISPLAY_NAME_MAX = 32;
/** What the description of a pool provider may have, in characters. */
export const DESCRIPTION_MAX = 256;

/** The written reason for a condition that is wider than the list of service accounts; stands in description and warning. */
export const WIDENED: Readonly<Record<AttributeConditionForm, string | undefined>> = {
  subjects: undefined,
  nobody: undefined,
  namespaces:
    "The list of service accounts exceeds 4096 characters, so the condition admits their namespaces; IAM bindings still name each service account.",
  "any-service-account":
    "The list of namespaces exceeds 4096 characters, so the condition admits any service account; IAM bindings still name each service account.",
};

/** Properties of a pool provider, the pool by its names only: it need not be declared to check them. */
export type UncheckedOidcProvider = Omit<OidcProviderProps, "pool"> & {
  /** Number of the pool's project and id of the pool. */
  readonly pool: Pick<IWorkloadIdentityPool, "projectNumber" | "poolId">;
};

/** Checks the properties of a pool provider; throws the codes that its constructor names. */
export function checkOidcProvider(props: UncheckedOidcProvider): OidcProviderSettings {
  const { projectNumber, poolId } = props.pool;
  workloadIdentityId("pool", poolId);
  const providerId = workloadIdentityId("pool provider", props.providerId);
  const name = { projectNumber, poolId, providerId };
  const [first, ...others] = allowedAudiences(props.audiences ?? [defaultAudience(name)]);
  const { attributeCondition } = props;
  const reason = checkedReason(props);
  return {
    providerId,
    issuer: checkedIssuer(props),
    audiences: [first, ...others],
    stsAudience: stsAudience(name),
    jwks: checkedJwks(props),
    attributeMapping: additionalAttributes(props.attributeMapping ?? {}),
    attributeCondition:
      attributeCondition === undefined ? undefined : ownAttributeCondition(attributeCondition),
    reason,
    displayName: shortText("display name of a pool provider", props.displayName, DISPLAY_NAME_MAX),
    description: checkedDescription(props.description, reason),
    provider: props.provider,
  };
}

/** Google fetches the keys of the issuer, unless they are uploaded. */
function checkedIssuer({ issuer, jwks, keys }: UncheckedOidcProvider): Issuer {
  const checked = Issuer.of(issuer);
  return checked.clusterInternal && jwks === undefined && keys === undefined
    ? fail("issuer-cluster-internal", checked.url, "Google Cloud, unless jwks is given,")
    : checked;
}

/** Keys are uploaded in one form or the other. */
function checkedJwks({ jwks, keys }: UncheckedOidcProvider): string | undefined {
  if (keys === undefined) return jwks === undefined ? undefined : publicJwks(jwks);
  if (jwks !== undefined) return fail("google-setting-contradicts", "jwks", "beside keys");
  const set = publishedJwks(keys);
  requireAlgorithms(set, ACCEPTED_ALGORITHMS);
  return publicJwks(set);
}

/** A condition of the caller's own goes with a reason, and a reason with such a condition. */
function checkedReason({ attributeCondition, reason }: UncheckedOidcProvider): string | undefined {
  if (attributeCondition === undefined)
    return reason === undefined
      ? undefined
      : fail("google-setting-contradicts", "reason", "without attributeCondition");
  const given = literal(reason, "reason for the attribute condition");
  return typeof given === "string" && given.trim() !== ""
    ? given
    : fail("google-condition-reason-missing", attributeCondition);
}

function checkedDescription(description: string | undefined, reason: string | undefined): string | undefined {
  shortText("description of a pool provider", description, DESCRIPTION_MAX);
  const what = "description of a pool provider, the reason for its attribute condition included";
  return shortText(what, withReason(description, reason), DESCRIPTION_MAX);
}

const COMPARED = [
  "providerId",
  "audiences",
  "jwks",
  "attributeMapping",
  "attributeCondition",
  "reason",
  "displayName",
  "description",
] as const satisfies readonly (keyof OidcProviderSettings)[];

/** Name of the first setting in which two uses of one issuer contradict each other, if any. */
export function differingSetting(one: OidcProviderSettings, other: OidcProviderSettings): string | undefined {
  if (one.provider !== other.provider) return "provider";
  return COMPARED.find((setting) => JSON.stringify(one[setting]) !== JSON.stringify(other[setting]));
}
