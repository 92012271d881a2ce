/*
 * Who may read the objects of an S3 bucket without an IAM identity. Source: "Blocking public access to your Amazon S3
 * storage" in the S3 user guide; since April 2023 new buckets have all four settings on.
 */

import {
  type Known,
  type Reference,
  afterPrefix,
  is,
  isAbsent,
  joined,
  known,
  orElse,
  partsOf,
  referenceOf,
  same,
  textOf,
} from "../../model/known";
import { partitions } from "../../rules/aws/partitions";
import type { AwsDecision } from "../../rules/aws/policy/decide";
import { readPolicy } from "../../rules/aws/policy/policy";
import { decideOutsider } from "../../rules/aws/policy/permission";
import { resourceOf } from "../../rules/aws/policy/asked-resource";
import { type Answer, broken, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { StoredObject } from "../shared/object-store";
import { accountOf, partitionOf, sifted } from "./place";

export interface BucketReader {
  readonly who: string;
  /** The service of AWS; `undefined` for everyone. */
  readonly service: string | undefined;
  /** ARN of what the service reads for; `undefined` for everyone. */
  readonly arn: Known<string> | undefined;
}

/** A reader without credentials, over TLS. */
export const ANYONE: BucketReader = { who: "everyone", service: undefined, arn: undefined };

const BUCKET = "aws_s3_bucket";
const POLICY = "aws_s3_bucket_policy";
const BLOCK = "aws_s3_bucket_public_access_block";
const ACCOUNT_BLOCK = "aws_s3_account_public_access_block";
/** Attributes that hold a bucket's own host. */
const HOSTS: readonly string[] = ["bucket_regional_domain_name", "bucket_domain_name"];
const SCHEME = "https://";
const SUFFIXES = [...new Set(partitions.map(({ dnsSuffix }) => dnsSuffix.replaceAll(".", "\\.")))].join("|");
/** What follows the name of a bucket and `.s3`, or `https://s3`, in the hosts of S3. */
const REST_OF_HOST = new RegExp(`^[.-](?:[a-z0-9-]+\\.)*(?:${SUFFIXES})(?:/|$)`);

/** The settings that decide who may read the objects of a bucket without an IAM identity. */
export class Bucket {
  readonly isOwned: boolean;
  readonly #name: Known<string>;
  readonly #objects: ReadonlyMap<string, readonly StoredObject[]>;
  readonly #buckets: readonly Resource[];
  readonly #policies: readonly Resource[];
  readonly #blocks: readonly Resource[];
  readonly #accountBlocks: readonly Resource[];
  /** True if the bucket of some policy or block that was read is known only after apply. */
  readonly #isOpen: boolean;

  constructor(
    name: Known<string>,
    objects: ReadonlyMap<string, readonly StoredObject[]>,
    terraform: Terraform,
  ) {
    this.#name = name;
    this.#objects = objects;
    this.#buckets = terraform.ofType(BUCKET).filter((each) => same(each.attribute("bucket"), name) === "yes");
    this.isOwned = this.#buckets.some(({ adopted }) => !adopted);
    const [policies, blocks] = [POLICY, BLOCK].map((type) =>
      sifted(terraform.ofType(type), (each) => same(each.stated("bucket"), name)),
    );
    const inline = this.#buckets.filter((each) => !isAbsent(each.text("policy")));
    this.#policies = [...(policies?.certain ?? []), ...inline];
    this.#blocks = blocks?.certain ?? [];
    this.#isOpen = [policies, blocks].some((each) => (each?.perhaps ?? []).length > 0);
    this.#accountBlocks = terraform.ofType(ACCOUNT_BLOCK);
  }

  /** Whether the host of an origin is the bucket's. */
  hasHost(host: Known<string>): boolean {
    const { target, attribute = "" } = referenceOf(host) ?? {};
    if (HOSTS.includes(attribute)) return this.#buckets.some((each) => each === target);
    return this.nameAt(joined(SCHEME, host)) !== undefined;
  }

  /** The name of the object at an S3 URL of this bucket; `undefined` for other URLs. */
  nameAt(url: Known<string>): Known<string> | undefined {
    for (const bucket of this.#buckets)
      for (const attribute of HOSTS) {
        const path = below(joined(SCHEME, bucket.attribute(attribute)), url);
        if (path !== undefined) return known(path);
      }
    const virtual = restOfHost(afterPrefix(url, joined(SCHEME, this.#name, ".s3")));
    if (virtual !== undefined) return virtual;
    const path = restOfHost(afterPrefix(url, known(`${SCHEME}s3`)));
    const name = path === undefined ? undefined : below(this.#name, path);
    return name === undefined ? undefined : known(name);
  }

  /** What keeps a reader from an object; `undefined` if nothing is known to. */
  refusal(object: string, reader: BucketReader): Answer | undefined {
    if (reader.service === undefined) {
      const declared = this.#objects.get(object) ?? [];
      if (declared.some(({ acl }) => (orElse(acl, () => "") ?? "").startsWith("public-"))) return undefined;
      const blocked = this.#blocked();
      if (blocked) return blocked;
    }
    if (this.#policies.length > 0) return this.#policyAnswer(object, reader);
    if (!this.isOwned) return undefined;
    const reason = `the bucket has no policy that lets ${reader.who} read ${object}`;
    const where = this.#buckets.map(({ source }) => seen("bucket", source));
    return this.#isOpen ? unknown(reason, REMEDY, where) : broken(reason, REMEDY, undefined, where);
  }

  #policyAnswer(object: string, reader: BucketReader): Answer | undefined {
    const judged = this.#policies.map((resource) => ({
      resource,
      ...this.#decided(resource, object, reader),
    }));
    // A state knows values that its configuration does not know yet.
    const certain = judged.filter(({ outcome }) => outcome !== "unknown");
    const worst = certain.find(({ outcome }) => outcome === "denied") ?? certain[0] ?? judged[0];
    if (worst === undefined || worst.outcome === "allowed") return undefined;
    const where = seen("bucket policy", worst.resource.source);
    const words = `let ${reader.who} read ${object}: ${worst.reason}`;
    return worst.outcome === "denied"
      ? broken(`the bucket policy does not ${words}`, REMEDY, undefined, where)
      : unknown(`the bucket policy may not ${words}`, "see the bucket policy", where);
  }

  #decided(resource: Resource, object: string, { service, arn }: BucketReader): AwsDecision {
    const unsaid = this.#buckets.map((bucket) => referenceOf(partitionOf(bucket)));
    const policy = readPolicy(ofOnePartition(resource.stated("policy"), unsaid), "resource");
    const { outcome, reason } = decideOutsider(policy, {
      service,
      action: "s3:GetObject",
      resource: resourceOf(joined("arn:aws:s3:::", this.#name, `/${object}`)),
      context: { "aws:SecureTransport": "true", "aws:SourceArn": arn ?? null },
    });
    return { outcome, reason };
  }

  /** S3 takes the most restrictive combination of the settings of bucket and account. */
  #blocked(): Answer | undefined {
    const [block] = this.#blocks;
    const blocking = block
      ? restriction(block, "the bucket's public access block")
      : this.isOwned
        ? unknown("no public access block of the bucket was read; new buckets have one", OPEN_REMEDY)
        : undefined;
    const [bucket] = this.#buckets;
    const ofAccount = this.#accountBlocks
      .filter((each) => !bucket || same(accountOfBlock(each), accountOf(bucket)) !== "no")
      .map((each) => restriction(each, "the public access block of the account, if it is the bucket's,"))
      .map((answer) => answer && unknown(answer.reason, answer.remedy, answer.evidence));
    return obstacle([blocking, ...ofAccount]);
  }
}

function accountOfBlock(block: Resource): Known<string> {
  const isStated = !isAbsent(block.text("account_id"));
  return isStated ? block.stated("account_id") : accountOf(block);
}

const REMEDY = "let the bucket policy allow s3:GetObject on the discovery document and the keys";
const OPEN_REMEDY =
  "set block_public_policy and restrict_public_buckets to false in the public access blocks of the bucket and its account";

function restOfHost(rest: Known<string> | undefined): Known<string> | undefined {
  const [first, ...more] = (rest === undefined ? undefined : partsOf(rest)) ?? [];
  if (typeof first !== "string") return undefined;
  const [found] = REST_OF_HOST.exec(first) ?? [];
  return found === undefined ? undefined : textOf([first.slice(found.length), ...more]);
}

/** The policy with every S3 ARN written in one partition. */
function ofOnePartition(policy: Known<string>, unsaid: readonly (Reference | undefined)[]): Known<string> {
  const parts = partsOf(policy)?.map((part) => (unsaid.includes(part as Reference) ? "aws" : part));
  const whole = parts && partsOf(textOf(parts));
  const replaced = whole?.map((part) =>
    typeof part === "string" ? part.replace(/arn:aws-[a-z-]+:s3:::/g, "arn:aws:s3:::") : part,
  );
  return replaced ? textOf(replaced) : policy;
}

function restriction(block: Resource, what: string): Answer | undefined {
  const where = seen("public access block", block.source);
  const restricted = is(block.flag("restrict_public_buckets"), true);
  if (restricted === "yes")
    return broken(
      `${what} keeps everyone outside the account out (restrict_public_buckets)`,
      OPEN_REMEDY,
      undefined,
      where,
    );
  return restricted === "unknown" || is(block.flag("block_public_policy"), false) !== "yes"
    ? unknown(`${what} makes S3 refuse a public bucket policy, or may do so`, OPEN_REMEDY, where)
    : undefined;
}
