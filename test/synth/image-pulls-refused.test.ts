import { TerraformStack, Testing } from "cdktf";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { OidcProvider, ecr, pullRoles } from "../../lib/cloud/aws";
import { Duration } from "../../lib/model/duration";
import type { IPullIdentities, IPullSource } from "../../lib/model/pulls";
import { ImagePulls, type ImagePullsProps, Manifests } from "../../lib/synth";
import {
  ACCOUNT,
  fromAcr,
  fromEcr,
  fromGoogle,
  makers,
  openShiftCluster,
  plainCluster,
} from "../support/image-pulls";
import { code as refused, refusal } from "../support/refusal";

function declare(
  props: Partial<ImagePullsProps>,
  stack = new TerraformStack(Testing.app(), "prod"),
): ImagePulls {
  return new ImagePulls(stack, "pulls", {
    cluster: plainCluster(),
    identities: [makers.aws()],
    pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    ...props,
  });
}

/** A cloud of no one's, to make two clouds want the same annotation. */
function fakeCloud(
  cloud: string,
  value: string,
): readonly [IPullSource<Construct>, IPullIdentities<Construct>] {
  const identities: IPullIdentities<Construct> = {
    cloud,
    job: "pulls",
    declare: (_, { accounts }) => ({
      grants: accounts.map(({ subject }) => ({
        subject,
        identity: subject.key,
        annotations: { "example.com/id": value },
      })),
      provider: {
        plugin: cloud === "one" ? "ecr" : "acr",
        name: `${cloud}-credential-provider`,
        matchImages: [`${cloud}.example.com`],
        defaultCacheDuration: Duration.minutes(1),
        args: [],
        nodeIdentityArgs: [],
        env: [],
        audience: "example",
        cacheType: "ServiceAccount",
        annotationKeys: ["example.com/id"],
        needs: ["tokens"],
      },
      nodeFiles: [],
    }),
  };
  const source = { cloud, images: [`${cloud}.example.com/app`], defaultIdentities: () => identities };
  return [source, identities];
}

const [one, oneMaker] = fakeCloud("one", "1");
const [other, otherMaker] = fakeCloud("other", "2");
const from = fromEcr();

// [code, properties, whole message after the construct's path]
const ROWS: readonly (readonly [code: string, props: Partial<ImagePullsProps>, message: string])[] = [
  [
    "identities-missing",
    { pulls: [] },
    'pulls of cluster prod is an empty list; allowed: at least one line; write { serviceAccount: "shop/web", from: ecr({ account, region, repositories }) }',
  ],
  [
    "identities-missing",
    { pulls: [{ serviceAccount: "shop/web", from: [] }] },
    "`from` of service account shop/web is an empty list; allowed: one entry or several, for example from: ecr({ account, region, repositories }); state what the service account needs, or remove the line",
  ],
  [
    "identities-conflict",
    {
      pulls: [
        { serviceAccount: "shop/web", from },
        { serviceAccount: "shop/web", from, declareServiceAccount: false },
      ],
    },
    'one line declares this service account, and another has `declareServiceAccount: false`, got "shop/web"; write the same `declareServiceAccount` in every line of the service account, in all constructs of the stack',
  ],
  [
    "identities-conflict",
    { identities: [makers.aws(), pullRoles()] },
    '`identities` has two entries for one cloud, got "aws"; allowed: at most one entry per cloud; merge them into one; for identities in two accounts use two stacks',
  ],
  [
    "identities-unused",
    { identities: [makers.aws(), makers.google()] },
    '`identities` has an entry for a cloud that no line of `pulls` needs, got "google"; allowed: aws; remove the entry, or add the missing line to `pulls`',
  ],
  [
    "kubernetes-conflict",
    {
      identities: [makers.aws(), makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: [from, fromAcr()] }],
      tokenAudience: { roleName: "pulls" },
    },
    '\`roleName\` is set for several audiences, api://AzureADTokenExchange, sts.amazonaws.com, so one role would overwrite the other, got "pulls"; allowed: `roleName` with one audience only; leave `roleName` out: the names are then derived from the audiences',
  ],
  [
    "identities-conflict",
    {
      identities: [oneMaker, otherMaker],
      pulls: [{ serviceAccount: "shop/web", from: [one, other] }],
    },
    'two clouds need different values of the annotation example.com/id, got "shop/web"; give each cloud\'s workload its own service account',
  ],
];

describe("ImagePulls refuses", () => {
  it.each(ROWS)("%s", (code, props, message) => {
    expect(() => declare(props)).toThrowError(refusal(code, { message: `prod/pulls: ${message}` }));
  });

  it("cluster-conflict: a second one in the stack, which keeps the first whole", () => {
    const stack = new TerraformStack(Testing.app(), "prod");
    declare({}, stack);
    const before = [...Manifests.of(stack).render()];
    expect(
      () =>
        new ImagePulls(stack, "more", {
          cluster: plainCluster({ name: "other" }),
          pulls: [{ serviceAccount: "shop/api", from }],
        }),
    ).toThrowError(
      refusal("cluster-conflict", {
        message:
          'prod/more: this stack already writes manifests for cluster prod, and without `perCluster` the manifests of a stack are applied to one cluster, got "other"; allowed: "prod" as name of the cluster of each construct in this stack; if it is the same cluster, use the same name; otherwise first create `new Manifests(stack, "manifests", { perCluster: true })`, or put this construct into a TerraformStack of its own',
      }),
    );
    expect([...Manifests.of(stack).render()]).toEqual(before);
  });

  it("two values of one annotation are no conflict where they are equal", () => {
    const [same, sameMaker] = fakeCloud("other", "1");
    expect(() =>
      declare({
        identities: [oneMaker, sameMaker],
        pulls: [{ serviceAccount: "shop/web", from: [one, same] }],
      }),
    ).not.toThrow();
  });
});

// Codes of the composed parts, each once, to see that nothing on the way swallows or rewords them.
const PARTS: readonly (readonly [code: string, props: () => Partial<ImagePullsProps>])[] = [
  ["azure-missing", () => ({ identities: [], pulls: [{ serviceAccount: "shop/web", from: fromAcr() }] })],
  [
    "google-missing: pulling from Artifact Registry needs a project",
    () => ({ identities: [], pulls: [{ serviceAccount: "shop/web", from: fromGoogle() }] }),
  ],
  ["identities-invalid", () => ({ pulls: [{ serviceAccount: "web", from }] })],
  ["issuer-invalid", () => ({ cluster: plainCluster({ issuer: "http://oidc.example.com" }) })],
  ["cluster-invalid", () => ({ cluster: plainCluster({ name: "Prod" }) })],
  ["version-unsupported", () => ({ cluster: plainCluster({ version: "1.32" }) })],
  ["version-unsupported", () => ({ cluster: openShiftCluster({ version: "4.20" }) })],
  [
    "openshift-unsupported: cannot pull with service account tokens",
    () => ({ cluster: openShiftCluster({ platform: "gcp" }) }),
  ],
  [
    "node-missing: do not say which version",
    () => ({ cluster: plainCluster({ plugins: { acr: "1.36.5" } }) }),
  ],
  [
    "node-unsupported: lacks what these pulls need",
    () => ({ cluster: plainCluster({ plugins: { ecr: "1.33.0" } }) }),
  ],
  [
    "node-unsupported: cannot use service account tokens",
    () => ({
      cluster: openShiftCluster(),
      identities: [makers.google()],
      pulls: [{ serviceAccount: "shop/web", from: fromGoogle() }],
    }),
  ],
  [
    "node-unsupported: lacks what these pulls need",
    () => ({
      cluster: plainCluster({ plugins: { gcp: "36.3.8" } }),
      identities: [makers.google()],
      pulls: [{ serviceAccount: "shop/web", from: fromGoogle() }],
    }),
  ],
  ["node-unused: no pull uses that plugin", () => ({ credentialProviders: { acr: { mode: "mixed" } } })],
  [
    "node-mismatch: matches a declared pull",
    () => ({ credentialProviders: { ecr: { matchImages: ["*.dkr.ecr.us-east-1.amazonaws.com"] } } }),
  ],
  [
    "node-invalid: can never match",
    () => ({ credentialProviders: { ecr: { matchImages: ["https://*.dkr.ecr.*.amazonaws.com"] } } }),
  ],
  ["node-unsafe: does not serve", () => ({ credentialProviders: { ecr: { matchImages: ["*.*.*.*.*.*"] } } })],
  [
    "node-missing: needs a second entry",
    () => ({
      identities: [makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: fromAcr() }],
      credentialProviders: { acr: { mode: "mixed" } },
    }),
  ],
  [
    "node-unsupported: read-only",
    () => ({
      cluster: openShiftCluster({ platform: "azure" }),
      identities: [makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: fromAcr() }],
      credentialProviders: { acr: { mode: "mixed" } },
    }),
  ],
  ["audience-invalid", () => ({ identities: [makers.aws({ audience: "*" })] })],
  [
    "aws-mismatch: is in another AWS partition than the rest of the chain",
    () => ({
      identities: [],
      pulls: [
        { serviceAccount: "shop/web", from },
        {
          serviceAccount: "shop/cn",
          from: ecr({ account: ACCOUNT, region: "cn-north-1", repositories: ["shop/web"] }),
        },
      ],
    }),
  ],
  [
    "aws-unknown: AWS region is not known to this release of the library",
    () => ({ identities: [makers.aws({ region: "eu-nowhere-1" })] }),
  ],
];

describe("ImagePulls passes on", () => {
  it.each(PARTS)("%s", (code, props) => {
    expect(() => declare(props())).toThrowError(refused(code));
  });

  it("aws-mismatch: an adopted OIDC provider of another issuer", () => {
    const stack = new TerraformStack(Testing.app(), "prod");
    const arn = `arn:aws:iam::${ACCOUNT}:oidc-provider/other.example.com`;
    const oidcProvider = OidcProvider.fromArn(stack, "oidc", arn);
    expect(() => declare({ identities: [makers.aws({ oidcProvider })] }, stack)).toThrowError(
      refused("aws-mismatch: the OIDC provider belongs to another issuer than the cluster"),
    );
  });
});
