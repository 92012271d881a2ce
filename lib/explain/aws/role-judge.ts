/*
 * What an IAM role may do under its identity policies and its permissions boundary.
 */

import { remembered } from "../../model/once";
import { type RequestContext, ofRoles, requestContext } from "../../rules/aws/policy/context";
import type { Decision, PolicySet, Question } from "../../rules/aws/policy/decide";
import { type Policy, allowingEverything } from "../../rules/aws/policy/document";
import { identityPolicies } from "../../rules/aws/policy/permission";
import { type AskedResource, oneResource } from "../../rules/aws/policy/asked-resource";
import { type Answer, broken, later, pass, unknown } from "../answer";
import { obstacle } from "../obstacle";
import { type Doubt, type HeldPolicy, type LimitedRole, unreadRemedy } from "./attachments";
import type { Role } from "./identity";

/** The parts of an assumed role that decide what it may do. */
export type AssumedRole = Pick<Role, "arn" | "partition" | "account" | "policies" | "boundary">;

export const pullActions = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"] as const;

const LOGINS = {
  private: ["ecr:GetAuthorizationToken"],
  public: ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"],
};
const ANYTHING = oneResource("*");

/** The sets that decide on one action: the role's policies, and its boundary if it has one. */
type Questions = readonly Question<Doubt>[];

interface Regional {
  readonly sets: PolicySets;
  /** The actions that reading needs; actions with equal decisions are asked once. */
  readonly pull: readonly { readonly action: string; readonly questions: Questions }[];
}

export class RoleJudge {
  readonly #role: AssumedRole;
  readonly #regions = new Map<string, Regional>();

  constructor(role: AssumedRole) {
    this.#role = role;
  }

  /** May it log in? `region` is the registry's, empty for a registry without one. */
  login(kind: "private" | "public", region: string): Answer {
    const { sets } = this.#in(region);
    const refusals = LOGINS[kind].map((action) => this.#refusal(action, asking(sets, action), ANYTHING));
    return obstacle(refusals) ?? pass(() => `the role may ${LOGINS[kind].join(" and ")}`);
  }

  /** What keeps it from reading a repository; `undefined` if nothing does. */
  refusal(region: string, repository: AskedResource): Answer | undefined {
    const { pull } = this.#in(region);
    const refusals: Answer[] = [];
    for (const { action, questions } of pull) {
      const refusal = this.#refusal(action, questions, repository);
      if (refusal) refusals.push(refusal);
    }
    return obstacle(refusals);
  }

  /**
   * What its policies decide about an action. If something else allows it (`isGranted`), their denials and the boundary
   * still limit it. Source: "Policy evaluation logic" in the IAM user guide.
   */
  outcome(action: string, region: string, resource: AskedResource, isGranted: boolean): Decision["outcome"] {
    const { policies, boundary } = this.#role;
    const sets = isGranted ? setsOf([GRANT, ...policies], boundary, region) : this.#in(region).sets;
    return worstOf(asking(sets, action), resource).decision.outcome;
  }

  #refusal(action: string, questions: Questions, resource: AskedResource): Answer | undefined {
    const { decision, isBoundary } = worstOf(questions, resource);
    return decision.outcome === "allowed" ? undefined : this.#refused(action, decision, isBoundary, resource);
  }

  #refused(action: string, decision: Decision<Doubt>, isBoundary: boolean, resource: AskedResource): Answer {
    const { outcome, doubt, perhaps } = decision;
    const reason = (): string => `${isBoundary ? "the permissions boundary: " : ""}${decision.reason}`;
    const { example } = resource;
    if (outcome === "denied")
      return later("fail", () =>
        perhaps === "Deny" ? denied(action, example, reason()) : refused(action, example, reason()),
      );
    return later("unknown", () =>
      doubt
        ? unknown(doubt.reason(action, perhaps), doubt.remedy, doubt.evidence)
        : unknown(reason(), unreadRemedy(this.#role)),
    );
  }

  #in(region: string): Regional {
    const before = this.#regions.get(region) ?? this.#made(region);
    this.#regions.set(region, before);
    return before;
  }

  #made(region: string): Regional {
    const sets = setsOf(this.#role.policies, this.#role.boundary, region);
    const pull = pullActions.map((action) => ({ action, questions: asking(sets, action) }));
    const [first, second] = pull.map(({ questions }) => questions);
    const isAlike = first?.every((each, place) => second?.[place] && each.isAlike(second[place]));
    return { sets, pull: isAlike ? pull.slice(0, 1) : pull };
  }
}

/** A grant by a resource's own policy, as a policy of the role. */
const GRANT: HeldPolicy = { policy: allowingEverything, doubt: undefined };

const contexts = new Map<string, RequestContext>();

/** The role's policies, and its boundary if it has one. Requests go to the registry's region. */
function setsOf(policies: readonly HeldPolicy[], boundary: Policy | undefined, region: string): PolicySets {
  const keys = region === "" ? ofRoles : { ...ofRoles, "aws:RequestedRegion": region };
  return policySets(
    { policies, boundary },
    remembered(contexts, region, () => requestContext(keys)),
  );
}

/** Sets of policies that decide together, each with its name for readers. */
type PolicySets = readonly { readonly name: string; readonly set: PolicySet<Doubt> }[];

/** The sets of policies that decide on a role's requests: all must allow. Its own come first. */
export function policySets(
  { policies, boundary, session }: LimitedRole,
  context: RequestContext,
): PolicySets {
  const limit = (name: string, policy: Policy | undefined): PolicySets =>
    policy ? [{ name, set: identityPolicies<Doubt>([{ policy, doubt: undefined }], context) }] : [];
  return [
    { name: "the role's policies", set: identityPolicies(policies, context) },
    ...limit("the permissions boundary", boundary),
    ...limit("the session policy", session),
  ];
}

function asking(sets: PolicySets, action: string): Questions {
  return sets.map(({ set }) => set.question(action));
}

export const WORST: readonly Decision["outcome"][] = ["denied", "unknown", "allowed"];

/** Allowed if all allow it, denied if one denies it. */
function worstOf(
  questions: Questions,
  resource: AskedResource,
): { readonly decision: Decision<Doubt>; readonly isBoundary: boolean } {
  let worst = questions[0]?.decide(resource) ?? NOTHING;
  let isBoundary = false;
  for (let at = 1; at < questions.length; at++) {
    const decision = questions[at]?.decide(resource) ?? NOTHING;
    if (WORST.indexOf(decision.outcome) >= WORST.indexOf(worst.outcome)) continue;
    worst = decision;
    isBoundary = true;
  }
  return { decision: worst, isBoundary };
}

const NOTHING: Decision<Doubt> = {
  outcome: "denied",
  reason: "the role has no policy",
  doubt: undefined,
  perhaps: undefined,
};

/** What a statement denies, no other can allow. */
function denied(action: string, resource: string, reason: string): Answer {
  return broken(
    `the role may not ${action}${resource === "*" ? "" : ` on ${resource}`}: ${reason}`,
    `take ${action} out of what that statement denies`,
    `is not authorized to perform: ${action} on resource: ${resource} with an explicit deny in an identity-based policy`,
  );
}

/** Names the missing action, and says if it must be allowed on `*`. */
function refused(action: string, resource: string, reason: string): Answer {
  return resource === "*"
    ? broken(
        `the role may not ${action}: ${reason}`,
        `allow ${action} on "*"; the service offers nothing narrower`,
        `AccessDeniedException: User: arn:aws:sts::…:assumed-role/…/ecr-credential-provider is not authorized to perform: ${action} on resource: *`,
      )
    : broken(
        `the role may not ${action} on ${resource}: ${reason}`,
        `allow ${action} on the repository in the role's permission policy`,
        `is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`,
      );
}
