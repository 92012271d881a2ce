/*
 * A distribution before the issuer's documents. Source: "Restrict access to an Amazon S3 origin" and "Restrict viewer
 * access" in the CloudFront developer guide.
 */

import { checks } from "../../../../fixtures/explain/checks";
import { type Change, argument, configured, without } from "../../../../fixtures/explain/configuration";
import { workloadAt } from "../../../../fixtures/explain/issuer-hosts";

const ID = "issuer-trusted";
const BLOCK = "aws_s3_bucket_public_access_block";
const POLICY = "aws_s3_bucket_policy";
const CONTROL = "aws_cloudfront_origin_access_control";
const DISTRIBUTION = "aws_cloudfront_distribution";

type Block = Record<string, unknown>;

/** A change of the distribution, its only origin and its default behavior. */
function distribution(change: (values: Block, origin: Block, behavior: Block) => void): Change {
  return ({ resource }) => {
    for (const values of Object.values(resource[DISTRIBUTION] ?? {}))
      change(values, (values["origin"] as Block[])[0] ?? {}, values["default_cache_behavior"] as Block);
  };
}

const having = (more: Block) => configured(distribution((values) => void Object.assign(values, more)));
const origin = (more: Block): Change => distribution((_, values) => void Object.assign(values, more));
const behavior = (more: Block) =>
  configured(distribution((_v, _o, values) => void Object.assign(values, more)));
/** A behavior before the default one. */
const ordered = (path_pattern: string, target?: string) =>
  configured(
    distribution((values, _, byDefault) => {
      const target_origin_id = target ?? byDefault["target_origin_id"];
      values["ordered_cache_behavior"] = [{ ...byDefault, path_pattern, target_origin_id }];
    }),
  );
const withoutControl = distribution((_, values) => delete values["origin_access_control_id"]);
const unsigned = argument(CONTROL, { signing_behavior: "never" });
const everybody = {
  Version: "2012-10-17",
  Statement: [
    { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: "arn:aws:s3:::issuer-c1/*" },
  ],
};
const opened: Change = (all) => {
  argument(BLOCK, { restrict_public_buckets: false, block_public_policy: false })(all);
  argument(POLICY, { policy: JSON.stringify(everybody) })(all);
};
/** Another distribution, which is not the issuer's. */
const another: Change = ({ resource }) => {
  const [first = {}] = Object.values(resource[DISTRIBUTION] ?? {});
  Object.assign(resource[DISTRIBUTION] ?? {}, { other: { ...structuredClone(first), enabled: false } });
};
const KEEPS_OUT = "keeps everyone outside the account out";
const country = { geo_restriction: { restriction_type: "whitelist", locations: ["DE"] } };
const ORDERED = "how ordered_cache_behavior of";

checks(ID, "a distribution before the documents", workloadAt("CloudFront"), [
  ["as written", [], "pass"],
  ["not enabled", having({ enabled: false }), "fail", "is not enabled"],
  ["enabled by a variable", having({ enabled: "${var.on}" }), "unknown", "how enabled of"],
  ["another one that is not enabled", configured(another), "pass"],
  ["no identity", configured(withoutControl), "fail", KEEPS_OUT],
  ["no identity and no policy", configured(withoutControl, without(POLICY)), "fail", KEEPS_OUT],
  ["no identity before an open bucket", configured(withoutControl, opened), "pass"],
  ["requests unsigned", configured(unsigned), "fail", KEEPS_OUT],
  ["requests unsigned, open bucket", configured(unsigned, opened), "pass"],
  [
    "requests signed unless they are",
    configured(argument(CONTROL, { signing_behavior: "no-override" })),
    "pass",
  ],
  [
    "an identity of the older kind",
    configured(
      withoutControl,
      origin({ s3_origin_config: [{ origin_access_identity: "origin-access-identity/cloudfront/E1" }] }),
    ),
    "pass",
  ],
  [
    "another origin",
    configured(origin({ domain_name: "other.s3.eu-west-1.amazonaws.com" })),
    "unknown",
    "from an origin other than the bucket",
  ],
  ["one country", having({ restrictions: country }), "unknown", "how geo_restriction of"],
  ["signed URLs", behavior({ trusted_key_groups: ["k"] }), "unknown", "how trusted_key_groups of"],
  [
    "signers of a variable",
    behavior({ trusted_signers: "${var.signers}" }),
    "unknown",
    "how trusted_signers of",
  ],
  [
    "what a state writes where nothing is",
    configured(
      distribution((values, first, byDefault) => {
        Object.assign(values, { ordered_cache_behavior: [], web_acl_id: "", aliases: [] });
        Object.assign(first, { s3_origin_config: [], custom_origin_config: [], origin_path: "" });
        Object.assign(byDefault, { trusted_signers: [], trusted_key_groups: [], function_association: [] });
      }),
    ),
    "pass",
  ],
  ["a web ACL", having({ web_acl_id: "arn:aws:wafv2:a" }), "unknown", "how web_acl_id of"],
  [
    "a function",
    behavior({ function_association: [{ event_type: "viewer-request", function_arn: "arn:a" }] }),
    "unknown",
    "how function_association of",
  ],
  ["other paths from elsewhere", ordered("/api/*", "api"), "unknown", ORDERED],
  ["the keys from elsewhere", ordered("/keys.json", "api"), "unknown", ORDERED],
  ["a behavior of their own", ordered("*.json"), "unknown", ORDERED],
  ["behaviors by a variable", having({ ordered_cache_behavior: "${var.b}" }), "unknown"],
  ["no distribution", configured(without(DISTRIBUTION)), "unknown", "is not among what was read"],
]);
