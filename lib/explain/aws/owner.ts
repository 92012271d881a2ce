/*
 * The registry owner's part of a pull: between accounts the repository policy must allow it, within one account it must
 * not deny it. What the policy of a whole registry denies or allows is not certain to apply.
 * Source: "Cross-account policy evaluation logic" in the IAM user guide.
 */

import { type Ternary, and, is, anyOf, same, shown } from "../../model/known";
import { remembered } from "../../model/once";
import { ResourcePolicy } from "../../rules/aws/policy/permission";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import {
  type AskedPlace,
  type CreationTemplate,
  type PolicyOfOwner,
  type Registries,
  isBelow,
  isOf,
} from "./registry";
import { type AssumedRole, type RoleJudge, pullActions } from "./role-judge";

const IMPORT = "ecr:BatchImportUpstreamImage";
/** What the first pull of an image through a cache needs if its repository does not exist yet. */
const FILL: readonly string[] = [IMPORT, "ecr:CreateRepository"];
const OUTCOMES = { yes: "denied", no: "allowed", unknown: "unknown" } as const;

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

  /** The owner's answer to a pull that the role's own policies allow; `undefined` if the owner does not object. */
  said(place: AskedPlace): Answer | undefined {
    const isForeign = is(this.#role.account, place.account) !== "yes";
    const withoutPolicy = isForeign ? this.#withoutPolicy(place) : undefined;
    if (this.#registries.isEmpty) return withoutPolicy;
    const { policy, others } = this.#registries.policiesOf(place);
    const denying = others.filter((each) => this.#denies(each, place) !== "no");
    const answer = policy ? this.#allows(place, policy, isForeign) : withoutPolicy && this.#created(place);
    if (answer && answer.status !== "pass") return answer;
    const [doubt] = denying;
    return doubt
      ? unknown(
          "a policy that denies the pull, or that explain cannot judge, belongs or may belong to the repository or its registry",
          "write repository and region of that policy as literals, and limit its Terraform provider to one account (allowed_account_ids)",
          seen("policy of a repository or registry", doubt.source),
        )
      : answer;
  }

  /** Within one account a repository policy may grant the role what its own policies do not. */
  granted(place: AskedPlace): Answer | undefined {
    if (this.#registries.isEmpty || is(this.#role.account, place.account) === "no") return undefined;
    const { policy, others } = this.#registries.policiesOf(place);
    const granting = [...(policy ? [policy] : []), ...others].find((each) => this.#mayGrant(each, place));
    return (
      granting &&
      unknown(
        "the role's own policies do not allow the pull, and explain does not judge whether a policy of the repository or registry allows it instead",
        "allow the pull in the role's permission policy",
        seen("policy of the repository or registry", granting.source),
      )
    );
  }

  /** An image that a pull through cache does not hold yet needs another permission. */
  uncached(place: AskedPlace): Answer | undefined {
    const rule = this.#registries.cacheRuleOf(place);
    const { region, resource } = place;
    if (!rule || this.#judge.outcome(IMPORT, region, resource, false) === "allowed") return undefined;
    return unknown(
      "the repository caches another registry, and the role may pull only images that are cached already: it is not certain that it has ecr:BatchImportUpstreamImage",
      "allow ecr:BatchImportUpstreamImage on the repository too (pullThroughCache)",
      seen("pull through cache rule", rule),
    );
  }

  /** A repository without a policy of its own has the one that a creation template gives it. */
  #created(place: AskedPlace): Answer {
    const [template, ...others] = this.#registries.templatesOf(place);
    if (template === undefined) return this.#withoutPolicy(place);
    const where = seen("creation template of the registry", template.source);
    const rival = others.find(
      (each) => same(each.prefix, template.prefix) !== "no" && same(each.text, template.text) !== "yes",
    );
    if (rival)
      return unknown(
        "two creation templates with the same prefix have different policies",
        "remove the one that is out of date",
        where,
        seen("creation template of the registry", rival.source),
      );
    if (and(template.isForCaches, isOf(template, place), isBelow(template.prefix, place)) === "unknown")
      return unknown(
        "whether a creation template gives the repository its policy is not known",
        "write prefix, applied_for and region of the template as literals, and limit its Terraform provider to one account (allowed_account_ids)",
        where,
      );
    return this.#refusedBy(place, template) ?? this.#filled(place, template);
  }

  #refusedBy(place: AskedPlace, template: CreationTemplate): Answer | undefined {
    return obstacle(pullActions.map((action) => this.#refuses(place, template, action, true)));
  }

  /** The first pull creates the repository, which both accounts must allow. */
  #filled(place: AskedPlace, template: CreationTemplate): Answer {
    const { region, resource } = place;
    const where = seen("creation template of the registry", template.source);
    const policies = this.#registries.ofRegistry(place).filter((each) => isOf(each, place) === "yes");
    const isAllowed = (action: string): boolean =>
      this.#judge.outcome(action, region, resource, false) === "allowed" &&
      policies.some((each) => this.#toRole(each).lets(action).decide(resource).outcome === "allowed");
    const lacking = FILL.filter((action) => !isAllowed(action));
    return lacking.length === 0
      ? pass("role, registry policy and creation template allow the pull between accounts", where)
      : unknown(
          `the first pull creates the repository, and it is not certain that the role's policies and the registry's allow ${lacking.join(" and ")}`,
          `allow ${lacking.join(" and ")} in both (pullThroughCache: { createRepositories: true })`,
          where,
        );
  }

  /** Within one account a repository needs no policy. */
  #withoutPolicy({ account }: AskedPlace): Answer {
    return unknown(
      `the repository is in account ${account}, the role in ${shown(this.#role.account)}, and no repository policy was read`,
      "also give explain the Terraform of the owner, or state the policy with --facts as aws.repositories; if there is no policy, the owner must add one for the role",
    );
  }

  #allows(place: AskedPlace, policy: PolicyOfOwner, isForeign: boolean): Answer | undefined {
    const refusal = obstacle(pullActions.map((action) => this.#refuses(place, policy, action, isForeign)));
    if (refusal || !isForeign) return refusal;
    const where = seen("policy of the repository", policy.source);
    return isOf(policy, place) === "yes"
      ? pass("role and repository policy allow the pull between accounts", where)
      : unknown(
          "the account and region of the policy's repository are not known",
          "limit the Terraform provider of the owner to its account (allowed_account_ids), and write its region",
          where,
        );
  }

  #refuses(place: AskedPlace, policy: PolicyOfOwner, action: string, isForeign: boolean): Answer | undefined {
    const where = seen("policy of the repository", policy.source);
    const question = this.#toRole(policy).lets(action);
    const denial = question.denial(undefined);
    const decision = isForeign ? question.decide(undefined) : undefined;
    const { outcome, reason } = decision ?? { outcome: OUTCOMES[denial.holds], reason: denial.reason };
    if (outcome === "allowed") return undefined;
    if (outcome === "unknown") return unknown(reason, "see the repository policy", where);
    const others = isForeign && denial.holds !== "yes" ? this.#registries.policiesOf(place).others : [];
    if (others.some((each) => this.#toRole(each).lets(action).decide(undefined).outcome !== "denied"))
      return unknown(
        "the repository policy does not admit the role, and whether the registry policy does is not known",
        "allow the role in the repository policy",
        where,
      );
    return broken(
      `the repository policy does not admit ${shown(this.#role.arn)}: ${reason}`,
      `let the owner of account ${place.account} allow the role ${pullActions.join(" and ")}`,
      `is not authorized to perform: ${action} because no resource-based policy allows the ${action} action`,
      where,
    );
  }

  /** Whether a policy may let the role read beyond its own policies, whose denials and boundary still limit it. */
  #mayGrant(policy: PolicyOfOwner, { region, resource }: AskedPlace): boolean {
    return pullActions.every((action) => {
      const { outcome } = this.#toRole(policy).grants(action).decide(undefined);
      const outcomeOfRole = this.#judge.outcome(action, region, resource, outcome === "allowed");
      return outcome === "unknown" || outcomeOfRole !== "denied";
    });
  }

  #denies(policy: PolicyOfOwner, place: AskedPlace): Ternary {
    // Only the policies of whole registries name resources.
    const resource = policy.isOfRegistry ? place.resource : undefined;
    return anyOf(pullActions.map((action) => this.#toRole(policy).lets(action).denial(resource).holds));
  }

  #toRole(policy: PolicyOfOwner): ResourcePolicy {
    return remembered(this.#spoken, policy, () => new ResourcePolicy(policy.policy, this.#role));
  }
}
