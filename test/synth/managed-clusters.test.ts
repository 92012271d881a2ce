/*
 * EKS, AKS and GKE clusters: what is taken from the cluster's own resource, what can be done on them, and what is refused.
 */

import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { KubernetesCluster } from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack, Testing } from "cdktf";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { type EksProps, awsAccess, ecr, ecrPublic, eks, pullRoles, workloadRoles } from "../../lib/cloud/aws";
import { type AksProps, aks, azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import { type GkeProps, gke, gkeSpoke, googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import { explain } from "../../lib/explain";
import type { CredentialProviderSettings } from "../../lib/node";
import { isLate } from "../../lib/model/late";
import type { ICluster, ManagedCluster } from "../../lib/model/cluster";
import { ImagePulls, type ImagePullsProps, PlatformComponents, WorkloadAccess } from "../../lib/synth";
import { parse } from "yaml";
import { faults } from "../support/faults";
import { list, record } from "../support/json";
import { SUBSCRIPTION, TENANT, componentsProps, providersStack } from "../support/platform-components";
import { type Refusal, refusal } from "../support/refusal";
import { writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";

const [account, region] = ["111122223333", "eu-west-1"];
const EKS_ISSUER = "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A";
const AKS_ISSUER = `https://westeurope.oic.prod-aks.azure.com/${TENANT}/0b1f6471-1bf0-4dda-aec3-cb9272f09590/`;
const GKE_ISSUER =
  "https://container.googleapis.com/v1/projects/acme-prod/locations/europe-west1/clusters/shop";
const EKS: EksProps = {
  name: "shop",
  version: "1.35",
  issuer: EKS_ISSUER,
  region,
  plugins: { ecr: "1.35.2" },
};
const FOREIGN = "https://oidc.example.com/prod";

const eksCluster = (stack: TerraformStack, more: object = {}): EksCluster =>
  new EksCluster(stack, "cluster", {
    name: "shop",
    roleArn: `arn:aws:iam::${account}:role/cluster`,
    vpcConfig: { subnetIds: ["subnet-1", "subnet-2"] },
    ...more,
  });
const aksCluster = (stack: TerraformStack, more: object = {}): KubernetesCluster =>
  new KubernetesCluster(stack, "cluster", {
    name: "shop",
    location: "westeurope",
    resourceGroupName: "shop",
    defaultNodePool: { name: "system", vmSize: "Standard_D2s_v5" },
    ...more,
  });
const gkeCluster = (stack: TerraformStack, more: object = {}): ContainerCluster =>
  new ContainerCluster(stack, "cluster", { name: "shop", location: "europe-west1", ...more });

function stackOf(): TerraformStack {
  return providersStack(Testing.app());
}

describe("what Terraform says of a cluster is not typed again", () => {
  it("EKS: name, version, region, and an issuer that is known after apply", () => {
    const cluster = eksCluster(stackOf(), { version: "1.35", region });
    const facts = eks({ cluster, version: "1.34" });
    expect(facts).toMatchObject({ name: "shop", kubelet: "1.34", apiServer: "1.35", distribution: "eks" });
    expect(isLate(facts.issuer.url)).toBe(true);
    expect(facts.stockProviders["ecr"]?.beside?.nodeImages).toContain(
      "602401143452.dkr.ecr.eu-west-1.amazonaws.com",
    );
    expect(eks({ cluster, issuer: EKS_ISSUER }).issuer.url).toBe(EKS_ISSUER);
  });

  it("EKS: a cluster that is looked up states no version", () => {
    const cluster = new DataAwsEksCluster(stackOf(), "cluster", { name: "shop" });
    expect(eks({ cluster, version: "1.35" })).toMatchObject({ kubelet: "1.35", apiServer: "1.35" });
    expect(() => eks({ cluster })).toThrowError(refusal("cluster-missing: the version"));
  });

  it("AKS: name and issuer; a cluster without webhook is warned of", () => {
    const stack = stackOf();
    const cluster = aksCluster(stack, { oidcIssuerEnabled: true });
    const facts = aks({ cluster });
    expect(facts.name).toBe("shop");
    expect(isLate(facts.issuer.url)).toBe(true);
    const warnings = cluster.node.metadata.filter(({ type }) => type === "@cdktf/warn");
    expect(warnings.map(({ data }) => String(data))).toEqual([
      expect.stringContaining("workload_identity_enabled"),
      expect.stringContaining("does not set local_account_disabled, so the state has its kube_config"),
    ]);
    for (const issuer of [AKS_ISSUER, `https://oidc.prod-aks.azure.com/${TENANT}/`])
      expect(aks({ cluster, issuer }).issuer.url).toBe(issuer);
  });

  it("GKE: an issuer that is literal before the cluster is there", () => {
    const cluster = gkeCluster(stackOf(), { project: "acme-prod" });
    expect(gke({ cluster }).issuer.url).toBe(GKE_ISSUER);
    expect(gke({ name: "shop", project: "acme-prod", location: "europe-west1" }).issuer.url).toBe(GKE_ISSUER);
  });
});

describe("refused facts", () => {
  const EKS_ROWS: readonly (readonly [Refusal, Partial<EksProps>])[] = [
    ["cluster-missing: the name", { name: undefined }],
    ["cluster-missing: the version", { version: undefined }],
    ["cluster-missing: the issuer", { issuer: undefined }],
    ["cluster-invalid", { name: "Shop_EU" }],
    ["cluster-mismatch: the nodes' kubelets", { apiServerVersion: "1.34" }],
    ["cluster-unknown", { plugins: { quay: "1.0.0" } as never }],
    ["aws-invalid: issuer is not an EKS cluster's", { issuer: FOREIGN }],
    ["aws-mismatch: issuer is in another region", { region: "eu-central-1" }],
    ["aws-invalid: a system registry", { systemRegistries: ["quay.io"] }],
  ];
  it.each(EKS_ROWS)("EKS: %s", (expected, change) => {
    expect(() => eks({ ...EKS, ...change } as EksProps)).toThrowError(refusal(expected));
  });

  const AKS_ROWS: readonly (readonly [Refusal, AksProps])[] = [
    ["cluster-missing: the name", { issuer: AKS_ISSUER }],
    ["cluster-missing: the issuer", { name: "shop" }],
    [
      "issuer-invalid: issuer of an AKS cluster lacks the slash",
      { name: "shop", issuer: AKS_ISSUER.slice(0, -1) },
    ],
    ["azure-invalid: issuer is not an AKS cluster's", { name: "shop", issuer: FOREIGN }],
  ];
  it.each(AKS_ROWS)("AKS: %s", (expected, props) => {
    expect(() => aks(props)).toThrowError(refusal(expected));
  });

  it.each([undefined, false])("AKS: a declared cluster with oidc_issuer_enabled %s", (oidcIssuerEnabled) => {
    const cluster = aksCluster(stackOf(), { oidcIssuerEnabled });
    expect(() => aks({ cluster })).toThrowError(
      refusal("azure-unsupported: AKS cluster does not publish an issuer"),
    );
  });

  const GKE_ROWS: readonly (readonly [Refusal, GkeProps])[] = [
    ["cluster-missing: the project", { name: "shop", location: "europe-west1" }],
    ["cluster-missing: the location", { name: "shop", project: "acme-prod" }],
    ["google-invalid: location", { name: "shop", project: "acme-prod", location: "Europe" }],
    ["google-invalid: name", { name: "1shop", project: "acme-prod", location: "europe-west1" }],
    ["google-invalid: issuer is none that GKE", { name: "shop", issuer: FOREIGN }],
  ];
  it.each(GKE_ROWS)("GKE: %s", (expected, props) => {
    expect(() => gke(props)).toThrowError(refusal(expected));
  });

  it.each<[string, Partial<GkeProps>, object, string | undefined]>([
    ["another project", { project: "acme-test" }, { project: "acme-prod" }, "project"],
    ["another project than its provider", { project: "acme-test" }, {}, "project"],
    ["another location", { project: "acme-prod", location: "europe-west4" }, {}, "location"],
    ["another name", { project: "acme-prod", name: "shop2" }, {}, "name"],
    ["a label beside its issuer", { project: "acme-prod", name: "shop2", issuer: GKE_ISSUER }, {}, undefined],
    ["the same", { project: "acme-prod", location: "europe-west1", name: "shop" }, {}, undefined],
  ])("GKE: %s", (_, stated, own, differs) => {
    const stack = new TerraformStack(Testing.app(), "prod");
    new GoogleProvider(stack, "google", { project: "acme-prod" });
    const cluster = gkeCluster(stack, own);
    const made = (): unknown => gke({ cluster, ...stated });
    const spoke = (): unknown => gkeSpoke({ cluster, project: stated.project ?? "" });
    if (differs === undefined) expect(made).not.toThrow();
    else expect(made).toThrowError(refusal(`google-mismatch: the stated ${differs}`));
    if (differs === "project") expect(spoke).toThrowError(refusal("google-mismatch: the stated project"));
    else expect(spoke).not.toThrow();
  });

  it("GKE: a project that only the provider states", () => {
    expect(() => gke({ cluster: gkeCluster(stackOf()) })).toThrowError(
      refusal("cluster-missing: the project"),
    );
  });
});

const source = ecr({ account, region, repositories: ["shop/web"] });

function pullsOn(cluster: ImagePullsProps["cluster"], more: Partial<ImagePullsProps> = {}): string {
  return synthesized((app) => {
    new ImagePulls(providersStack(app), "pulls", {
      cluster,
      pulls: [{ serviceAccount: "shop/web", from: source }],
      identities: [pullRoles({ account, region })],
      ...more,
    });
  });
}

/** The files for the nodes, and the entries of the kubelet's file. */
function nodesOf(outdir: string): {
  readonly flags: unknown;
  readonly files: Map<string, string>;
  readonly entries: readonly unknown[];
} {
  const [stack] = writtenStacks(outdir);
  const nodes = record(parse(stack?.files.get("nodes/all-nodes.yaml") ?? ""));
  const files = new Map(
    list(nodes["files"])
      .map(record)
      .map(({ path, content }) => [String(path), String(content)]),
  );
  const config = files.get("/etc/eks/image-credential-provider/service-account-tokens.yaml") ?? "";
  return { flags: nodes["kubeletFlags"], files, entries: list(record(parse(config))["providers"]) };
}

describe("image pulls on EKS", () => {
  const SYSTEM = [
    "602401143452.dkr.ecr.eu-west-1.amazonaws.com",
    "602401143452.dkr-ecr.eu-west-1.on.aws",
    "public.ecr.aws",
    "ecr-public.aws.com",
  ];
  const TOKENS = {
    name: "ecr-credential-provider-tokens",
    matchImages: [`${account}.dkr.ecr.${region}.amazonaws.com`],
    tokenAttributes: {
      requireServiceAccount: true,
      requiredServiceAccountAnnotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
    },
  };

  it("have an entry of their own, beside the one for EKS' system images", () => {
    const outdir = pullsOn(eks(EKS));
    const { flags, files, entries } = nodesOf(outdir);
    expect(entries).toMatchObject([TOKENS, { name: "ecr-credential-provider", matchImages: SYSTEM }]);
    expect(entries[1]).not.toHaveProperty("tokenAttributes");
    expect(flags).toEqual({
      "image-credential-provider-bin-dir": "/etc/eks/image-credential-provider",
      "image-credential-provider-config": "/etc/eks/image-credential-provider/service-account-tokens.yaml",
    });
    expect(files.get("/etc/eks/image-credential-provider/ecr-credential-provider-tokens")).toBe(
      '#!/bin/sh\nexec /etc/eks/image-credential-provider/ecr-credential-provider "$@"\n',
    );
    expect(faults(outdir)).toEqual([]);
    expect(explain([outdir]).map(({ verdict }) => verdict)).toEqual(["allowed"]);
  });

  it("leave the nodes' own entry as nodeadm writes it in mixed mode", () => {
    const outdir = pullsOn(eks(EKS), { credentialProviders: { ecr: { mode: "mixed" } } });
    const { entries } = nodesOf(outdir);
    expect(entries).toMatchObject([TOKENS, { name: "ecr-credential-provider", defaultCacheDuration: "12h" }]);
    expect(list(record(entries[1])["matchImages"])).toHaveLength(13);
    expect(explain([outdir]).map(({ verdict }) => verdict)).toEqual(["allowed"]);
  });

  it("keep what other registries add-ons need, and serve ECR Public too", () => {
    const addOns = "709825985650.dkr.ecr.us-east-1.amazonaws.com";
    const outdir = pullsOn(eks({ ...EKS, systemRegistries: [addOns] }), {
      pulls: [{ serviceAccount: "shop/web", from: [source, ecrPublic({ region: "us-east-1" })] }],
    });
    const [tokens, own] = nodesOf(outdir).entries.map(record);
    expect(tokens?.["matchImages"]).toEqual([...TOKENS.matchImages, "public.ecr.aws"]);
    expect(own?.["matchImages"]).toContain(addOns);
  });

  it("work with the cluster of the same app, whose issuer is known after apply", () => {
    const outdir = synthesized((app) => {
      const stack = providersStack(app);
      const cluster = eks({
        cluster: eksCluster(stack, { version: "1.35", region }),
        plugins: { ecr: "1.35.2" },
      });
      new ImagePulls(stack, "pulls", {
        cluster,
        pulls: [{ serviceAccount: "shop/web", from: source }],
        identities: [pullRoles({ account, region })],
      });
    });
    expect(explain([outdir]).map(({ verdict }) => verdict)).not.toContain("denied");
  });

  // [refusal, change of the facts, settings of the entry]
  const ROWS: readonly (readonly [Refusal, Partial<EksProps>, CredentialProviderSettings])[] = [
    ["node-missing: the cluster's facts do not say which version", { plugins: {} }, {}],
    ["node-unsupported: the ecr image credential provider cannot use", { version: "1.33" }, {}],
    ["node-unsupported: the ecr image credential provider cannot use", { version: "1.31" }, {}],
    ["node-unsupported: the ecr image credential provider cannot use", { version: "1.99" }, {}],
    [
      "node-unsupported: the ecr image credential provider on the nodes lacks",
      { plugins: { ecr: "1.33.4" } },
      {},
    ],
    ["node-missing: strict mode of the ecr image credential provider", { region: undefined }, {}],
    ["node-unused: `nodeIdentityName`", {}, { mode: "mixed", nodeIdentityName: "ecr-node" }],
  ];
  it.each(ROWS)("%s", (expected, change, settings) => {
    expect(() =>
      pullsOn(eks({ ...EKS, ...change } as EksProps), { credentialProviders: { ecr: settings } }),
    ).toThrowError(refusal(expected));
  });
});

const CLUSTERS: readonly (readonly [string, () => ManagedCluster | ICluster<Construct>])[] = [
  ["EKS", () => eks({ name: "shop", version: "1.31", issuer: EKS_ISSUER })],
  ["AKS", () => aks({ name: "shop", issuer: AKS_ISSUER })],
  ["GKE", () => gke({ name: "shop", project: "acme-prod", location: "europe-west1" })],
];

describe.each(CLUSTERS)("workloads on %s", (_, cluster) => {
  it("act in all three clouds", () => {
    const outdir = synthesized((app) => {
      new WorkloadAccess(providersStack(app), "workloads", {
        cluster: cluster(),
        workloads: [
          {
            serviceAccount: "shop/web",
            may: [
              awsAccess({
                statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::acme/*" }],
              }),
              azureAccess({
                roles: [{ role: "Reader", scope: `/subscriptions/${SUBSCRIPTION}/resourceGroups/acme` }],
              }),
              googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] }),
            ],
          },
        ],
        identities: [
          workloadRoles({ account, region }),
          workloadIdentities({ resourceGroupName: "workloads", location: "westeurope", tenantId: TENANT }),
          workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" }),
        ],
      });
    });
    expect(faults(outdir)).toEqual([]);
    expect(explain([outdir]).map(({ verdict }) => verdict)).toEqual(["allowed", "allowed", "allowed"]);
  });

  it("are not OpenShift's components", () => {
    expect(
      () => new PlatformComponents(stackOf(), "components", componentsProps("aws", { issuer: cluster() })),
    ).toThrowError(refusal("openshift-foreign: belongs to a cluster that is not OpenShift"));
  });
});

describe("image pulls where the service configures the nodes", () => {
  it.each([
    ["AKS", aks({ name: "shop", issuer: AKS_ISSUER }), /attach-acr/],
    [
      "GKE",
      gke({ name: "shop", project: "acme-prod", location: "europe-west1" }),
      /artifactregistry\.reader/,
    ],
  ] as const)("%s says what it has instead, before anything is declared", (_, cluster, remedy) => {
    const stack = stackOf();
    const declared = (): unknown =>
      new ImagePulls(stack, "pulls", {
        cluster: cluster as never,
        pulls: [{ serviceAccount: "shop/web", from: source }],
      });
    expect(declared).toThrowError(
      refusal("cluster-unsupported", { remedy: expect.stringMatching(remedy) as string }),
    );
    expect(stack.node.tryFindChild("pulls")).toBeUndefined();
  });
});
