/*
 * Policies as Terraform declares them: documents, the data source aws_iam_policy_document, and AWS managed policies.
 */

import { grouped } from "../../model/grouped";
import {
  type Known,
  Reference,
  type Ternary,
  andThen,
  isKnown,
  joined,
  known,
  map,
  orElse,
  partsOf,
  same,
  shown,
  unread,
} from "../../model/known";
import { remembered } from "../../model/once";
import { at, record } from "../../model/parsed";
import {
  type Tree,
  changed,
  isTreeList,
  isTreeObject,
  parsedTree,
  plainOf,
  sameTree,
  treeAt,
  unmarkedText,
} from "../../model/tree";
import { type AwsManagedPolicy, awsManagedPolicy } from "../../rules/aws/managed-policies";
import type { Policy, PolicyKind, Statement, UnreadStatement } from "../../rules/aws/policy/document";
import { readPolicy } from "../../rules/aws/policy/policy";
import { managedCharactersMax } from "../../rules/aws/policy/refusals";
import { type Block, type Resource, referredResource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { computed } from "../shared/computed";
import { Recent } from "../shared/references";
import { accountOf, lastSegment, partitionOf, sifted } from "./place";

const MANAGED_TYPE = "aws_iam_policy";

export interface NamedPolicy {
  readonly policy: Policy;
  /** The resource that declares it; `undefined` if none was read. */
  readonly resource: Resource | undefined;
}

export class Documents {
  readonly #terraform: Terraform;
  readonly #read = new Map<string, Recent<string, Policy>>();
  readonly #managed = new Recent<string, NamedPolicy>();
  #byName: ReadonlyMap<string, readonly Resource[]> | undefined;

  constructor(terraform: Terraform) {
    this.#terraform = terraform;
  }

  /** The policy in a text; the same object for the same text. */
  ofText(text: Known<string>, kind: PolicyKind, max: number = Infinity): Policy {
    const read = (): Policy => readPolicy(text, kind, max);
    const literal = orElse(text, () => undefined);
    if (literal === undefined) return read();
    return remembered(this.#read, `${kind} ${max}`, () => new Recent<string, Policy>()).get(literal, read);
  }

  /** The policy of an ARN: an AWS managed policy, or one that Terraform declares. */
  ofArn(arn: Known<string>): NamedPolicy {
    const key = orElse(arn, () => undefined);
    const named = (): NamedPolicy => this.#ofArn(arn);
    return key === undefined ? named() : this.#managed.get(key, named);
  }

  #ofArn(arn: Known<string>): NamedPolicy {
    const managed = awsManagedPolicy(orElse(arn, () => undefined));
    const declared = this.#declared(arn);
    const first = declared.find((each) => isKnown(each.text("policy")));
    const resource = first ?? (managed ? undefined : declared[0]);
    // What was looked up or stated of a policy of AWS may be newer than what is known of it.
    if (resource === undefined) return { policy: notDeclared(arn, managed), resource };
    const text = resource.stated("policy");
    const isContested = declared.some((each) => samePolicy(each.stated("policy"), text) === "no");
    const policy: Policy = isContested
      ? { kind: "unread", why: `the policy ${shown(arn)} is declared twice, in different ways` }
      : this.ofText(text, "identity", managedCharactersMax);
    return { policy, resource };
  }

  /** A policy in an unknown account may be the one that an ARN means if no other has its name. */
  #declared(arn: Known<string>): readonly Resource[] {
    const referred = referredResource(arn, ["arn", "id"]);
    if (referred) return referred.type === MANAGED_TYPE ? [referred] : [];
    const name = orElse(lastSegment(arn) ?? arn, () => "");
    const named = this.#named().get(name) ?? [];
    const { certain, perhaps } = sifted(named, (each) => same(each.attribute("arn"), arn));
    if (certain.length > 0) return certain;
    const isOfAws = awsManagedPolicy(orElse(arn, () => undefined)) !== undefined;
    return perhaps.length === 1 && !isOfAws ? perhaps : [];
  }

  #named(): ReadonlyMap<string, readonly Resource[]> {
    return (this.#byName ??= grouped(this.#terraform.ofType(MANAGED_TYPE), (each) =>
      orElse(lastSegment(each.attribute("arn")) ?? each.attribute("name"), () => ""),
    ));
  }
}

/** What is known of a policy that is not declared. */
function notDeclared(arn: Known<string>, managed: AwsManagedPolicy | undefined): Policy {
  if (managed?.statements === undefined) return { kind: "unread", why: whyNotRead(arn, managed) };
  const policy = readPolicy({ Version: "2012-10-17", Statement: managed.statements }, "identity");
  if (policy.kind !== "read") return policy;
  const labelled = (each: Statement | UnreadStatement): Statement | UnreadStatement =>
    "unread" in each ? each : { ...each, label: `${each.label} of ${managed.label}` };
  return { kind: "read", statements: policy.statements.map(labelled) };
}

function whyNotRead(arn: Known<string>, managed: AwsManagedPolicy | undefined): string {
  if (managed?.path !== undefined)
    return `${shown(arn)} is not known to be a managed policy of AWS; ${managed.name} is at policy/${managed.path}`;
  if (managed !== undefined) return `what the AWS managed policy ${managed.name} allows is not known here`;
  return isKnown(arn)
    ? `the policy ${shown(arn)} is not declared in what was read`
    : `a policy that is known only after apply (${shown(arn)}) is not declared in what was read`;
}

/** The ARN of roles or policies, from Terraform provider, path and name. */
export function iamArn(kind: string, type: string): readonly ComputedAttribute[] {
  return computed(type, ["arn"], (resource) => {
    const path = map(resource.text("path"), (text) => text || "/");
    const head = joined("arn:", partitionOf(resource), ":iam::", accountOf(resource), `:${kind}`);
    return joined(head, path, resource.attribute("name"));
  });
}

export const policyArn: readonly ComputedAttribute[] = iamArn("policy", MANAGED_TYPE);

/**
 * Whether two texts are the same policy: a configuration and its state format it differently and order lists
 * differently. Unknown if a part is known only after apply.
 */
export function samePolicy(one: Known<string>, other: Known<string>): Ternary {
  const text = same(one, other);
  if (text === "yes") return text;
  const [first, second] = [parsedTree(one), parsedTree(other)];
  return isKnown(first) && isKnown(second) ? sameTree(sorted(first), sorted(second)) : text;
}

/** The tree with lists of texts sorted, and lists of one item replaced by the item. */
function sorted(tree: Tree): Tree {
  return andThen(tree, (value) => {
    if (isTreeObject(value)) return known(changed(value, sorted));
    if (!isTreeList(value)) return tree;
    if (value.length === 1) return sorted(treeAt(tree, 0));
    const texts = value.map((each) => orElse(each, () => undefined));
    const isOfTexts = texts.every((each) => typeof each === "string");
    return known(isOfTexts ? texts.sort().map((each) => known(each)) : value.map(sorted));
  });
}

/** `data.aws_iam_policy_document.<name>.json`; unknown if any part is, since any part could deny. */
export const policyDocumentJson: ComputedAttribute = {
  type: "aws_iam_policy_document",
  attribute: "json",
  value: (resource) => {
    if (OLDER.some((name) => resource.names.includes(name))) return undefined;
    const marks = new Marks();
    try {
      const Statement = marks.blocks(resource, "statement").map((each) => renderedStatement(each, marks));
      const Version = marks.text(resource.text("version")) || "2012-10-17";
      const sources = marks.documents(resource, "source_policy_documents");
      const overrides = marks.documents(resource, "override_policy_documents");
      const own = { Version, Statement };
      const isAlone = sources.length + overrides.length === 0;
      return marks.removed(JSON.stringify(isAlone ? own : merged(sources, own, overrides)));
    } catch (error) {
      if (error instanceof NotKnown) return undefined;
      throw error;
    }
  },
};

const OLDER: readonly string[] = ["source_json", "override_json"];

interface StatementText {
  readonly Sid?: unknown;
}

interface DocumentText {
  readonly Version?: unknown;
  readonly Statement: readonly StatementText[];
}

/**
 * A statement replaces an earlier one with its Sid; two with one Sid in the sources, or in the document itself, are refused.
 * Source: hashicorp/terraform-provider-aws, internal/service/iam, policy_document_data_source.go and policy_model.go.
 */
function merged(
  sources: readonly DocumentText[],
  own: DocumentText,
  overrides: readonly DocumentText[],
): DocumentText {
  const of = (documents: readonly DocumentText[]): readonly StatementText[] =>
    documents.flatMap(({ Statement }) => Statement);
  for (const each of [of(sources), own.Statement]) {
    const sids = each.flatMap(({ Sid }) => (Sid === undefined || Sid === "" ? [] : [Sid]));
    if (new Set(sids).size < sids.length) throw new NotKnown();
  }
  const Statement: StatementText[] = [];
  for (const each of of([...sources, own, ...overrides])) {
    const place = each.Sid ? Statement.findIndex(({ Sid }) => Sid === each.Sid) : -1;
    if (place < 0) Statement.push(each);
    else Statement[place] = each;
  }
  const [last = own] = overrides.filter(({ Version }) => Version !== undefined).slice(-1);
  return { Version: last.Version, Statement };
}

class NotKnown extends Error {}

function orThrow<T>(value: Known<T>): T {
  return orElse(value, () => {
    throw new NotKnown();
  });
}

/** Texts as JSON holds them, with a mark for each reference. */
class Marks {
  readonly #references: Reference[] = [];

  blocks(block: Block, name: string): readonly Block[] {
    return orThrow(block.blocks(name));
  }

  text(text: Known<string | undefined>): string {
    return (partsOf(text as Known<string>) ?? [new Reference("a value that is not known yet")])
      .map((part) =>
        typeof part === "object" ? `\ue000${this.#references.push(part) - 1}\ue001` : (part ?? ""),
      )
      .join("");
  }

  /** In this data source `&{…}` stands for a policy variable. */
  list(block: Block, name: string): readonly string[] {
    return orThrow(block.list(name)).map((item) => this.text(item).replaceAll("&{", "${"));
  }

  /** As {@link list}, for a list that has an item at least: one that is not known is an unknown item. */
  items(block: Block, name: string): readonly string[] {
    return isKnown(block.list(name)) ? this.list(block, name) : [this.text(unread(`${name} is not known`))];
  }

  /** Whole policies in a list of texts. */
  documents(block: Block, name: string): readonly DocumentText[] {
    return orThrow(block.list(name)).map((text) => {
      const { Version, Statement } = record(
        plainOf(parsedTree(text), (unknown) => this.text(unknown as Known<string>)),
      );
      const sids = Array.isArray(Statement) && JSON.stringify(Statement.map((each) => at(each, "Sid")));
      if (sids === false || !isKnown(this.removed(sids))) throw new NotKnown();
      return { Version, Statement: Statement as readonly StatementText[] };
    });
  }

  removed(json: string): Known<string> {
    return unmarkedText(json, this.#references);
  }
}

const LISTS = {
  actions: "Action",
  not_actions: "NotAction",
  resources: "Resource",
  not_resources: "NotResource",
} as const;

function renderedStatement(statement: Block, marks: Marks): object {
  const lists = Object.entries(LISTS).map(
    ([name, element]) => [element, marks.list(statement, name)] as const,
  );
  const [principals = [], excepted = [], conditions = []] = ["principals", "not_principals", "condition"].map(
    (name) => marks.blocks(statement, name),
  );
  return {
    Sid: marks.text(statement.text("sid")) || undefined,
    Effect: marks.text(statement.text("effect")) || "Allow",
    ...Object.fromEntries(lists.filter(([, values]) => values.length > 0)),
    ...(principals.length > 0 && { Principal: renderedPrincipals(principals, marks) }),
    ...(excepted.length > 0 && { NotPrincipal: renderedPrincipals(excepted, marks) }),
    ...(conditions.length > 0 && { Condition: renderedConditions(conditions, marks) }),
  };
}

function renderedPrincipals(rows: readonly Block[], marks: Marks): unknown {
  const byType: Record<string, readonly string[]> = {};
  for (const row of rows) {
    const type = marks.text(row.text("type"));
    if (type === "*") return "*";
    byType[type] = [...(byType[type] ?? []), ...marks.items(row, "identifiers")];
  }
  return byType;
}

function renderedConditions(conditions: readonly Block[], marks: Marks): unknown {
  const byTest: Record<string, Record<string, readonly string[]>> = {};
  for (const condition of conditions) {
    const keys = (byTest[marks.text(condition.text("test"))] ??= {});
    const key = marks.text(condition.text("variable"));
    keys[key] = [...(keys[key] ?? []), ...marks.items(condition, "values")];
  }
  return byTest;
}
