/*
 * Would the Security Token Service exchange a service account's token, at the user's own pool or at the built-in one of
 * GKE and fleets, which has no resource to read?
 */

import {
  type Known,
  and,
  identical,
  isKnown,
  joined,
  known,
  anyOf,
  orElse,
  same,
  shown,
} from "../../model/known";
import { serviceAccountUser } from "../../model/namespaced-name";
import { type CelClaims, UNKNOWN_CLAIM } from "../../rules/google/cel-claims";
import type { CelExpression } from "../../rules/google/cel-evaluation";
import { parseManagedIdentityProvider } from "../../rules/google/pull";
import {
  type MappedAttributes,
  UNKNOWN_UID,
  evaluateAttributeCondition,
  mapAttributes,
} from "../../rules/google/trust";
import { type Answer, badness, broken, pass, seen, unknown, worstOf } from "../answer";
import type { TokenQuestion, TrustAnswer } from "../cloud";
import { difference, notAmongRead, regenerated } from "../shared/near-miss";
import type { ClosedWorld, ClusterNames } from "../coverage/closed-world";
import type { Issuers } from "../shared/object-store";
import { sameAnswers } from "../shared/same-answers";
import { ASK_AGAIN, NAME_CLUSTER } from "../shared/words";
import { keysTrusted } from "./issuer";
import { type Bearer, poolBearer } from "./members";
import { isProjectNumber } from "./names";
import { type PoolProvider, type ProviderName, audienceOf, poolProviderOf, providerName } from "./pool";

/** The plugin's log for every exchange that fails. */
const EMPTY = "Workload Identity exchange failed for opted-in KSA …. Failing fast without fallback.";

export interface Token {
  readonly issuer: Known<string>;
  readonly audience: Known<string>;
  readonly subject: string;
  /** The service account; `undefined` if the subject is not a service account. */
  readonly account: { readonly namespace: string; readonly name: string } | undefined;
  /** True if its issuer has a pool provider other than the one that was named. */
  readonly further?: boolean;
}

export function tokenOf({ issuer, audience, namespace, name, further = false }: TokenQuestion): Token {
  const subject = serviceAccountUser({ namespace, name });
  return { issuer, audience, subject, account: { namespace, name }, further };
}

/**
 * The claims of a bound token that kube-apiserver issues for a pod; `aud` is a list even for a single audience.
 * Source: kubernetes/kubernetes, pkg/serviceaccount/claims.go.
 */
function claimsOf({ issuer, audience, subject, account }: Token): CelClaims {
  const claim = (text: Known<string>): unknown => orElse(text, () => text);
  const bound = account && {
    namespace: account.namespace,
    node: UNKNOWN_CLAIM,
    pod: UNKNOWN_CLAIM,
    serviceaccount: { name: account.name, uid: UNKNOWN_UID },
    warnafter: UNKNOWN_CLAIM,
  };
  return {
    exp: UNKNOWN_CLAIM,
    iat: UNKNOWN_CLAIM,
    jti: UNKNOWN_CLAIM,
    nbf: UNKNOWN_CLAIM,
    aud: [claim(audience)],
    iss: claim(issuer),
    sub: subject,
    ...(bound && { "kubernetes.io": bound }),
  };
}

/** The attributes to which a pool provider maps a token; `undefined` if its mapping is not known. */
function attributesOf(provider: PoolProvider | undefined, token: Token): MappedAttributes | undefined {
  const mapping = provider && orElse(provider.mapping, () => undefined);
  return mapping && mapAttributes(mapping, claimsOf(token));
}

/** The answers shared by all tokens of a cluster. */
type OfCluster = Omit<TrustAnswer, "subject">;

/** Judges whether tokens are exchanged at the user's own pools. */
export class Exchanges {
  readonly #providers: readonly PoolProvider[];
  readonly #issuers: Issuers;
  readonly #world: ClosedWorld;
  readonly #ofClusters = new Map<PoolProvider, { readonly token: Token; readonly answers: OfCluster }>();

  constructor(providers: readonly PoolProvider[], issuers: Issuers, world: ClosedWorld) {
    this.#providers = providers;
    this.#issuers = issuers;
    this.#world = world;
  }

  /** The pool provider with the name; `undefined` if it was not read. */
  provider(name: ProviderName): PoolProvider | undefined {
    return poolProviderOf(name, this.#providers);
  }

  /** Whether everything that was read of a pool provider and of grants to its principals is understood. */
  understood(name: ProviderName | undefined, label: string, cluster: ClusterNames): Answer {
    const provider = name && this.provider(name);
    const text = name === undefined ? known(label) : joined("workloadIdentityPools/", name.poolId);
    return this.#world.understood(label, cluster, provider ? [provider.resource] : [], [text]);
  }

  bearer(name: ProviderName, token: Token): Bearer {
    const provider = this.provider(name);
    const numbers = [name.number, ...(provider?.numbers ?? [])];
    return poolBearer(name.poolId, numbers, attributesOf(provider, token), token.subject);
  }

  /** Whether a pool provider, by default the one with the name, exchanges a token. */
  trust(
    name: ProviderName,
    token: Token,
    provider: PoolProvider | undefined = this.provider(name),
  ): TrustAnswer {
    if (token.further) return this.#beside(name, token);
    if (provider !== undefined)
      return { ...this.#ofCluster(name, provider, token), subject: subjectAdmitted(provider, token) };
    const path = joined(name.poolId, "/", name.providerId);
    const others = this.#providers.map(({ poolId, providerId }) => joined(poolId, "/", providerId));
    return sameAnswers(
      unknown(
        notAmongRead(`the pool provider ${shown(path)}`, path, others),
        "also give explain the Terraform that declares it",
      ),
    );
  }

  /**
   * Whether a pool provider of the same pool trusts a further issuer and admits the account. Holders of such a token
   * use a credential file that names that pool provider, and an audience that it accepts.
   */
  #beside(name: ProviderName, token: Token): TrustAnswer {
    const ofPool = this.#providers.filter(({ poolId }) => same(poolId, name.poolId) === "yes");
    const trusting = ofPool.filter(({ issuer }) => same(issuer, token.issuer) !== "no");
    const answers = trusting.map((provider): TrustAnswer => {
      const meant = { ...name, providerId: provider.providerId };
      const [audience = joined("https:", audienceOf(meant))] = orElse(provider.audiences, () => []);
      const shownToken = { ...token, audience, further: false };
      return {
        ...this.#ofCluster(meant, provider, shownToken),
        subject: worstOf(
          subjectAdmitted(provider, shownToken),
          mappedOtherwise(provider, this.provider(name)),
        ),
      };
    });
    const bad = ({ issuer, subject }: TrustAnswer): number => Math.max(badness(issuer), badness(subject));
    const [first, ...others] = answers;
    if (first) return others.reduce((best, each) => (bad(each) < bad(best) ? each : best), first);
    const reason = `no pool provider of ${shown(name.poolId)} trusts ${shown(token.issuer)}, an additional issuer of the cluster`;
    return sameAnswers(
      ofPool.length === 0
        ? unknown(reason, "also give explain the Terraform that declares it")
        : broken(
            reason,
            "declare a pool provider for it in the pool, or remove it from additionalIssuers",
            undefined,
          ),
    );
  }

  #ofCluster(name: ProviderName, provider: PoolProvider, token: Token): OfCluster {
    const before = this.#ofClusters.get(provider);
    if (
      before &&
      identical(before.token.issuer, token.issuer) &&
      identical(before.token.audience, token.audience)
    )
      return before.answers;
    const trusted = issuerTrusted(provider, token.issuer, this.#providers);
    const verified =
      trusted.status === "pass" ? keysTrusted(trusted, provider, this.#providers, this.#issuers) : trusted;
    const answers = {
      issuer: otherProject(name, provider, token) ?? verified,
      audience: audienceAccepted(name, provider, token),
    };
    this.#ofClusters.set(provider, { token, answers });
    return answers;
  }
}

/** Grants are judged for the principal of the named pool provider. */
function mappedOtherwise(provider: PoolProvider, named: PoolProvider | undefined): Answer | undefined {
  const [own, other] = [provider, named].map((each) => each && orElse(each.mapping, () => undefined));
  if (!own || !other) return undefined;
  const isAlike = ([key, { text }]: readonly [string, CelExpression]): boolean => {
    const beside = other.get(key);
    return beside !== undefined && same(beside.text, text) === "yes";
  };
  if (own.size === other.size && [...own].every(isAlike)) return undefined;
  return unknown(
    `the pool providers ${shown(provider.providerId)} and ${shown(named?.providerId ?? known(""))} map claims differently, so tokens of the two issuers may become different principals`,
    "write the same attribute mapping into both",
    seen("attribute_mapping", provider.resource.source),
  );
}

/** The resource has the project's id, the plugin's argument its number; only an accepted audience relates the two. */
function otherProject(name: ProviderName, provider: PoolProvider, { audience }: Token): Answer | undefined {
  const accepted = orElse(provider.audiences, () => []);
  if (!accepted.some((each) => same(each, audience) === "yes")) return undefined;
  const path = known(orElse(audience, () => "").replace(/^https:/, ""));
  const named = orElse(providerName(path), () => undefined);
  const isOther =
    named &&
    and(same(named.poolId, name.poolId), same(named.providerId, name.providerId)) === "yes" &&
    same(named.number, name.number) === "no";
  if (!isOther) return undefined;
  return unknown(
    `the token's audience names the pool of project ${shown(named.number)}, but the plugin exchanges the token at that of ${shown(name.number)}, and only one of them can be the pool that was read`,
    "write the number of the same project into --sts-audience, the audience and the grants",
    seen("oidc.allowed_audiences", provider.resource.source),
  );
}

function issuerTrusted(
  { issuer: trusted, poolId, off, doubt, resource }: PoolProvider,
  issuer: Known<string>,
  all: readonly PoolProvider[],
): Answer {
  const where = seen("oidc.issuer_uri", resource.source);
  if (off !== undefined)
    return broken(off, "enable, restore or correct it", `${EMPTY} (invalid_target)`, where);
  const equal = same(trusted, issuer);
  if (equal === "no" && shown(trusted) !== "") {
    const right = all.find((each) => and(same(each.poolId, poolId), same(each.issuer, issuer)) === "yes");
    const near = right
      ? `; the pool provider ${shown(right.providerId)} of the same pool trusts it`
      : difference(issuer, [trusted]);
    return broken(
      `the pool provider trusts ${shown(trusted)}, but the cluster's tokens are from ${shown(issuer)}${near}`,
      "write exactly the cluster's issuer into the pool provider",
      `${EMPTY} (invalid_grant)`,
      where,
      right ? [seen("oidc.issuer_uri", right.resource.source)] : [],
    );
  }
  if (equal !== "yes")
    return isKnown(issuer)
      ? unknown("the issuer is known only after apply", ASK_AGAIN, where)
      : unknown("the issuer of the cluster's tokens is not known", NAME_CLUSTER, where);
  if (doubt === undefined) return pass(`the pool provider trusts ${shown(issuer)}`, where);
  const remedy =
    "declare the pool provider together with its pool, enabled, and in a form that Google and your organization accept";
  return unknown(doubt, remedy, where);
}

function audienceAccepted(name: ProviderName, provider: PoolProvider, { audience }: Token): Answer {
  const where = seen("oidc.allowed_audiences", provider.resource.source);
  const allowed = orElse(provider.audiences, () => undefined);
  const defaultName = audienceOf(name);
  const accepted =
    allowed === undefined || allowed.length > 0 ? allowed : [joined("https:", defaultName), defaultName];
  const outcome = accepted ? anyOf(accepted.map((each) => same(each, audience))) : "unknown";
  if (outcome === "yes") return pass(`the pool provider accepts ${shown(audience)}`, where);
  if (outcome === "unknown" || accepted === undefined)
    return unknown(
      "an accepted audience is known only after apply",
      "state the audience as a literal",
      where,
    );
  return broken(
    `the pool provider accepts ${accepted.map(shown).join(", ")}, but the token is for ${shown(audience)}${difference(audience, accepted)}`,
    "write the audience of the tokens into allowed_audiences",
    `STS token exchange failed with status 400: {"error":"invalid_grant", … "The audience in ID Token [${shown(audience)}] does not match the expected audience …"}`,
    where,
  );
}

/** The service accounts that an expression names. */
const SUBJECTS = /system:serviceaccount:[a-z0-9-]+:[a-z0-9.-]+/g;

function subjectAdmitted(provider: PoolProvider, token: Token): Answer {
  const { condition, resource } = provider;
  const attributes = attributesOf(provider, token);
  const where = seen("attribute_condition", resource.source);
  const mapped = seen("attribute_mapping", resource.source);
  // Tokens of others than service accounts have further claims.
  if (attributes?.failure !== undefined && token.account === undefined)
    return unknown(attributes.failure, "see the attribute mapping", mapped);
  if (attributes?.failure !== undefined)
    return broken(
      attributes.failure,
      "map a text of 1 to 127 bytes to google.subject, and bind by an attribute if the subject is longer",
      `${EMPTY} (unauthorized_client)`,
      mapped,
    );
  const { outcome, reason } = evaluateAttributeCondition(
    condition,
    claimsOf(token),
    attributes ? { google: attributes.google, attribute: attributes.attribute } : {},
  );
  if (outcome === "unknown") return unknown(reason, "see the attribute condition", where);
  const named = orElse(condition?.text ?? known(""), () => "").match(SUBJECTS) ?? [];
  const again = outcome === "denied" ? regenerated(token.subject, named) : undefined;
  if (outcome === "denied")
    return broken(
      reason + (again?.near ?? ""),
      again?.remedy ?? "add the service account to the attribute condition",
      'unauthorized_client … "The given credential is rejected by the attribute condition."',
      where,
    );
  if (attributes === undefined)
    return unknown("the attribute mapping is known only after apply", ASK_AGAIN, mapped);
  if (attributes.doubt === undefined) return pass(reason, where);
  return unknown(
    `${attributes.doubt}; Google does not document whether the exchange then fails`,
    "map assertion.sub to google.subject, and correct or remove the attribute",
    mapped,
  );
}

/** Whether a project's built-in pool for GKE and fleets accepts the token of a cluster that it knows by URL. */
export function managedTrust(project: Known<string>, cluster: Known<string>, token: Token): TrustAnswer {
  const pool = joined(project, ".svc.id.goog");
  const accepts = same(token.audience, pool);
  const audience =
    accepts === "yes"
      ? pass("the pool accepts its own id as the audience")
      : accepts === "unknown"
        ? unknown("whether the token is for the pool is known only after apply", "state both as literals")
        : broken(
            `the pool accepts ${shown(pool)}, but the token is for ${shown(token.audience)}`,
            "write that pool as serviceAccountTokenAudience",
            "STS token exchange failed with status 400: invalid_grant",
          );
  const subject = pass(`the pool admits every service account of its clusters, including ${token.subject}`);
  return { issuer: clusterKnown(project, cluster, token.issuer), audience, subject };
}

function clusterKnown(project: Known<string>, cluster: Known<string>, issuer: Known<string>): Answer {
  const url = orElse(cluster, () => undefined);
  if (url === undefined)
    return unknown(
      "the cluster that the plugin names is known only after apply",
      "state --identity-provider as a literal",
    );
  const parsed = parseManagedIdentityProvider(url);
  const isFleet = parsed?.kind === "membership";
  const isCluster = isFleet ? "yes" : parsed ? same(cluster, issuer) : "no";
  if (isCluster === "unknown")
    return unknown("the issuer of the cluster's tokens is not known", NAME_CLUSTER);
  if (parsed === undefined || isCluster === "no")
    return broken(
      `${url} is not the cluster whose tokens are from ${shown(issuer)}`,
      "give the URL of the GKE cluster or fleet membership as --identity-provider; other clusters need their own pool",
      `${EMPTY} (invalid_target)`,
    );
  const pool = `the pool ${shown(project)}.svc.id.goog`;
  const poolProject = known(parsed.project);
  const isHost = isProjectNumber(poolProject) ? "unknown" : same(poolProject, project);
  if (isHost === "yes") return pass(`${pool} knows the cluster by ${url}`);
  // A GKE cluster may also be registered in the fleet of another project.
  return unknown(
    `whether ${pool} belongs to ${parsed.project}, the project of the ${isFleet ? "fleet membership" : "GKE cluster"}, or to its fleet is not known`,
    "write the id of the fleet host project, or of the cluster's own, into --project-id",
  );
}
