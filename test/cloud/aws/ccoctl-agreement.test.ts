/*
 * What this library declares for adoption, against what ccoctl made of the same requests, value by value
 * (`test/fixtures/ccoctl/aws.json`). A difference is either on a list here, with its reason, or an error.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  ComponentRole,
  IssuerBucket,
  type IssuerBucketProps,
  OidcProvider,
  componentRoles,
} from "../../../lib/cloud/aws";
import type { ComponentsDeclaration } from "../../../lib/model/components";
import { Issuer } from "../../../lib/model/issuer";
import { credentialsRequest } from "../../../lib/rules/openshift/credentials-request";
import { componentPolicy, componentRoleName, requestStatements } from "../../../lib/rules/aws/component";
import { type RequestStatement } from "../../../lib/rules/aws/policy-document";
import { bucketIssuer } from "../../../lib/rules/aws/issuer";
import { optionalRequests, payloadRequests } from "../../support/credentials-requests";
import { ISSUER, type Json, code, newStack } from "./synthesized";

interface Statement {
  readonly Principal?: { readonly Federated?: string };
  readonly Condition?: Record<string, Record<string, string[] | string>>;
  readonly [field: string]: unknown;
}

interface GoldenRole {
  readonly description: string;
  readonly tags: Json;
  readonly trust: readonly Statement[];
  readonly policyName: string;
  readonly statements?: readonly Json[];
}

interface GoldenRun {
  readonly provider: { readonly url: string; readonly clientIds: string[]; readonly tags: Json };
  readonly bucket: {
    readonly tags: Json;
    readonly publicAccessBlock: Json;
    readonly policy: readonly Json[];
    readonly discovery: Json;
    readonly jwks: Json;
    readonly distribution?: Json;
  };
  readonly roles: Readonly<Record<string, GoldenRole>>;
  readonly secrets: Readonly<Record<string, readonly string[]>>;
}

interface Golden {
  readonly publicKey: string;
  readonly public: GoldenRun;
  readonly private: GoldenRun;
  readonly issuers: Readonly<Record<string, string>>;
  readonly longName: { readonly clusterName: string; readonly roles: Readonly<Record<string, string[]>> };
  readonly conditions: readonly Json[];
  readonly permissionsBoundary: string;
}

const golden = JSON.parse(
  readFileSync(resolve(__dirname, "../../fixtures/ccoctl/aws.json"), "utf8"),
) as Golden;

const ACCOUNT = "123456789012";
const REGION = "us-east-2";
const PLACE = { account: ACCOUNT, region: REGION };
const CLUSTER = "mycluster";
const BUCKET = "mycluster-oidc";

const requests = (release: string): ReturnType<typeof credentialsRequest>[] =>
  payloadRequests("aws", release).map((document) => credentialsRequest(document, {}));

interface Synthesized {
  readonly resource: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly import?: readonly { readonly to: string; readonly id: string }[];
}

interface Run {
  readonly stack: TerraformStack;
  readonly declaration: ComponentsDeclaration;
}

function adoptedStack(more: Partial<IssuerBucketProps>): Run {
  const stack = newStack();
  const host = new IssuerBucket(stack, "issuer", {
    bucketName: BUCKET,
    region: REGION,
    account: ACCOUNT,
    keys: [{ publicKey: golden.publicKey, use: "current" }],
    adopt: { ccoctlName: CLUSTER },
    ...more,
  });
  // The team's own name of the cluster is another one.
  const adopting = { adopt: true, ccoctlName: CLUSTER, permissionsBoundary: "none" } as const;
  const request = { clusterName: "prod-eu", issuer: host.issuer, requests: requests("HEAD") };
  return { stack, declaration: componentRoles({ ...PLACE, ...adopting }).declare(stack, request) };
}

const publicRun = (): Run => adoptedStack({ access: "public" });
const distribution = {
  id: "EDIST1",
  domainName: "d111111abcdef8.cloudfront.net",
  originAccessIdentity: "E2EXAMPLEOAI",
};
const privateRun = (): Run => adoptedStack({ adopt: { ccoctlName: CLUSTER, distribution } });

const synthesized = (stack: TerraformStack): Synthesized => JSON.parse(Testing.synth(stack)) as Synthesized;
const only = ({ resource }: Synthesized, type: string): Json => Object.values(resource[type] ?? {})[0] ?? {};
const parsed = (text: unknown): { Statement: Statement[] } =>
  JSON.parse(String(text)) as { Statement: Statement[] };

/** Order of subjects has no meaning for IAM. */
function trustFacts([statement]: readonly Statement[]): Json {
  const condition = statement?.Condition?.["StringEquals"] ?? {};
  const value = (end: string): unknown => Object.entries(condition).find(([key]) => key.endsWith(end))?.[1];
  return {
    effect: statement?.["Effect"],
    action: statement?.["Action"],
    federated: statement?.Principal?.Federated,
    keys: Object.keys(condition).map((key) => key.replace(/:\w+$/, ""))[0],
    subjects: [value(":sub")].flat().sort(),
    audience: value(":aud"),
  };
}

/** One action or several, alone or as a list: the same for IAM. */
function statementFacts(statements: readonly Json[]): Json[] {
  return statements.map((statement) => ({
    ...statement,
    Action: [statement["Action"]].flat(),
    Resource: [statement["Resource"]].flat(),
  }));
}

function roleFacts(document: Synthesized): Json {
  const policies = Object.values(document.resource["aws_iam_role_policy"] ?? {});
  return Object.fromEntries(
    Object.entries(document.resource["aws_iam_role"] ?? {}).map(([id, role]) => {
      const policy = policies.find((each) => String(each["role"]).includes(`.${id}.`));
      const facts = {
        description: role["description"],
        tags: role["tags"],
        trust: trustFacts(parsed(role["assume_role_policy"]).Statement),
        policyName: policy?.["name"],
        statements: statementFacts(parsed(policy?.["policy"]).Statement),
        path: role["path"],
        boundary: role["permissions_boundary"],
      };
      return [String(role["name"]), facts];
    }),
  );
}

function bucketFacts(document: Synthesized): Json {
  const block = only(document, "aws_s3_bucket_public_access_block");
  const object = (path: string): Json =>
    Object.values(document.resource["aws_s3_object"] ?? {}).find(({ key }) => key === path) ?? {};
  const [discovery, jwks] = [object(".well-known/openid-configuration"), object("keys.json")];
  return {
    tags: only(document, "aws_s3_bucket")["tags"],
    objectTags: [discovery["tags"], jwks["tags"]],
    publicAccessBlock: {
      blockPublicAcls: block["block_public_acls"],
      blockPublicPolicy: block["block_public_policy"],
      ignorePublicAcls: block["ignore_public_acls"],
      restrictPublicBuckets: block["restrict_public_buckets"],
    },
    policy: statementFacts(parsed(only(document, "aws_s3_bucket_policy")["policy"]).Statement as Json[]),
    discovery: JSON.parse(String(discovery["content"])) as Json,
    jwks: JSON.parse(String(jwks["content"])) as Json,
    contentTypes: [discovery["content_type"], jwks["content_type"]],
    cacheControl: [discovery["cache_control"], jwks["cache_control"]],
  };
}

function distributionFacts(document: Synthesized): Json | undefined {
  const made = only(document, "aws_cloudfront_distribution");
  if (made["enabled"] === undefined) return undefined;
  const [origin] = made["origin"] as Json[];
  const behavior = made["default_cache_behavior"] as Json;
  return {
    comment: made["comment"],
    enabled: made["enabled"],
    tags: made["tags"],
    originDomain: origin?.["domain_name"],
    originId: origin?.["origin_id"],
    originAccessControl: origin?.["origin_access_control_id"] !== undefined,
    cachePolicyId: behavior["cache_policy_id"],
    targetOriginId: behavior["target_origin_id"],
    viewerProtocolPolicy: behavior["viewer_protocol_policy"],
    methods: behavior["allowed_methods"],
    ipv6: made["is_ipv6_enabled"],
  };
}

function ours({ stack, declaration }: Run): Json {
  const document = synthesized(stack);
  const provider = only(document, "aws_iam_openid_connect_provider");
  return {
    provider: { url: provider["url"], clientIds: provider["client_id_list"], tags: provider["tags"] },
    roles: roleFacts(document),
    bucket: bucketFacts(document),
    distribution: distributionFacts(document),
    secrets: Object.fromEntries(
      declaration.grants.map(({ secret }) => [
        `${secret.namespace}/${secret.name}`,
        secret.stringData?.["credentials"]?.split("\n"),
      ]),
    ),
  };
}

function theirs({ provider, bucket, roles, secrets }: GoldenRun): Json {
  const { distribution, policy, ...rest } = bucket;
  return {
    provider,
    secrets,
    roles: Object.fromEntries(
      Object.entries(roles).map(([name, { trust, statements, ...role }]) => [
        name,
        {
          ...role,
          trust: trustFacts(trust),
          statements: statementFacts(statements ?? golden.public.roles[name]?.statements ?? []),
        },
      ]),
    ),
    bucket: { ...rest, objectTags: [rest.tags, rest.tags], policy: statementFacts(policy) },
    distribution: distribution && {
      ...distribution,
      originId: distribution["targetOriginId"],
      originAccessControl: false,
    },
  };
}

/** JSON whose members stand in the order of their names. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Paths of all values that differ, each with both values. */
function differences(before: unknown, after: unknown, path = ""): string[] {
  if (ordered(before) === ordered(after)) return [];
  const both = [before, after].every((value) => typeof value === "object" && value !== null);
  if (!both || Array.isArray(before) !== Array.isArray(after) || Array.isArray(before))
    return [`${path}: ${ordered(before)} → ${ordered(after)}`];
  const [a, b] = [before as Json, after as Json];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .sort()
    .flatMap((key) => differences(a[key], b[key], `${path}/${key}`));
}

const ROLES = Object.keys(golden.public.roles).sort();
const DOCUMENTS = [
  `arn:aws:s3:::${BUCKET}/.well-known/openid-configuration`,
  `arn:aws:s3:::${BUCKET}/keys.json`,
];

/** Each with its reason; the first plan after adopting shows these, and nothing else. */
const INTENDED: readonly string[] = [
  // A reader that asks for JSON gets it; ccoctl leaves the type to the SDK.
  '/bucket/contentTypes: undefined → ["application/json","application/json"]',
  // A rotated key set is seen within minutes.
  '/bucket/cacheControl: undefined → ["public, max-age=300","public, max-age=300"]',
  // ccoctl names `sub` twice.
  '/bucket/discovery/claims_supported: ["aud","exp","sub","iat","iss","sub"] → ["aud","exp","sub","iat","iss"]',
  // Tokens for another audience of the same OIDC provider (`sts.amazonaws.com`) are refused.
  ...ROLES.map((name) => `/roles/${name}/trust/audience: undefined → "openshift"`),
];

const GET = { Effect: "Allow", Action: ["s3:GetObject"] };
const ANYONE = { ...GET, Sid: "AllowReadPublicAccess", Principal: "*" };
const EVERYTHING = [`arn:aws:s3:::${BUCKET}/*`];

/** Only the two documents can be read, whatever else comes to lie in the bucket. */
const PUBLIC: readonly string[] = [
  ...INTENDED,
  `/bucket/policy: ${ordered([{ ...ANYONE, Resource: EVERYTHING }])} → ${ordered([{ ...ANYONE, Resource: DOCUMENTS }])}`,
];

const IDENTITY = {
  ...GET,
  Principal: { AWS: "arn:aws:iam::cloudfront:user/CloudFront Origin Access Identity E2EXAMPLEOAI" },
};

const PRIVATE: readonly string[] = [
  ...INTENDED,
  // Origin access control in place of the older identity, which stays admitted until the distribution has changed.
  "/distribution/originAccessControl: false → true",
  `/bucket/policy: ${ordered([{ ...IDENTITY, Resource: EVERYTHING, Sid: "1" }])} → ` +
    ordered([
      {
        ...GET,
        Sid: "AllowCloudFront",
        Principal: { Service: "cloudfront.amazonaws.com" },
        Resource: DOCUMENTS,
        Condition: {
          StringEquals: { "AWS:SourceArn": `arn:aws:cloudfront::${ACCOUNT}:distribution/EDIST1` },
        },
      },
      { ...IDENTITY, Sid: "AllowOriginAccessIdentity", Resource: DOCUMENTS },
    ]),
];

describe("what ccoctl made, adopted", () => {
  it.each([
    { way: "a public bucket", run: publicRun, made: golden.public, intended: PUBLIC },
    { way: "a private bucket with CloudFront", run: privateRun, made: golden.private, intended: PRIVATE },
  ])("differs with $way only as intended", ({ run, made, intended }) => {
    expect(differences(theirs(made), ours(run())).sort()).toEqual([...intended].sort());
  });

  it("imports everything that ccoctl made", () => {
    const ids = (synthesized(privateRun().stack).import ?? []).map(({ id }) => id).sort();
    expect(ids).toEqual(
      [
        "EDIST1",
        `arn:aws:iam::${ACCOUNT}:oidc-provider/d111111abcdef8.cloudfront.net`,
        ...[BUCKET, BUCKET, BUCKET].map((id) => `${id}@${REGION}`),
        ...["/.well-known/openid-configuration", "/keys.json"].map((path) => `${BUCKET}${path}@${REGION}`),
        ...ROLES,
        ...ROLES.map((name) => `${name}:${name}`),
      ].sort(),
    );
  });

  it("lets the documents be read at every moment", () => {
    const document = synthesized(privateRun().stack);
    const [policy] = Object.keys(document.resource["aws_s3_bucket_policy"] ?? {});
    const distribution = only(document, "aws_cloudfront_distribution");
    expect(distribution["depends_on"]).toEqual([`aws_s3_bucket_policy.${policy}`]);
  });
});

describe("what ccoctl decides", () => {
  it.each(Object.entries(golden.issuers))("names the issuer of a public bucket in %s", (region, issuer) => {
    expect(bucketIssuer(BUCKET, region)).toBe(issuer);
  });

  it("cuts names after 64 characters, and a clash is refused with both requests", () => {
    const { clusterName, roles } = golden.longName;
    const named = requests("HEAD").map(({ secret }) => componentRoleName(clusterName, secret, "ccoctl"));
    expect([...new Set(named)].sort()).toEqual(Object.keys(roles).sort());
    const stack = newStack();
    const request = { clusterName, issuer: Issuer.of(ISSUER), requests: requests("HEAD") };
    expect(() => componentRoles({ naming: "ccoctl" }).declare(stack, request)).toThrowError(
      code(
        "aws-conflict: would share one IAM role, because ccoctl cuts names after 64 characters",
        /CredentialsRequest cloud-credential-operator-iam-ro and CredentialsRequest openshift-cloud-network-config-controller-aws would share/,
      ),
    );
    expect(synthesized(stack).resource).toBeUndefined();
    expect(componentRoles().declare(newStack(), request).grants).toHaveLength(named.length);

    // As the refusal and the runbook say: both get roles of their own beside the adopted ones.
    const isAlone = (index: number): boolean => named.filter((name) => name === named[index]).length === 1;
    const unique = requests("HEAD").filter((_, index) => isAlone(index));
    const adopt = unique.map(({ name }) => name);
    const props = { ...PLACE, permissionsBoundary: "none", naming: "derived", adopt } as const;
    const beside = componentRoles(props).declare(stack, request);
    const identities = beside.grants.map(({ identity }) => identity.replace(/^.*role\//, ""));
    expect(new Set(identities).size).toBe(named.length);
    expect(identities.filter((name) => !named.includes(name))).toHaveLength(named.length - unique.length);
  });

  const MALFORMED = "s3:List<&>Bucket";
  const written = golden.conditions.filter(({ Action }) => !JSON.stringify(Action).includes(MALFORMED));

  function withStatements(statements: readonly Json[]): RequestStatement[] {
    const document = {
      apiVersion: "cloudcredential.openshift.io/v1",
      kind: "CredentialsRequest",
      metadata: { name: "conditions" },
      spec: {
        secretRef: { namespace: "edge-ns", name: "conditions-secret" },
        serviceAccountNames: ["sa-one"],
        providerSpec: {
          apiVersion: "cloudcredential.openshift.io/v1",
          kind: "AWSProviderSpec",
          statementEntries: statements.map(({ Effect, Action, Resource, Condition }) => ({
            effect: Effect,
            action: Action,
            resource: Resource,
            ...(Condition === undefined ? {} : { policyCondition: Condition }),
          })),
        },
      },
    };
    return requestStatements(credentialsRequest(document, {}));
  }

  it("keeps conditions, their types and Deny", () => {
    expect(componentPolicy(withStatements(written)).Statement).toEqual(written);
  });

  it("refuses an action that IAM does not take, which ccoctl hands on", () => {
    expect(written).toHaveLength(golden.conditions.length - 1);
    expect(() => withStatements(golden.conditions)).toThrow(MALFORMED);
  });

  it("bounds permissions where asked", () => {
    const stack = newStack();
    const [request] = requests("HEAD");
    if (!request) throw new Error("no request");
    const provider = `arn:aws:iam::${ACCOUNT}:oidc-provider/x.example.com`;
    new ComponentRole(stack, "role", {
      request,
      clusterName: CLUSTER,
      oidcProvider: OidcProvider.fromArn(stack, "oidc", provider),
      permissionsBoundary: golden.permissionsBoundary,
    });
    expect(only(synthesized(stack), "aws_iam_role")["permissions_boundary"]).toBe(golden.permissionsBoundary);
  });
});

describe("the payload of every release", () => {
  it("and the requests of optional operators that name service accounts", () => {
    const stack = newStack();
    const asked = optionalRequests("aws")
      .filter(({ spec }) => "serviceAccountNames" in (spec as Json))
      .map((document) => credentialsRequest(document, {}));
    const request = { clusterName: CLUSTER, issuer: Issuer.of(ISSUER), requests: asked };
    const { grants } = componentRoles(PLACE).declare(stack, request);
    const policies = Object.values(synthesized(stack).resource["aws_iam_role_policy"] ?? {});
    expect(grants.length).toBeGreaterThan(3);
    expect(policies.map(({ policy }) => parsed(policy).Statement)).toEqual(
      expect.arrayContaining(asked.map(requestStatements)),
    );
  });
});
