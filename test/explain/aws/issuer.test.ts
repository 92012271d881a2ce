/*
 * Documents of issuers in buckets of S3, and distributions of CloudFront before them.
 * Source: OpenID Connect Discovery 1.0, sections 4.1 and 4.3; "Blocking public access to your Amazon S3 storage" in the
 * S3 user guide.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import type { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { IssuerBucket, awsAccess, workloadRoles } from "../../../lib/cloud/aws";
import type { Answer } from "../../../lib/explain/answer";
import { WorkloadAccess } from "../../../lib/synth";
import {
  type Configuration,
  TERRAFORM,
  WORKLOAD,
  publicKey,
  withTerraform,
} from "../../fixtures/explain/access";
import { type Artefacts, synthesizedStack } from "../../fixtures/explain/artefacts";
import { aws, puller } from "./read";

const place = { account: "111122223333", region: "eu-west-1" } as const;
const keys = [{ publicKey, use: "current" }] as const;

type Edit = (configuration: Configuration) => void;

function onAws(
  declare: (stack: TerraformStack) => IssuerBucket,
  { region, account } = place as { region: string; account: string },
): Artefacts {
  return synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region, allowedAccountIds: [account] });
    const may = awsAccess({
      statements: [{ Effect: "Allow", Action: ["sqs:ListQueues"], Resource: "*" }],
    });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer: declare(stack) },
      workloads: [{ serviceAccount: WORKLOAD, may }],
      identities: [workloadRoles({ account, region })],
    });
  });
}

const ARTEFACTS = {
  "S3, public": onAws(
    (stack) =>
      new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", ...place, keys, access: "public" }),
  ),
  CloudFront: onAws(
    (stack) => new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", ...place, keys }),
  ),
} as const;

type Host = keyof typeof ARTEFACTS;

/** Whether AWS trusts the issuer of the role's OIDC provider. */
function trusted(artefacts: Artefacts, ...states: readonly object[]): Answer {
  const configuration = JSON.parse(artefacts.get(TERRAFORM) ?? "") as Configuration;
  const read = aws(configuration, ...states);
  const first = (type: string): string =>
    `${type}.${Object.keys(configuration.resource[type] ?? {})[0] ?? ""}`;
  const arn = read.text(`\${${first("aws_iam_role")}.arn}`);
  return puller(read, arn, read.text(`\${${first("aws_iam_openid_connect_provider")}.url}`)).trust.issuer;
}

/** The key set or the discovery document changed; `undefined` takes it away. */
function documents(isKeys: boolean, change: (text: string) => string | undefined): Edit {
  return (configuration) => {
    const objects = configuration.resource["aws_s3_object"] ?? {};
    const locals = (configuration as unknown as { locals?: Record<string, string> }).locals ?? {};
    for (const [id, object] of Object.entries(objects)) {
      if (String(object["key"]).endsWith("openid-configuration") === isKeys) continue;
      const local = /^\$\{local\.(.+)\}$/.exec(String(object["content"]))?.[1];
      const text = change(local === undefined ? String(object["content"]) : (locals[local] ?? ""));
      if (text === undefined) delete objects[id];
      else object["content"] = text;
    }
  };
}

/** An argument of every resource of a type. */
function argument(type: string, values: object): Edit {
  return ({ resource }) => {
    for (const each of Object.values(resource[type] ?? {})) Object.assign(each, values);
  };
}

function without(type: string): Edit {
  return ({ resource }) => {
    if (resource[type] === undefined) throw new Error(`no ${type}`);
    delete resource[type];
  };
}

describe.each(Object.keys(ARTEFACTS) as Host[])("an issuer in %s", (host) => {
  const asked = (edit: Edit): Answer => trusted(withTerraform(ARTEFACTS[host], edit));

  it("is trusted as it is written", () => {
    expect(trusted(ARTEFACTS[host]).status).toBe("pass");
  });

  it.each([
    ["an empty key set", true, () => '{"keys":[]}', "are an empty list"],
    ["a missing key set", true, () => undefined, "is missing: nothing declares"],
    ["a missing discovery document", false, () => undefined, "is missing: nothing declares"],
    [
      "keys at a path where none are",
      false,
      (text: string) => text.replace(/(keys\.json|openid\/v1\/jwks)"/, 'other"'),
      "is missing: nothing declares other",
    ],
  ])("is not with %s", (_, isKeys, change, reason) => {
    expect(asked(documents(isKeys, change))).toMatchObject({
      status: "fail",
      reason: expect.stringContaining(reason) as string,
    });
  });

  it("cannot be told where Terraform leaves the documents as they are", () => {
    const kept = argument("aws_s3_object", { lifecycle: { ignore_changes: ["content"] } });
    const empty = documents(true, () => '{"keys":[]}');
    const status = asked((configuration) => {
      kept(configuration);
      empty(configuration);
    }).status;
    expect(status).toBe("unknown");
  });
});

const BLOCK = "aws_s3_bucket_public_access_block";
const POLICY = "aws_s3_bucket_policy";
const deny = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "*" }],
};

describe("documents that no one may read", () => {
  const rows: readonly [why: string, host: Host, edit: Edit, status: string][] = [
    ["block of the bucket", "S3, public", argument(BLOCK, { restrict_public_buckets: true }), "fail"],
    ["block of policies", "S3, public", argument(BLOCK, { block_public_policy: true }), "unknown"],
    ["no block, which S3 makes", "S3, public", without(BLOCK), "unknown"],
    ["no policy", "S3, public", without(POLICY), "fail"],
    ["denial", "S3, public", argument(POLICY, { policy: JSON.stringify(deny) }), "fail"],
    ["no policy for the distribution", "CloudFront", without(POLICY), "fail"],
    [
      "the block is the distribution's",
      "CloudFront",
      argument(BLOCK, { restrict_public_buckets: true }),
      "pass",
    ],
    [
      "policy for another distribution",
      "CloudFront",
      ({ resource }) => {
        for (const each of Object.values(resource[POLICY] ?? {}))
          each["policy"] = String(each["policy"]).replace(
            /\$\{[^}]*\.arn\}/,
            "arn:aws:cloudfront::1:distribution/A",
          );
      },
      "fail",
    ],
  ];

  it.each(rows)("%s (%s)", (_why, host, edit, status) => {
    expect(trusted(withTerraform(ARTEFACTS[host], edit)).status).toBe(status);
  });
});

const CONTROL = "aws_cloudfront_origin_access_control";
const DISTRIBUTION = "aws_cloudfront_distribution";
type Block = Record<string, unknown>;

/** A change of the distribution's only origin and of its behavior. */
function distribution(change: (values: Block, origin: Block, behavior: Block) => void): Edit {
  return ({ resource }) => {
    for (const values of Object.values(resource[DISTRIBUTION] ?? {}))
      change(values, (values["origin"] as Block[])[0] ?? {}, values["default_cache_behavior"] as Block);
  };
}

function both(...edits: readonly Edit[]): Edit {
  return (configuration) => edits.forEach((edit) => edit(configuration));
}

const withoutControl = distribution((_, origin) => delete origin["origin_access_control_id"]);
const everyone = {
  Version: "2012-10-17",
  Statement: [
    { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: "arn:aws:s3:::issuer-c1/*" },
  ],
};
const opened = both(
  argument(BLOCK, { restrict_public_buckets: false, block_public_policy: false }),
  argument(POLICY, { policy: JSON.stringify(everyone) }),
);

/** A behavior before the default one. */
function ordered(path_pattern: string, target?: string): Edit {
  return distribution((values, _, behavior) => {
    const target_origin_id = target ?? behavior["target_origin_id"];
    values["ordered_cache_behavior"] = [{ ...behavior, path_pattern, target_origin_id }];
  });
}

// "Restrict access to an Amazon S3 origin" and "Restrict viewer access" in the CloudFront developer guide.
describe("a distribution before the documents", () => {
  it.each<[string, Edit, string, string]>([
    ["not enabled", distribution((values) => (values["enabled"] = false)), "fail", "is not enabled"],
    [
      "enabled by a variable",
      distribution((values) => (values["enabled"] = "${var.on}")),
      "unknown",
      "after apply",
    ],
    ["no identity", withoutControl, "fail", "lets no one in from outside"],
    [
      "no identity and no policy",
      both(withoutControl, without(POLICY)),
      "fail",
      "lets no one in from outside",
    ],
    ["no identity before an open bucket", both(withoutControl, opened), "pass", ""],
    [
      "requests unsigned",
      argument(CONTROL, { signing_behavior: "never" }),
      "fail",
      "lets no one in from outside",
    ],
    [
      "requests unsigned, open bucket",
      both(argument(CONTROL, { signing_behavior: "never" }), opened),
      "pass",
      "",
    ],
    ["requests signed unless they are", argument(CONTROL, { signing_behavior: "no-override" }), "pass", ""],
    [
      "an identity of the older kind",
      both(
        withoutControl,
        distribution((_, origin) => {
          origin["s3_origin_config"] = [{ origin_access_identity: "origin-access-identity/cloudfront/E1" }];
        }),
      ),
      "pass",
      "",
    ],
    [
      "another origin",
      distribution((_, origin) => (origin["domain_name"] = "other.s3.eu-west-1.amazonaws.com")),
      "unknown",
      "from another origin than the bucket",
    ],
    [
      "one country",
      distribution((values) => {
        values["restrictions"] = { geo_restriction: { restriction_type: "whitelist", locations: ["DE"] } };
      }),
      "unknown",
      "some countries alone",
    ],
    [
      "signed URLs",
      distribution((_v, _o, behavior) => (behavior["trusted_key_groups"] = ["k"])),
      "fail",
      "at signed URLs alone",
    ],
    [
      "signers of a variable",
      distribution((_v, _o, behavior) => (behavior["trusted_signers"] = "${var.signers}")),
      "unknown",
      "known only after apply",
    ],
    [
      "what a state writes where nothing is",
      distribution((values, origin, behavior) => {
        Object.assign(values, { ordered_cache_behavior: [], web_acl_id: "", aliases: [] });
        Object.assign(origin, { s3_origin_config: [], custom_origin_config: [], origin_path: "" });
        Object.assign(behavior, { trusted_signers: [], trusted_key_groups: [], function_association: [] });
      }),
      "pass",
      "",
    ],
    ["a web ACL", distribution((values) => (values["web_acl_id"] = "arn:aws:wafv2:a")), "unknown", "web ACL"],
    [
      "a function",
      distribution((_v, _o, behavior) => {
        behavior["function_association"] = [{ event_type: "viewer-request", function_arn: "arn:a" }];
      }),
      "unknown",
      "the functions of the distribution",
    ],
    ["other paths from elsewhere", ordered("/api/*", "api"), "pass", ""],
    [
      "the keys from elsewhere",
      ordered("/keys.json", "api"),
      "unknown",
      "serves keys.json from another origin",
    ],
    ["a behavior of their own", ordered("*.json"), "pass", ""],
    [
      "behaviors by a variable",
      distribution((values) => (values["ordered_cache_behavior"] = "${var.b}")),
      "unknown",
      "",
    ],
    ["the distribution missing", without(DISTRIBUTION), "unknown", "is not among what was read"],
  ])("%s", (_, edit, status, reason) => {
    expect(trusted(withTerraform(ARTEFACTS.CloudFront, edit))).toMatchObject({
      status,
      reason: expect.stringContaining(reason) as string,
    });
  });

  it("that is not the issuer's changes nothing", () => {
    const other = distribution((values) => {
      values["enabled"] = false;
    });
    const renamed: Edit = ({ resource }) => {
      const [first = {}] = Object.values(resource[DISTRIBUTION] ?? {});
      Object.assign(resource[DISTRIBUTION] ?? {}, { other: { ...structuredClone(first), enabled: false } });
    };
    expect(trusted(withTerraform(ARTEFACTS.CloudFront, renamed)).status).toBe("pass");
    expect(trusted(withTerraform(ARTEFACTS["S3, public"], other)).status).toBe("pass");
  });
});

// boto/botocore, botocore/data/partitions.json: DNS suffixes.
it.each(["cn-north-1", "us-gov-west-1", "eusc-de-east-1", "us-iso-east-1", "us-isob-east-1"])(
  "a bucket in %s is known by its host",
  (region) => {
    const props = {
      bucketName: "issuer-c1",
      account: place.account,
      region,
      keys,
      access: "public",
    } as const;
    const artefacts = onAws((stack) => new IssuerBucket(stack, "issuer", props), {
      account: place.account,
      region,
    });
    expect(trusted(artefacts).status).toBe("pass");
    expect(trusted(withTerraform(artefacts, without(POLICY))).status).toBe("fail");
  },
);

// "Blocking public access to your Amazon S3 storage" in the S3 user guide: the most restrictive combination counts.
describe("a public access block of the account", () => {
  const closed = { block_public_policy: true, restrict_public_buckets: true };
  const added =
    (values: object): Edit =>
    ({ resource }) => {
      resource["aws_s3_account_public_access_block"] = { all: { ...values } };
    };
  it.each<[string, object, Host, string]>([
    ["of the bucket's provider", closed, "S3, public", "fail"],
    ["of the bucket's provider, open", { restrict_public_buckets: false }, "S3, public", "pass"],
    ["that refuses public policies", { block_public_policy: true }, "S3, public", "unknown"],
    ["by a variable", { restrict_public_buckets: "${var.closed}" }, "S3, public", "unknown"],
    [
      "of the bucket's account",
      { ...closed, account_id: place.account, provider: "aws.other" },
      "S3, public",
      "fail",
    ],
    ["of another account", { ...closed, account_id: "444455556666" }, "S3, public", "pass"],
    [
      "of an account that only apply tells",
      { ...closed, account_id: "${var.account}" },
      "S3, public",
      "unknown",
    ],
    ["before which a distribution is", closed, "CloudFront", "pass"],
  ])("%s", (_, values, host, status) => {
    expect(trusted(withTerraform(ARTEFACTS[host], added(values))).status).toBe(status);
  });
});
