import type { TerraformProvider } from "cdktf";
import { Issuer } from "../../model/issuer";
import type { AttributeConditionForm } from "../../rules/google/attribute-condition";
import { ownAttributeCondition } from "../../rules/google/attribute-condition";
import { additionalAttributes } from "../../rules/google/attribute-mapping";
import type { AttributeMapping } from "../../rules/google/attribute-mapping";
import { shortText, workloadIdentityId } from "../../rules/google/ids";
import { publicJwks } from "../../rules/google/jwks";
import { allowedAudiences, defaultAudience, stsAudience } from "../../rules/google/workload-identity-names";
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
  /** Name for people. */
  readonly displayName: string | undefined;
  /** Description. */
  readonly description: string | undefined;
  /** Terraform provider of the resource. */
  readonly provider: TerraformProvider | undefined;
}

const DISPLAY_NAME_MAX = 32;
const DESCRIPTION_MAX = 256;

/** The written reason for a condition that is wider than the list of service accounts; stands in the description. */
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
  const providerId = workloadIdentityId("pool provider", props.providerId);
  const name = { projectNumber, poolId, providerId };
  const [first, ...others] = allowedAudiences(props.audiences ?? [defaultAudience(name)]);
  const { attributeCondition } = props;
  return {
    providerId,
    issuer: Issuer.of(props.issuer),
    audiences: [first, ...others],
    stsAudience: stsAudience(name),
    jwks: props.jwks === undefined ? undefined : publicJwks(props.jwks),
    attributeMapping: additionalAttributes(props.attributeMapping ?? {}),
    attributeCondition:
      attributeCondition === undefined ? undefined : ownAttributeCondition(attributeCondition),
    displayName: shortText("display name of a pool provider", props.displayName, DISPLAY_NAME_MAX),
    description: shortText("description of a pool provider", props.description, DESCRIPTION_MAX),
    provider: props.provider,
  };
}

const COMPARED = [
  "providerId",
  "audiences",
  "jwks",
  "attributeMapping",
  "attributeCondition",
  "displayName",
  "description",
] as const satisfies readonly (keyof OidcProviderSettings)[];

/** Name of the first setting in which two uses of one issuer contradict each other, if any. */
export function differingSetting(one: OidcProviderSettings, other: OidcProviderSettings): string | undefined {
  if (one.provider !== other.provider) return "provider";
  return COMPARED.find((setting) => JSON.stringify(one[setting]) !== JSON.stringify(other[setting]));
}
