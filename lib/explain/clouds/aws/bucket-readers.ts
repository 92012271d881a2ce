/*
 * Who may read the objects of a bucket without an identity of IAM.
 *
 * Source: "Blocking public access to your Amazon S3 storage" in the S3 user guide; since April 2023 new buckets have all
 * four settings on.
 */

import type { AwsDecision } from "../../../rules/aws/evaluate/decide";
import { evaluateAwsOutsider } from "../../../rules/aws/evaluate/evaluate-outsider";
import { type Answer, type Evidence, broken, seen, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { keptReference, switched } from "../../facts/terraform-values";
import type { StoreContent } from "../object-stores";
import { accountOf } from "./account-of";

/** What is known of a bucket. */
export interface BucketFacts extends StoreContent {
  /** Its name, late where only apply tells it. */
  readonly name: string;
  /** The bucket as it is declared or looked up. */
  readonly buckets: readonly TerraformResource[];
  /** True where Terraform makes it. */
  readonly isOwned: boolean;
  /** Its policies, with evidence of each. */
  readonly policies: readonly BucketPolicy[];
  /** Its public access blocks. */
  readonly blocks: readonly TerraformResource[];
  /** Public access blocks of whole accounts: its own, or perhaps its own. */
  readonly accountBlocks: readonly AccountBlock[];
  /** True where a policy or block was read whose bucket only apply tells. */
  readonly isOpen: boolean;
}

/** A public access block of an account. */
interface AccountBlock {
  readonly block: TerraformResource;
  /** True where the bucket certainly is in that account. */
  readonly isOwn: boolean;
}

/** A policy of a bucket. */
interface BucketPolicy {
  readonly text: string;
  readonly where: Evidence;
}

/** Who reads. */
export interface BucketReader {
  /** For people. */
  readonly who: string;
  /** The service of AWS; `undefined` for everybody. */
  readonly service: string | undefined;
  /** ARN of what the service reads for; `undefined` for everybody. */
  readonly arn: string | undefined;
}

/** Somebody without credentials, by TLS. */
export const ANYBODY: BucketReader = { who: "everybody", service: undefined, arn: undefined };

const POLICY = "aws_s3_bucket_policy";
const BLOCK = "aws_s3_bucket_public_access_block";
const ACCOUNT_BLOCK = "aws_s3_account_public_access_block";
const LOG_REMEDY = "let the policy of the bucket allow s3:GetObject on discovery document and keys";
const STAND_IN = "known-after-apply";
const DISTRIBUTION = `arn:aws:cloudfront::000000000000:distribution/${STAND_IN}`;

/** Reads what bears on one bucket. */
export function bucketFacts(
  name: string,
  nameOf: (resource: TerraformResource) => string,
  objects: StoreContent["objects"],
  terraform: Terraform,
): BucketFacts {
  const of = (type: string): readonly TerraformResource[] =>
    terraform.ofType(type).filter((resource) => nameOf(resource) === name);
  const buckets = terraform
    .ofType("aws_s3_bucket")
    .filter((each) => terraform.attribute(each, "bucket") === name);
  const policies = [...of(POLICY), ...buckets.filter((bucket) => terraform.text(bucket, "policy") !== "")];
  const others = [POLICY, BLOCK].flatMap((type) => terraform.ofType(type)).map(nameOf);
  return {
    name,
    objects,
    buckets,
    isOwned: buckets.some(({ adopted }) => !adopted),
    policies: policies.map((resource) => ({
      text: named(terraform.text(resource, "policy"), name, buckets),
      where: seen("bucket policy", resource.source),
    })),
    blocks: of(BLOCK),
    accountBlocks: accountBlocks(buckets[0], terraform),
    isOpen: others.some((other) => other !== name && isLateText(other)),
  };
}

function accountBlocks(bucket: TerraformResource | undefined, terraform: Terraform): readonly AccountBlock[] {
  const account = bucket && accountOf(bucket);
  return terraform.ofType(ACCOUNT_BLOCK).flatMap((block): readonly AccountBlock[] => {
    const stated = terraform.text(block, "account_id");
    const own = stated === "" ? accountOf(block) : isLateText(stated) ? "" : stated;
    const isBeside = stated === "" && bucket?.scope === block.scope && bucket.provider === block.provider;
    if (isBeside || (account !== "" && account === own)) return [{ block, isOwn: true }];
    return account && own !== "" ? [] : [{ block, isOwn: false }];
  });
}

/** The policy with the bucket's references replaced, and with the ARNs of S3 as of one partition. */
function named(policy: string, name: string, buckets: readonly TerraformResource[]): string {
  const plain = isLateText(name) ? STAND_IN : name;
  return buckets
    .reduce((text, { scope, address }) => {
      const kept = (attribute: string): string => keptReference(scope.id, address, attribute);
      return text
        .replaceAll(kept("arn"), `arn:aws:s3:::${plain}`)
        .replaceAll(kept("id"), plain)
        .replaceAll(kept("bucket"), plain);
    }, policy)
    .replace(/arn:aws-[a-z-]+:s3:::/g, "arn:aws:s3:::");
}

/** What keeps somebody from reading an object; `undefined` where nothing is known to. */
export function bucketRefusal(facts: BucketFacts, object: string, reader: BucketReader): Answer | undefined {
  const { isOwned, isOpen, policies, buckets } = facts;
  if (reader.service === undefined) {
    const declared = facts.objects.get(object) ?? [];
    if (declared.some(({ acl }) => acl.startsWith("public-"))) return undefined;
    const blocked = blockedAnswer(facts);
    if (blocked) return blocked;
  }
  if (policies.length === 0) {
    if (!isOwned) return undefined;
    const reason = `the bucket has no policy that lets ${reader.who} read ${object}`;
    const where = buckets.map(({ source }) => seen("bucket", source));
    return isOpen ? unknown(reason, LOG_REMEDY, ...where) : broken(reason, LOG_REMEDY, undefined, ...where);
  }
  return policyAnswer(policies, facts.name, object, reader);
}

function policyAnswer(
  policies: readonly BucketPolicy[],
  bucket: string,
  object: string,
  reader: BucketReader,
): Answer | undefined {
  const judged = policies.map(({ text, where }) => ({ where, ...decision(text, bucket, object, reader) }));
  // A state tells what its configuration does not know yet.
  const certain = judged.filter(({ outcome }) => outcome !== "unknown");
  const worst = certain.find(({ outcome }) => outcome === "denied") ?? certain[0] ?? judged[0];
  if (worst === undefined || worst.outcome === "allowed") return undefined;
  const reason = `the bucket policy does not let ${reader.who} read ${object}: ${worst.reason}`;
  return worst.outcome === "denied"
    ? broken(reason, LOG_REMEDY, undefined, worst.where)
    : unknown(
        `whether the bucket policy lets ${reader.who} read ${object} cannot be told: ${worst.reason}`,
        "see the bucket policy",
        worst.where,
      );
}

function decision(
  policy: string,
  bucket: string,
  object: string,
  { service, arn }: BucketReader,
): AwsDecision {
  const isLate = arn !== undefined && isLateText(arn);
  return evaluateAwsOutsider(isLate ? policy.replaceAll(arn, DISTRIBUTION) : policy, {
    ...(service === undefined ? {} : { service }),
    action: "s3:GetObject",
    resource: `arn:aws:s3:::${isLateText(bucket) ? STAND_IN : bucket}/${object}`,
    context: { "aws:SecureTransport": "true", "aws:SourceArn": (isLate ? DISTRIBUTION : arn) ?? null },
  });
}

const OPEN_REMEDY =
  "declare the blocks of the public bucket and its account with block_public_policy and restrict_public_buckets false";

function blockedAnswer(facts: BucketFacts): Answer | undefined {
  const answers = [ownBlockAnswer(facts), ...facts.accountBlocks.map(accountBlockAnswer)];
  // S3 takes the most restrictive combination of both.
  return obstacle(answers);
}

function ownBlockAnswer({ blocks, isOwned }: BucketFacts): Answer | undefined {
  const [block] = blocks;
  if (block) return restrictionAnswer(block, "the bucket's public access block");
  return isOwned
    ? unknown("no public access block of the bucket was read, and S3 closes new buckets", OPEN_REMEDY)
    : undefined;
}

function accountBlockAnswer({ block, isOwn }: AccountBlock): Answer | undefined {
  const answer = restrictionAnswer(block, "the account's public access block");
  return isOwn || answer === undefined
    ? answer
    : unknown(`${answer.reason}, if the bucket is of that account`, answer.remedy, ...answer.evidence);
}

function restrictionAnswer(block: TerraformResource, what: string): Answer | undefined {
  const where = seen("public access block", block.source);
  const restricted = switched(block.values["restrict_public_buckets"]);
  if (restricted === true)
    return broken(
      `${what} lets nobody in from outside (restrict_public_buckets)`,
      OPEN_REMEDY,
      undefined,
      where,
    );
  return restricted === undefined || switched(block.values["block_public_policy"]) !== false
    ? unknown(`${what} lets S3 refuse a public bucket policy, or may`, OPEN_REMEDY, where)
    : undefined;
}
