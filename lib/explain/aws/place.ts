/*
 * The account, partition and region of a resource. If nothing states one of them, it is an unknown value shared by the
 * provider configuration, so that two resources of one Terraform provider are in one account, whichever that is.
 */

import { type Known, type Ternary, andThen, isKnown, known, match, orElse } from "../../model/known";
import { once, remembered } from "../../model/once";
import { type MarkedText, marked, unmarkedText } from "../../model/tree";
import { readArn, accountInArn } from "../../rules/aws/arn";
import { partitions } from "../../rules/aws/partitions";
import { ARN_PARTS, arnParts } from "../../rules/aws/policy/conditions";
import type { Block, Configuration, Resource } from "../read/block";
import type { ComputedAttribute } from "../read/terraform";
import { unstated } from "../shared/unstated";

interface Place {
  readonly account: Known<string>;
  readonly partition: Known<string>;
  readonly region: Known<string>;
}

const placesOf = once((_: Configuration) => new Map<string, Place>());

function placeOf(resource: Resource): Place {
  return remembered(placesOf(resource.scope), resource.providerKey, () => madePlace(resource));
}

function madePlace({ scope, provider, providerKey }: Resource): Place {
  const unsaid = (what: string): Known<string> => unstated(scope, `${what} of the provider ${providerKey}`);
  const region = andThen(provider.text("region"), (text) => (text ? known(text) : unsaid("region")));
  return {
    account: accountOfProvider(provider) ?? unsaid("account"),
    partition: match(region, partitionOfRegion, () => undefined) ?? unsaid("partition"),
    region,
  };
}

/** Blocks that say as whom a Terraform provider acts: the first kind that is written, and its last block. */
const ASSUMED: readonly string[] = ["assume_role", "assume_role_with_web_identity"];

/** The one account that a Terraform provider is limited to or assumes a role in; `undefined` for none or several. */
function accountOfProvider(provider: Block): Known<string> | undefined {
  const allowed = orElse(provider.list("allowed_account_ids"), () => []);
  const [only] = allowed;
  if (only !== undefined) return allowed.length === 1 && isKnown(only) ? only : undefined;
  const [role] = ASSUMED.flatMap((name) => orElse(provider.blocks(name), () => []).slice(-1));
  const arn = role && orElse(role.text("role_arn"), () => undefined);
  return arn === undefined ? undefined : literally(accountInArn(arn));
}

function partitionOfRegion(region: string): Known<string> | undefined {
  const partition = partitions.find(({ regionCodes }) => regionCodes.includes(region));
  return partition && known(partition.name);
}

function literally(field: string | undefined): Known<string> | undefined {
  return field === undefined ? undefined : known(field);
}

/** Attributes with the ARN of the resource itself, as a state holds them. */
const OWN_ARN: readonly string[] = ["arn", "association_arn", "access_entry_arn"];

function ownArn(resource: Resource): ReturnType<typeof readArn> {
  for (const name of OWN_ARN) {
    const arn = readArn(resource.written([name]));
    if (arn) return arn;
  }
  return undefined;
}

/**
 * The account in a resource's ARN, or of its registry in a state; else the one that its Terraform provider is limited to
 * or assumes a role in.
 */
export function accountOf(resource: Resource): Known<string> {
  const ids = [ownArn(resource)?.account, resource.scope.isLiteral && resource.written(["registry_id"])];
  const own = ids.find((each) => typeof each === "string" && /^\d{12}$/.test(each));
  return literally(own as string | undefined) ?? placeOf(resource).account;
}

/** The partition in a resource's ARN, or the one of its Terraform provider's region. */
export function partitionOf(resource: Resource): Known<string> {
  return literally(ownArn(resource)?.partition) ?? placeOf(resource).partition;
}

/** The region that a resource, its ARN or its Terraform provider states. */
export function regionOf(resource: Resource): Known<string> {
  const { region: own = "" } = ownArn(resource) ?? {};
  return andThen(resource.text("region"), (text) =>
    text || own ? known(text || own) : placeOf(resource).region,
  );
}

/** A text with marks for its references; empty if it is not known. */
export function markedParts(text: Known<string>): MarkedText {
  return orElse(marked(text), () => ({ text: "", parts: [] }));
}

/** The six fields of an ARN, the last possibly with colons; `undefined` if the text has fewer. */
export function arnFields(arn: Known<string>): readonly Known<string>[] | undefined {
  const { text, parts } = markedParts(arn);
  const fields = arnParts(text);
  return fields.length === ARN_PARTS ? fields.map((field) => unmarkedText(field, parts)) : undefined;
}

/** What follows the last slash of a text. */
export function lastSegment(text: Known<string>): Known<string> | undefined {
  const { text: written, parts } = markedParts(text);
  const at = written.lastIndexOf("/");
  return at < 0 ? undefined : unmarkedText(written.slice(at + 1), parts);
}

/** A value as the key of a map: its text, or the object of an unknown value that several resources share. */
export function identityOf(value: Known<string>): unknown {
  return match<string, unknown>(
    value,
    (text) => text,
    (why) => (why.kind === "apply" && why.parts.length === 1 ? why.parts[0] : value),
  );
}

let numbered = 0;
const numberOf = once(() => ++numbered);

/** Values and other objects as one text, equal for equal lists. */
export function memoryKey(...parts: readonly unknown[]): string {
  const identities = parts.map((part) => identityOf(part as Known<string>));
  return JSON.stringify(
    identities.map((each) => (typeof each === "object" && each !== null ? numberOf(each) : each)),
  );
}

/** Attributes of data sources that tell about their Terraform provider. */
export const placeAttributes: readonly ComputedAttribute[] = [
  { type: "aws_caller_identity", attribute: "account_id", value: accountOf },
  { type: "aws_partition", attribute: "partition", value: partitionOf },
  { type: "aws_region", attribute: "name", value: regionOf },
  { type: "aws_region", attribute: "region", value: regionOf },
];

export function sifted<T>(
  all: readonly T[],
  holds: (each: T) => Ternary,
): { readonly certain: readonly T[]; readonly perhaps: readonly T[] } {
  const judged = all.map((each) => ({ each, answer: holds(each) }));
  const of = (wanted: Ternary): readonly T[] =>
    judged.filter(({ answer }) => answer === wanted).map(({ each }) => each);
  return { certain: of("yes"), perhaps: of("unknown") };
}
