/*
 * OpenShift's components on AWS. Their Secrets hold an SDK configuration file in the key `credentials`. A condition in
 * a CredentialsRequest is taken to hold for the calls that the component makes.
 *
 * Source: openshift/cloud-credential-operator, pkg/cmd/provisioning/aws/create_iam_roles.go; "IAM JSON policy elements:
 * Condition operators" and "Conditions with multiple context keys or values" in the IAM user guide.
 */

import {
  type Known,
  all,
  is,
  isKnown,
  known,
  map,
  match,
  orElse,
  same,
  shown,
  whyNot,
} from "../../model/known";
import {
  type MarkedText,
  type TreeObject,
  childOf,
  itemsOf,
  marked,
  treeOf,
  unmarkedText,
} from "../../model/tree";
import { type RequestContext, NOTHING_KNOWN, requestContext } from "../../rules/aws/policy/context";
import type { AwsDecision } from "../../rules/aws/policy/decide";
import type { Condition, Policy, Statement } from "../../rules/aws/policy/document";
import { readPolicy } from "../../rules/aws/policy/policy";
import { oneResource } from "../../rules/aws/policy/resource-name";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { SecretFact } from "../read/component-facts";
import { below } from "../read/source";
import { named } from "../shared/words";
import { unreadRemedy } from "./documents";
import { type NamedRole, type Role, isRoleArn } from "./identity";
import { arnFields } from "./place";
import { policySets } from "./role-judge";

/** The one key that components read. */
const CREDENTIALS_KEY = "credentials";
/** The keys of credentials that do not expire, found in older clusters. */
const STATIC_KEYS: readonly string[] = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"];
const ROLE = "role_arn";
const TOKEN_FILE = "web_identity_token_file";
const REGIONAL = "sts_regional_endpoints";
const KNOWN: readonly string[] = [REGIONAL, ROLE, TOKEN_FILE];
const WRITE = "write the four lines [default], sts_regional_endpoints, role_arn and web_identity_token_file";

/** True for a Secret that leads an SDK to a token. */
export function isAwsSecret({ value }: SecretFact): boolean {
  return contentOf(value(CREDENTIALS_KEY)).text.includes(TOKEN_FILE);
}

function contentOf(content: Known<string | undefined>): MarkedText {
  return orElse(marked(map(content, (text) => text ?? "")), () => ({ text: "", parts: [] }));
}

function roleOf(secret: SecretFact): Known<string> {
  return linesOf(secret.value(CREDENTIALS_KEY)).values.get(ROLE) ?? known("");
}

/** Whether the Secret is usable, and the role's ARN; `undefined` if it names none. */
export function readAwsSecret(
  secret: SecretFact,
  tokenPath: string | undefined,
): { readonly answer: Answer; readonly arn: Known<string> | undefined } {
  const content = secret.value(CREDENTIALS_KEY);
  const where = seen(`Secret ${secret.key}`, below(secret.source, "stringData"));
  const wrong = (problem: string, remedy = WRITE): Answer => broken(problem, remedy, undefined, where);
  const lasting = secret.keys.find((key) => STATIC_KEYS.includes(key));
  if (lasting !== undefined)
    return {
      answer: wrong(`the Secret has ${lasting}, which does not expire`, `remove it; ${WRITE}`),
      arn: undefined,
    };
  const why = whyNot(content);
  if (why && why.kind !== "apply")
    return { answer: unknown(why.what, "keep the Secret in one document", where), arn: undefined };
  if (orElse(content, () => "late") === undefined) {
    const keys = secret.keys.join(", ") || "none";
    const problem = `the Secret has no readable key ${CREDENTIALS_KEY}; its keys are ${keys}`;
    return { answer: wrong(problem), arn: undefined };
  }
  const lines = linesOf(content);
  const arn = lines.values.get(ROLE);
  const problem = problemOf(lines, tokenPath);
  if (problem !== undefined) return { answer: wrong(problem), arn };
  const token = shown(lines.values.get(TOKEN_FILE) ?? known(""));
  const words = `the Secret names the role ${shown(arn ?? known(""))} and the token ${token}`;
  const older = lines.values.has(REGIONAL)
    ? []
    : [seen("no sts_regional_endpoints: older SDKs ask the global endpoint of STS", secret.source)];
  return { answer: pass(words, where, ...older), arn };
}

interface Lines {
  /** Values of the section `default`. */
  readonly values: ReadonlyMap<string, Known<string>>;
  /** A line that is neither a section nor a setting. */
  readonly stray: string | undefined;
}

function linesOf(content: Known<string | undefined>): Lines {
  const { text, parts } = contentOf(content);
  const values = new Map<string, Known<string>>();
  let section = "";
  let stray: string | undefined;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const [, name] = /^\[(.+)\]$/.exec(line) ?? [];
    const [, key, value = ""] = /^([^=\s]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) section = name;
    else if (key === undefined) stray ??= shown(unmarkedText(line, parts));
    else if (section === "default") values.set(shown(unmarkedText(key, parts)), unmarkedText(value, parts));
  }
  return { values, stray };
}

function problemOf({ values, stray }: Lines, tokenPath: string | undefined): string | undefined {
  if (stray !== undefined) return `the line ${JSON.stringify(stray)} of credentials is not a setting`;
  if (values.size === 0) return "credentials has no section [default]";
  const other = [...values.keys()].find((key) => !KNOWN.includes(key));
  if (other !== undefined) return `credentials has the setting ${other}, which a token does not need`;
  const [arn = known(""), path = known("")] = [ROLE, TOKEN_FILE].map((key) => values.get(key));
  if (shown(arn) === "") return `credentials has no ${ROLE}`;
  if (shown(path) === "") return `credentials has no ${TOKEN_FILE}`;
  if (!isRoleArn(arn)) return `${ROLE} ${shown(arn)} is not an ARN of an IAM role`;
  if (tokenPath !== undefined && same(path, known(tokenPath)) === "no")
    return `${TOKEN_FILE} is ${shown(path)}, but the component's token is at ${tokenPath}`;
  const endpoints = shown(values.get(REGIONAL) ?? known("regional"));
  return /^(?:regional|legacy)$/.test(endpoints) ? undefined : `${REGIONAL} is ${endpoints}`;
}

const LITERAL_ROLE = /^arn:[a-z-]+:iam::\d{12}:role\//;

/**
 * What contradicts the account and partition of the role that a Secret names: the role as Terraform declares it, or the
 * Secrets of other components, since a cluster is in one account; `undefined` if nothing does.
 */
export function homeAnswer(
  secret: SecretFact,
  { arn, role }: NamedRole,
  beside: ReadonlyMap<string, SecretFact>,
): Answer | undefined {
  const placeIn = (text: Known<string>): string | undefined => LITERAL_ROLE.exec(orElse(text, () => ""))?.[0];
  const place = placeIn(arn);
  if (role === undefined || place === undefined) return undefined;
  const where = seen(`Secret ${secret.key}`, secret.source);
  const remedy = "write the ARN of the role as Terraform declares it";
  if (same(role.partition, arnFields(arn)?.[1] ?? known("")) === "no")
    return broken(
      `the Secret names the role ${shown(arn)}, but Terraform declares it in partition ${shown(role.partition)}`,
      remedy,
      undefined,
      where,
      seen("IAM role", role.resource.source),
    );
  // A known account was compared when the role was looked up.
  const others = isKnown(role.account) ? [] : [...beside.values()].filter(isAwsSecret);
  const rival = others.find((other) => (placeIn(roleOf(other)) ?? place) !== place);
  return (
    rival &&
    unknown(
      `the Secret names the role ${shown(arn)}, while the Secret ${rival.key} names ${shown(roleOf(rival))}`,
      `${remedy}, or limit its Terraform provider to one account (allowed_account_ids)`,
      where,
      seen(`Secret ${rival.key}`, rival.source),
    )
  );
}

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
function pairsOf({
  actions,
  resources,
}: Statement): readonly (readonly [action: string, resource: string])[] {
  const [what, on] = [actions, resources].map((each) =>
    (each?.values ?? []).map((value) => orElse(value, () => "*")),
  );
  return (what ?? []).flatMap((action) => (on ?? []).map((resource) => [action, resource] as const));
}

/** `<action> on <resource>`. */
export function rightsInWords(rights: TreeObject): readonly string[] {
  return statementsOf(asked(rights)).flatMap((statement) => {
    const no = is(statement.effect, "Deny") === "yes" ? "no " : "";
    const ends = isUnconditional(statement) ? "" : " under conditions";
    return pairsOf(statement).map(([action, resource]) => `${no}${action} on ${resource}${ends}`);
  });
}

/**
 * Whether the role's policies, within its boundary, allow every action of the request; `account` is the account in the
 * role's ARN.
 */
export function actionsGranted(role: Role, rights: TreeObject, account: Known<string>): Answer {
  const request = asked(rights);
  if (request.kind !== "read")
    return unknown(`what is requested is not known: ${request.why}`, "correct the request");
  const denied = new Map<string, string>();
  const open = new Map<string, string>();
  const all = allowing(request).flatMap((each) => pairsOf(each).map((pair) => ({ each, pair })));
  for (const { each, pair } of all) {
    const [action, resource] = pair;
    const context = askedContext(orElse(each.conditions, () => []));
    const { outcome, reason } = abroad(decided(role, action, resource, context), resource, account);
    if (outcome === "denied") denied.set(action, reason);
    if (outcome === "unknown") open.set(action, reason);
  }
  const evidence = [where(role), ...grantedInWords(role).map((words) => seen(words, undefined))];
  const [first] = denied;
  if (first)
    return broken(
      `the request includes ${named([...denied.keys()])}, which the role does not allow: ${first[1]}`,
      "grant exactly what the request asks for; the CredentialsRequests of another release ask for other actions",
      `is not authorized to perform: ${first[0]}`,
      ...evidence,
    );
  const [perhaps] = open;
  if (perhaps)
    return unknown(
      `whether the role may ${named([...open.keys()])} is not known: ${perhaps[1]}`,
      unreadRemedy(role),
      ...evidence,
    );
  return pass(`the role is granted all ${all.length} requested actions`, ...evidence);
}

/** Whether the role is granted anything; the evidence lists its rights. */
export function anythingGranted(role: Role): Answer {
  const words = grantedInWords(role);
  const evidence = [where(role), ...words.map((each) => seen(each, undefined))];
  const counts = whatCounts(role);
  if (counts === "allowed") return pass(`the role is granted ${named(words)}`, ...evidence);
  return counts === "denied"
    ? broken(
        "the role may do nothing: it has no policy, or its permissions boundary and denials take every right away",
        "attach a policy to it, and check that its permissions boundary and denials leave the rights it needs",
        "is not authorized to perform: … because no identity-based policy allows the … action",
        ...evidence,
      )
    : unknown(
        "whether the role may do anything depends on policies that were not read, on conditions, or on how its permissions boundary and denials narrow wildcards",
        unreadRemedy(role),
        ...evidence,
      );
}

/** Whether conditions, denials and the boundary leave anything of what the statements allow. */
function whatCounts(role: Role): AwsDecision["outcome"] {
  const statements = certainlyAllowing(role);
  // A negated element or a wildcard is not a single action to ask about.
  const isNegated = ({ actions, resources }: Statement): boolean =>
    actions.negated || resources?.negated !== false;
  const pairs = statements.filter((each) => !isNegated(each)).flatMap(pairsOf);
  const said = pairs.map(([action, resource]) => {
    const { outcome } = decided(role, action, resource, NOTHING_KNOWN);
    return outcome === "denied" && /[*?]/.test(action + resource) ? "unknown" : outcome;
  });
  if (said.includes("allowed")) return "allowed";
  const isOpen = role.policies.some(({ policy, doubt }) => policy.kind === "unread" || doubt);
  return isOpen || said.includes("unknown") || statements.some(isNegated) ? "unknown" : "denied";
}

function certainlyAllowing({ policies }: Role): readonly Statement[] {
  return policies.flatMap(({ policy, doubt }) => (doubt ? [] : allowing(policy)));
}

/** The decision of the role's policies and the boundary together: a denial by either wins. */
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
  const reason = `${resource} is in another account, and its resource policy, which must also admit the role, was not read`;
  return { outcome: "unknown", reason };
}

/** What is known of calls within the requested conditions; a policy's condition that the request also has holds. */
function askedContext(conditions: readonly Condition[]): RequestContext {
  const telling = conditions.filter(({ operator }) => /^(?:Bool|StringEquals)$/i.test(operator));
  const keys = telling.map(({ key, values }) => [orElse(key, () => ""), values.map(shown)] as const);
  return {
    ...requestContext(Object.fromEntries(keys)),
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
