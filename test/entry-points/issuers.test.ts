/*
 * A construct in the place of an issuer: what publishes one is taken for it, and of anything else it is said what would be.
 */

import { S3Bucket } from "@cdktf/provider-aws/lib/s3-bucket/index.js";
import { Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { IssuerBucket, OidcProvider } from "../../lib/cloud/aws";
import { IssuerContainer } from "../../lib/cloud/azure";
import * as google from "../../lib/cloud/google";
import type { GivenIssuer } from "../../lib/index";
import { kubernetes } from "../../lib/node";
import { hostedOpenShift, openShift } from "../../lib/openshift";
import { WorkloadAccess } from "../../lib/synth";
import { AWS_ACCESS, CLUSTER, GUID, ISSUER, KEYS, PROJECT, World } from "./world";

const container = (world: World): IssuerContainer =>
  new IssuerContainer(world.stack, "issuer", {
    storageAccountName: "prodoidc",
    resourceGroupName: "shop",
    region: "westeurope",
    keys: KEYS,
    adopt: { subscriptionId: GUID },
  });

/** What has an issuer, and which. */
const HOSTS: readonly (readonly [string, (world: World) => GivenIssuer, RegExp])[] = [
  ["a URL", () => ISSUER, /^https:\/\/oidc\.example\.com\/prod$/],
  ["an IssuerContainer", container, /^https:\/\/prodoidc\.blob\.core\.windows\.net\/prodoidc$/],
  [
    "an IssuerBucket of AWS",
    ({ stack }) =>
      new IssuerBucket(stack, "issuer", {
        bucketName: "prod-oidc",
        region: "eu-west-1",
        access: "public",
        keys: KEYS,
      }),
    /^https:\/\/prod-oidc\.s3\.eu-west-1\.amazonaws\.com$/,
  ],
  [
    "an IssuerBucket of Google",
    ({ stack }) =>
      new google.IssuerBucket(stack, "issuer", {
        bucket: "prod-oidc",
        project: "shop-prod",
        location: "eu",
        keys: KEYS,
      }),
    /^https:\/\/storage\.googleapis\.com\/prod-oidc$/,
  ],
  [
    "an OidcProvider",
    ({ stack }) => new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: ["openshift"] }),
    /^https:\/\/oidc\.example\.com\/prod$/,
  ],
  ["a cluster", () => CLUSTER, /^https:\/\/oidc\.example\.com\/prod$/],
];

const NODES = { name: "prod", version: "4.22", platform: "aws" } as const;

describe.each(HOSTS)("%s as issuer", (_, host, url) => {
  it.each([
    ["openShift()", (issuer: GivenIssuer) => openShift({ ...NODES, issuer, pools: ["worker"] })],
    ["hostedOpenShift()", (issuer: GivenIssuer) => hostedOpenShift({ ...NODES, issuer, nodePools: ["a"] })],
    [
      "kubernetes()",
      (issuer: GivenIssuer) => kubernetes({ name: "prod", version: "1.35", issuer, plugins: {} }),
    ],
  ])("is taken by %s", (_name, cluster) => {
    expect(cluster(host(new World())).issuer.url).toMatch(url);
  });

  it("is trusted by the clouds", () => {
    const world = new World();
    const issuer = host(world);
    const aws = OidcProvider.forIssuer(world.stack, { issuer, audience: "sts.amazonaws.com" });
    expect(aws.issuer.url).toMatch(url);
    const pool = google.WorkloadIdentityPool.fromPoolId(world.stack, "own-pool", {
      ...PROJECT,
      poolId: "prod",
    });
    expect(
      new google.OidcProvider(world.stack, "trusted", { pool, providerId: "prod", issuer }).issuer.url,
    ).toMatch(url);
    new WorkloadAccess(world.stack, "workloads", {
      cluster: { name: "prod", issuer },
      workloads: [{ serviceAccount: "shop/web", may: AWS_ACCESS }],
    });
    expect(Testing.synth(world.stack)).toContain("shop_web_access");
  });
});

it("says what has an issuer, where a construct has none", () => {
  const { stack } = new World();
  const issuer = new S3Bucket(stack, "bucket", {}) as unknown as GivenIssuer;
  expect(() => new OidcProvider(stack, "oidc", { issuer, audiences: ["openshift"] })).toThrowError(
    'prod/oidc: issuer of OidcProvider is a S3Bucket at prod/bucket; allowed: an https URL, an Issuer, or a construct that has one in `issuer`, such as IssuerBucket or OidcProvider; write it as in `issuer: "https://oidc.example.com/prod"`',
  );
});
