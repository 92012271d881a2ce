import { generateKeyPairSync, createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { DataResource, TerraformLocal, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { IssuerBucket, type IssuerBucketProps, OidcProvider } from "../../../lib/cloud/aws";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import { terraformText } from "../../../lib/rules/terraform-text";
import { issuerDocuments } from "../../../lib/rules/openid/issuer-documents";
import { applyConfiguration } from "./applied";
import {
  ACCOUNT,
  REGION,
  type Json,
  code,
  document,
  newStack,
  numbered,
  only,
  refusedBy,
  resources,
} from "./synthesized";
import { refusal } from "../../support/refusal";

const PAIR = generateKeyPairSync("rsa", { modulusLength: 2048 });
const PEM = String(PAIR.publicKey.export({ type: "spki", format: "pem" }));
const PRIVATE = String(PAIR.privateKey.export({ type: "pkcs8", format: "pem" }));
const KEYS = [{ publicKey: PEM, use: "current" as const }];
const CERTIFICATE = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/6f2e1c1e-0000-4000-8000-000000000000`;
const DOMAIN = { domainName: "oidc.example.com", certificateArn: CERTIFICATE };

function bucket(stack: TerraformStack, more: Partial<IssuerBucketProps> = {}, id = "issuer"): IssuerBucket {
  return new IssuerBucket(stack, id, { bucketName: "prod-oidc", region: REGION, keys: KEYS, ...more });
}

describe("IssuerBucket", () => {
  it("keeps the bucket private behind a distribution with origin access control", () => {
    const stack = newStack();
    const made = bucket(stack, { tags: { team: "platform" } });
    expect(only(stack, "aws_s3_bucket")).toEqual({
      bucket: "prod-oidc",
      region: REGION,
      tags: { team: "platform" },
      lifecycle: { prevent_destroy: true },
    });
    expect(only(stack, "aws_s3_bucket_public_access_block")).toMatchObject({
      block_public_acls: true,
      block_public_policy: true,
      ignore_public_acls: true,
      restrict_public_buckets: true,
    });
    expect(only(stack, "aws_s3_bucket_ownership_controls")["rule"]).toEqual({
      object_ownership: "BucketOwnerEnforced",
    });
    expect(only(stack, "aws_cloudfront_origin_access_control")).toEqual({
      name: "prod-oidc",
      description: "OIDC issuer prod-oidc",
      origin_access_control_origin_type: "s3",
      signing_behavior: "always",
      signing_protocol: "sigv4",
    });
    const distribution = only(stack, "aws_cloudfront_distribution");
    expect(distribution).toMatchObject({
      lifecycle: { prevent_destroy: true },
      enabled: true,
      default_cache_behavior: {
        allowed_methods: ["GET", "HEAD"],
        cache_policy_id: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
        viewer_protocol_policy: "https-only",
      },
      viewer_certificate: { cloudfront_default_certificate: true },
      tags: { team: "platform" },
    });
    expect(document(only(stack, "aws_s3_bucket_policy"), "policy").Statement).toEqual([
      {
        Sid: "AllowCloudFront",
        Effect: "Allow",
        Principal: { Service: "cloudfront.amazonaws.com" },
        Action: "s3:GetObject",
        Resource: [
          "arn:aws:s3:::prod-oidc/.well-known/openid-configuration",
          "arn:aws:s3:::prod-oidc/keys.json",
        ],
        Condition: {
          StringEquals: {
            "AWS:SourceArn": expect.stringMatching(/^\$\{aws_cloudfront_distribution\.\w+\.arn\}$/),
          },
        },
      },
    ]);
    expect(isLate(made.issuer.url)).toBe(true);
    expect(resources(stack, "aws_s3_bucket_versioning")).toEqual([]);
    expect(made.node.defaultChild).toBe(made.resource);
  });

  it("publishes documents that a change from outside is seen of", () => {
    const stack = newStack();
    bucket(stack, { access: "public" });
    const [discovery, jwks] = resources(stack, "aws_s3_object") as [Json, Json];
    expect(JSON.parse(String(discovery["content"]))).toMatchObject({
      issuer: `https://prod-oidc.s3.${REGION}.amazonaws.com`,
      jwks_uri: `https://prod-oidc.s3.${REGION}.amazonaws.com/keys.json`,
    });
    for (const object of [discovery, jwks])
      expect(object).toMatchObject({
        content_type: "application/json",
        cache_control: "public, max-age=300",
        etag: createHash("md5").update(String(object["content"])).digest("hex"),
      });
  });

  it("opens a public bucket for the two documents only, and for its policy only", () => {
    const stack = newStack();
    const made = bucket(stack, { access: "public", versioning: true });
    expect(only(stack, "aws_s3_bucket_public_access_block")).toMatchObject({
      block_public_acls: true,
      block_public_policy: false,
      ignore_public_acls: true,
      restrict_public_buckets: false,
    });
    const policy = only(stack, "aws_s3_bucket_policy");
    expect(policy["depends_on"]).toEqual([expect.stringMatching(/^aws_s3_bucket_public_access_block\./)]);
    expect(document(policy, "policy").Statement).toEqual([
      expect.objectContaining({ Principal: "*", Action: "s3:GetObject" }),
    ]);
    expect(only(stack, "aws_s3_bucket_versioning")["versioning_configuration"]).toEqual({
      status: "Enabled",
    });
    expect(resources(stack, "aws_cloudfront_distribution")).toEqual([]);
    expect(made.distribution).toBeUndefined();
  });

  it("has a literal issuer under a custom domain", () => {
    const stack = newStack();
    const made = bucket(stack, DOMAIN);
    expect(made.issuer.url).toBe("https://oidc.example.com");
    expect(only(stack, "aws_cloudfront_distribution")).toMatchObject({
      aliases: ["oidc.example.com"],
      viewer_certificate: {
        acm_certificate_arn: CERTIFICATE,
        minimum_protocol_version: "TLSv1.2_2021",
        ssl_support_method: "sni-only",
      },
    });
  });

  it("gives its late issuer to an OIDC provider", () => {
    const stack = newStack();
    OidcProvider.forIssuer(stack, { issuer: bucket(stack).issuer, audience: "openshift" });
    expect(only(stack, "aws_iam_openid_connect_provider")["url"]).toMatch(
      /^https:\/\/\$\{aws_cloudfront_distribution\.\w+\.domain_name\}$/,
    );
  });

  const untyped = (value: unknown): never => value as never;
  const distribution = { id: "E2EXAMPLE", domainName: "d1.cloudfront.net" };
  const adopting = (change: object): Partial<IssuerBucketProps> => ({
    account: ACCOUNT,
    adopt: { ccoctlName: "prod", distribution: { ...distribution, ...change } },
  });
  const named = (...names: string[]): Record<string, Partial<IssuerBucketProps>> =>
    Object.fromEntries(names.map((name) => [`the domain ${name}`, { ...DOMAIN, domainName: name }]));

  it.each(
    refusedBy<Partial<IssuerBucketProps>>({
      "aws-invalid: bucket name": {
        "a dot, which S3's wildcard certificate does not cover": { bucketName: "prod.oidc" },
        "too short": { bucketName: "ab" },
        "too long": { bucketName: "a".repeat(64) },
        "upper case": { bucketName: "Prod-oidc" },
        "a reserved end": { bucketName: "prod-s3alias" },
      },
      "aws-unknown: AWS region is not known to this release of the library": {
        "an unknown region": { region: "eu-west-9" },
      },
      "aws-unsupported: the partition has no CloudFront that can serve an issuer under a custom name": {
        "GovCloud has no CloudFront": { region: "us-gov-west-1" },
        "China serves only names with a filing": { region: "cn-north-1" },
        "the sovereign cloud has none": { region: "eusc-de-east-1" },
      },
      "aws-missing: an issuer under your own domain needs the domain and its certificate": {
        "a domain without certificate": { domainName: "oidc.example.com" },
        "a certificate without domain": { certificateArn: CERTIFICATE },
        "a domain of a public bucket": { access: "public", ...DOMAIN },
      },
      "aws-invalid: is not an ARN of that kind": {
        "a certificate of another region": {
          ...DOMAIN,
          certificateArn: CERTIFICATE.replace("us-east-1", "eu-west-1"),
        },
      },
      "aws-missing: an existing CloudFront distribution is adopted, but its account is not known": {
        "a distribution to adopt without account": { adopt: { ccoctlName: "prod", distribution } },
      },
      "aws-invalid: the CloudFront distribution to adopt is not stated by id and domain": {
        "a URL in the place of a distribution's domain": adopting({
          domainName: "https://d1.cloudfront.net",
        }),
        "a distribution's id with its domain": adopting({ id: "E2EXAMPLE.cloudfront.net" }),
      },
      "issuer-missing: no public key": { "no keys": { keys: [] } },
      "issuer-unsafe: is a private key": {
        "a private key": { keys: [{ publicKey: PRIVATE, use: "current" }] },
      },
      "aws-invalid: the domain of the issuer is not a host name": named(
        "Bad_Domain/x",
        "*.example.com",
        "OIDC.example.com",
        "oidc.example.com/x",
        "oidc.example.com.",
        "oidc",
      ),
      "late-value": { "a late domain": { ...DOMAIN, domainName: "${TfToken[TOKEN.9]}" } },
      "aws-invalid: names a distribution, but": {
        "a distribution of a public bucket": { access: "public", ...adopting({}) },
      },
      "property-invalid": {
        "a distribution that is none": {
          account: ACCOUNT,
          adopt: { ccoctlName: "c", distribution: untyped(null) },
        },
      },
      "property-missing": {
        "adopt: {}": { access: "public", adopt: untyped({}) },
      },
      "aws-invalid: the name that was passed to ccoctl is not valid": {
        "a long name of ccoctl": { access: "public", adopt: { ccoctlName: "c".repeat(90) } },
      },
      "aws-invalid: tags": {
        "more tags than an object can have": {
          tags: Object.fromEntries(numbered(11, (index) => `t${index}`).map((name) => [name, "x"])),
        },
      },
    }),
  )("refuses %s, and declares nothing", (_, more, expected) => {
    const stack = newStack();
    expect(() => bucket(stack, more)).toThrowError(refusal(expected));
    expect(resources(stack, "aws_s3_bucket")).toEqual([]);
  });

  it("lets the OIDC provider wait for the host under a custom domain, and for its DNS record", () => {
    const stack = newStack();
    const host = bucket(stack, DOMAIN);
    const record = new DataResource(stack, "record", { input: { value: host.issuer.url } });
    host.waitForRecord(record);
    OidcProvider.forIssuer(stack, { issuer: host.issuer, audience: "openshift" });
    expect(only(stack, "aws_iam_openid_connect_provider")["depends_on"]).toEqual([
      expect.stringMatching(/^aws_cloudfront_distribution\./),
      expect.stringMatching(/^terraform_data\./),
    ]);
  });

  it("lets an OIDC provider of another stack wait for the stack of the host", () => {
    const app = Testing.app();
    const [first, second] = [new TerraformStack(app, "host"), new TerraformStack(app, "trust")];
    bucket(first, DOMAIN);
    OidcProvider.forIssuer(second, { issuer: "https://oidc.example.com", audience: "openshift" });
    expect(second.dependencies).toEqual([first]);
  });

  it("takes over what an old ccoctl made: documents public by lists, until the policy is there", () => {
    const stack = newStack();
    bucket(stack, { access: "public", adopt: { ccoctlName: "c", policy: false } });
    const { import: imports } = JSON.parse(Testing.synth(stack)) as { import: { id: string }[] };
    expect(imports.map(({ id }) => id).sort()).toEqual([
      `prod-oidc/.well-known/openid-configuration@${REGION}`,
      `prod-oidc/keys.json@${REGION}`,
      `prod-oidc@${REGION}`,
    ]);
    const policy = [expect.stringMatching(/^aws_s3_bucket_policy\./)];
    expect(only(stack, "aws_s3_bucket_policy")["depends_on"]).toBeUndefined();
    expect(only(stack, "aws_s3_bucket_public_access_block")["depends_on"]).toEqual(policy);
    expect(only(stack, "aws_s3_bucket_ownership_controls")["depends_on"]).toEqual(policy);
  });

  it("names no region in import ids where Terraform's provider would not read it", () => {
    const stack = newStack("eusc-de-east-1");
    bucket(stack, { access: "public", region: "eusc-de-east-1", adopt: { ccoctlName: "c" } });
    const { import: imports } = JSON.parse(Testing.synth(stack)) as { import: { id: string }[] };
    expect(new Set(imports.map(({ id }) => id))).toEqual(
      new Set(["prod-oidc", "prod-oidc/.well-known/openid-configuration", "prod-oidc/keys.json"]),
    );
  });

  it("refuses one bucket twice in an app", () => {
    const app = Testing.app();
    bucket(new TerraformStack(app, "a"));
    expect(() => bucket(new TerraformStack(app, "b"))).toThrowError(
      code("aws-conflict: bucket is already declared by", /a\/issuer/),
    );
  });
});

const installed = spawnSync("terraform", ["version"]).status === 0;

describe("the discovery document of a late issuer", () => {
  it.skipIf(!installed)("is, and has the ETag of, what the terraform program makes of it", () => {
    const stack = new TerraformStack(Testing.app(), "prod");
    const host = new DataResource(stack, "host", { input: { value: "d111.cloudfront.net" } });
    const { text } = issuerDocuments(Issuer.of(`https://${host.getStringAttribute("output.value")}`), KEYS, {
      jwksPath: "keys.json",
    }).discovery;
    const local = new TerraformLocal(stack, "text", terraformText(text));
    new TerraformOutput(stack, "content", { value: `\${local.${local.friendlyUniqueId}}` });
    new TerraformOutput(stack, "etag", { value: `\${md5(local.${local.friendlyUniqueId})}` });
    const { content, etag } = applyConfiguration(Testing.synth(stack));
    expect(JSON.parse(String(content?.value))).toMatchObject({ issuer: "https://d111.cloudfront.net" });
    expect(etag?.value).toBe(createHash("md5").update(String(content?.value)).digest("hex"));
  });

  it("stands in a local", () => {
    const stack = newStack();
    bucket(stack);
    const { locals } = JSON.parse(Testing.synth(stack)) as { locals: Record<string, string> };
    const [name, text] = Object.entries(locals)[0] ?? [];
    expect(text).toMatch(/"issuer": "https:\/\/\$\{aws_cloudfront_distribution\.\w+\.domain_name\}"/);
    const discovery = resources(stack, "aws_s3_object").find(({ key }) => key !== "keys.json");
    expect(discovery).toMatchObject({ content: `\${local.${name}}`, etag: `\${md5(local.${name})}` });
  });
});
