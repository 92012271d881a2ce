/*
 * Whether a role holds the rights that a component or workload asks for. A condition in the request is taken to hold
 * for the calls that it makes.
 *
 * Source: "IAM JSON policy elements: Condition operators" and "Conditions with multiple context keys or values" in the
 * IAM user guide.
 */

import { type Known, type Ternary, all, is, known, match, orElse, same, shown } from "../../model/known";
import { once } from "../../model/once";
import { type TreeObject, childOf, itemsOf, textAt, treeOf } from "../../model/tree";
import { accountInArn } from "../../rules/aws/arn";
import { type RequestContext, NOTHING_KNOWN, ofRoles, requestContext } from "../../rules/aws/policy/context";
import type { AwsDecision, Decision } from "../../rules/aws/policy/decide";
import type { Condition, Policy, Statement } from "../../rules/aws/policy/document";
import { readPolicy } from "../../rules/aws/policy/policy";
import { everyResource, resourceOf } from "../../rules/aws/policy/asked-resource";
import { type Answer, type Evidence, broken, pass, seen, unknown, worstOf } from "../answer";
import type { HeldRight } from "../cloud";
import { beginning, named } from "../shared/words";
import { type Doubt, type HeldPolicy, managedAlone, mayDeny, unreadRemedy } from "./attachments";
import { heldRights } from "./held";
import type { Role } from "./identity";
import { accountOf } from "./place";
import type { AskingRole, ResourcePolicies } from "./resource-policies";
import { WORST, policySets } from "./role-judge";
import { resourcesIn } from "../shared/references";
import { hasWildcard } from "../../rules/wildcard";

const NO_POLICY = "is not authorized to perform: … because no identity-based policy allows the … action";

/** The rights that a CredentialsRequest asks for, as the policy that grants exactly these. */
function asked(rights: TreeObject): Policy {
  const Statement = itemsOf(childOf(treeOf(rights), "statementEntries")).map((entry) => ({
    Effect: childOf(entry, "effect"),
    Action: childOf(entry, "action"),
    Resource: childOf(entry, "resource"),
    Condition: childOf(entry, "policyCondition"),
  }));
  return readPolicy({ Version: "2012-10-17", Statement }, "resource");
}

function statementsOf(policy: Policy): readonly Statement[] {
  return policy.kind === "read" ? policy.statements.flatMap((each) => ("unread" in each ? [] : [each])) : [];
}

function allowing(policy: Policy): readonly Statement[] {
  return statementsOf(policy).filter(({ effect }) => is(effect, "Allow") === "yes");
}

/** Each action of a statement with each of its resources. */
function* pairsOf({ actions, resources }: Statement): Generator<readonly [string, Known<string>]> {
  for (const value of actions.values) {
    const action = orElse(value, () => "*");
    for (const resource of resources?.values ?? []) yield [action, resource];
  }
}

/** Whether the role has what is asked for; `account` is the account in the role's ARN. */
export function rightsGranted(
  role: Role,
  rights: TreeObject,
  account: Known<string>,
  policies: ResourcePolicies,
): Answer {
  const [arns = [], statements = []] = ["managedPolicyArns", "statementEntries"].map((name) =>
    itemsOf(childOf(treeOf(rights), name)),
  );
  const wanted = arns.map(textAt);
  const others = role.policies.filter((each) => !wanted.some((arn) => isHeld(each, arn) === "yes"));
  const isLimited = (role.boundary ?? role.session) !== undefined || others.some(mayDeny);
  const managed = wanted.map((arn) => managedGranted(role, arn, isLimited));
  const [only, ...more] = managed;
  return only && statements.length === 0
    ? worstOf(only, more)
    : worstOf(actionsGranted(role, rights, account, policies), managed);
}

/** The rights that are asked for, those of the role's own managed policies among them. */
export function meantRights({ policies }: Role, rights: TreeObject): readonly HeldRight[] {
  const arns = itemsOf(childOf(treeOf(rights), "managedPolicyArns")).map(textAt);
  const managed = policies.filter((each) => arns.some((arn) => isHeld(each, arn) !== "no"));
  return heldRights([{ policy: asked(rights), doubt: undefined }, ...managed], undefined, undefined);
}

function isHeld({ arn: own }: HeldPolicy, wanted: Known<string>): Ternary {
  return own === undefined ? "no" : same(own, wanted);
}

/** Whether the role has a managed policy, and if other policies or the boundary may limit it, what these leave of it. */
function managedGranted(role: Role, arn: Known<string>, isLimited: boolean): Answer {
  const held = role.policies.find((each) => each.doubt === undefined && isHeld(each, arn) === "yes");
  const name = `the managed policy ${shown(arn)}`;
  if (held === undefined) {
    const isOpen = role.policies.some((each) =>
      each.arn === undefined ? each.policy.kind === "unread" : isHeld(each, arn) !== "no",
    );
    return isOpen
      ? unknown(`whether the role has ${name} is not known`, unreadRemedy(role), where(role))
      : broken(`the role does not have ${name}`, "attach it to the role", NO_POLICY, where(role));
  }
  const { policy } = held;
  if (policy.kind === "refused")
    return broken(`AWS refuses ${name}: ${policy.why}`, "correct it", NO_POLICY, where(role));
  const granted = pass(`the role has ${name}`, where(role));
  if (!isLimited) return granted;
  const outcomes = outcomesOf(role, allowing(policy), true);
  if (outcomes.has("denied"))
    return broken(
      `the permissions boundary, the session policy or a denial takes rights of ${name} away`,
      "let boundary and session policy allow them, and exempt the role from the denial",
      NO_POLICY,
      where(role),
    );
  return outcomes.has("allowed") && !outcomes.has("unknown")
    ? granted
    : unknown(
        `what the permissions boundary, the session policy and denials leave of ${name} is not known`,
        unreadRemedy(role),
        where(role),
      );
}

/** Whether the role's policies, within its limits, allow every action of the request. */
function actionsGranted(
  role: Role,
  rights: TreeObject,
  account: Known<string>,
  policies: ResourcePolicies,
): Answer {
  const request = asked(rights);
  if (request.kind !== "read")
    return unknown(`what is requested is not known: ${request.why}`, "correct the request");
  const [denied, open] = [new Map<string, Judged>(), new Map<string, Judged>()];
  const asking = { arn: role.arn, partition: role.partition, account };
  let count = 0;
  const unconditional = policySets(role, askedContext(asking, known([])));
  const isTooLong = effortOf(role);
  for (const each of allowing(request)) {
    const sets = isUnconditional(each)
      ? unconditional
      : policySets(role, askedContext(asking, each.conditions));
    for (const [action, resource] of pairsOf(each)) {
      count++;
      const decision = isTooLong(action, resource) ? TOO_MUCH : decidedForAll(sets, action, resource);
      const isAllowed = decision.outcome === "allowed";
      const judged: Judged = isAllowed ? byOwner(asking, action, resource, policies) : decision;
      if (judged.outcome === "denied") denied.set(action, judged);
      if (judged.outcome === "unknown") open.set(action, judged);
    }
  }
  const evidence = [where(role), ...inEvidence(grantedInWords(role))];
  const [first] = denied;
  if (first)
    return broken(
      `the request includes ${named([...denied.keys()])}, which the role does not allow: ${first[1].reason()}`,
      "grant exactly what the request asks for; the CredentialsRequests of another release ask for other actions",
      `is not authorized to perform: ${first[0]}`,
      evidence,
    );
  const [perhaps] = open;
  if (perhaps)
    return unknown(
      `whether the role may ${named([...open.keys()])} is not known: ${perhaps[1].reason()}`,
      perhaps[1].remedy ?? unreadRemedy(role),
      evidence,
    );
  return pass(`the role is granted all ${count} requested actions`, evidence);
}

/** Whether the role is granted anything; the evidence lists its rights. Many service accounts may share a role. */
export const anythingGranted: (role: Role) => Answer = once((role) => {
  const words = grantedInWords(role);
  const evidence = [where(role), ...inEvidence(words)];
  const counts = whatCounts(role);
  if (counts === "allowed") return pass(`the role is granted ${named(words)}`, evidence);
  const managed = managedAlone(role);
  if (managed !== undefined)
    return pass(`${managed}, a managed policy of AWS that is not read, grants something`, evidence);
  return counts === "denied"
    ? broken(
        "the role may do nothing: it has no policy, or its permissions boundary, its session policy and denials take every right away",
        "attach a policy to it, and check that its permissions boundary, its session policy and denials leave the rights it needs",
        NO_POLICY,
        evidence,
      )
    : unknown(
        "whether the role may do anything depends on policies that were not read, on conditions, or on how its permissions boundary, its session policy and denials narrow wildcards",
        unreadRemedy(role),
        evidence,
      );
});

/** Whether conditions, denials and the boundary leave anything of what the statements allow. */
function whatCounts(role: Role): AwsDecision["outcome"] {
  const statements = certainlyAllowing(role);
  const outcomes = outcomesOf(role, statements, false);
  if (outcomes.has("allowed")) return "allowed";
  const isOpen = role.policies.some(({ policy, doubt }) => policy.kind === "unread" || doubt);
  return isOpen || outcomes.has("unknown") || statements.some(isNegated) ? "unknown" : "denied";
}

/**
 * What is decided about the rights of statements, until the first that is denied if all must be allowed, else until the
 * first that is allowed.
 */
function outcomesOf(
  role: Role,
  statements: readonly Statement[],
  areAllNeeded: boolean,
): ReadonlySet<AwsDecision["outcome"]> {
  const sets = policySets(role, NOTHING_KNOWN);
  const isTooLong = effortOf(role);
  const outcomes = new Set<AwsDecision["outcome"]>();
  for (const each of statements.filter((each) => !isNegated(each)))
    for (const [action, resource] of pairsOf(each)) {
      if (isTooLong(action, resource)) return outcomes.add("unknown");
      const { outcome } = decided(sets, action, resource, areAllNeeded ? ofAll : ofOne);
      const isOpen = outcome === "denied" && !areAllNeeded && isWide(action, resource);
      outcomes.add(isOpen ? "unknown" : outcome);
      if (outcomes.has(areAllNeeded ? "denied" : "allowed")) return outcomes;
    }
  return outcomes;
}

/** A negated element is not a single action to ask about. */
function isNegated({ actions, resources }: Statement): boolean {
  return actions.negated || resources?.negated !== false;
}

function certainlyAllowing({ policies }: Role): readonly Statement[] {
  return policies.flatMap(({ policy, doubt }) => (doubt ? [] : allowing(policy)));
}

function isWide(action: string, resource: Known<string>): boolean {
  return hasWildcard(action + orElse(resource, () => ""));
}

/** How many values may be compared for one answer; more take minutes. */
const COMPARED_MAX = 20_000_000;
/** How much longer the comparison of two patterns takes. */
const WIDE = 16;

/** Whether an answer about a role takes too long, with what was spent on it before. */
function effortOf({ policies, boundary }: Role): (action: string, resource: Known<string>) => boolean {
  const all = [...policies.map(({ policy }) => policy), ...(boundary ? [boundary] : [])];
  const sizes = all.flatMap(statementsOf).map(({ actions }) => actions.values.length);
  const each = sizes.reduce((sum, size) => sum + size, 0);
  let spent = 0;
  return (action, resource) => (spent += each * (isWide(action, resource) ? WIDE : 1)) > COMPARED_MAX;
}

const TOO_MUCH: Judged = {
  outcome: "unknown",
  reason: () => "the request and the role's policies are too large to judge every right",
};

type Sets = ReturnType<typeof policySets>;
type Asking = (set: Sets[number], action: string, resource: Known<string>) => Decision<Doubt>;

const ofOne: Asking = ({ set }, action, resource) => set.question(action).decide(resourceOf(resource));
const ofAll: Asking = ({ set }, action, resource) => set.every(action).decide(everyResource(resource));

/** The decision of the role's policies and what limits them together: a denial by one wins. */
function decided(sets: Sets, action: string, resource: Known<string>, asking = ofOne): Judged {
  const [own, ...limits] = sets.map((each) => asking(each, action, resource));
  let worst: Judged = {
    outcome: own?.outcome ?? "denied",
    reason: () => own?.doubt?.reason(action, own.perhaps) ?? own?.reason ?? "",
  };
  for (const [place, { outcome, reason }] of limits.entries())
    if (WORST.indexOf(outcome) < WORST.indexOf(worst.outcome))
      worst = { outcome, reason: () => `${sets[place + 1]?.name ?? ""}: ${reason}` };
  return worst;
}

/** Of what wildcards in a request cover, a denial or an exception in the role's policies may take a part away. */
function decidedForAll(sets: Sets, action: string, resource: Known<string>): Judged {
  const decision = decided(sets, action, resource);
  return decision.outcome === "denied" || !isWide(action, resource)
    ? decision
    : decided(sets, action, resource, ofAll);
}

/** The account in an ARN, or of the resource to which it refers. */
function ownerOf(resource: Known<string>): Known<string> | undefined {
  const owner = accountInArn(orElse(resource, () => undefined));
  if (owner !== undefined) return known(owner);
  const [target] = resourcesIn(resource);
  return target && accountOf(target);
}

interface Judged {
  readonly outcome: AwsDecision["outcome"];
  readonly reason: () => string;
  /** `undefined` where it is to change the role's policies. */
  readonly remedy?: string | undefined;
}

/** Source: "Cross-account policy evaluation logic" in the IAM user guide: both accounts must allow it. */
function byOwner(
  role: AskingRole,
  action: string,
  resource: Known<string>,
  policies: ResourcePolicies,
): Judged {
  const owner = ownerOf(resource);
  const isAbroad = owner !== undefined && same(role.account, owner) === "no";
  const reason = isAbroad
    ? `${shown(resource)} is in another account, and its resource policy, which must also admit the role, was not read`
    : policies.objection(role, action, resource);
  return reason === undefined
    ? { outcome: "allowed", reason: () => "" }
    : {
        outcome: "unknown",
        reason: () => reason,
        remedy: "check that the policy of the resource admits the role",
      };
}

/** What is known of calls within the requested conditions; a policy's condition that the request also has holds. */
function askedContext({ arn, account }: AskingRole, given: Statement["conditions"]): RequestContext {
  const conditions = orElse(given, () => []);
  const telling = conditions.filter(({ operator }) => /^(?:Bool|StringEquals)$/i.test(operator));
  const keys = telling.map(({ key, values }) => [orElse(key, () => ""), values.map(shown)] as const);
  const ofRole = { ...ofRoles, "aws:PrincipalAccount": account, "aws:PrincipalArn": arn };
  return {
    ...requestContext({ ...ofRole, ...Object.fromEntries(keys) }),
    presumes: (granted) => {
      const words = wordsOf(granted);
      return words !== undefined && conditions.some((each) => wordsOf(each) === words);
    },
  };
}

/** A condition as text; `undefined` if a value is not known. */
function wordsOf({ operator, key, values }: Condition): string | undefined {
  return match(
    all([key, ...values]),
    ([name = "", ...texts]) =>
      JSON.stringify([operator.toLowerCase(), name.toLowerCase(), ...[...new Set(texts)].sort()]),
    () => undefined,
  );
}

function grantedInWords(role: Role): readonly string[] {
  return [...new Set(certainlyAllowing(role).map(inWords))].sort();
}

function inEvidence(words: readonly string[]): readonly Evidence[] {
  return beginning(words.map((each) => seen(each, undefined)));
}

function inWords(statement: Statement): string {
  const [what, on] = [statement.actions, statement.resources].map((each) =>
    each ? `${each.negated ? "everything but " : ""}${each.values.map(shown).join(", ")}` : "nothing",
  );
  return `${what ?? ""} on ${on ?? ""}${isUnconditional(statement) ? "" : " under conditions"}`;
}

function isUnconditional({ conditions }: Statement): boolean {
  return orElse(conditions, () => undefined)?.length === 0;
}

function where({ pathName, resource }: Role): Evidence {
  return seen(`IAM role ${pathName}`, resource.source);
}
