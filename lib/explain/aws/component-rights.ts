/*
 * Whether an IAM role is granted what a CredentialsRequest asks for. A request's own condition says of the calls that
 * the component makes that they are within it.
 *
 * Source: "IAM JSON policy elements: Condition operators" and "Conditions with multiple context keys or values" in the
 * IAM user guide.
 */

import { type Known, is, known, match, orElse, shown } from "../../model/known";
import {
  type Tree,
  type TreeObject,
  childOf,
  entriesOf,
  itemsOf,
  isTreeObject,
  listAt,
  treeOf,
} from "../../model/tree";
import { type RequestContext, requestContext } from "../../rules/aws/policy/context";
import type { AwsDecision } from "../../rules/aws/policy/decide";
import type { Condition, Policy, Statement } from "../../rules/aws/policy/document";
import { oneResource } from "../../rules/aws/policy/resource-name";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import { named } from "../shared/words";
import { unreadRemedy } from "./documents";
import type { Role } from "./identity";
import { policySets } from "./role-judge";

interface AskedRight {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resource: string;
  readonly conditions: readonly Condition[];
}

function textOf(tree: Tree): string {
  const text = orElse(tree, () => undefined);
  return typeof text === "string" ? text : "";
}

function rightsOf(rights: TreeObject): readonly AskedRight[] {
  return itemsOf(childOf(treeOf(rights), "statementEntries")).map((entry) => ({
    effect: textOf(childOf(entry, "effect")),
    actions: itemsOf(childOf(entry, "action")).map(textOf),
    resource: textOf(childOf(entry, "resource")),
    conditions: conditionsOf(childOf(entry, "policyCondition")),
  }));
}

function conditionsOf(block: Tree): readonly Condition[] {
  const rows = (tree: Tree): readonly (readonly [string, Tree])[] => {
    const value = orElse(tree, () => undefined);
    return isTreeObject(value)
      ? entriesOf(value).map(([key, child]) => [orElse(key, () => ""), child] as const)
      : [];
  };
  return rows(block).flatMap(([operator, keys]) =>
    rows(keys).map(([key, value]) => ({
      operator,
      key: known(key),
      values: orElse(listAt(value), () => []).map((each) => known(String(orElse(each, () => "")))),
    })),
  );
}

/** `<action> on <resource>`. */
export function rightsInWords(rights: TreeObject): readonly string[] {
  return rightsOf(rights).flatMap(({ effect, actions, resource, conditions }) => {
    const ends = `${resource}${conditions.length > 0 ? " under conditions" : ""}`;
    return actions.map((action) => `${effect === "Deny" ? "no " : ""}${action} on ${ends}`);
  });
}

/**
 * Whether the role's policies, within its boundary, allow every action of the request; `account` is that of the role as
 * its ARN is written.
 */
export function actionsGranted(role: Role, rights: TreeObject, account: Known<string>): Answer {
  const denied = new Map<string, string>();
  const open = new Map<string, string>();
  let count = 0;
  for (const { effect, actions, resource, conditions } of rightsOf(rights)) {
    if (effect !== "Allow") continue;
    const context = askedContext(conditions);
    for (const action of new Set(actions)) {
      count++;
      const { outcome, reason } = abroad(decided(role, action, resource, context), resource, account);
      if (outcome === "denied") denied.set(action, reason);
      if (outcome === "unknown") open.set(action, reason);
    }
  }
  const evidence = [where(role), ...grantedInWords(role).map((words) => seen(words, undefined))];
  const [first] = denied;
  if (first)
    return broken(
      `the role may not ${named([...denied.keys()])}, which is asked for: ${first[1]}`,
      "grant exactly what is asked for; CredentialsRequests of another release ask for other actions",
      `is not authorized to perform: ${first[0]}`,
      ...evidence,
    );
  const [perhaps] = open;
  if (perhaps)
    return unknown(
      `whether the role may ${named([...open.keys()])} cannot be told: ${perhaps[1]}`,
      unreadRemedy(role),
      ...evidence,
    );
  return pass(`the role is granted all ${count} actions that are asked for`, ...evidence);
}

/** Whether the role is granted anything; what it is, is the evidence. */
export function anythingGranted(role: Role): Answer {
  if (
    role.policies.every(({ policy, doubt }) => policy.kind === "unread" || doubt) &&
    role.policies.length > 0
  )
    return unknown(
      "a policy of the role was not read",
      "name the Terraform that declares it as well",
      where(role),
    );
  const words = grantedInWords(role);
  const evidence = [where(role), ...words.map((each) => seen(each, undefined))];
  const counts = whatCounts(role);
  if (counts === "allowed") return pass(`the role is granted ${named(words)}`, ...evidence);
  return counts === "denied"
    ? broken(
        "the role is granted nothing that counts",
        "attach a policy to it, and let its permissions boundary and denials leave something of it",
        "is not authorized to perform: … because no identity-based policy allows the … action",
        ...evidence,
      )
    : unknown(
        "whether the role may do anything depends on conditions, or on what boundary and denials leave of wildcards",
        unreadRemedy(role),
        ...evidence,
      );
}

/** Whether anything that the statements allow is left by conditions, denials and the boundary. */
function whatCounts(role: Role): AwsDecision["outcome"] {
  const nothing = requestContext({});
  let outcome: AwsDecision["outcome"] = role.policies.some(({ policy }) => policy.kind === "unread")
    ? "unknown"
    : "denied";
  for (const { actions, resources } of role.policies.flatMap(({ policy, doubt }) =>
    doubt ? [] : allowing(policy),
  )) {
    // What is negated, or stands for many, is no one action to ask about.
    if (actions.negated || resources === undefined || resources.negated) outcome = "unknown";
    else
      for (const [action, resource] of actions.values.flatMap((each) =>
        resources.values.map((other) => [each, other] as const),
      )) {
        const [what, on] = [orElse(action, () => "*"), orElse(resource, () => "*")];
        const said = decided(role, what, on, nothing).outcome;
        if (said === "allowed") return said;
        if (said === "unknown" || /[*?]/.test(what + on)) outcome = "unknown";
      }
  }
  return outcome;
}

function allowing(policy: Policy): readonly Statement[] {
  const statements = policy.kind === "read" ? policy.statements : [];
  return statements.flatMap((each) => ("unread" in each || is(each.effect, "Allow") !== "yes" ? [] : [each]));
}

/** The role's policies and the boundary decide together: what one denies is denied. */
function decided(role: Role, action: string, resource: string, context: RequestContext): AwsDecision {
  const [own, bound] = policySets(role, context).map((set) =>
    set.question(action).decide(oneResource(resource)),
  );
  const outcome = own?.outcome ?? "denied";
  const reason = own?.doubt?.reason(action, own.perhaps) ?? own?.reason ?? "";
  if (bound === undefined || bound.outcome === "allowed" || outcome === "denied" || outcome === bound.outcome)
    return { outcome, reason };
  return { outcome: bound.outcome, reason: `the permissions boundary: ${bound.reason}` };
}

const ACCOUNT_IN_ARN = /^arn:[a-z-]+:[a-z0-9-]+:[a-z0-9-]*:(\d{12}):/;

/** Source: "Cross-account policy evaluation logic" in the IAM user guide: both accounts must allow it. */
function abroad(decision: AwsDecision, resource: string, account: Known<string>): AwsDecision {
  const [, owner] = ACCOUNT_IN_ARN.exec(resource) ?? [];
  if (decision.outcome !== "allowed" || owner === undefined || is(account, owner) !== "no") return decision;
  const reason = `${resource} is of another account, where its own policy must let the role in as well, which was not read`;
  return { outcome: "unknown", reason };
}

const TELLS_VALUES = /^(?:(?:ForAnyValue:)?(?:String|Arn)(?:Equals|Like)|Bool)$/i;
const LIKENESS = /Like$|Arn/i;

/** What is known of requests within the asked conditions; what these merely exclude says no value. */
function askedContext(asked: readonly Condition[]): RequestContext {
  const keys: Record<string, readonly string[] | null> = {};
  for (const { operator, key, values } of asked) {
    const [name, texts] = [orElse(key, () => ""), values.map(shown)];
    if (/^Null$/i.test(operator)) {
      if (texts.join().toLowerCase() === "true") keys[name] = null;
    } else if (TELLS_VALUES.test(operator) && !(LIKENESS.test(operator) && /[*?]/.test(texts.join())))
      keys[name] = texts;
  }
  const presumes = (condition: Condition): boolean => asked.some((each) => implies(each, condition));
  return { ...requestContext(keys), presumes };
}

/** Whether a granted condition holds wherever the asked one does: one of more values is more, none of fewer values too. */
function implies(asked: Condition, granted: Condition): boolean {
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
  const [one, other] = [asked, granted].map(({ key }) => orElse(key, () => undefined));
  if (one === undefined || other === undefined || !isSame(one, other)) return false;
  if (!isSame(asked.operator, granted.operator)) return false;
  const [wide, narrow] = /Not/i.test(granted.operator) ? [asked, granted] : [granted, asked];
  const texts = new Set(wide.values.map((each) => orElse(each, () => undefined)));
  return (
    narrow.values.length > 0 &&
    narrow.values.every((each) =>
      match(
        each,
        (text) => texts.has(text),
        () => false,
      ),
    )
  );
}

function grantedInWords({ policies }: Role): readonly string[] {
  const words = policies.flatMap(({ policy, doubt }) => (doubt ? [] : allowing(policy))).map(inWords);
  return [...new Set(words)].sort();
}

function inWords({ actions, resources, conditions }: Statement): string {
  const list = (values: readonly Known<string>[], negated: boolean): string =>
    `${negated ? "everything but " : ""}${values.map(shown).join(", ")}`;
  const on = resources === undefined ? "nothing" : list(resources.values, resources.negated);
  const isPlain = match(
    conditions,
    (each) => each.length === 0,
    () => false,
  );
  return `${list(actions.values, actions.negated)} on ${on}${isPlain ? "" : " under conditions"}`;
}

function where({ pathName, resource }: Role): Evidence {
  return seen(`IAM role ${pathName}`, resource.source);
}
