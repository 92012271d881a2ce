/*
 * What a role was granted, and what organizations take from it, statement by statement, in a form that allows two readings
 * to be compared.
 */

import { type Known, is, isKnown, joinedAll, known, map, orElse, shown, whether } from "../../model/known";
import { once } from "../../model/once";
import { plainOf, textAt } from "../../model/tree";
import {
  type Condition,
  type Policy,
  type Selection,
  type Statement,
  type UnreadStatement,
  denyingEverything,
} from "../../rules/aws/policy/document";
import { awsManagedPolicy } from "../../rules/aws/managed-policies";
import { ALL_BUT, powerOfAction, powerOfPolicy, powerOfTrust } from "../../rules/aws/powers";
import { patternsMeet } from "../../rules/pattern-comparison";
import type { Power } from "../../rules/powers";
import { hasVariable } from "../../rules/aws/policy/resource-name";
import { claimOf } from "../../rules/aws/policy/trust";
import { seen } from "../answer";
import type { Granted, HeldRight } from "../cloud";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import type { HeldPolicy } from "./attachments";
import type { Documents } from "./documents";

/** The rights of a role within its boundary. */
export function heldRights(
  policies: readonly HeldPolicy[],
  boundary: Policy | undefined,
  of: Resource | undefined,
  session?: Policy,
): readonly HeldRight[] {
  const role = of?.source;
  const limiting = (texts: readonly string[], source: Source | undefined): readonly HeldRight[] =>
    texts.map((text) => ({ text, limits: true, source }));
  const rights = policies.flatMap(({ policy, doubt, from, arn }) => {
    const source = from?.source ?? role;
    if (doubt) return perhaps(policy, source);
    const managed = arn === undefined ? arn : awsManagedPolicy(orElse(arn, () => undefined));
    if (policy.kind === "unread" && managed?.onlyAllows && managed.path === undefined) {
      const text = `the AWS managed policy ${managed.name}, whose statements are not known here`;
      return [{ text, power: powerOfPolicy(managed.name), source }];
    }
    if (policy.kind !== "read") return limiting(textsOf(policy), source);
    return policy.statements.flatMap((each) =>
      "unread" in each ? limiting([each.unread], source) : ofStatement(each, source),
    );
  });
  const all = [
    ...rights,
    ...(boundary ? boundedBy("boundary", boundary, role) : []),
    ...(session ? boundedBy("session policy", session, role) : []),
  ];
  return of ? all.map((right) => withTags(right, of)) : all;
}

/** Conditions on tags of the principal compare those of the role; sessions by tokens of clusters have none. */
const BY_TAG = /(?<=aws:PrincipalTag\/)\S+/gi;

function withTags(right: HeldRight, role: Resource): HeldRight {
  const keys = right.text.match(BY_TAG) ?? [];
  if (keys.length === 0) return right;
  const tags = keys.map((key) => `${key}=${shown(textAt(role.evaluate(role.written(["tags", key]))))}`);
  const end = `, where the role has ${tags.join(", ")}`;
  const { covers } = right;
  return {
    ...right,
    text: right.text + end,
    ...(covers && { covers: { ...covers, under: covers.under + end } }),
  };
}

/** What a policy that may not be the role's gives or takes. */
function perhaps(policy: Policy, source: Source | undefined): readonly HeldRight[] {
  // What organizations deny is compared by itself.
  if (policy === denyingEverything) return [];
  if (policy.kind !== "read")
    return textsOf(policy).map((text) => ({ text: `perhaps ${text}`, limits: true, source }));
  return policy.statements.map((each) => {
    const text = `perhaps ${"unread" in each ? each.unread : textOf(each)}`;
    return isDenial(each) ? { text, takes: "denial", source } : { text, limits: true, source };
  });
}

/** What is left by a policy that limits the rights of roles. */
function boundedBy(
  takes: "boundary" | "session policy",
  policy: Policy,
  source: Source | undefined,
): readonly HeldRight[] {
  const open = (text: string): HeldRight => ({
    text: `within the ${takes}: ${text}`,
    takes,
    limits: true,
    source,
  });
  if (policy.kind !== "read") return textsOf(policy).map(open);
  return policy.statements.flatMap((statement): readonly HeldRight[] => {
    if ("unread" in statement) return [open(statement.unread)];
    const rights = ofStatement(statement, source);
    if (isDenial(statement)) return rights;
    return rights.map((right) => ({ ...right, text: `${right.text} within the ${takes}`, takes }));
  });
}

/** A policy in words, equal for policies with equal statements; empty for a policy that IAM refuses. */
function textsOf(policy: Policy): readonly string[] {
  if (policy.kind === "refused") return [];
  if (policy.kind === "unread") return [`a policy that is not read: ${policy.why}`];
  return policy.statements.map((each) => ("unread" in each ? each.unread : textOf(each)));
}

function ofStatement(statement: Statement, source: Source | undefined): readonly HeldRight[] {
  return rightsOf(statement).map((right) => ({ ...right, source }));
}

/** Without the places where they are granted; audit and comparison ask twice in a row. */
const rightsOf = once((statement: Statement): readonly Omit<HeldRight, "source">[] => {
  const { actions, resources, effect } = statement;
  const marks = isDenial(statement)
    ? ({ takes: "denial" } as const)
    : isKnown(effect)
      ? {}
      : { limits: true };
  if (!resources || actions.negated || resources.negated || !isKnown(effect))
    return [{ ...marks, text: textOf(statement), power: powerOf(statement) }];
  const begins = isDenial(statement) ? "Deny " : "";
  const under = conditionsText(statement.conditions);
  const ends = under === "" ? "" : ` under ${under}`;
  return actions.values.flatMap((action) =>
    resources.values.map((on) => {
      const text = `${begins}${shown(action)} on ${shown(on)}${ends}`;
      const isPattern = [action, on].every(isKnown) && !(statement.variables && hasVariable(on));
      const power = powerOfAction(shown(action), shown(on));
      if (!isPattern) return { ...marks, text, power };
      const covers = { action: shown(action).toLowerCase(), on: shown(on), under };
      return { ...marks, text, covers, power };
    }),
  );
});

function isDenial(statement: Statement | UnreadStatement): boolean {
  return !("unread" in statement) && orElse(statement.effect, () => "Allow") === "Deny";
}

/** Of a statement with exceptions. */
function powerOf({ actions, resources }: Statement): Power | undefined {
  const isWide = !resources || resources.negated || resources.values.some((each) => is(each, "*") !== "no");
  if (actions.negated) return isWide ? ALL_BUT : undefined;
  return actions.values.flatMap((each) => powerOfAction(shown(each), "*") ?? [])[0];
}

/** What a resource policy lets the principals that it names do, denials aside. */
export function grantedBy(policy: Policy, on: string, source: Source): readonly Granted[] {
  const granted = (to: string, right: HeldRight): Granted => ({
    to,
    ...(SERVICE.test(to) && { who: "a service of AWS" }),
    isHeld: false,
    isOwn: false,
    rights: () => [right],
  });
  const open = (text: string): Granted => granted("others", { text, limits: true, source });
  if (policy.kind !== "read") return textsOf(policy).map((text) => open(`${text}, of ${on}`));
  return policy.statements.flatMap((statement): readonly Granted[] => {
    if ("unread" in statement) return [open(`${statement.unread}, of ${on}`)];
    if (!statement.principal || orElse(statement.effect, () => "Deny") !== "Allow") return [];
    if (statement.principal.negated || statement.actions.negated)
      return [open(`${textOf(statement)}, of ${on}`)];
    const under = conditionsText(statement.conditions);
    const principals = principalsOf(plainOf(statement.principal.value, shown), statement.conditions);
    return principals.flatMap((to) =>
      statement.actions.values.map((action): Granted => {
        const covers = { action: shown(action).toLowerCase(), on, under };
        const text = `${shown(action)} on ${on}${under === "" ? "" : ` under ${under}`}`;
        return granted(to, { text, covers, power: powerOfTrust(shown(action), to), source });
      }),
    );
  });
}

const SERVICE = /^[a-z0-9.-]+\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;
const ALIKE = /^(?:Arn|String)(?:Equals|Like)$/i;

/** An account id means the account's root; everyone whose ARN is one of some means these. */
function principalsOf(value: unknown, conditions: Statement["conditions"]): readonly string[] {
  const all = typeof value === "object" && value !== null ? Object.values(value).flat() : [value];
  const arns = orElse(conditions, () => []).find(
    ({ operator, key }) => ALIKE.test(operator) && /^aws:PrincipalArn$/i.test(shown(key)),
  );
  if (arns && all.length === 1 && all[0] === "*") return arns.values.map(shown);
  return all.map((each) => String(each).replace(/^\d{12}$/, "arn:aws:iam::$&:root"));
}

/** A statement in words, equal for equal statements. */
function textOf({ effect, actions, resources, conditions, principal }: Statement): string {
  const under = conditionsText(conditions);
  const whom = principal ? ` to ${principal.negated ? "everyone but its principal" : "its principal"}` : "";
  const on = resources ? ` on ${selectionText(resources)}` : "";
  return `${shown(effect)} ${selectionText(actions)}${on}${whom}${under === "" ? "" : ` under ${under}`}`;
}

function selectionText({ values, negated }: Selection): string {
  return `${negated ? "everything but " : ""}${sorted(values).join(", ")}`;
}

function conditionsText(conditions: Known<readonly Condition[]>): string {
  const text = map(conditions, (all) =>
    all
      .map(({ operator, key, values }) => `${operator} ${shown(key)} ${sorted(values).join(", ")}`)
      .sort()
      .join(" and "),
  );
  return shown(text);
}

function sorted(values: readonly Known<string>[]): readonly string[] {
  return [...new Set(values.map(shown))].sort();
}

/** Statements of a trust policy that do more than compare subject and audience: denials, and those that were not read. */
export function beyondTerms(statement: Statement | UnreadStatement): readonly Known<string>[] {
  if ("unread" in statement) return [known(statement.unread)];
  const { effect, actions, conditions } = statement;
  const isDenial = is(effect, "Allow") !== "yes";
  const isOfTokens = actions.values.some(
    (each) => whether(each, (action) => patternsMeet(action.toLowerCase(), BY_TOKENS)) !== "no",
  );
  if (!isDenial && !isOfTokens && !actions.negated) return [];
  const texts = orElse(conditions, () => []).flatMap(({ operator, key, values }) =>
    isDenial || !COMPARED.includes(claimOf(key)?.toLowerCase() ?? "")
      ? [known(operator), key, ...values]
      : [],
  );
  return isDenial || texts.length > 0
    ? [joinedAll([shown(effect), " ", ...texts.flatMap((text) => [text, " "])])]
    : [];
}

/** The action that tokens are exchanged by, in lower case. */
export const BY_TOKENS = "sts:assumerolewithwebidentity";
/** Claims that are compared, whose values terms list. */
const COMPARED: readonly string[] = ["sub", "aud"];

/** Types that take no rights from roles ("Organization policy types", same guide); any other type is assumed to. */
const HARMLESS: readonly string[] = [
  "AISERVICES_OPT_OUT_POLICY",
  "BACKUP_POLICY",
  "BEDROCK_POLICY",
  "CHATBOT_POLICY",
  "DECLARATIVE_POLICY_EC2",
  "INSPECTOR_POLICY",
  "NETWORK_SECURITY_DIRECTOR_POLICY",
  "S3_POLICY",
  "SECURITYHUB_POLICY",
  "TAG_POLICY",
  "UPGRADE_ROLLOUT_POLICY",
];

export const ORGANIZATION_POLICY = "aws_organizations_policy";

/**
 * The policies by which organizations may deny actions to any role. Terraform does not say which accounts an
 * organizational unit holds, so such a policy denies at most perhaps; what it says is not judged. Source: "Service control
 * policies" and "Resource control policies" in the AWS Organizations user guide.
 */
export function organizationPolicies(terraform: Terraform): readonly HeldPolicy[] {
  return terraform
    .ofType(ORGANIZATION_POLICY)
    .filter((each) => whether(each.text("type"), (type = "") => HARMLESS.includes(type)) !== "yes")
    .map(({ source }) => ({ policy: denyingEverything, doubt: doubtOf(source) }));
}

/** What these policies deny, and what they leave, whomever they apply to. */
export function organizationRights(terraform: Terraform, documents: Documents): readonly Granted[] {
  return terraform.ofType(ORGANIZATION_POLICY).map((each) => {
    const kind = is(each.text("type"), "RESOURCE_CONTROL_POLICY") === "yes" ? "resource" : "identity";
    const rights = (): readonly HeldRight[] =>
      boundedBy("boundary", documents.ofText(each.stated("content"), kind), each.source);
    const to = `whomever the policy ${shown(each.stated("name"))} of the organization applies to`;
    return { to, isHeld: false, isOwn: true, rights };
  });
}

function doubtOf(source: Source): HeldPolicy["doubt"] {
  return {
    reason: (action) =>
      `a policy of the organization may deny ${action}, if it applies to the role's account`,
    remedy: "exempt the role from it, or leave the organization's Terraform out if it does not apply",
    evidence: [seen("policy of the organization", source)],
  };
}
