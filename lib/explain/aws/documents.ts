/*
 * Policies as Terraform declares them, and the managed ones of AWS.
 */

import {
  type Known,
  type Ternary,
  and,
  isKnown,
  joined,
  map,
  orElse,
  partsOf,
  same,
  shown,
  unread,
} from "../../model/known";
import {
  type Tree,
  type TreeObject,
  entriesOf,
  isTreeList,
  isTreeObject,
  listAt,
  parsedTree,
} from "../../model/tree";
import type { Policy, PolicyKind } from "../../rules/aws/policy/document";
import { readPolicy } from "../../rules/aws/policy/policy";
import { managedCharactersMax } from "../../rules/aws/policy/refusals";
import { type Resource, referredResource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { accountOf, lastSegment, partitionOf } from "./place";

/** What to do about a policy that was not read. */
export const UNREAD_REMEDY =
  "name the Terraform that declares it as well; what a managed policy of AWS says, the IAM console tells";

const PULL: readonly string[] = [
  "ecr:GetAuthorizationToken",
  "ecr:BatchGetImage",
  "ecr:GetDownloadUrlForLayer",
];
const PUBLIC: readonly string[] = ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"];

/**
 * Managed policies of AWS, cut down to what pulls need. Source: AWS managed policy reference. None of them denies.
 */
const MANAGED: ReadonlyMap<string, readonly string[]> = new Map([
  ["AmazonEC2ContainerRegistryPullOnly", [...PULL, "ecr:BatchImportUpstreamImage"]],
  ["AmazonEC2ContainerRegistryReadOnly", PULL],
  ["AmazonEC2ContainerRegistryPowerUser", PULL],
  ["AmazonEC2ContainerRegistryFullAccess", ["ecr:*"]],
  ["AmazonElasticContainerRegistryPublicReadOnly", PUBLIC],
  ["AmazonElasticContainerRegistryPublicPowerUser", PUBLIC],
  ["AmazonElasticContainerRegistryPublicFullAccess", PUBLIC],
]);

const MANAGED_ARN = /^arn:[a-z-]+:iam::aws:policy\/(?:service-role\/)?([\w-]+)$/;
const MANAGED_TYPE = "aws_iam_policy";

/** A policy that an ARN names. */
export interface NamedPolicy {
  /** The policy. */
  readonly policy: Policy;
  /** Where Terraform declares it; `undefined` where it does not. */
  readonly resource: Resource | undefined;
}

/** The policies of all documents, each read once. */
export class Documents {
  readonly #terraform: Terraform;
  /** By kind and length, and by text. */
  readonly #read = new Map<string, Map<string, Policy>>();
  readonly #managed = new Map<unknown, NamedPolicy>();
  #byName: Map<string, Resource[]> | undefined;

  constructor(terraform: Terraform) {
    this.#terraform = terraform;
  }

  /** The policy of a text; the same object for the same text. */
  ofText(text: Known<string>, kind: PolicyKind, max: number = Infinity): Policy {
    const read = this.#read.get(max + kind) ?? new Map<string, Policy>();
    this.#read.set(max + kind, read);
    const literal = orElse(text, () => undefined);
    const made = (literal === undefined ? undefined : read.get(literal)) ?? readPolicy(text, kind, max);
    if (literal !== undefined) read.set(literal, made);
    return made;
  }

  /** The policy of an ARN: one of AWS's own, or one that Terraform declares. */
  ofArn(arn: Known<string>): NamedPolicy {
    const key = orElse(arn, () => undefined);
    const before = key === undefined ? undefined : this.#managed.get(key);
    const found = before ?? this.#ofArn(arn);
    if (key !== undefined) this.#managed.set(key, found);
    return found;
  }

  #ofArn(arn: Known<string>): NamedPolicy {
    const [, name] = MANAGED_ARN.exec(orElse(arn, () => "")) ?? [];
    const actions = name === undefined ? undefined : MANAGED.get(name);
    if (actions !== undefined)
      return {
        policy: readPolicy(
          {
            Version: "2012-10-17",
            Statement: [{ Sid: name, Effect: "Allow", Action: actions, Resource: "*" }],
          },
          "identity",
        ),
        resource: undefined,
      };
    const declared = this.#declared(arn);
    const resource = declared.find((each) => isKnown(each.text("policy"))) ?? declared[0];
    if (resource === undefined)
      return { policy: { kind: "unread", why: notDeclared(arn, name) }, resource: undefined };
    const text = resource.stated("policy");
    const isContested = declared.some((each) => samePolicy(each.stated("policy"), text) === "no");
    const policy: Policy = isContested
      ? { kind: "unread", why: `the policy ${shown(arn)} is declared twice, in different ways` }
      : this.ofText(text, "identity", managedCharactersMax);
    return { policy, resource };
  }

  /** A policy whose account is not known may be the one that is meant, where it is the only one of its name. */
  #declared(arn: Known<string>): readonly Resource[] {
    const referred = referredResource(arn, ["arn", "id"]);
    if (referred) return referred.type === MANAGED_TYPE ? [referred] : [];
    const name = lastSegment(arn);
    const literal = name && orElse(name, () => undefined);
    const named = literal === undefined ? [] : (this.#named().get(literal) ?? []);
    const judged = named.map((each) => [each, same(each.attribute("arn"), arn)] as const);
    const certain = judged.filter(([, isIt]) => isIt === "yes").map(([each]) => each);
    const perhaps = judged.filter(([, isIt]) => isIt === "unknown").map(([each]) => each);
    if (certain.length > 0) return certain;
    return perhaps.length === 1 ? perhaps : [];
  }

  #named(): Map<string, Resource[]> {
    if (this.#byName) return this.#byName;
    this.#byName = new Map();
    for (const resource of this.#terraform.ofType(MANAGED_TYPE)) {
      const name = orElse(lastSegment(resource.attribute("arn")) ?? resource.attribute("name"), () => "");
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), resource]);
    }
    return this.#byName;
  }
}

function notDeclared(arn: Known<string>, managed: string | undefined): string {
  if (managed !== undefined) return `what the managed policy ${managed} of AWS says is not known here`;
  return isKnown(arn)
    ? `the policy ${shown(arn)} is not declared in what was read`
    : `a policy that is known only after apply (${shown(arn)}) is not declared in what was read`;
}

/** The ARN of a role or policy, from provider, path and name; `undefined` where one of them is not read. */
export function iamArn(kind: string, resource: Resource, name: Known<string>): Known<string> | undefined {
  const path = map(resource.text("path"), (text) => (text === undefined || text === "" ? "/" : text));
  const arn = joined("arn:", partitionOf(resource), ":iam::", accountOf(resource), `:${kind}`, path, name);
  return partsOf(arn) === undefined ? undefined : arn;
}

/** `arn` of a managed policy. */
export const policyArn: ComputedAttribute = {
  type: MANAGED_TYPE,
  attribute: "arn",
  value: (resource) => iamArn("policy", resource, resource.attribute("name")),
};

/**
 * Whether two texts are one policy: a configuration and its state write it differently, and list its texts in another
 * order. Not known where only apply tells a part of it.
 */
export function samePolicy(one: Known<string>, other: Known<string>): Ternary {
  const text = same(one, other);
  if (text === "yes" || !partsOf(one) || !partsOf(other)) return text;
  const trees = [parsedTree(one), parsedTree(other)] as const;
  return trees.every(isKnown) ? sameTree(...trees) : text;
}

function sameTree(one: Tree, other: Tree): Ternary {
  const [a, b] = [one, other].map((each) => orElse(each, () => undefined));
  if (a === undefined || b === undefined) return same(one as Known<string>, other as Known<string>);
  if (isTreeList(a) || isTreeList(b)) return sameList(one, other);
  if (!isTreeObject(a) || !isTreeObject(b)) return same(one as Known<string>, other as Known<string>);
  const [rows, others] = [a, b].map(sortedEntries);
  if (rows?.length !== others?.length) return "no";
  return and(
    ...(rows ?? []).flatMap(([key, child], place) => {
      const [name, value] = others?.[place] ?? [];
      return name === undefined || value === undefined ? [] : [same(key, name), sameTree(child, value)];
    }),
  );
}

function sortedEntries(value: TreeObject): readonly (readonly [Known<string>, Tree])[] {
  return [...entriesOf(value)].sort(([one], [other]) => (shown(one) < shown(other) ? -1 : 1));
}

function sameList(one: Tree, other: Tree): Ternary {
  const [items, others] = [one, other].map((each) => [...orElse(listAt(each), () => [])].sort(byText));
  if (items?.length !== others?.length) return "no";
  return and(...(items ?? []).map((item, place) => sameTree(item, others?.[place] ?? unread("nothing"))));
}

/** Only the order of texts says nothing. */
function byText(one: Tree, other: Tree): number {
  const [a, b] = [one, other].map((each) => orElse(each, () => undefined));
  return typeof a === "string" && typeof b === "string" ? (a < b ? -1 : a > b ? 1 : 0) : 0;
}
