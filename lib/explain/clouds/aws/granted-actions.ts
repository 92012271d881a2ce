/*
 * Whether an IAM role is granted what a CredentialsRequest asks for.
 */

import { evaluateAwsPermission } from "../../../rules/aws/evaluate/evaluate-permission";
import type { AwsDecision } from "../../../rules/aws/evaluate/decide";
import { type Statement, readPolicy } from "../../../rules/aws/evaluate/statements";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { type Json, list, record, text, texts } from "../../facts/access";
import { named } from "../named";
import { askedContext, withoutAsked } from "./asked-conditions";
import type { PerhapsPolicy } from "./attached-policies";
import type { RoleFact } from "./role-fact";
import { remedyOf } from "./policy-documents";

/**
 * Whether the role's policies, within its boundary, allow every action of the request's statements; `account` is that of
 * the role as its ARN is written, empty where it is not known.
 */
export function actionsGranted(role: RoleFact, providerSpec: Json, account: string = role.account): Answer {
  const judged = new Judged();
  const policies = role.policies.map(parsed);
  const perhaps = role.perhaps.map(possible);
  const boundary = role.boundary === undefined ? [] : [parsed(role.boundary)];
  for (const entry of list(providerSpec["statementEntries"]).map(record)) {
    if (entry["effect"] !== "Allow") continue;
    const resource = text(entry["resource"]);
    const condition = record(entry["policyCondition"]);
    const within = (document: unknown): unknown => withoutAsked(document, condition);
    const [own, bounding] = [policies.map(within), boundary.map(within)];
    const others = perhaps.map(({ document, what }) => ({ document: within(document), what }));
    const context = askedContext(condition);
    for (const action of texts(entry["action"])) {
      const asked = { action, resource, ...(context && { context }) };
      judged.add(action, abroad(decided(own, others, asked), resource, account));
      if (bounding.length > 0)
        judged.add(action, evaluateAwsPermission(bounding, asked), "the permissions boundary: ");
    }
  }
  return judged.answer(role, grantedInWords(role));
}

/** Whether the role is granted anything; what it is, is the evidence. */
export function anythingGranted(role: RoleFact): Answer {
  const granted = grantedInWords(role);
  if (granted === undefined)
    return unknown(
      "a policy of the role was not read",
      "name the Terraform that declares it as well",
      where(role),
    );
  const evidence = evidenceOf(role, granted);
  const counts = whatCounts(role);
  if (counts === "allowed") return pass(`the role is granted ${named(granted)}`, ...evidence);
  return counts === "denied"
    ? broken(
        "the role is granted nothing that counts",
        "attach a policy to it, and let its permissions boundary and denials leave something of it",
        "is not authorized to perform: … because no identity-based policy allows the … action",
        ...evidence,
      )
    : unknown(
        "whether the role may do anything depends on conditions, or on what boundary and denials leave of wildcards",
        remedyOf(role),
        ...evidence,
      );
}

const WILDCARD = /[*?]/;

/** Whether anything that the statements allow is left by conditions, denials and the boundary. */
function whatCounts({ policies, perhaps, boundary }: RoleFact): AwsDecision["outcome"] {
  const documents = policies.map(parsed);
  const others = perhaps.map(possible);
  const bounding = boundary === undefined ? [] : [parsed(boundary)];
  let outcome: AwsDecision["outcome"] = "denied";
  for (const { actions, resources } of policies.flatMap(allowing)) {
    // What is negated, or stands for many, is no one action to ask about.
    if (actions.negated || resources === undefined || resources.negated) outcome = "unknown";
    else
      for (const action of actions.values)
        for (const resource of resources.values) {
          const asked = { action, resource };
          const decisions = [
            decided(documents, others, asked),
            ...bounding.map((each) => evaluateAwsPermission([each], asked)),
          ].map((each) => each.outcome);
          if (decisions.every((each) => each === "allowed")) return "allowed";
          if (!decisions.includes("denied") || WILDCARD.test(action + resource)) outcome = "unknown";
        }
  }
  return outcome;
}

function allowing(policy: string): readonly Statement[] {
  const read = readPolicy(policy);
  return "problem" in read ? [] : read.statements.filter(({ effect }) => effect === "Allow");
}

/** A policy of which it is not known whether it counts for the role. */
interface PossiblePolicy {
  readonly document: unknown;
  readonly what: string;
}

function possible({ policy, isOfOrganization }: PerhapsPolicy): PossiblePolicy {
  const what = isOfOrganization
    ? "a policy of the organization, which may count for the role's account, denies it, or may"
    : "a policy may be attached to the role besides";
  return { document: parsed(policy), what };
}

/** A policy that may be the role's leaves open what it would change. */
function decided(
  policies: readonly unknown[],
  perhaps: readonly PossiblePolicy[],
  asked: Parameters<typeof evaluateAwsPermission>[1],
): AwsDecision {
  const decision = evaluateAwsPermission(policies, asked);
  const changed = perhaps.find(
    ({ document }) => evaluateAwsPermission([...policies, document], asked).outcome !== decision.outcome,
  );
  return changed === undefined ? decision : { outcome: "unknown", reason: changed.what };
}

const ACCOUNT_IN_ARN = /^arn:[a-z-]+:[a-z0-9-]+:[a-z0-9-]*:(\d{12}):/;

/** Source: "Cross-account policy evaluation logic" in the IAM user guide: both accounts must allow it. */
function abroad(decision: AwsDecision, resource: string, account: string): AwsDecision {
  const [, owner] = ACCOUNT_IN_ARN.exec(resource) ?? [];
  if (decision.outcome !== "allowed" || owner === undefined || account === "" || owner === account)
    return decision;
  const reason = `${resource} is of another account, where its own policy must let the role in as well, which was not read`;
  return { outcome: "unknown", reason };
}

class Judged {
  readonly #actions = new Set<string>();
  readonly #denied = new Map<string, string>();
  readonly #open = new Map<string, string>();

  add(action: string, { outcome, reason }: AwsDecision, by = ""): void {
    this.#actions.add(action);
    if (outcome === "denied") this.#denied.set(action, by + reason);
    if (outcome === "unknown") this.#open.set(action, by + reason);
  }

  answer(role: RoleFact, granted: readonly string[] | undefined): Answer {
    const [denied] = this.#denied;
    const evidence = evidenceOf(role, granted ?? []);
    if (denied)
      return broken(
        `the role may not ${named([...this.#denied.keys()])}, which is asked for: ${denied[1]}`,
        "grant what is asked for, to the letter; CredentialsRequests of another release ask for other actions",
        `is not authorized to perform: ${denied[0]}`,
        ...evidence,
      );
    const [open] = this.#open;
    if (open)
      return unknown(
        `whether the role may ${named([...this.#open.keys()])} cannot be told: ${open[1]}`,
        remedyOf(role),
        ...evidence,
      );
    return pass(`the role is granted all ${this.#actions.size} actions that are asked for`, ...evidence);
  }
}

/** What the policies allow, sorted; `undefined` where one was not read. */
function grantedInWords({ policies, perhaps }: RoleFact): readonly string[] | undefined {
  if (policies.length === 0 && perhaps.length > 0) return undefined;
  const words: string[] = [];
  for (const policy of policies) {
    const read = readPolicy(policy);
    if ("problem" in read) return undefined;
    words.push(...read.statements.filter(({ effect }) => effect === "Allow").map(inWords));
  }
  return [...new Set(words)].sort();
}

function inWords({ actions, resources, conditions }: Statement): string {
  const what = `${actions.negated ? "everything but " : ""}${actions.values.join(", ")}`;
  const on =
    resources === undefined
      ? "nothing"
      : `${resources.negated ? "everything but " : ""}${resources.values.join(", ")}`;
  return `${what} on ${on}${conditions.length === 0 ? "" : " under conditions"}`;
}

function where({ pathName, source }: RoleFact): Evidence {
  return seen(`IAM role ${pathName}`, source);
}

function evidenceOf(role: RoleFact, granted: readonly string[]): readonly Evidence[] {
  return [where(role), ...granted.map((words) => seen(words, undefined))];
}

function parsed(policy: string): unknown {
  // Text that is no JSON is for the evaluator to judge.
  try {
    return JSON.parse(policy);
  } catch {
    return policy;
  }
}
