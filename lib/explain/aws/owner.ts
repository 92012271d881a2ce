/*
 * The owner's part of a pull: between accounts the policy of the repository or registry must allow it, within one
 * account it must not deny it, and may grant to the role itself what the role's own policies do not.
 * Source: "Cross-account policy evaluation logic" in the IAM user guide.
 */

import { type Ternary, is, or, shown } from "../../model/known";
import type { Decision } from "../../rules/aws/policy/decide";
import { ResourcePolicy } from "../../rules/aws/policy/resource";
import type { AskedResource } from "../../rules/aws/policy/resource-name";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import type { Source } from "../read/source";
import { type AskedPlace, type PolicyOfOwner, type Registries, isOf } from "./registry";
import { type AssumedRole, type RoleJudge, pullActions } from "./role-judge";

const IMPORT = "ecr:BatchImportUpstreamImage";
const OUTCOMES = { yes: "denied", no: "allowed", unknown: "unknown" } as const;

/** What the owners of registries say to one role. */
export class Owners {
  readonly #role: AssumedRole;
  readonly #judge: RoleJudge;
  readonly #registries: Registries;
  readonly #spoken = new Map<PolicyOfOwner, ResourcePolicy>();

  constructor(role: AssumedRole, judge: RoleJudge, registries: Registries) {
    this.#role = role;
    this.#judge = judge;
    this.#registries = registries;
  }

  /** What the owner says where the role's own policies allow it; `undefined` where nothing speaks against it. */
  said(place: AskedPlace): Answer | undefined {
    const isForeign = is(this.#role.account, place.account) !== "yes";
    const withoutPolicy = isForeign ? this.#withoutPolicy(place) : undefined;
    if (this.#registries.isEmpty) return withoutPolicy;
    const denial = this.#registryDenial(place);
    if (denial?.status === "fail") return denial;
    const { policy, others } = this.#registries.policiesOf(place);
    const said = policy ? this.#allows(place, policy, isForeign) : withoutPolicy;
    if (said && said.status !== "pass") return said;
    if (denial) return denial;
    const doubt = others.find((each) => this.#denies(each) !== "no");
    return doubt ? perhapsDenied(doubt.source) : said;
  }

  /** Within one account a repository policy that names the role itself needs no permission of the role. */
  granted(place: AskedPlace): Answer | undefined {
    const isHome = is(this.#role.account, place.account);
    if (this.#registries.isEmpty || isHome === "no") return undefined;
    const { policy, others } = this.#registries.policiesOf(place);
    for (const each of [...(policy ? [policy] : []), ...others]) {
      const outcome = this.#grantedBy(each, place);
      if (outcome === "denied") continue;
      const isCertain = each === policy && isOf(each, place) === "yes" && isHome === "yes";
      if (outcome === "unknown" || !isCertain) return perhapsGranted(each.source);
      const reason = `the repository policy lets ${shown(this.#role.arn)} itself in, which needs no policy of the role within one account`;
      return this.#registryDenial(place) ?? pass(reason, seen("policy of the repository", each.source));
    }
    const source = this.#registryGrant(place, false);
    return source && perhapsGranted(source);
  }

  /** What of a pull through a cache is not there yet takes another permission. */
  uncached(place: AskedPlace): Answer | undefined {
    const rule = this.#registries.cacheRuleOf(place);
    const { region, resource } = place;
    if (!rule || this.#judge.outcome(IMPORT, region, resource, false) === "allowed") return undefined;
    const isLet = (each: PolicyOfOwner): boolean =>
      isOf(each, place) === "yes" && this.#toRole(each).grants(IMPORT).decide(resource).outcome === "allowed";
    if (this.#registries.registryPoliciesOf(place).some(isLet)) return undefined;
    return unknown(
      "the repository caches another registry, and the role may pull only what is in it already: it is not certain that it may ecr:BatchImportUpstreamImage",
      "allow ecr:BatchImportUpstreamImage on the repository too (pullThroughCache)",
      seen("pull through cache rule", rule),
    );
  }

  /** Within one account a repository needs no policy. */
  #withoutPolicy({ account }: AskedPlace): Answer {
    return unknown(
      `the repository is of account ${account}, the role of ${shown(this.#role.account)}, and no repository policy was read`,
      "name the Terraform of the owner as well, or state the policy with --facts as aws.repositories; the owner adds a repository policy for the role where there is none",
    );
  }

  #allows(place: AskedPlace, policy: PolicyOfOwner, isForeign: boolean): Answer | undefined {
    const refusal = obstacle(pullActions.map((action) => this.#refuses(place, policy, action, isForeign)));
    if (refusal || !isForeign) return refusal;
    const where = seen("policy of the repository", policy.source);
    return isOf(policy, place) === "yes"
      ? pass("role and repository policy allow the pull between accounts", where)
      : unknown(
          "which account and region the policy's repository is in is not known",
          "limit the Terraform provider of the owner to its account (allowed_account_ids), and write its region",
          where,
        );
  }

  #refuses(place: AskedPlace, policy: PolicyOfOwner, action: string, isForeign: boolean): Answer | undefined {
    const where = seen("policy of the repository", policy.source);
    const question = this.#toRole(policy).lets(action);
    const denial = question.denial(undefined);
    const said = isForeign ? question.decide(undefined) : undefined;
    const { outcome, reason } = said ?? { outcome: OUTCOMES[denial.holds], reason: denial.reason };
    if (outcome === "allowed") return undefined;
    if (outcome === "unknown") return unknown(reason, "see the repository policy", where);
    if (isForeign && denial.holds !== "yes" && this.#registryGrant(place, true))
      return unknown(
        "the repository policy does not let the role in, and whether the registry's does is not known",
        "let the role in by the repository policy",
        where,
      );
    return broken(
      `the repository policy does not let ${shown(this.#role.arn)} in: ${reason}`,
      `the owner of account ${place.account} adds ${pullActions.join(" and ")} for the role`,
      `is not authorized to perform: ${action} because no resource-based policy allows the ${action} action`,
      where,
    );
  }

  /** What a registry policy keeps from the role, or may; `undefined` where none does. */
  #registryDenial(place: AskedPlace): Answer | undefined {
    const denying = this.#registries
      .registryPoliciesOf(place)
      .map((each) => ({ each, denies: this.#denies(each, place.resource) }))
      .filter(({ denies }) => denies !== "no");
    const certain = denying.find(({ each, denies }) => denies === "yes" && isOf(each, place) === "yes");
    if (certain)
      return broken(
        "the registry's policy denies the pull from every repository that it names, whatever other policies allow",
        "except the role or the repository from the denial in the registry policy",
        "is not authorized to perform: ecr:BatchGetImage … with an explicit deny in a resource-based policy",
        seen("policy of the registry", certain.each.source),
      );
    const [perhaps] = denying;
    return (
      perhaps &&
      unknown(
        "a registry policy that denies it, or cannot be judged, is or may be this registry's",
        "see the registry policy, and limit its Terraform provider to one account (allowed_account_ids)",
        seen("policy of a registry", perhaps.each.source),
      )
    );
  }

  /** A registry policy that grants the pull, or may, where neither the role's own nor the repository's do. */
  #registryGrant(place: AskedPlace, isForeign: boolean): Source | undefined {
    return this.#registries.registryPoliciesOf(place).find((each) => {
      const spoken = this.#toRole(each);
      return pullActions.some((action) => {
        const question = isForeign ? spoken.lets(action) : spoken.grants(action);
        return question.decide(place.resource).outcome !== "denied";
      });
    })?.source;
  }

  /** Whether a repository policy lets the role read where the role's own policies do not. */
  #grantedBy(each: PolicyOfOwner, { region, resource }: AskedPlace): Decision["outcome"] {
    const outcomes = pullActions.map((action): Decision["outcome"] => {
      const question = this.#toRole(each).grants(action);
      const denial = question.denial(undefined).holds;
      const { outcome } = question.decide(undefined);
      if (outcome === "unknown" || denial === "yes") return outcome;
      const own = this.#judge.outcome(action, region, resource, outcome === "allowed");
      return own === "allowed" && denial === "unknown" ? "unknown" : own;
    });
    return (["denied", "unknown"] as const).find((outcome) => outcomes.includes(outcome)) ?? "allowed";
  }

  #denies(policy: PolicyOfOwner, resource?: AskedResource): Ternary {
    return or(...pullActions.map((action) => this.#toRole(policy).lets(action).denial(resource).holds));
  }

  #toRole(policy: PolicyOfOwner): ResourcePolicy {
    const before = this.#spoken.get(policy) ?? new ResourcePolicy(policy.policy, this.#role);
    this.#spoken.set(policy, before);
    return before;
  }
}

function perhapsGranted(source: Source): Answer {
  return unknown(
    "the role's own policies do not allow it, and whether a policy of the repository or registry does instead is not known",
    "allow it in the role's permission policy",
    seen("policy of the repository", source),
  );
}

function perhapsDenied(source: Source): Answer {
  return unknown(
    "a repository policy that denies it, or cannot be judged, may be this repository's",
    "write its repository and region as literals, and limit its Terraform provider to one account (allowed_account_ids)",
    seen("policy of a repository that is not known", source),
  );
}
