/*
 * Distributions of CloudFront before a bucket with an issuer's documents.
 *
 * Source: "Restrict access to an Amazon S3 origin", "Restrict the geographic distribution of your content" and "Restrict
 * viewer access to a distribution" in the CloudFront developer guide; the arguments: terraform-provider-aws,
 * r/cloudfront_distribution and r/cloudfront_origin_access_control.
 */

import { matchesPattern } from "../../../rules/wildcard";
import { type Answer, broken, seen, unknown } from "../../answer";
import { type Json, own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { knownBlocks, listed } from "../../facts/terraform-values";
import { type StoreDoor, below } from "../object-stores";
import { ANYBODY, type BucketFacts, type BucketReader, bucketRefusal } from "./bucket-readers";

const TYPE = "aws_cloudfront_distribution";
const CONTROL = "aws_cloudfront_origin_access_control";
/** What may answer in the bucket's place, or ask for another object. */
const FUNCTIONS: readonly string[] = ["function_association", "lambda_function_association"];
/** Who may sign URLs, where only signed ones are answered. */
const SIGNERS: readonly string[] = ["trusted_key_groups", "trusted_signers"];
const REMEDY = "let the distribution serve the issuer's documents to everybody";

/** The doors that distributions are to a bucket; `isBucket` tells whether the host of an origin is the bucket's. */
export function distributionDoors(
  facts: BucketFacts,
  isBucket: (host: string) => boolean,
  terraform: Terraform,
): readonly StoreDoor[] {
  return terraform.ofType(TYPE).flatMap((distribution) => {
    const origin = originOf(distribution, isBucket, terraform);
    if (!origin) return [];
    const folder = resolved(origin, "origin_path", distribution, terraform).replace(/^\//, "");
    const reader = readerOf(distribution, origin, terraform);
    const id = resolved(origin, "origin_id", distribution, terraform);
    const bases = basesOf(distribution, terraform);
    return [
      {
        nameAt: (url: string) => {
          const path = bases.map((base) => below(base, url)).find((each) => each !== undefined);
          return path === undefined ? undefined : [folder, path].filter((each) => each !== "").join("/");
        },
        refusal: (object: string) => {
          const path = folder === "" ? object : object.slice(folder.length + 1);
          return (
            refusalOf(distribution, terraform) ??
            behaviorRefusal(distribution, path, id, terraform) ??
            (reader && bucketRefusal(facts, object, reader))
          );
        },
      },
    ];
  });
}

/** The origin that is the bucket; of several the one that serves what nothing else does. */
function originOf(
  distribution: TerraformResource,
  isBucket: (host: string) => boolean,
  terraform: Terraform,
): Json | undefined {
  const text = (block: Json, key: string): string => resolved(block, key, distribution, terraform);
  const { values } = distribution;
  const origins = (knownBlocks(values["origin"]) ?? []).filter((each) => isBucket(text(each, "domain_name")));
  const [behavior = {}] = knownBlocks(values["default_cache_behavior"]) ?? [];
  const usual = text(behavior, "target_origin_id");
  return origins.find((each) => text(each, "origin_id") === usual) ?? origins[0];
}

/** What is known of an issuer's URL that is no door to the bucket, although a document in it names that issuer. */
export function distributionBefore(url: string, terraform: Terraform): Answer | undefined {
  const serving = terraform
    .ofType(TYPE)
    .find((each) => !each.adopted && basesOf(each, terraform).some((base) => below(base, url) !== undefined));
  if (serving)
    return unknown(
      "the distribution serves the issuer's URL from another origin than the bucket with its documents, or may",
      "let its origin be the bucket",
      seen("distribution", serving.source),
    );
  const [, host = ""] = /^https:\/\/(\$\{[^}]*\baws_cloudfront_distribution\.[^}]+\})/.exec(url) ?? [];
  return host === "" || /[#.]data\./.test(host) || terraform.referred(host, "domain_name")
    ? undefined
    : unknown(
        "the distribution that serves the issuer's URL is not among what was read",
        "name the Terraform that declares it as well",
      );
}

function basesOf(distribution: TerraformResource, terraform: Terraform): readonly string[] {
  const aliases = listed(own(distribution.values, "aliases"));
  return [
    `https://${terraform.attribute(distribution, "domain_name")}`,
    ...aliases.map((alias) => `https://${terraform.resolve(alias, distribution.scope)}`),
  ];
}

function resolved(block: Json, key: string, { scope }: TerraformResource, terraform: Terraform): string {
  return terraform.resolve(String(own(block, key) ?? ""), scope);
}

/** Who the bucket sees; `undefined` for an identity of the older kind, which is let in in other ways. */
function readerOf(
  distribution: TerraformResource,
  origin: Json,
  terraform: Terraform,
): BucketReader | undefined {
  const id = resolved(origin, "origin_access_control_id", distribution, terraform);
  if (id !== "") {
    const control = terraform.ofType(CONTROL).find((each) => terraform.attribute(each, "id") === id);
    return control && terraform.text(control, "signing_behavior") === "never"
      ? ANYBODY
      : {
          who: "the distribution",
          service: "cloudfront.amazonaws.com",
          arn: terraform.attribute(distribution, "arn"),
        };
  }
  const older = knownBlocks(own(origin, "s3_origin_config"));
  const hasIdentity =
    older === undefined || older.some((each) => (own(each, "origin_access_identity") ?? "") !== "");
  return hasIdentity ? undefined : ANYBODY;
}

/** What keeps everybody from all that a distribution serves. */
function refusalOf(distribution: TerraformResource, terraform: Terraform): Answer | undefined {
  const { values, source } = distribution;
  const where = seen("distribution", source);
  const enabled = terraform.text(distribution, "enabled");
  if (enabled === "false") return broken("the distribution is not enabled", REMEDY, undefined, where);
  if (isLateText(enabled))
    return unknown("whether the distribution is enabled is known only after apply", REMEDY, where);
  const [restrictions = {}] = knownBlocks(values["restrictions"]) ?? [];
  const [geo = {}] = knownBlocks(own(restrictions, "geo_restriction")) ?? [];
  const restricted = resolved(geo, "restriction_type", distribution, terraform);
  if (restricted !== "" && restricted !== "none")
    return unknown(
      "the distribution serves some countries alone, and from where the cloud asks for the keys is not known",
      REMEDY,
      where,
    );
  return terraform.text(distribution, "web_acl_id") === ""
    ? undefined
    : unknown("what the web ACL of the distribution lets through was not read", REMEDY, where);
}

/** What the behavior for a path keeps from everybody, or takes from elsewhere. */
function behaviorRefusal(
  distribution: TerraformResource,
  path: string,
  origin: string,
  terraform: Terraform,
): Answer | undefined {
  const where = seen("distribution", distribution.source);
  const behavior = behaviorAt(distribution, path, terraform);
  if (behavior === undefined || resolved(behavior, "target_origin_id", distribution, terraform) !== origin)
    return unknown(
      `the distribution serves ${path} from another origin than the bucket, or may`,
      REMEDY,
      where,
    );
  const signers = SIGNERS.flatMap((key) => listed(own(behavior, key)));
  if (signers.some((each) => !isLateText(terraform.resolve(each, distribution.scope))))
    return broken(`the distribution serves ${path} at signed URLs alone`, REMEDY, undefined, where);
  if (signers.length > 0)
    return unknown(
      `whether the distribution serves ${path} at signed URLs alone is known only after apply`,
      REMEDY,
      where,
    );
  return FUNCTIONS.some((key) => knownBlocks(own(behavior, key))?.length !== 0)
    ? unknown(
        `what the functions of the distribution make of requests for ${path} was not read`,
        REMEDY,
        where,
      )
    : undefined;
}

/** The first behavior whose pattern covers a path, else the default one; `undefined` where that cannot be told. */
function behaviorAt(distribution: TerraformResource, path: string, terraform: Terraform): Json | undefined {
  const { values } = distribution;
  const ordered = knownBlocks(values["ordered_cache_behavior"]);
  if (ordered === undefined) return undefined;
  for (const behavior of ordered) {
    const pattern = resolved(behavior, "path_pattern", distribution, terraform).replace(/^\//, "");
    const covers = isLateText(pattern) ? undefined : matchesPattern(pattern, path);
    if (covers !== false) return covers === true ? behavior : undefined;
  }
  return knownBlocks(values["default_cache_behavior"])?.[0];
}
