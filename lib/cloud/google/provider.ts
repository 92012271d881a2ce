import { IamWorkloadIdentityPoolProvider } from "@cdktf/provider-google/lib/iam-workload-identity-pool-provider/index.js";
import { type ITerraformDependable, Annotations, Lazy, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { refuseTaken } from "../../rules/google/names";
import { fail } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { checkGiven, checkProps } from "../../model/shape";
import { Subject } from "../../model/subject";
import { type AttributeCondition, AdmittedSubjects } from "../../rules/google/condition";
import { type KeySet, keySetOf, keySetsDiffer } from "../../rules/google/issuer";
import { SUBJECT_ATTRIBUTE, attributeMapping, fitsGoogleSubject } from "../../rules/google/mapping";
import { poolPath, renderPrincipal } from "../../rules/google/provider";
import { describedWith } from "../../rules/google/text";
import { optionalTerraformText, terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-scope";
import { preventDestroy } from "../shared/prevent-destroy";
import { AdoptedOidcProvider } from "./adopted";
import { type IWorkloadIdentityPool, type PoolName, sameStack } from "./pool";
import {
  type IOidcProvider,
  type OidcProviderAttributes,
  type OidcProviderProps,
  type OidcProviderSettings,
  DESCRIPTION_MAX,
  OIDC_PROVIDER_ATTRIBUTES,
  OIDC_PROVIDER_PROPS,
  WIDENED,
  checkOidcProvider,
  differingSetting,
} from "./provider-props";

/** All pool providers of an app, by project and pool. */
const declared = new PerApp<readonly OidcProvider[]>();

/**
 * A workload identity pool provider for the issuer of one cluster.
 *
 * It pins issuer and audience, maps the `sub` claim to `google.subject`, and always has an attribute condition that
 * admits the added service accounts. If their list is too long, the condition is wider, with a warning and the reason
 * in the description. A subject over 127 bytes does not fit into `google.subject`; the mapping then puts the service
 * account's UID there, and the subject is bound by a custom attribute instead.
 */
export class OidcProvider extends Construct implements IOidcProvider {
  /** The pool that it belongs to. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider. */
  readonly providerId: string;
  /** The trusted issuer. */
  readonly issuer: Issuer;
  /** Audiences that tokens may carry. */
  readonly audiences: readonly string[];
  /** The first audience, for service account tokens. */
  readonly audience: string;
  /** The audience of the token exchange. */
  readonly stsAudience: string;
  /** The declared pool provider, which follows its pool. */
  readonly dependencies: readonly ITerraformDependable[];
  /** The Terraform resource. */
  readonly resource: IamWorkloadIdentityPoolProvider;

  readonly #admitted: AdmittedSubjects = new AdmittedSubjects();
  readonly #warned: Set<string> = new Set();
  readonly #settings: OidcProviderSettings;
  #longSubjects = false;
  #byId = false;

  constructor(scope: Construct, id: string, props: OidcProviderProps) {
    checkProps(new.target.name, scope, id, OIDC_PROVIDER_PROPS, props);
    const settings = checkOidcProvider(props);
    const siblings = siblingsOf(scope, props.pool);
    refuseTakenId(siblings, settings.providerId);
    const trusted = { issuer: settings.issuer, pool: props.pool, jwks: settings.jwks };
    checkIssuerKeys(scope, trusted);
    const subjects = (props.serviceAccounts ?? []).map(Subject.of);
    super(scope, id);
    this.#settings = settings;
    this.pool = props.pool;
    this.providerId = settings.providerId;
    this.issuer = settings.issuer;
    this.audiences = settings.audiences;
    this.audience = settings.audiences[0];
    this.stsAudience = settings.stsAudience;
    this.resource = this.#declare(props);
    preventDestroy(this.resource);
    keepNames(this.resource, {
      names: {
        workload_identity_pool_provider_id: this.providerId,
        workload_identity_pool_id: this.pool.poolReference,
        project: this.pool.project,
      },
      statedBy: "providerId, or namePrefix; project of the pool",
    });
    if (props.adopt) this.resource.importFrom(providerPath(this.pool, this.providerId), props.provider);
    this.dependencies = [this.resource];
    this.addSubjects(subjects);
    warnOfSharedPool(this, siblings);
    declared.set(this, poolKey(this.pool), [...siblings, this]);
    recordIssuerKeys(this, trusted);
  }

  /**
   * Returns an existing pool provider; nothing is declared. Its condition must admit the service accounts; if the app
   * declares it, perhaps in another stack, name them there.
   */
  static fromProviderId(scope: Construct, id: string, attributes: OidcProviderAttributes): IOidcProvider {
    checkProps("OidcProvider.fromProviderId()", scope, id, OIDC_PROVIDER_ATTRIBUTES, attributes);
    const { pool, providerId } = attributes;
    const declaredOne = siblingsOf(scope, pool).find((sibling) => sibling.providerId === providerId);
    return new AdoptedOidcProvider(scope, id, attributes, declaredOne?.dependencies);
  }

  /**
   * Returns the stack's pool provider for an issuer in a pool. The first call declares it; every call adds its service
   * accounts. It never returns one of {@link OidcProvider.forProviderId}.
   */
  static forIssuer(scope: Construct, props: OidcProviderProps): OidcProvider {
    checkGiven("OidcProvider.forIssuer()", OIDC_PROVIDER_PROPS, props);
    const settings = checkOidcProvider(props);
    const existing = siblingsOf(scope, props.pool).find(
      (sibling) => !sibling.#byId && sibling.issuer.equals(settings.issuer) && sameStack(scope, sibling),
    );
    return existing ? existing.#sharedWith(props, settings) : OidcProvider.#atStack(scope, props);
  }

  /**
   * Returns the stack's pool provider of an id in a pool. The first call declares it; every call adds its service
   * accounts. An issuer can have several in a pool, each with its own audiences and service accounts.
   */
  static forProviderId(scope: Construct, props: OidcProviderProps): OidcProvider {
    checkGiven("OidcProvider.forProviderId()", OIDC_PROVIDER_PROPS, props);
    const settings = checkOidcProvider(props);
    const siblings = siblingsOf(scope, props.pool);
    const existing = siblings.find((sibling) => sibling.providerId === settings.providerId);
    if (existing?.issuer.equals(settings.issuer) && sameStack(scope, existing))
      return existing.#sharedWith(props, settings);
    refuseTakenId(siblings, settings.providerId);
    const declaredNow = OidcProvider.#atStack(scope, props);
    declaredNow.#byId = true;
    return declaredNow;
  }

  static #atStack(scope: Construct, props: OidcProviderProps): OidcProvider {
    const { project, poolId } = props.pool;
    const id = `oidc-provider_${project}_${poolId}_${props.providerId}`;
    return new OidcProvider(TerraformStack.of(scope), id, props);
  }

  /** The current condition; `undefined` if the caller wrote their own. */
  get condition(): AttributeCondition | undefined {
    if (this.#settings.attributeCondition !== undefined) return undefined;
    return this.#admitted.condition;
  }

  /** Admits the tokens of these service accounts; duplicates are ignored. */
  addSubjects(subjects: readonly Subject[]): void {
    for (const subject of subjects) this.#admitted.add(subject);
    this.#warnOfWiderCondition();
    if (this.#longSubjects || subjects.every(fitsGoogleSubject)) return;
    this.#longSubjects = true;
    this.resource.attributeMapping = this.#mapping(true);
  }

  /** Returns the IAM policy member of a service account, by attribute if its subject is long, and admits its tokens. */
  principal(subject: Subject): string {
    this.addSubjects([subject]);
    const text = subject.toString();
    return renderPrincipal(
      this.pool,
      fitsGoogleSubject(subject)
        ? { kind: "subject", subject: text }
        : { kind: "attribute", name: SUBJECT_ATTRIBUTE, value: text },
    );
  }

  #sharedWith(props: OidcProviderProps, settings: OidcProviderSettings): this {
    const differs = differingSetting(this.#settings, settings);
    if (differs)
      return fail("google-conflict", {
        problem: `the issuer already has a pool provider in this workload identity pool, with another ${differs}`,
        value: settings.issuer.url,
        remedy: "use the same settings for every use of the issuer, or give each use its own pool",
      });
    this.addSubjects((props.serviceAccounts ?? []).map(Subject.of));
    return this;
  }

  #declare(props: OidcProviderProps): IamWorkloadIdentityPoolProvider {
    const { issuer, audiences, jwks, displayName, description, attributeCondition } = this.#settings;
    const hasCondition = attributeCondition !== undefined;
    return new IamWorkloadIdentityPoolProvider(this, "Resource", {
      project: this.pool.project,
      workloadIdentityPoolId: this.pool.poolReference,
      workloadIdentityPoolProviderId: this.providerId,
      displayName: optionalTerraformText(displayName),
      description: hasCondition
        ? optionalTerraformText(description)
        : Lazy.stringValue({ produce: () => optionalTerraformText(this.#description()) }),
      attributeMapping: this.#mapping(false),
      attributeCondition:
        optionalTerraformText(attributeCondition) ??
        Lazy.stringValue({ produce: () => this.condition?.expression }),
      oidc: {
        issuerUri: issuer.url,
        allowedAudiences: audiences.map(terraformText),
        jwksJson: optionalTerraformText(jwks),
      },
      provider: props.provider,
    });
  }

  #description(): string | undefined {
    return describedWith(this.#settings.description, WIDENED[this.#admitted.form], DESCRIPTION_MAX);
  }

  #mapping(longSubjects: boolean): Record<string, string> {
    const mapping = attributeMapping(longSubjects, this.#settings.attributeMapping);
    return Object.fromEntries(Object.entries(mapping).map(([key, cel]) => [key, terraformText(cel)]));
  }

  /** Each form once: subjects are only ever added, so a condition never becomes narrower again. */
  #warnOfWiderCondition({ form } = this.#admitted): void {
    const reason = WIDENED[form];
    if (reason === undefined || this.#warned.has(form) || this.#settings.attributeCondition) return;
    this.#warned.add(form);
    Annotations.of(this).addWarning(
      `attribute condition of pool provider ${this.providerId} is wider than its service accounts. ${reason} If that is too wide, write an attributeCondition with a reason`,
    );
  }
}

/** Terraform's import takes the project's id, not its number. */
function providerPath({ project, poolId }: IWorkloadIdentityPool, providerId: string): string {
  return `${poolPath(project, poolId)}/providers/${providerId}`;
}

function siblingsOf(scope: Construct, pool: IWorkloadIdentityPool): readonly OidcProvider[] {
  return declared.get(scope, poolKey(pool)) ?? [];
}

function poolKey({ project, poolId }: IWorkloadIdentityPool): string {
  return `${project}/${poolId}`;
}

function refuseTakenId(siblings: readonly OidcProvider[], providerId: string): void {
  const holder = siblings.find((sibling) => sibling.providerId === providerId);
  if (holder)
    refuseTaken(
      "pool provider of that id in the workload identity pool",
      providerId,
      holder.node.path,
      "state another providerId; for the same issuer and audience give that construct as `oidcProvider`, in another stack too, or adopt it with OidcProvider.fromProviderId and name the service accounts at the declared one",
    );
}

/** Warns at a pool provider where another one of the pool trusts another issuer. */
function warnOfSharedPool(added: OidcProvider, siblings: readonly OidcProvider[]): void {
  const first = siblings.find(
    ({ issuer }) => !issuer.equals(added.issuer) && !isBeside(issuer, added.issuer),
  );
  if (!first) return;
  Annotations.of(added).addWarning(
    `workload identity pool ${added.pool.poolId} trusts several issuers, and principals do not name the issuer: a service account has the rights of the one with the same namespace and name in ${first.node.path}; give each cluster its own pool unless this is intended`,
  );
}

/** True for two of one cluster, of which one names the other. */
function isBeside(one: Issuer, other: Issuer): boolean {
  return one.accepted.some((each) => each.equals(other)) || other.accepted.some((each) => each.equals(one));
}

interface TrustedIssuer {
  readonly issuer: Issuer;
  readonly pool: PoolName;
  /** The uploaded keys as JSON text; `undefined` where Google fetches them. */
  readonly jwks: string | undefined;
}

/** Each set that pool providers of an app state for an issuer, once: one, and late ones beside it. */
const stated = new PerApp<{ readonly keys: KeySet; readonly path: string }[]>();

/**
 * Components, workloads and pulls of a cluster each have their own pool provider. If one has the keys and another
 * fetches them from the issuer, or has other keys, its token exchanges fail, which only a pod would notice.
 */
export function checkIssuerKeys(scope: Construct, trusted: TrustedIssuer): void {
  const keys = keySetOf(trusted.jwks);
  const other = stated.get(scope, keyOf(trusted))?.find((each) => keySetsDiffer(each.keys, keys));
  if (other)
    fail("google-mismatch", {
      problem: `keys of the issuer (${keys.label}) differ from those that ${other.path} trusts (${other.keys.label}), so token exchanges of one of the two would fail`,
      value: trusted.issuer.url,
      allowed: "the same keys, or none, in each pool provider of an issuer",
      remedy:
        "state the same `keys` (or `jwks`) in componentServiceAccounts(), workloadServiceAccounts(), pullPrincipals() and OidcProvider, during a rotation the next key too; or leave them out everywhere if Google can reach the issuer",
    });
}

function recordIssuerKeys(provider: Construct, trusted: TrustedIssuer): void {
  const keys = keySetOf(trusted.jwks);
  const key = keyOf(trusted);
  const sets = stated.get(provider, key) ?? [];
  if (sets.some((each) => each.keys.identity === keys.identity)) return;
  stated.set(provider, key, [...sets, { keys, path: provider.node.path }]);
}

/** Many clusters have the same cluster-internal issuer, `https://kubernetes.default.svc` say; their pools differ. */
function keyOf({ issuer, pool }: TrustedIssuer): string {
  return issuer.clusterInternal ? `${issuer.url} ${pool.project}/${pool.poolId}` : issuer.url;
}
