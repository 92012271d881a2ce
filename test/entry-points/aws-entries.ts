import * as aws from "../../lib/cloud/aws";
import { type Entry, inStack, of } from "./entry";
import { declaresComponents, declaresPulls, declaresSpoke, declaresWorkloads } from "./makers";
import { ACCOUNT, AWS_ACCESS, ECR, GUID, ISSUER, KEYS, REGION, REQUESTS, type World } from "./world";

const STATEMENT = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::acme/*" };
const TAGS = { team: "shop" };
const ARN = `arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.example.com/prod`;
const REQUEST = REQUESTS.aws.requests[0];
const provider = (world: World): object => ({ provider: world.others.aws });
const trusts = (world: World): object => ({
  trusts: [
    {
      oidcProvider: world.awsProvider,
      serviceAccounts: ["shop/web"],
      wildcards: [{ pattern: "batch/*", reason: "jobs come and go" }],
      audience: "sts.amazonaws.com",
    },
  ],
});

const KEY = `arn:aws:kms:${REGION}:${ACCOUNT}:key/k`;
const TAGGED = { region: REGION, clusterName: "prod" };
const ZONES = { hostedZones: ["Z0123456789ABCDEFGHIJ"], region: REGION };

/** Entry points of `./aws`. */
export const awsEntries: Readonly<Record<string, Entry>> = {
  awsAccess: {
    ...of(aws.awsAccess, [], () => ({ statements: [STATEMENT], managedPolicyArns: [] })),
    open: ["statements[0]"],
  },
  ebsCsiDriver: of(aws.ebsCsiDriver, ["region"], () => ({ region: REGION, kmsKeys: [KEY] })),
  loadBalancerController: of(aws.loadBalancerController, ["region", "clusterName"], () => TAGGED),
  clusterAutoscaler: of(aws.clusterAutoscaler, ["region", "clusterName"], () => TAGGED),
  externalDns: of(aws.externalDns, ["hostedZones"], () => ZONES),
  certManager: of(aws.certManager, ["hostedZones"], () => ZONES),
  karpenter: of(aws.karpenter, ["region", "clusterName", "account", "nodeRole"], () => ({
    ...TAGGED,
    account: ACCOUNT,
    nodeRole: `arn:aws:iam::${ACCOUNT}:role/nodes`,
    queue: `arn:aws:sqs:${REGION}:${ACCOUNT}:prod`,
  })),
  fluxSourceController: {
    ...of(aws.fluxSourceController, ["from"], () => ({ from: [ECR] })),
    open: ["from[0]"],
  },
  externalSecrets: of(aws.externalSecrets, [], () => ({
    secrets: [`arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:shop/*`],
    parameters: [`arn:aws:ssm:${REGION}:${ACCOUNT}:parameter/shop/*`],
    kmsKeys: [KEY],
  })),
  eks: of(aws.eks, [], () => ({
    name: "prod",
    version: "1.35",
    issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A",
    region: REGION,
    plugins: { ecr: "1.35.2" },
    systemRegistries: [`${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com`],
  })),
  SharedRegistry: inStack(aws.SharedRegistry, ["account", "region"], () => ({
    account: ACCOUNT,
    region: REGION,
    repositories: ["base/node"],
    additionalStatements: { "base/node": [] },
    registryStatements: [],
  })),
  eksSpoke: {
    ...of(aws.eksSpoke, ["cluster", "region"], (world) => ({
      cluster: {
        name: "spoke-a",
        endpoint: "https://ABC123.gr7.eu-west-1.eks.amazonaws.com",
        certificateAuthorityData: "LS0tLS1CRUdJTi4uLg==",
        authenticationMode: "API",
      },
      region: REGION,
      accessPolicies: [{ policy: "AmazonEKSViewPolicy", namespaces: ["shop"] }],
      tags: TAGS,
      ...provider(world),
    })),
    declare: declaresSpoke,
  },
  ComponentRole: {
    ...inStack(aws.ComponentRole, ["request", "clusterName", "oidcProvider"], (world) => ({
      request: REQUEST,
      clusterName: "prod",
      oidcProvider: world.awsProvider,
      account: ACCOUNT,
      region: REGION,
      tags: TAGS,
      statements: [STATEMENT],
      ...provider(world),
    })),
    open: ["request", "statements[0]"],
  },
  componentRoles: {
    ...of(aws.componentRoles, [], (world) => ({
      account: ACCOUNT,
      region: REGION,
      overrides: { [REQUEST?.name ?? ""]: { roleName: "own" } },
      tags: TAGS,
      ...provider(world),
    })),
    declare: declaresComponents("aws"),
  },
  ecr: of(aws.ecr, ["account", "region", "repositories"], (world) => ({
    account: ACCOUNT,
    region: REGION,
    repositories: ["shop/web"],
    pullThroughCache: { createRepositories: false },
    ownerPolicy: { repositories: ["shop/web"], ...provider(world) },
  })),
  ecrPublic: of(aws.ecrPublic, [], () => ({ region: "us-east-1" })),
  IssuerBucket: inStack(aws.IssuerBucket, ["bucketName", "region", "keys"], (world) => ({
    bucketName: "prod-oidc",
    region: REGION,
    account: ACCOUNT,
    keys: KEYS,
    versioning: true,
    domainName: "oidc.example.com",
    certificateArn: `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/${GUID}`,
    adopt: {
      ccoctlName: "prod",
      distribution: { id: "E2QWRUHEXAMPLE", domainName: "d111111abcdef8.cloudfront.net" },
    },
    tags: TAGS,
    ...provider(world),
  })),
  IssuerDistribution: inStack(aws.IssuerDistribution, ["bucketName", "origin", "comment"], (world) => ({
    bucketName: "prod-oidc",
    origin: "prod-oidc.s3.eu-west-1.amazonaws.com",
    comment: "issuer",
    domain: { name: "oidc.example.com", certificateArn: "arn:aws:acm:us-east-1:1:certificate/a" },
    existing: {
      id: "E2QWRUHEXAMPLE",
      domainName: "d1.cloudfront.net",
      arn: "arn:aws:cloudfront::1:distribution/a",
    },
    tags: TAGS,
    ...provider(world),
  })),
  OidcProvider: inStack(aws.OidcProvider, ["issuer", "audiences"], (world) => ({
    issuer: ISSUER,
    audiences: ["sts.amazonaws.com"],
    tags: TAGS,
    ...provider(world),
  })),
  "OidcProvider.fromArn": {
    settings: () => ({
      audiences: ["sts.amazonaws.com"],
      issuer: `https://${ARN.split(/oidc-provider\//)[1]}`,
    }),
    required: [],
    call: (given, { stack, id }) => aws.OidcProvider.fromArn(stack, id, ARN, given as never),
  },
  "OidcProvider.fromIssuer": {
    settings: (world) => ({ issuer: ISSUER, ...provider(world) }),
    required: ["issuer"],
    call: (given, { stack, id }) => aws.OidcProvider.fromIssuer(stack, id, given as never),
  },
  "OidcProvider.fromEksCluster": {
    settings: (world) => ({ clusterName: "prod", region: REGION, ...provider(world) }),
    required: ["clusterName"],
    call: (given, { stack, id }) => aws.OidcProvider.fromEksCluster(stack, id, given as never),
  },
  "OidcProvider.forIssuer": {
    settings: (world) => ({ issuer: ISSUER, audience: "sts.amazonaws.com", tags: TAGS, ...provider(world) }),
    required: ["issuer", "audience"],
    call: (given, { stack }) => aws.OidcProvider.forIssuer(stack, given as never),
  },
  PullRole: {
    ...inStack(aws.PullRole, ["trusts", "sources"], (world) => ({
      ...trusts(world),
      sources: [ECR],
      account: ACCOUNT,
      tags: TAGS,
      ...provider(world),
    })),
    open: ["sources[0]"],
  },
  "PullRole.fromRoleName": {
    settings: (world) => ({ roleName: "own", ...provider(world) }),
    required: ["roleName"],
    call: (given, { stack, id }) => aws.PullRole.fromRoleName(stack, id, given as never),
  },
  pullRoles: {
    ...of(aws.pullRoles, [], (world) => ({
      account: ACCOUNT,
      tags: TAGS,
      ...provider(world),
    })),
    declare: declaresPulls(ECR),
  },
  WorkloadRole: {
    ...inStack(aws.WorkloadRole, ["trusts", "access"], (world) => ({
      ...trusts(world),
      access: [
        AWS_ACCESS,
        aws.awsAccess({ managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"] }),
      ],
      tags: TAGS,
      ...provider(world),
    })),
    open: ["access[0]", "access[1]"],
  },
  workloadRoles: {
    ...of(aws.workloadRoles, [], (world) => ({ region: REGION, tags: TAGS, ...provider(world) })),
    declare: declaresWorkloads(AWS_ACCESS),
  },
  RepositoryPullPolicy: {
    ...inStack(aws.RepositoryPullPolicy, ["repository", "roles", "account", "region"], pullPolicy),
    open: ["additionalStatements[0]"],
  },
  "RepositoryPullPolicy.forRepository": {
    settings: pullPolicy,
    required: ["repository", "roles", "account", "region"],
    call: (given, { stack }) => aws.RepositoryPullPolicy.forRepository(stack, given as never),
    open: ["additionalStatements[0]"],
  },
};

function pullPolicy(world: World): object {
  return {
    repository: "shop/web",
    roles: [aws.PullRole.fromArn(world.stack, world.id, `arn:aws:iam::${ACCOUNT}:role/own`)],
    account: ACCOUNT,
    region: REGION,
    additionalStatements: [
      { Effect: "Allow", Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` }, Action: "ecr:ListImages" },
    ],
    ...provider(world),
  };
}
