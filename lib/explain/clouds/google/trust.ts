/*
 * Would the Security Token Service exchange the service account's token? For custom pools, and for the pool that GKE
 * and fleets bring along.
 */

import { evaluateAttributeCondition } from "../../../rules/google/attribute-condition";
import { UNKNOWN_CLAIM } from "../../../rules/google/cel-variables";
import type { MappedAttributes } from "../../../rules/google/mapped-attributes";
import { stsAudience } from "../../../rules/google/workload-identity-names";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { ASK_AGAIN } from "../ask-again";
import { isLateText, sameText } from "../../facts/terraform";
import { EMPTY, type Exchange, customExchange } from "./exchange";
import { type TrustAnswers, managedTrust } from "./managed-trust";
import type { PoolProviderFact } from "./workload-identity";
import { type Token, assertionOf, attributesOf } from "./token";

/** Whose token is shown. */
export interface ExchangeQuestion extends Token {
  /** Where it is exchanged. */
  readonly exchange: Exchange;
  /** The pool provider; `undefined` where it was not read. */
  readonly poolProvider: PoolProviderFact | undefined;
}

/** The answers for issuer, audience and subject. */
export function exchangeTrust(question: ExchangeQuestion): TrustAnswers {
  const { exchange, poolProvider, issuer } = question;
  if (issuer === undefined) {
    const answer = unknown(
      "the issuer of the cluster's tokens is not known",
      "record it in workload-identity.json",
    );
    return [answer, answer, answer];
  }
  if (exchange.kind === "managed") return managedTrust(exchange, issuer, question);
  if (poolProvider === undefined) {
    const answer = unknown(
      `the pool provider ${exchange.poolId}/${exchange.providerId} is not among what was read`,
      "name the Terraform that declares it as well",
    );
    return [answer, answer, answer];
  }
  return [
    ofOtherProject(question, poolProvider) ?? issuerTrusted(poolProvider, issuer),
    audienceAccepted(question, poolProvider),
    subjectAdmitted(question, poolProvider),
  ];
}

/** The resource has its project's id, the plugin's argument the number: that of an accepted audience is all to compare. */
function ofOtherProject(
  { exchange, audience }: ExchangeQuestion,
  { audiences = [], source }: PoolProviderFact,
): Answer | undefined {
  if (exchange.kind !== "custom" || !audiences.includes(audience)) return undefined;
  const named = customExchange(audience.replace(/^https:/, ""));
  if (named?.poolId !== exchange.poolId || named.providerId !== exchange.providerId) return undefined;
  if (sameText(named.projectNumber, exchange.projectNumber) !== "different") return undefined;
  return unknown(
    `the token's audience names the pool of project ${named.projectNumber}, the plugin exchanges the token at that of ${exchange.projectNumber}, and only one of them can be the pool that was read`,
    "write one project's number into --sts-audience, the audience and the grants",
    seen("oidc.allowed_audiences", source),
  );
}

function issuerTrusted(
  { issuer: trusted, off, doubt, source, verified }: PoolProviderFact,
  issuer: string,
): Answer {
  const where = seen("oidc.issuer_uri", source);
  if (off !== undefined) return broken(off, "enable or restore it", `${EMPTY} (invalid_target)`, where);
  const same = sameText(trusted, issuer);
  if (same === "same" && doubt !== undefined)
    return unknown(
      doubt,
      "declare the pool provider beside its pool, as Google accepts it, and disabled as a literal",
      where,
    );
  if (same === "same") return verified(pass(`the pool provider trusts ${issuer}`, where));
  if (same === "unknown" || trusted === "")
    return unknown("the issuer is known only after apply", ASK_AGAIN, where);
  return broken(
    `the pool provider trusts ${trusted}, the cluster's tokens are of ${issuer}`,
    "write the cluster's issuer to the letter into the pool provider",
    `${EMPTY} (invalid_grant)`,
    where,
  );
}

function audienceAccepted({ exchange, audience }: ExchangeQuestion, poolProvider: PoolProviderFact): Answer {
  const where = seen("oidc.allowed_audiences", poolProvider.source);
  if (poolProvider.audiences === undefined)
    return unknown("the accepted audiences are known only after apply", "state them as literals", where);
  const name = exchange.kind === "custom" ? stsAudience(exchange) : "";
  const accepted = poolProvider.audiences.length > 0 ? poolProvider.audiences : [`https:${name}`, name];
  const compared = accepted.map((each) => sameText(each, audience));
  if (compared.includes("same")) return pass(`the pool provider accepts ${audience}`, where);
  if (compared.includes("unknown"))
    return unknown(
      "an accepted audience is known only after apply",
      "state the audience as a literal",
      where,
    );
  return broken(
    `the pool provider accepts ${accepted.join(", ")}, the token is for ${audience}`,
    "write the audience of the tokens into allowed_audiences",
    `STS token exchange failed with status 400: {"error":"invalid_grant", … "The audience in ID Token [${audience}] does not match the expected audience …"}`,
    where,
  );
}

function subjectAdmitted(token: ExchangeQuestion, { condition, mapping, source }: PoolProviderFact): Answer {
  const attributes = attributesOf(mapping, token);
  const where = seen("attribute_condition", source);
  if (attributes?.failure !== undefined)
    return broken(
      attributes.failure,
      "map a text of 1 to 127 bytes to google.subject, and bind by an attribute where the subject is longer",
      `${EMPTY} (unauthorized_client)`,
      seen("attribute_mapping", source),
    );
  if (isLateText(condition))
    return unknown("the attribute condition is known only after apply", ASK_AGAIN, where);
  const { google, attribute } = attributes ?? {};
  const { outcome, reason } = evaluateAttributeCondition(
    condition,
    assertionOf(token),
    google && attribute ? { google, attribute } : {},
  );
  if (outcome === "allowed")
    return mappingDoubt(attributes, seen("attribute_mapping", source)) ?? pass(reason, where);
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
  if (google["subject"] === UNKNOWN_CLAIM && subjectUid === "no")
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
