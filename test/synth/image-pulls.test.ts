import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { TerraformStack, Testing } from "cdktf";
import type { Construct } from "constructs";
import { parse, parseAllDocuments } from "yaml";
import { describe, expect, it } from "vitest";
import { gcrRepository } from "../../lib/cloud/google";
import { Issuer } from "../../lib/model/issuer";
import { PlainCarrier } from "../../lib/node";
import { hostedOpenShift } from "../../lib/openshift";
import { nodeMayRequestAudience } from "../../lib/rules/rbac/evaluate";
import { ImagePulls, type ImagePullsProps } from "../../lib/synth";
import { faults } from "../support/faults";
import {
  ISSUER,
  type SynthesizedPulls,
  fromAcr,
  fromEcr,
  fromGoogle,
  makers,
  openShiftCluster,
  plainCluster,
  synthesizedPulls,
} from "../support/image-pulls";
import { type Json, inside, list, record, text } from "../support/json";
import { writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { resources } from "../support/terraform";

const TENANT = "11111111-2222-4333-8444-555555555555";
const allClouds = [makers.aws(), makers.azure(), makers.google()];

function pulls(props: Partial<ImagePullsProps> = {}): SynthesizedPulls {
  return synthesizedPulls(() => ({
    cluster: plainCluster(),
    identities: [makers.aws()],
    pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    ...props,
  }));
}

/** The objects of one manifest, as written. */
function objects({ written }: SynthesizedPulls, file: string): readonly Json[] {
  const content = written.files.get(`manifests/${file}`) ?? "";
  return parseAllDocuments(content).map((document) => record(document.toJS()));
}

/** `Kind namespace/name` of each object of a manifest. */
function titles(synth: SynthesizedPulls, file: string): readonly string[] {
  return objects(synth, file).map(({ kind, metadata }) =>
    [text(kind), [inside(metadata, "namespace"), inside(metadata, "name")].filter(Boolean).join("/")].join(
      " ",
    ),
  );
}

/** The kubelet's entries on the nodes of a plain cluster. */
function entries({ written }: SynthesizedPulls): readonly Json[] {
  const nodes = record(parse(written.files.get("nodes/all-nodes.yaml") ?? ""));
  const config = list(nodes["files"])
    .map(record)
    .find(({ path }) => text(path).endsWith("credential-provider-config.yaml"));
  return list(record(parse(text(config?.["content"])))["providers"]).map(record);
}

function manifestsOf({ written }: SynthesizedPulls): readonly string[] {
  return [...written.files.keys()].filter((path) => path.endsWith(".yaml"));
}

/** Of each row: the properties, and what the files leave open. */
const COMBINATIONS: readonly (readonly [
  title: string,
  props: Partial<ImagePullsProps>,
  open?: readonly string[],
])[] = [
  ["ECR on Kubernetes", {}],
  [
    "ECR on Kubernetes 1.33 with the gate on",
    {
      cluster: plainCluster({
        version: "1.33",
        apiServerVersion: "1.34",
        plugins: { ecr: "1.34.0" },
        featureGates: { KubeletServiceAccountTokenForCredentialProviders: true },
      }),
    },
  ],
  ["ECR on OpenShift", { cluster: openShiftCluster({ pools: ["worker", "gpu"] }) }],
  ["ECR on OpenShift 4.21", { cluster: openShiftCluster({ version: "4.21" }) }],
  ["ECR on vSphere", { cluster: openShiftCluster({ platform: "vsphere" }) }],
  [
    "ECR with crio's provider",
    {
      cluster: openShiftCluster({ crioCredentialProvider: { matchImages: ["mirror.example.com"] } }),
    },
  ],
  [
    "ACR on OpenShift",
    {
      cluster: openShiftCluster({ platform: "azure" }),
      identities: [makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: fromAcr("shop/*") }],
    },
  ],
  [
    "ACR and ECR on hosted OpenShift on AWS",
    {
      cluster: hostedOpenShift({
        name: "prod",
        version: "4.22",
        platform: "aws",
        issuer: ISSUER,
        nodePools: ["a", "b"],
      }),
      identities: [makers.aws(), makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] }],
    },
  ],
  [
    "Artifact Registry, one service account with a long name",
    {
      identities: [makers.google()],
      pulls: [
        { serviceAccount: "shop/web", from: fromGoogle() },
        { serviceAccount: `shop/${"long-".repeat(25)}name`, from: fromGoogle("other") },
      ],
    },
  ],
  [
    "Artifact Registry and gcr.io from GKE's own pool",
    {
      cluster: plainCluster({
        issuer: "https://container.googleapis.com/v1/projects/acme/locations/europe-west1/clusters/prod",
        plugins: { gcp: "36.3.8" },
      }),
      identities: [makers.google({ pool: "fleet" })],
      pulls: [
        {
          serviceAccount: "shop/web",
          from: [fromGoogle(), gcrRepository({ project: "acme-images", host: "eu.gcr.io" })],
        },
      ],
    },
    ["tools/*", "eu.gcr.io/acme-images/*"].map(
      (repository) =>
        `${repository}: unknown, issuer-trusted: whether the pool acme-images.svc.id.goog belongs`,
    ),
  ],
  [
    "three clouds, 9 service accounts on 4 identities",
    {
      identities: [makers.aws(), makers.azure({ shards: 4, tenantId: TENANT }), makers.google()],
      pulls: Array.from({ length: 9 }, (_, index) => ({
        serviceAccount: `ns-${index % 3}/sa-${index}`,
        from: [fromEcr(`team-${index}/*`), fromAcr(), fromGoogle()],
      })),
    },
  ],
  [
    "roles whose account only Terraform knows",
    { identities: [] },
    ["whether the role and the registry are in one account is not known"],
  ],
  [
    "roles with path, prefix and a second issuer",
    {
      cluster: plainCluster({
        issuer: Issuer.of(Issuer.of(ISSUER, { label: "next" }), {
          additionalIssuers: ["https://old.example.com"],
        }),
      }),
      identities: [makers.aws({ path: "/pulls/", namePrefix: "eu-" })],
    },
  ],
];

describe("what ImagePulls writes", () => {
  const rows = COMBINATIONS.map(([title, props, open = []]) => [title, props, open] as const);

  it.each(rows)("%s: holds link by link", (_, props, open) => {
    const found = faults(pulls(props).outdir);
    expect(found).toEqual(open.map((each) => expect.stringContaining(each) as string));
  });

  it("one cloud: grants, service accounts and node files in apply order", () => {
    expect(manifestsOf(pulls())).toEqual([
      "manifests/10-token-audience.yaml",
      "manifests/20-service-accounts.yaml",
      "nodes/all-nodes.yaml",
    ]);
    expect(manifestsOf(pulls({ cluster: openShiftCluster() }))).toEqual([
      "manifests/10-token-audience.yaml",
      "manifests/20-service-accounts.yaml",
      "manifests/40-machine-configs.yaml",
    ]);
  });

  it("three clouds on one service account: one object with the annotations of all", () => {
    const synth = pulls({
      identities: allClouds,
      pulls: [{ serviceAccount: "shop/web", from: [fromGoogle(), fromEcr(), fromAcr()] }],
    });
    expect(titles(synth, "20-service-accounts.yaml")).toEqual(["ServiceAccount shop/web"]);
    const [account] = objects(synth, "20-service-accounts.yaml");
    expect(Object.keys(record(inside(account, "metadata", "annotations"))).sort()).toEqual([
      "eks.amazonaws.com/ecr-role-arn",
      "iam.gke.io/enable-wi-image-pull",
      "kubernetes.azure.com/acr-client-id",
      "kubernetes.azure.com/acr-tenant-id",
    ]);
    expect(entries(synth).map(({ name }) => name)).toEqual([
      "ecr-credential-provider",
      "acr-credential-provider",
      "auth-provider-gcp",
    ]);
  });

  it("joins the lines of one service account into one identity", () => {
    const synth = pulls({
      pulls: [
        { serviceAccount: "shop/web", from: fromEcr("shop/web", "base/*") },
        { serviceAccount: "shop/jobs", from: fromEcr("shop/jobs") },
        { serviceAccount: "shop/web", from: fromEcr("tools/*", "shop/web") },
      ],
    });
    expect(titles(synth, "20-service-accounts.yaml")).toEqual([
      "ServiceAccount shop/jobs",
      "ServiceAccount shop/web",
    ]);
    expect(resources(synth.written.terraform, "aws_iam_role").map(({ name }) => name)).toEqual([
      "prod_shop_jobs",
      "prod_shop_web",
    ]);
    const host = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
    expect(record(list(synth.written.identity["clusters"])[0])["pulls"]).toEqual([
      { serviceAccount: "shop/jobs", images: [`${host}/shop/jobs`] },
      {
        serviceAccount: "shop/web",
        images: [`${host}/shop/web`, `${host}/base/*`, `${host}/tools/*`],
      },
    ]);
    expect(faults(synth.outdir)).toEqual([]);
  });

  it("writes the same bytes whatever the order of lines and makers", () => {
    const lines = [
      { serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] },
      { serviceAccount: "shop/tools", from: fromGoogle() },
    ];
    const one = pulls({ identities: allClouds, pulls: lines });
    const other = pulls({ identities: [...allClouds].reverse(), pulls: [...lines].reverse() });
    expect([...other.written.files]).toEqual([...one.written.files]);
  });

  it("holds annotations only for a service account that someone else owns", () => {
    const synth = pulls({
      pulls: [
        { serviceAccount: "shop/web", from: fromEcr() },
        { serviceAccount: "vendor/app", from: fromEcr(), declareServiceAccount: false },
      ],
    });
    expect(titles(synth, "20-service-accounts.yaml")).toEqual(["ServiceAccount shop/web"]);
    expect(objects(synth, "25-service-account-annotations.yaml")).toEqual([
      {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: {
          name: "app",
          namespace: "vendor",
          annotations: { "eks.amazonaws.com/ecr-role-arn": "arn:aws:iam::111122223333:role/prod_vendor_app" },
        },
      },
    ]);
    expect(synth.written.files.get("manifests/25-service-account-annotations.yaml")).toContain(
      "# Apply with `kubectl apply --server-side`; never prune or delete with this file.\n",
    );
    expect(faults(synth.outdir)).toEqual([]);
  });
});

describe("token audience", () => {
  const two = [
    { serviceAccount: "shop/web", from: fromEcr() },
    { serviceAccount: "batch/jobs", from: fromEcr() },
  ];

  function may(synth: SynthesizedPulls, namespace: string, serviceAccount: string): boolean {
    return nodeMayRequestAudience({
      objects: objects(synth, "10-token-audience.yaml"),
      audience: "sts.amazonaws.com",
      namespace,
      serviceAccount,
      node: "node-1",
    });
  }

  // [settings, objects, a neighbour in the same namespace, any service account of another namespace]
  const ROWS: readonly (readonly [
    NonNullable<ImagePullsProps["tokenAudience"]>,
    readonly string[],
    boolean,
    boolean,
  ])[] = [
    [
      {},
      [
        "ClusterRole token-audience:sts.amazonaws.com",
        "RoleBinding batch/token-audience:sts.amazonaws.com",
        "RoleBinding shop/token-audience:sts.amazonaws.com",
      ],
      true,
      false,
    ],
    [
      { scope: "cluster" },
      ["ClusterRole token-audience:sts.amazonaws.com", "ClusterRoleBinding token-audience:sts.amazonaws.com"],
      true,
      true,
    ],
    [
      { scope: "cluster", roleName: "system:node:credential-provider-token-audience" },
      [
        "ClusterRole system:node:credential-provider-token-audience",
        "ClusterRoleBinding system:node:credential-provider-token-audience",
      ],
      true,
      true,
    ],
    [
      { limitToServiceAccounts: true },
      [
        "Role batch/token-audience-limited:sts.amazonaws.com",
        "Role shop/token-audience-limited:sts.amazonaws.com",
        "RoleBinding batch/token-audience-limited:sts.amazonaws.com",
        "RoleBinding shop/token-audience-limited:sts.amazonaws.com",
      ],
      false,
      false,
    ],
    [
      { scope: "cluster", limitToServiceAccounts: true },
      [
        "ClusterRole token-audience-limited:sts.amazonaws.com",
        "ClusterRoleBinding token-audience-limited:sts.amazonaws.com",
      ],
      false,
      false,
    ],
  ];

  it.each(ROWS)("%j", (tokenAudience, expected, neighbour, elsewhere) => {
    const synth = pulls({ pulls: two, tokenAudience });
    expect(titles(synth, "10-token-audience.yaml")).toEqual(expected);
    expect(may(synth, "shop", "web")).toBe(true);
    expect(may(synth, "batch", "jobs")).toBe(true);
    expect(may(synth, "shop", "other")).toBe(neighbour);
    expect(may(synth, "elsewhere", "other")).toBe(elsewhere);
    expect(faults(synth.outdir)).toEqual([]);
  });

  it("has one grant for clouds that share an audience, also under a stated name", () => {
    const synth = pulls({
      identities: [makers.aws({ audience: "pulls" }), makers.azure({ audience: "pulls" })],
      pulls: [
        { serviceAccount: "shop/web", from: fromEcr() },
        { serviceAccount: "batch/jobs", from: fromAcr() },
      ],
      tokenAudience: { roleName: "pulls" },
    });
    expect(titles(synth, "10-token-audience.yaml")).toEqual([
      "ClusterRole pulls",
      "RoleBinding batch/pulls",
      "RoleBinding shop/pulls",
    ]);
    expect(faults(synth.outdir)).toEqual([]);
  });

  // The fourth place differs by cloud: an OIDC provider's client id, a credential's audience, an allowed audience.
  const STATED = "https://pulls.example.com";
  const PLACES: readonly (readonly [
    cloud: keyof typeof makers,
    from: ImagePullsProps["pulls"][number]["from"],
    accepted: (terraform: Json) => unknown,
  ])[] = [
    ["aws", fromEcr(), (json) => resources(json, "aws_iam_openid_connect_provider")[0]?.["client_id_list"]],
    ["azure", fromAcr(), (json) => resources(json, "azurerm_federated_identity_credential")[0]?.["audience"]],
    [
      "google",
      fromGoogle(),
      (json) =>
        inside(resources(json, "google_iam_workload_identity_pool_provider")[0], "oidc", "allowed_audiences"),
    ],
  ];

  it.each(PLACES)("stated once for %s, reaches kubelet, RBAC, cloud and trust", (cloud, from, accepted) => {
    const synth = pulls({
      identities: [makers[cloud]({ audience: STATED })],
      pulls: [{ serviceAccount: "shop/web", from }],
    });
    expect(
      entries(synth).map((entry) => inside(entry, "tokenAttributes", "serviceAccountTokenAudience")),
    ).toEqual([STATED]);
    const rules = list(objects(synth, "10-token-audience.yaml")[0]?.["rules"]).map(record);
    expect(rules.map((rule) => rule["resources"])).toEqual([[STATED]]);
    expect(accepted(synth.written.terraform)).toEqual([STATED]);
    // The trust condition is judged with the kubelet's audience, allowed for it and denied for another.
    expect(faults(synth.outdir)).toEqual([]);
  });
});

describe("the kubelet's entries", () => {
  it("strict mode asks the plugin for annotated service accounts only", () => {
    expect(entries(pulls()).map(({ tokenAttributes }) => tokenAttributes)).toEqual([
      {
        serviceAccountTokenAudience: "sts.amazonaws.com",
        cacheType: "ServiceAccount",
        requireServiceAccount: true,
        requiredServiceAccountAnnotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
      },
    ]);
  });

  it("mixed mode keeps the node's identity for everybody else", () => {
    const synth = pulls({
      identities: [makers.aws(), makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] }],
      credentialProviders: {
        ecr: { mode: "mixed" },
        acr: {
          mode: "mixed",
          nodeIdentityName: "acr-node-identity",
          nodeIdentityArgs: ["/etc/kubernetes/azure.json"],
        },
      },
    });
    expect(entries(synth).map(({ name, tokenAttributes }) => [name, tokenAttributes])).toEqual([
      [
        "ecr-credential-provider",
        {
          serviceAccountTokenAudience: "sts.amazonaws.com",
          cacheType: "ServiceAccount",
          requireServiceAccount: false,
          optionalServiceAccountAnnotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
        },
      ],
      ["acr-credential-provider", expect.objectContaining({ requireServiceAccount: true })],
      ["acr-node-identity", undefined],
    ]);
    expect(faults(synth.outdir)).toEqual([]);
  });

  it("reach the nodes by the stated carriers instead of the cluster's own", () => {
    const synth = pulls({
      cluster: openShiftCluster(),
      carriers: [new PlainCarrier({ name: "blue" }), new PlainCarrier({ name: "green" })],
    });
    expect(manifestsOf(synth).filter((path) => !/\/[12]\d-/.test(path))).toEqual([
      "nodes/blue.yaml",
      "nodes/green.yaml",
    ]);
    // Which pools they are for, no file says.
    const open = "no CredentialProviderConfig of the nodes worker was read";
    expect(faults(synth.outdir)).toEqual([expect.stringContaining(open)]);
  });
});

describe("warnings", () => {
  const DEFAULT =
    "service account shop/default: every pod of the namespace without a service account name runs as this one and pulls with its identity; give the pods that pull their own service account";
  const OPENSHIFT = (key: string): string =>
    `service account ${key}: the namespace belongs to OpenShift's operators, which pull with the cluster's pull secret and may remove the annotations again; let pods in your own namespace pull`;

  // Source: docs of the token request of pods without a name; ownership of openshift-* namespaces.
  const ROWS: readonly (readonly [cluster: "kubernetes" | "openshift", key: string, warnings: string[]])[] = [
    ["kubernetes", "shop/web", []],
    ["kubernetes", "shop/default", [DEFAULT]],
    ["openshift", "shop/default", [DEFAULT]],
    ["openshift", "shop/web", []],
    ["openshift", "openshift-monitoring/prometheus", [OPENSHIFT("openshift-monitoring/prometheus")]],
    ["openshift", "openshift/builder", [OPENSHIFT("openshift/builder")]],
    ["openshift", "openshifty/web", []],
    ["kubernetes", "openshift-monitoring/prometheus", []],
    [
      "kubernetes",
      "crossplane-system/provider-aws-s3-6f461b0ba11f",
      [expect.stringMatching(/: Crossplane names it after .*DeploymentRuntimeConfig/) as string],
    ],
  ];

  it.each(ROWS)("%s %s", (distribution, serviceAccount, expected) => {
    const cluster = distribution === "openshift" ? openShiftCluster() : plainCluster();
    const { written } = pulls({ cluster, pulls: [{ serviceAccount, from: fromEcr() }] });
    expect(written.warnings).toEqual(expected);
  });

  it("of nodes of 1.33, whose file stops newer kubelets", () => {
    const featureGates = { KubeletServiceAccountTokenForCredentialProviders: true };
    const warnings = (version: string): readonly string[] =>
      pulls({ cluster: plainCluster({ version, featureGates }) }).written.warnings;
    expect(warnings("1.33")).toEqual([
      expect.stringMatching(
        /^kubelets from 1\.34 on do not start with .*; before you upgrade nodes, synthesize/,
      ),
    ]);
    expect(warnings("1.34")).toEqual([]);
  });

  it("both, for the default service account of an operator's namespace", () => {
    const from = fromEcr();
    const { written } = pulls({
      cluster: openShiftCluster(),
      pulls: [{ serviceAccount: "openshift-etcd/default", from }],
    });
    expect(written.warnings).toHaveLength(2);
  });
});

describe("several stacks of one app", () => {
  it("each write one cluster, and share nothing", () => {
    const outdir = synthesized((app) => {
      for (const name of ["blue", "green"]) {
        const stack = new TerraformStack(app, name);
        new AwsProvider(stack, "aws");
        new AzurermProvider(stack, "azurerm", { features: [{}] });
        new ImagePulls(stack, "pulls", {
          cluster: plainCluster({ name, issuer: `https://oidc.example.com/${name}` }),
          identities: [makers.aws(), makers.azure()],
          pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] }],
        });
      }
    });
    expect(writtenStacks(outdir).map(({ name }) => name)).toEqual(["blue", "green"]);
    expect(faults(outdir)).toEqual([]);
  });
});

describe("what is created can be reached", () => {
  it("declarations by cloud, the node setup and the manifests", () => {
    const stack = new TerraformStack(Testing.app(), "prod");
    const made = new ImagePulls(stack, "pulls", {
      cluster: plainCluster(),
      identities: [makers.aws()],
      pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    });
    expect(Object.keys(made.declarations)).toEqual(["aws"]);
    expect(made.declarations["aws"]?.grants.map(({ subject }) => subject.key)).toEqual(["shop/web"]);
    expect(made.nodeSetup.files.map(({ path }) => path)).toEqual([
      "/etc/kubernetes/credential-provider-config.yaml",
    ]);
    expect(made.manifests.recorded).toHaveLength(1);
    expect(made.node.children.map((child: Construct) => child.node.id)).toEqual(["aws"]);
  });
});
