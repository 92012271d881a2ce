/*
 * What users get wrong with fleets, each with a code of its own: the bad input of the fleet's rules through the
 * composed construct, and what only the construct sees.
 */

import { TerraformResource, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { eksSpoke, workloadRoles } from "../../lib/cloud/aws";
import { aksSpoke, workloadIdentities } from "../../lib/cloud/azure";
import type { ErrorCode } from "../../lib/errors";
import { argoCd, knativeOperator, multiKueue, selfManagedSpoke } from "../../lib/fleet";
import { FleetAccess, type FleetAccessProps, type FleetSpoke, Manifests } from "../../lib/synth";
import { CA } from "../fixtures/fleet/spokes";
import { SUBSCRIPTION, providersStack } from "../support/platform-components";
import { refusal } from "../support/refusal";

const ISSUER = "https://oidc.example.com/hub";
const MANAGER = "kueue-system/kueue-controller-manager";
const [account, region] = ["111122223333", "eu-west-1"];
const roles = workloadRoles({ account, region });
const managed = workloadIdentities({ resourceGroupName: "hub", location: "westeurope" });
const exec = {
  apiVersion: "client.authentication.k8s.io/v1beta1",
  interactiveMode: "Never",
  env: [],
  provideClusterInfo: false,
} as const;
const kueueConfiguration = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n";

const eks = (
  cluster: { readonly endpoint?: string; readonly certificateAuthorityData?: string } = {},
  more: Partial<FleetSpoke> = {},
): FleetSpoke => ({
  name: "eks-1",
  access: eksSpoke({
    cluster: {
      name: "eks-1",
      endpoint: "https://spoke.example.com",
      certificateAuthorityData: CA,
      ...cluster,
    },
    region,
    accessPolicies: [{ policy: "AmazonEKSEditPolicy" }],
  }),
  ...more,
});
const AKS_ID = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/aks`;
const AKS: FleetSpoke = {
  name: "aks",
  access: aksSpoke({
    cluster: { id: AKS_ID, server: "https://aks.example.com", certificateAuthorityData: CA },
  }),
  clusterRole: "deployer",
};
const groups: FleetSpoke = {
  name: "eks-1",
  access: eksSpoke({
    cluster: { name: "eks-1", endpoint: "https://spoke.example.com", certificateAuthorityData: CA },
    region,
    kubernetesGroups: ["hub"],
  }),
};
const own = (issuer: string, serviceAccounts: readonly string[]): FleetSpoke => ({
  name: "edge",
  clusterRole: "deployer",
  access: selfManagedSpoke({
    hub: "hub",
    spoke: "edge",
    apiServer: "1.34",
    audience: "edge",
    issuer,
    serviceAccounts,
    endpoint: { server: "https://edge.example.com", certificateAuthorityData: CA },
  }),
});

const KUEUE: FleetAccessProps = {
  hub: { name: "hub", issuer: ISSUER, apiServer: "1.35" },
  consumer: multiKueue({ version: "0.19" }),
  kueueConfiguration,
  clusterManager: "platform-iac",
  identities: [roles],
  plugins: [{ plugin: "aws-iam-authenticator", image: "example.com/authenticator:v0.7.18" }],
  spokes: [eks()],
};
const ARGO = {
  consumer: argoCd({ version: "3.5" }),
  kueueConfiguration: undefined,
  plugins: [],
} as const satisfies Partial<FleetAccessProps>;

const CASES: readonly (readonly [
  title: string,
  () => Partial<FleetAccessProps>,
  ErrorCode,
  about: RegExp,
])[] = [
  ["no spoke", () => ({ spokes: [] }), "fleet-missing", /^hub\/fleet: `spokes` of the hub is an empty list/],
  ["no maker for a cloud", () => ({ identities: [] }), "fleet-missing", /got "aws"/],
  [
    "a maker for no spoke",
    () => ({ identities: [roles, managed] }),
    "identities-unused",
    /no line of `spokes` needs, got "azure"/,
  ],
  [
    "a Job for a status beside cluster Secrets",
    () => ({
      ...ARGO,
      consumer: argoCd({ version: "3.2", clusterSecrets: true }),
      statusWriter: { kubectlVersion: "1.35.2" },
    }),
    "fleet-unused",
    /neither a list of access providers nor a status, got "statusWriter"/,
  ],
  [
    "a plugin that wants to know the spoke beside cluster Secrets",
    () => ({
      ...ARGO,
      consumer: argoCd({ version: "3.2", clusterSecrets: true }),
      pluginByCloud: { aws: "eks-aws-auth-plugin" },
      plugins: [{ plugin: "eks-aws-auth-plugin", image: "e.example/eks:v1", path: "/eks-aws-auth-plugin" }],
    }),
    "fleet-unsupported",
    /KUBERNETES_EXEC_INFO/,
  ],
  ["two makers of one cloud", () => ({ identities: [roles, roles] }), "identities-conflict", /got "aws"/],
  ["two spokes of one name", () => ({ spokes: [eks(), eks()] }), "fleet-conflict", /"kueue-system\/eks-1"/],
  ["rights from nowhere", () => ({ spokes: [groups] }), "fleet-missing", /spoke eks-1: .*kueue-controller/],
  [
    "a role that binds no one",
    () => ({ spokes: [eks({}, { clusterRole: "deployer" })] }),
    "fleet-unused",
    /got "deployer"/,
  ],
  [
    "a spoke that trusts another issuer",
    () => ({ identities: [], spokes: [own("https://other.example.com", [MANAGER])] }),
    "fleet-mismatch",
    /spoke edge: the tokens .* got "https:\/\/other/,
  ],
  [
    "a spoke that trusts another service account",
    () => ({ identities: [], spokes: [own(ISSUER, ["kueue-system/default"])] }),
    "fleet-mismatch",
    /the service accounts .* got \["kueue-system\/default"\]/,
  ],
  [
    "a CA that is no PEM",
    () => ({ spokes: [eks({ certificateAuthorityData: "bm8gUEVN" })] }),
    "fleet-invalid",
    /^hub\/fleet: spoke eks-1: the certificate authority/,
  ],
  [
    "a server without https",
    () => ({ spokes: [eks({ endpoint: "spoke.example.com" })] }),
    "fleet-invalid",
    /^hub\/fleet: spoke eks-1: the server of a spoke/,
  ],
  [
    "namespaces without a clusterRole",
    () => ({ spokes: [eks({}, { namespaces: ["shop"] })] }),
    "fleet-unused",
    /spoke eks-1 have no effect.*\["shop"\]/,
  ],
  [
    "no namespace to bind in",
    () => ({ spokes: [{ ...groups, clusterRole: "deployer", namespaces: [] }] }),
    "fleet-missing",
    /bound nowhere/,
  ],
  [
    "a ClusterRole with a slash",
    () => ({ spokes: [{ ...groups, clusterRole: "a/b" }] }),
    "fleet-invalid",
    /spoke eks-1: .*got "a\/b"/,
  ],
  [
    "a stored token",
    () => ({ pluginByCloud: { aws: "secretreader" } as unknown as FleetAccessProps["pluginByCloud"] }),
    "fleet-unsafe",
    /secretreader/,
  ],
  [
    "two providers of one name in two spokes",
    () => ({
      spokes: [eks({}, { providerName: "z" }), eks({}, { name: "eks-2", providerName: "z" })],
    }),
    "fleet-conflict",
    /"z"/,
  ],
  [
    "Argo CD's builtin provider for AWS",
    () => ({ ...ARGO, spokes: [eks({}, { providerName: "argo-cd-builtin-aws" })] }),
    "fleet-unsupported",
    /--cluster-name/,
  ],
  [
    "kubelogin without server id",
    () => ({
      ...ARGO,
      additionalProviders: [
        { name: "more", execConfig: { ...exec, command: "/plugins/kubelogin", args: ["get-token"] } },
      ],
    }),
    "fleet-missing",
    /got "more"/,
  ],
  [
    "additional arguments from the profile",
    () => ({
      ...ARGO,
      additionalProviders: [
        {
          name: "more",
          execConfig: { ...exec, command: "argocd-k8s-auth", args: ["gcp"] },
          profileSourcedCLIArgsPolicy: "Append",
        },
      ] as unknown as FleetAccessProps["additionalProviders"],
    }),
    "fleet-unsupported",
    /access provider more/,
  ],
  [
    "a second provider of one name",
    () => ({
      ...ARGO,
      additionalProviders: [
        { name: "aws-eks-1", execConfig: { ...exec, command: "argocd-k8s-auth", args: ["gcp"] } },
      ],
    }),
    "fleet-conflict",
    /"aws-eks-1"/,
  ],
  [
    "Argo CD's profiles elsewhere",
    () => ({ ...ARGO, namespace: "fleet" }),
    "fleet-mismatch",
    /Argo CD reads only ClusterProfiles of its own namespace, got "fleet"/,
  ],
  ["Kueue's profiles elsewhere", () => ({ namespace: "batch" }), "fleet-mismatch", /got "batch"/],
  ["Kueue's configuration left out", () => ({ kueueConfiguration: undefined }), "fleet-invalid", /missing/],
  ["no image of the plugin", () => ({ plugins: [] }), "fleet-missing", /aws-iam-authenticator/],
  [
    "a hub without image volumes",
    () => ({ hub: { ...KUEUE.hub, apiServer: "1.34" } }),
    "fleet-unsupported",
    /got "1.34"/,
  ],
  [
    "a consumer that waits for health",
    () => ({ consumer: knativeOperator({ version: "1.22" }), kueueConfiguration: undefined }),
    "fleet-missing",
    /ControlPlaneHealthy/,
  ],
  ["another manager's name", () => ({ clusterManager: "gke-fleet" }), "fleet-foreign", /got "gke-fleet"/],
  [
    "AKS without an object id",
    () => ({
      ...ARGO,
      identities: [
        {
          cloud: "azure",
          job: "workloads",
          declare: (_, { accounts }) => ({
            grants: accounts.map(({ subject }) => ({
              subject,
              identity: "x",
              annotations: {},
              pod: { labels: {}, env: [], volumeMounts: [], volumes: [] },
            })),
          }),
        },
      ],
      spokes: [AKS],
    }),
    "azure-missing",
    /spoke aks/,
  ],
  [
    "identity bindings",
    () => ({
      hub: { ...KUEUE.hub, issuer: "https://westeurope.oic.prod-aks.azure.com/tenant/1/" },
      identities: [
        workloadIdentities({ resourceGroupName: "hub", location: "westeurope", identityBinding: AKS_ID }),
      ],
      plugins: [{ plugin: "kubelogin", image: "example.com/kubelogin:v0.2" }],
      spokes: [AKS],
    }),
    "fleet-foreign",
    /needs a right in the hub \(use-managed-identity\)/,
  ],
];

/** What callers without a compiler pass. */
const UNTYPED: readonly (readonly [title: string, Readonly<Record<string, unknown>>, ErrorCode])[] = [
  ["a custom consumer without workloads", { consumer: {} }, "property-missing"],
  ["a spoke without access", { spokes: [{ name: "a" }] }, "property-missing"],
  [
    "a property of a spoke that no one reads",
    { spokes: [{ ...groups, clusterRole: "deployer", additionalEnvs: {} }] },
    "property-unknown",
  ],
  ["a text as access", { spokes: [{ name: "a", access: "x" }] }, "property-invalid"],
  ["an object as access", { spokes: [{ name: "a", access: {} }] }, "property-missing"],
  [
    "namespaces that are a text",
    { spokes: [{ ...groups, clusterRole: "deployer", namespaces: "shop" }] },
    "property-invalid",
  ],
  ["a maker that declares nothing", { identities: [{ cloud: "aws" }] }, "property-missing"],
  [
    "the text false as a gate",
    { hub: { ...KUEUE.hub, apiServer: "1.34", featureGates: { ImageVolume: "false" } } },
    "property-invalid",
  ],
  ["another cloud's webhook", { hub: { ...KUEUE.hub, podIdentityWebhooks: ["google"] } }, "property-invalid"],
];

/** Refusals that need what a cloud has declared. */
const AFTER_IDENTITIES: readonly ErrorCode[] = ["azure-missing", "fleet-foreign"];

describe("FleetAccess refuses", () => {
  it.each(CASES)("%s, and leaves nothing behind", (_title, props, code, about) => {
    const stack = providersStack(Testing.app(), "hub");
    expect(() => new FleetAccess(stack, "fleet", { ...KUEUE, ...props() })).toThrowError(
      refusal(code, { message: expect.stringMatching(about) as unknown }),
    );
    if (AFTER_IDENTITIES.includes(code)) return;
    expect(stack.node.findAll().filter(TerraformResource.isTerraformResource)).toEqual([]);
    expect([...Manifests.of(stack).render().keys()]).toEqual([]);
  });

  it.each(UNTYPED)("%s", (_title, props, code) => {
    const stack = providersStack(Testing.app(), "hub");
    expect(
      () => new FleetAccess(stack, "fleet", { ...KUEUE, ...props } as unknown as FleetAccessProps),
    ).toThrowError(refusal(code));
  });

  it("a second controller in the stack", () => {
    const stack = providersStack(Testing.app(), "hub");
    new FleetAccess(stack, "fleet", KUEUE);
    expect(() => new FleetAccess(stack, "second", KUEUE)).toThrowError(refusal("cluster-conflict"));
  });

  it("a hub in the stack of another cluster", () => {
    const stack = providersStack(Testing.app(), "hub");
    new FleetAccess(stack, "fleet", KUEUE);
    const other = { ...KUEUE, hub: { ...KUEUE.hub, name: "other" } };
    expect(() => new FleetAccess(stack, "second", other)).toThrowError(refusal("cluster-conflict"));
    expect(
      () =>
        new FleetAccess(new TerraformStack(stack.node.root, "other"), "fleet", {
          ...other,
          identities: [],
          plugins: [],
        }),
    ).toThrowError(refusal("fleet-missing"));
  });
});
