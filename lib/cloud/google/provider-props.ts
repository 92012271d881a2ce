import type { TerraformProvider } from "cdktf";
import { fail } from "../../errors";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { literal } from "../../model/late";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  either,
  made,
  list,
  method,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import { type Subject, SUBJECT } from "../../model/subject";
import { type AttributeConditionForm, ownAttributeCondition } from "../../rules/google/condition";
import { ACCEPTED_ALGORITHMS, publicJwks } from "../../rules/google/issuer";
import { type AttributeMapping, additionalAttributes } from "../../rules/google/mapping";
import { workloadIdentityId, refuseUnused } from "../../rules/google/names";
import { allowedAudiences, defaultAudience, stsAudience } from "../../rules/google/provider";
import { shortText, withReason } from "../../rules/google/text";
import { publishedJwks } from "../../rules/openid/issuer-documents";
import { requireAlgorithms } from "../../rules/openid/jwks";
import { type IPrincipals, type IWorkloadIdentityPool, WORKLOAD_IDENTITY_POOL } from "./pool";
import { type AdoptableProps, ADOPTABLE_PROPS } from "./props";
import { issuerClusterInternal } from "../../model/problems";

/** A pool provider for one issuer: declared, or existing. */
export interface IOidcProvider extends IPrincipals {
  /** The pool that it belongs to. */
  readonly pool: IWorkloadIdentityPool;
  /** The trusted issuer; may be late, and `undefined` for an existing pool provider whose issuer was not stated. */
  readonly issuer: Issuer | undefined;
  /** Id of the pool provider; literal. */
  readonly providerId: string;
  /** `//iam.googleapis.com/projects/…/providers/<id>`, the audience of the token exchange; late when the project number is. */
  readonly stsAudience: string;
}

export const OIDC_PROVIDER: Kind<IOidcProvider> = made(
  "an OIDC provider: new OidcProvider(…), OidcProvider.fromProviderId(…) or another of its statics",
  "OidcProvider.fromProviderId(…)",
  { pool: WORKLOAD_IDENTITY_POOL, providerId: text, addSubjects: method, principal: method },
);

/** Settings of an {@link OidcProvider}. */
export interface OidcProviderProps extends AdoptableProps {
  /** The workload identity pool. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider: 4 to 32 of a-z, 0-9 and -, not starting with `gcp-`. A deleted id stays taken for 30 days. */
  readonly providerId: string;
  /** `iss` of the cluster's service account tokens, compared exactly; may be late. */
  readonly issuer: GivenIssuer;
  /**
   * The cluster's public keys, JSON text or object, as `kubectl get --raw /openid/v1/jwks` prints them. The issuer then
   * need not be reachable. During a rotation state the old and the new key.
   *
   * @defaultValue - Google fetches the keys from the issuer's discovery document
   */
  readonly jwks?: string | PublicJsonWebKeySet;
  /**
   * The issuer's public keys as PEM, in place of `jwks`; while they are rotated, the current and the next one.
   *
   * @defaultValue - `jwks` if set; otherwise Google fetches the keys from the issuer's discovery document
   */
  readonly keys?: readonly IssuerKey[];
  /**
   * Audiences that tokens may carry, 1 to 10, at most 256 characters each.
   *
   * @defaultValue - only the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`
   */
  readonly audiences?: readonly string[];
  /**
   * Service accounts whose tokens are admitted, as `namespace/name`; `addSubjects` adds more.
   *
   * @defaultValue - none yet
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * Further custom attributes, by `attribute.<name>`; the library maps the service account itself.
   *
   * @defaultValue - none
   */
  readonly attributeMapping?: AttributeMapping;
  /**
   * Your own condition in CEL, 1 to 4096 characters; it must admit every service account itself, and needs a `reason`.
   * A condition that obviously admits every token is refused.
   *
   * @defaultValue - the list of service accounts; over 4096 characters the list of their namespaces; if that is too
   * long too, any service account of the issuer
   */
  readonly attributeCondition?: string;
  /**
   * Why the list of service accounts does not suffice as a condition; required with `attributeCondition`, and appended
   * to the description: at most 256 characters together.
   *
   * @defaultValue - none; required with `attributeCondition`
   */
  readonly reason?: string;
  /**
   * Name for people, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly displayName?: string;
  /**
   * Description, at most 256 characters.
   *
   * If the condition is wider than the list of service accounts, the reason is appended; a description that leaves no
   * room for it is cut.
   *
   * @defaultValue - none; only the reason, if there is one
   */
  readonly description?: string;
}

export const OIDC_PROVIDER_PROPS: ObjectKind<OidcProviderProps> = object({
  ...ADOPTABLE_PROPS.shape,
  pool: WORKLOAD_IDENTITY_POOL,
  providerId: text,
  issuer: ISSUER,
  jwks: optional(either(text, anyObject)),
  keys: optional(list(ISSUER_KEY)),
  audiences: optional(list(text)),
  serviceAccounts: optional(list(SUBJECT)),
  attributeMapping: optional(record(text)),
  attributeCondition: optional(text),
  reason: optional(text),
  displayName: optional(text),
  description: optional(text),
});

/** Identifies an existing pool provider. */
export interface OidcProviderAttributes {
  /** The workload identity pool. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider. */
  readonly providerId: string;
  /**
   * The exact `iss` that the pool provider trusts; if stated, pulls of another cluster are refused.
   *
   * @defaultValue - unknown; nothing is compared
   */
  readonly issuer?: GivenIssuer;
  /**
   * The audience of service account tokens; must be one that the pool provider allows.
   *
   * @defaultValue - the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`
   */
  readonly audience?: string;
  /**
   * Custom attribute that the pool provider maps the whole `sub` claim to, 1 to 100 of a-z, 0-9 and `_`, without
   * `attribute.`; needed for subjects over 127 bytes.
   *
   * @defaultValue - none; longer subjects are refused
   */
  readonly subjectAttribute?: string;
}

export const OIDC_PROVIDER_ATTRIBUTES: ObjectKind<OidcProviderAttributes> = object({
  pool: WORKLOAD_IDENTITY_POOL,
  providerId: text,
  issuer: optional(ISSUER),
  audience: optional(text),
  subjectAttribute: optional(text),
});

export interface OidcProviderSettings {
  readonly providerId: string;
  readonly issuer: Issuer;
  /** Audiences that tokens may carry, at least one. */
  readonly audiences: readonly [string, ...string[]];
  readonly stsAudience: string;
  /** Canonical JSON text of the public keys, `undefined` where Google fetches them. */
  readonly jwks: string | undefined;
  readonly attributeMapping: AttributeMapping;
  readonly attributeCondition: string | undefined;
  /** Why the caller has their own condition; it stands at the end of the description. */
  readonly reason: string | undefined;
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  readonly provider: TerraformProvider | undefined;
}

const DISPLAY_NAME_MAX = 32;
/** What the description of a pool provider may have, in characters. */
export const DESCRIPTION_MAX = 256;

/** The written reason for a condition that is wider than the list of service accounts; for description and warning. */
export const WIDENED: Readonly<Record<AttributeConditionForm, string | undefined>> = {
  subjects: undefined,
  none: undefined,
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
    ? fail("issuer-unsupported", issuerClusterInternal(checked.url, "Google Cloud, unless jwks is given,"))
    : checked;
}

/** Keys are uploaded in one form or the other. */
function checkedJwks({ jwks, keys }: UncheckedOidcProvider): string | undefined {
  if (keys === undefined) return jwks === undefined ? undefined : publicJwks(jwks);
  if (jwks !== undefined) return refuseUnused("jwks", "beside keys");
  const set = publishedJwks(keys);
  requireAlgorithms(set, ACCEPTED_ALGORITHMS);
  return publicJwks(set);
}

/** A condition of the caller's own goes with a reason, and a reason with such a condition. */
function checkedReason({ attributeCondition, reason }: UncheckedOidcProvider): string | undefined {
  if (attributeCondition === undefined)
    return reason === undefined ? undefined : refuseUnused("reason", "without attributeCondition");
  const written = literal(reason, "reason for the attribute condition");
  return typeof written === "string" && written.trim() !== ""
    ? written
    : fail("google-missing", {
        problem: "`attributeCondition` is set without a reason",
        value: attributeCondition,
        allowed:
          "`reason` together with `attributeCondition`; it becomes part of the pool provider's description",
        remedy:
          "state in `reason` why the exact list of service accounts does not suffice, or leave attributeCondition out to get that list",
      });
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
