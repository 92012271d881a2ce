/*
 * Would the Security Token Service exchange a service account's token? For pools of the user's, and for the pool that
 * GKE and fleets bring along.
 */

import { type Known, and, isKnown, joined, known, match, or, orElse, same, shown } from "../../model/known";
import { evaluateAttributeCondition } from "../../rules/google/attribute-condition";
import { isTold } from "../../rules/google/cel-variables";
import type { MappedAttributes } from "../../rules/google/mapped-attributes";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { TrustAnswer } from "../cloud";
import type { Issuers } from "../shared/object-store";
import { type CustomExchange, EMPTY, type Token, attributesOf, claimsOf, customExchange } from "./exchange";
import { keysTrusted } from "./keys";
import type { PoolProvider } from "./pool";

const ASK_AGAIN = "apply, and ask again with what `terraform show -json` prints named as well";

/** The answers where one reason stands in the way of all. */
export function sameAnswers(answer: Answer): TrustAnswer {
  return { issuer: answer, audience: answer, subject: answer };
}

/** Whether tokens are exchanged. */
export class Exchanges {
  readonly #providers: readonly PoolProvider[];
  readonly #issuers: Issuers;
  readonly #trusted = new Map<PoolProvider, { readonly token: Token; readonly answers: readonly Answer[] }>();

  constructor(providers: readonly PoolProvider[], issuers: Issuers) {
    this.#providers = providers;
    this.#issuers = issuers;
  }

  /** At a pool provider; `undefined` for one that was not read. */
  custom(exchange: CustomExchange, provider: PoolProvider | undefined, token: Token): TrustAnswer {
    if (provider === undefined)
      return sameAnswers(
        unknown(
          `the pool provider ${shown(exchange.poolId)}/${shown(exchange.providerId)} is not among what was read`,
          "name the Terraform that declares it as well",
        ),
      );
    const [issuer, audience] = this.#ofCluster(exchange, provider, token);
    const answers = sameAnswers(subjectAdmitted(provider, token));
    return {
      issuer: issuer ?? answers.issuer,
      audience: audience ?? answers.audience,
      subject: answers.subject,
    };
  }

  /** Issuer and audience are those of all tokens of a cluster. */
  #ofCluster(exchange: CustomExchange, provider: PoolProvider, token: Token): readonly Answer[] {
    const before = this.#trusted.get(provider);
    if (before?.token.issuer === token.issuer && before.token.audience === token.audience)
      return before.answers;
    const trusted = issuerTrusted(provider, token.issuer);
    const answers = [
      ofOtherProject(exchange, provider, token) ??
        keysTrustedIf(trusted, provider, this.#providers, this.#issuers),
      audienceAccepted(exchange, provider, token),
    ];
    this.#trusted.set(provider, { token, answers });
    return answers;
  }
}

function keysTrustedIf(
  answer: Answer,
  provider: PoolProvider,
  providers: readonly PoolProvider[],
  issuers: Issuers,
): Answer {
  return answer.status === "pass" ? keysTrusted(answer, provider, providers, issuers) : answer;
}

/** The resource has its project's id, the plugin's argument the number: that of an accepted audience is all to compare. */
function ofOtherProject(
  exchange: CustomExchange,
  provider: PoolProvider,
  { audience }: Token,
): Answer | undefined {
  const accepted = orElse(provider.audiences, () => []);
  if (!accepted.some((each) => same(each, audience) === "yes")) return undefined;
  const name = orElse(audience, () => "").replace(/^https:/, "");
  const named = orElse(customExchange(known(name)), () => undefined);
  if (
    !named ||
    and(same(named.poolId, exchange.poolId), same(named.providerId, exchange.providerId)) !== "yes"
  )
    return undefined;
  if (same(named.number, exchange.number) !== "no") return undefined;
  return unknown(
    `the token's audience names the pool of project ${shown(named.number)}, the plugin exchanges the token at that of ${shown(exchange.number)}, and only one of them can be the pool that was read`,
    "write one project's number into --sts-audience, the audience and the grants",
    seen("oidc.allowed_audiences", provider.resource.source),
  );
}

function issuerTrusted(
  { issuer: trusted, off, doubt, resource }: PoolProvider,
  issuer: Known<string>,
): Answer {
  const where = seen("oidc.issuer_uri", resource.source);
  if (off !== undefined)
    return broken(off, "enable, restore or correct it", `${EMPTY} (invalid_target)`, where);
  const equal = same(trusted, issuer);
  if (equal === "no" && shown(trusted) !== "")
    return broken(
      `the pool provider trusts ${shown(trusted)}, the cluster's tokens are of ${shown(issuer)}`,
      "write exactly the cluster's issuer into the pool provider",
      `${EMPTY} (invalid_grant)`,
      where,
    );
  if (equal !== "yes")
    return isKnown(issuer)
      ? unknown("the issuer is known only after apply", ASK_AGAIN, where)
      : unknown(
          "the issuer of the cluster's tokens is not known",
          "record it in workload-identity.json",
          where,
        );
  return doubt === undefined
    ? pass(`the pool provider trusts ${shown(issuer)}`, where)
    : unknown(
        doubt,
        "declare the pool provider beside its pool, as Google and its organization accept it, and disabled as a literal",
        where,
      );
}

function audienceAccepted(exchange: CustomExchange, provider: PoolProvider, { audience }: Token): Answer {
  const where = seen("oidc.allowed_audiences", provider.resource.source);
  const { number, poolId, providerId } = exchange;
  return match(
    provider.audiences,
    (allowed) => {
      const path = joined("/projects/", number, "/locations/global/workloadIdentityPools/", poolId);
      const name = joined("//iam.googleapis.com", path, "/providers/", providerId);
      const accepted = allowed.length > 0 ? allowed : [joined("https:", name), name];
      const outcome = or(...accepted.map((each) => same(each, audience)));
      if (outcome === "yes") return pass(`the pool provider accepts ${shown(audience)}`, where);
      if (outcome === "unknown")
        return unknown(
          "an accepted audience is known only after apply",
          "state the audience as a literal",
          where,
        );
      return broken(
        `the pool provider accepts ${accepted.map(shown).join(", ")}, the token is for ${shown(audience)}`,
        "write the audience of the tokens into allowed_audiences",
        `STS token exchange failed with status 400: {"error":"invalid_grant", … "The audience in ID Token [${shown(audience)}] does not match the expected audience …"}`,
        where,
      );
    },
    () => unknown("the accepted audiences are known only after apply", "state them as literals", where),
  );
}

function subjectAdmitted(provider: PoolProvider, token: Token): Answer {
  const { condition, resource } = provider;
  const attributes = attributesOf(provider, token);
  const where = seen("attribute_condition", resource.source);
  const mapped = seen("attribute_mapping", resource.source);
  if (attributes?.failure !== undefined)
    return broken(
      attributes.failure,
      "map a text of 1 to 127 bytes to google.subject, and bind by an attribute where the subject is longer",
      `${EMPTY} (unauthorized_client)`,
      mapped,
    );
  const { google, attribute } = attributes ?? {};
  const { outcome, reason } = evaluateAttributeCondition(
    condition,
    claimsOf(token),
    google && attribute ? { google, attribute } : {},
  );
  if (outcome === "allowed") return mappingDoubt(attributes, mapped) ?? pass(reason, where);
  if (outcome === "unknown") return unknown(reason, "see the attribute condition", where);
  return broken(
    reason,
    "add the service account to the attribute condition",
    'unauthorized_client … "The given credential is rejected by the attribute condition."',
    where,
  );
}

/** What of the mapping leaves open whether a token that the condition admits is exchanged. */
function mappingDoubt(attributes: MappedAttributes | undefined, where: Evidence): Answer | undefined {
  if (attributes === undefined)
    return unknown("the attribute mapping is known only after apply", ASK_AGAIN, where);
  const { google, subjectUid, doubt } = attributes;
  if (!isTold(google["subject"]) && subjectUid === "no")
    return unknown(
      "which google.subject the token gets cannot be told",
      "map assertion.sub to google.subject",
      where,
    );
  return doubt === undefined
    ? undefined
    : unknown(
        `${doubt}; whether the exchange fails then, Google does not say`,
        "correct or remove the attribute of the mapping",
        where,
      );
}
