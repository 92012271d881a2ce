import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { type TerraformStack, TerraformVariable } from "cdktf";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { awsAccess, eksSpoke, workloadRoles } from "../../lib/cloud/aws";
import { aksSpoke, workloadIdentities } from "../../lib/cloud/azure";
import { connectGatewaySpoke, gkeSpoke, workloadServiceAccounts } from "../../lib/cloud/google";
import { argoCd, controller, multiKueue, selfManagedSpoke, validateClusterProfile } from "../../lib/fleet";
import { Issuer } from "../../lib/model/issuer";
import { FleetAccess, type FleetAccessProps, type FleetSpoke, WorkloadAccess } from "../../lib/synth";
import { CA } from "../fixtures/fleet/spokes";
import { type Json, inside, list, record, text } from "../support/json";
import { SUBSCRIPTION, TENANT, providersStack } from "../support/platform-components";
import { type WrittenStack, boundFiles, writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { resources } from "../support/terraform";

const ISSUER = "https://oidc.example.com/hub";
const [account, region] = ["111122223333", "eu-west-1"];
const endpoint = { server: "https://spoke.example.com", certificateAuthorityData: CA };
const aksId = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/aks`;

const roles = workloadRoles({ account, region });
const managed = workloadIdentities({ resourceGroupName: "hub", location: "westeurope", tenantId: TENANT });
const accounts = workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" });

const hub = { name: "hub", issuer: ISSUER, apiServer: "1.35" };
const kueueConfiguration = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n";
const authenticator = {
  plugin: "aws-iam-authenticator",
  image: "example.com/authenticator:v0.7.18",
} as const;
const busybox = { plugin: "projected-token", image: "docker.io/library/busybox:1.37-musl" } as const;

const eks = (name: string, more: Partial<FleetSpoke> = {}): FleetSpoke => ({
  name,
  access: eksSpoke({
    cluster: { name, endpoint: endpoint.server, certificateAuthorityData: CA },
    region,
    accessPolicies: [{ policy: "AmazonEKSEditPolicy", namespaces: ["shop"] }],
  }),
  ...more,
});
const aks: FleetSpoke = {
  name: "aks",
  access: aksSpoke({ cluster: { id: aksId, ...endpoint }, roles: [] }),
  clusterRole: "deployer",
  namespaces: ["shop"],
};
const gke: FleetSpoke = {
  name: "gke",
  access: gkeSpoke({
    cluster: { endpoint: "203.0.113.7", clusterCaCertificate: CA },
    project: "acme-prod",
    role: "roles/container.developer",
  }),
};
const gateway: FleetSpoke = {
  name: "gateway",
  access: connectGatewaySpoke({
    project: "acme-prod",
    projectNumber: "123456789012",
    membership: "gateway",
    role: "roles/gkehub.gatewayEditor",
  }),
  clusterRole: "deployer",
};
const own = (name: string): FleetSpoke => ({
  name,
  access: (of) =>
    selfManagedSpoke({ ...of, apiServer: "1.34", audience: `https://${name}.example`, endpoint }),
  clusterRole: "deployer",
});

const KUEUE: FleetAccessProps = {
  hub,
  consumer: multiKueue({ version: "0.19" }),
  kueueConfiguration,
  clusterManager: "platform-iac",
  identities: [roles],
  plugins: [authenticator],
  spokes: [eks("eks-1")],
};
const ARGO: FleetAccessProps = {
  hub,
  consumer: argoCd({ version: "3.5" }),
  clusterManager: "platform-iac",
  identities: [roles, managed, accounts],
  spokes: [eks("eks-1"), aks, gke, gateway],
};

function written(
  props: FleetAccessProps | ((stack: TerraformStack) => FleetAccessProps),
  more?: (stack: TerraformStack) => void,
): WrittenStack {
  const outdir = synthesized((app) => {
    const stack = providersStack(app, "hub");
    new FleetAccess(stack, "fleet", typeof props === "function" ? props(stack) : props);
    more?.(stack);
  });
  const [stack] = writtenStacks(outdir);
  if (!stack) throw new Error("no stack was written");
  return stack;
}

const stacks = new Map<FleetAccessProps, WrittenStack>();
const once = (props: FleetAccessProps): WrittenStack => {
  const stack = stacks.get(props) ?? written(props);
  stacks.set(props, stack);
  return stack;
};
const argo = (): WrittenStack => once(ARGO);
const kueue = (): WrittenStack => once(KUEUE);

function documents({ files }: WrittenStack, file: string): readonly Json[] {
  return parseAllDocuments(files.get(file) ?? "").map((document) => record(document.toJS()));
}

const fleetOf = ({ identity }: WrittenStack): Json => record(record(list(identity["clusters"])[0])["fleet"]);

describe("FleetAccess", () => {
  it("writes the hub's files into manifests, and those of each spoke beside them", () => {
    expect([...argo().files.keys()].sort()).toEqual([
      "cdk.tf.json",
      "manifests/60-cluster-profiles.yaml",
      "manifests/61-cluster-profile-status.yaml",
      "manifests/65-fleet-controller.yaml",
      "spokes/aks.yaml",
      "spokes/gateway.yaml",
      "workload-identity.json",
    ]);
  });

  it("says of each manifest where it belongs, and binds spokes with the rest", () => {
    const { identity, files } = argo();
    expect(identity["manifests"]).toEqual([
      { file: "spokes/aks.yaml", appliesTo: "spoke", spoke: "aks" },
      { file: "spokes/gateway.yaml", appliesTo: "spoke", spoke: "gateway" },
      { file: "manifests/60-cluster-profiles.yaml", appliesTo: "cluster" },
      { file: "manifests/61-cluster-profile-status.yaml", appliesTo: "cluster" },
      { file: "manifests/65-fleet-controller.yaml", appliesTo: "cluster" },
    ]);
    expect(files.get("spokes/gateway.yaml")?.split("\n")[0]).toBe(
      "# Belongs to the spoke gateway, not to the hub.",
    );
    expect(files.get("spokes/aks.yaml")).toContain("@late(azurerm_user_assigned_identity.");
  });

  it.each(["v1alpha1", "v1alpha2"] as const)(
    "profiles are stored as they are by an API server with %s",
    (version) => {
      const stack = written({ ...ARGO, apiVersion: version });
      const [main, status] = ["60-cluster-profiles", "61-cluster-profile-status"].map((file) =>
        documents(stack, `manifests/${file}.yaml`),
      );
      expect(main).toHaveLength(4);
      expect(main?.map((each) => "status" in each)).toEqual([false, false, false, false]);
      for (const document of [...(main ?? []), ...(status ?? [])])
        expect(validateClusterProfile(document, version)).toEqual({ dropped: [], rejected: [] });
    },
  );

  it("gives each executing service account one identity per cloud, and no permission with it", () => {
    const stack = argo();
    expect(
      list(fleetOf(stack)["identities"]).map((each) => [
        record(each)["serviceAccount"],
        record(each)["cloud"],
      ]),
    ).toEqual(
      ["aws", "azure", "google"].flatMap((cloud) => [
        ["argocd/argocd-application-controller", cloud],
        ["argocd/argocd-server", cloud],
      ]),
    );
    expect(resources(stack.terraform, "aws_iam_role")).toHaveLength(2);
    expect(resources(stack.terraform, "aws_iam_role_policy")).toHaveLength(0);
    expect(resources(stack.terraform, "aws_eks_access_entry")).toHaveLength(2);
  });

  it("says how the status is applied", () => {
    expect(kueue().files.get("manifests/61-cluster-profile-status.yaml")).toContain(
      "# kubectl apply --server-side --subresource=status --field-manager=platform-iac --filename=<this file>\n",
    );
  });

  it("MultiKueue: a worker cluster for each profile", () => {
    expect(documents(kueue(), "manifests/70-multi-kueue-clusters.yaml")).toEqual([
      {
        apiVersion: "kueue.x-k8s.io/v1beta2",
        kind: "MultiKueueCluster",
        metadata: { name: "eks-1" },
        spec: { clusterSource: { clusterProfileRef: { name: "eks-1" } } },
      },
    ]);
  });

  it("a generic controller: provider file, its argument, and the right to read profiles", () => {
    const workloads = [
      { kind: "Deployment", namespace: "ops", name: "own", container: "own", serviceAccount: "own" },
    ] as const;
    const stack = written({
      ...KUEUE,
      consumer: controller({ title: "own", workloads }),
      kueueConfiguration: undefined,
    });
    const file = "manifests/65-fleet-controller.yaml";
    expect(stack.files.get(file)).toContain(
      "# Give the Deployment ops/own of own the argument\n# --clusterprofile-provider-file=/etc/clusterprofile/clusterprofile-provider-file.json\n",
    );
    expect(documents(stack, file).map(({ kind }) => kind)).toEqual([
      "ConfigMap",
      "ServiceAccount",
      "Deployment",
      "Role",
      "RoleBinding",
    ]);
    expect(
      documents(stack, "manifests/60-cluster-profiles.yaml").map((each) =>
        inside(each, "metadata", "namespace"),
      ),
    ).toEqual(["ops"]);
  });

  it("a self-managed spoke trusts the hub's issuer and the controller alone", () => {
    const stack = written({ ...KUEUE, identities: [], plugins: [], spokes: [own("edge")] });
    expect([...stack.files.values()].join("")).toContain("docker.io/library/busybox:1.37-musl");
    const nodes = documents(stack, "spokes/edge_control-plane.yaml")[0];
    const [file] = list(nodes?.["files"]).map(record);
    expect(file).toMatchObject({ path: "/etc/kubernetes/authentication-configuration.yaml", mode: "0600" });
    expect(nodes).not.toHaveProperty("kubeletFlags");
    const [jwt] = list(record(parse(String(file?.["content"])))["jwt"]).map(record);
    expect(inside(jwt, "issuer")).toEqual({ url: ISSUER, audiences: ["https://edge.example"] });
    expect(JSON.stringify(jwt)).toContain(
      "'hub:system:serviceaccount:kueue-system:kueue-controller-manager'",
    );
    expect(stack.identity["nodes"]).toEqual([{ file: "spokes/edge_control-plane.yaml", spoke: "edge" }]);
    expect(documents(stack, "spokes/edge.yaml")[0]?.["subjects"]).toEqual([
      {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "User",
        name: "hub:system:serviceaccount:kueue-system:kueue-controller-manager",
      },
    ]);
    expect(stack.files.get("spokes/edge_control-plane.yaml")?.split("\n").slice(0, 2)).toEqual([
      "# Belongs to the spoke edge: put the files on each node of its control plane, and start kube-apiserver with",
      "# --authentication-config=/etc/kubernetes/authentication-configuration.yaml, which replaces all --oidc-… flags.",
    ]);
  });

  it("a hub that moves to another issuer has both trusted everywhere, and recorded", () => {
    const next = Issuer.of("https://d111111abcdef8.cloudfront.net", { label: "2027" });
    const moving = (issuer: Issuer, spoke = own("edge")): WrittenStack =>
      written({
        ...KUEUE,
        hub: { ...hub, issuer },
        plugins: [authenticator, busybox],
        spokes: [eks("eks-1"), spoke],
      });
    const [trusted, signing] = [
      moving(Issuer.of(ISSUER, { additionalIssuers: [next] })),
      moving(Issuer.of(next, { additionalIssuers: [ISSUER] })),
    ];
    const entriesOf = (stack: WrittenStack): readonly Json[] => {
      const [file] = list(documents(stack, "spokes/edge_control-plane.yaml")[0]?.["files"]).map(record);
      return list(record(parse(String(file?.["content"])))["jwt"]).map(record);
    };
    const audiences = ["https://edge.example"];
    for (const entries of [trusted, signing].map(entriesOf)) {
      expect(entries.map(({ issuer }) => issuer)).toEqual([
        { url: ISSUER, audiences },
        { url: next.url, audiences },
      ]);
      expect(new Set(entries.map((each) => JSON.stringify({ ...each, issuer: "" }))).size).toBe(1);
    }
    expect(record(list(trusted.identity["clusters"])[0])).toMatchObject({
      issuer: ISSUER,
      additionalIssuers: [next.url],
    });
    const discoveryURL = "https://mirror.example.com/.well-known/openid-configuration";
    const entryFor = (audience: string): Json => ({
      issuer: { url: next.url, discoveryURL, audiences: [audience] },
      claimMappings: { username: { claim: "sub", prefix: "hub:" } },
    });
    const stated = (entry: Json): FleetSpoke => ({
      ...own("edge"),
      access: (of) =>
        selfManagedSpoke({
          ...of,
          apiServer: "1.34",
          audience: "https://edge.example",
          endpoint,
          additionalAuthenticators: [entry],
        }),
    });
    const issuer = Issuer.of(ISSUER, { additionalIssuers: [next] });
    const entry = entryFor("https://edge.example");
    expect(entriesOf(moving(issuer, stated(entry))).slice(1)).toEqual([entry]);
    expect(() => moving(issuer, stated(entryFor("https://other.example")))).toThrowError(
      expect.objectContaining({
        code: "proof-failed",
        message: expect.stringContaining("https://edge.example, which the spoke does not accept") as string,
      }),
    );
  });

  it("a spoke may be called like a manifest", () => {
    const spokes = [own("fleet-controller")];
    expect([...written({ ...KUEUE, identities: [], plugins: [busybox], spokes }).files.keys()]).toEqual(
      expect.arrayContaining(["spokes/fleet-controller.yaml", "manifests/65-fleet-controller.yaml"]),
    );
  });

  it("with a status writer, Jobs take the place of the status manifests", () => {
    const stack = written({ ...KUEUE, statusWriter: { kubectlVersion: "1.35.2" } });
    expect(stack.files.has("manifests/61-cluster-profile-status.yaml")).toBe(false);
    expect(
      documents(stack, "manifests/62-cluster-profile-status-writers.yaml").map(({ kind }) => kind),
    ).toEqual(["ServiceAccount", "Role", "RoleBinding", "ConfigMap", "Job"]);
  });

  it("another spoke adds objects and changes no other", () => {
    const both = [
      [eks("eks-1"), aks, own("edge")],
      [eks("eks-1"), eks("eks-2"), aks, own("edge"), own("edge-2")],
    ];
    const [few, many] = both.map((spokes) =>
      written({
        ...KUEUE,
        identities: [roles, managed],
        plugins: [authenticator, busybox, { plugin: "kubelogin", image: "ghcr.io/azure/kubelogin:v0.2.19" }],
        spokes,
      }),
    );
    if (!few || !many) throw new Error("not two stacks");
    expect(many.terraform["resource"]).toMatchObject(record(few.terraform["resource"]));
    for (const file of ["manifests/60-cluster-profiles.yaml", "manifests/61-cluster-profile-status.yaml"])
      expect(documents(many, file)).toEqual(expect.arrayContaining([...documents(few, file)]));
    for (const [file, text] of few.files)
      if (file.startsWith("spokes/")) expect(many.files.get(file)).toBe(text);
  });

  it("warns of a binding to cluster-admin, as explain does of the clouds' policies", () => {
    const warnings = (clusterRole: string): readonly string[] => {
      const texts: string[] = [];
      const cluster = { name: "eks", endpoint: endpoint.server, certificateAuthorityData: CA };
      const access = eksSpoke({ cluster, region, kubernetesGroups: ["hub"] });
      const spokes = [{ name: "eks", access, clusterRole, namespaces: ["shop"] }];
      written({ ...KUEUE, spokes }, ({ node }) => {
        const all = node.findAll().flatMap((each) => each.node.metadata);
        texts.push(...all.map(({ data }) => String(data)).filter((each) => each.includes("cluster-admin")));
      });
      return texts;
    };
    expect(warnings("cluster-admin")).toEqual([
      "ClusterRole cluster-admin lets the controller do everything in shop of spoke eks: bind a ClusterRole with the rights that it needs",
    ]);
    expect(warnings("deployer")).toEqual([]);
  });

  it("keeps late addresses and certificates for bind, in the status alone", () => {
    const stack = written((within) => ({
      ...KUEUE,
      spokes: [
        {
          name: "late",
          access: eksSpoke({
            cluster: new DataAwsEksCluster(within, "late", { name: "late" }),
            region,
            kubernetesGroups: ["hub"],
          }),
          clusterRole: "deployer",
        },
      ],
    }));
    const late = [...stack.files].filter(([file, text]) => file.endsWith(".yaml") && text.includes("@late("));
    expect(late.map(([file]) => file)).toEqual(["manifests/61-cluster-profile-status.yaml"]);
  });

  it("records what bind must check of late addresses and certificates, each as it will be written", () => {
    const { identity } = written((within) => {
      const late = (name: string): string =>
        new TerraformVariable(within, name, { type: "string" }).stringValue;
      const cluster = {
        name: "a",
        endpoint: `https://${late("host")}:443`,
        certificateAuthorityData: late("ca"),
      };
      const access = eksSpoke({ cluster, region, accessPolicies: [{ policy: "AmazonEKSEditPolicy" }] });
      return { ...KUEUE, spokes: [{ name: "a", access, proxyUrl: late("proxy") }, eks("eks-1")] };
    });
    expect(identity["rules"]).toEqual([
      { of: "server of spoke a", rule: "server", text: "https://@late(var.host)@:443" },
      { of: "certificate authority of spoke a", rule: "certificate-authority", text: "@late(var.ca)@" },
      { of: "proxy of spoke a", rule: "proxy", text: "@late(var.proxy)@" },
    ]);
    expect(kueue().identity).not.toHaveProperty("rules");
  });

  it.each([
    [
      "aws",
      eks("eks-1"),
      ["AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_STS_REGIONAL_ENDPOINTS", "AWS_REGION"],
      "sts.amazonaws.com",
    ],
    [
      "azure",
      aks,
      ["AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_AUTHORITY_HOST"],
      "api://AzureADTokenExchange",
    ],
  ] as const)(
    "without the webhook of %s, the workloads have token and variables themselves",
    (cloud, spoke, names, audience) => {
      const maker = cloud === "aws" ? roles : managed;
      const patches = (podIdentityWebhooks: readonly ("aws" | "azure")[]): readonly Json[] =>
        documents(
          written({
            ...ARGO,
            hub: { ...hub, podIdentityWebhooks },
            identities: [maker],
            spokes: [spoke],
          }),
          "manifests/65-fleet-controller.yaml",
        ).filter(
          ({ kind, metadata }) =>
            kind !== "ServiceAccount" && /-server$/.test(String(record(metadata)["name"])),
        );
      const [patch] = patches([]);
      const pod = record(inside(patch, "spec", "template", "spec"));
      const [container] = list(pod["containers"]).map(record);
      expect(list(container?.["env"]).map((each) => record(each)["name"])).toEqual(names);
      const volume = record(list(pod["volumes"])[0]);
      expect(
        inside(record(list(inside(volume, "projected", "sources"))[0]), "serviceAccountToken", "audience"),
      ).toBe(audience);
      const token = list(container?.["env"])
        .map(record)
        .find(({ name }) => /TOKEN_FILE$/.test(String(name)));
      const mount = record(list(container?.["volumeMounts"])[0]);
      expect(mount["name"]).toBe(volume["name"]);
      expect(token?.["value"]).toBe(`${String(mount["mountPath"])}/token`);
      expect(JSON.stringify(patches([cloud]))).not.toContain("TOKEN_FILE");
    },
  );

  it("says which webhooks the hub needs", () => {
    const header = written({ ...ARGO, hub: { ...hub, podIdentityWebhooks: ["azure", "aws"] } }).files.get(
      "manifests/65-fleet-controller.yaml",
    );
    expect(header).toContain("# Needs the pod identity webhook of aws and azure on the hub.");
    expect(argo().files.get("manifests/65-fleet-controller.yaml")).not.toContain("# Needs the pod");
  });

  it("a member of a Google fleet that is not a GKE cluster lets its Connect agent impersonate the controllers", () => {
    const attached: FleetSpoke = {
      ...gateway,
      access: connectGatewaySpoke({
        project: "acme-prod",
        projectNumber: "123456789012",
        membership: "gateway",
        gke: false,
        role: "roles/gkehub.gatewayEditor",
      }),
    };
    const stack = written({ ...ARGO, identities: [accounts], spokes: [attached] });
    const objects = documents(stack, "spokes/gateway.yaml");
    expect(objects.map(({ kind, metadata }) => [kind, record(metadata)["name"]])).toEqual([
      ...["argocd-application-controller", "argocd-server"].flatMap((name) => [
        ["ClusterRole", `connect-agent:hub:argocd:${name}`],
        ["ClusterRoleBinding", `connect-agent:hub:argocd:${name}`],
      ]),
      ["ClusterRoleBinding", "hub:argocd:argocd-clusterprofile-controller:deployer"],
    ]);
    const users = list(objects.at(-1)?.["subjects"]).map((subject) => record(subject)["name"]);
    expect(objects.filter(({ kind }) => kind === "ClusterRole").map(({ rules }) => rules)).toEqual(
      users.map((user) => [
        { apiGroups: [""], resources: ["users"], resourceNames: [user], verbs: ["impersonate"] },
      ]),
    );
    expect(objects[1]?.["subjects"]).toEqual([
      { kind: "ServiceAccount", namespace: "gke-connect", name: "connect-agent-sa" },
    ]);
  });

  it("a late issuer of the hub reaches the file of a self-managed spoke through bind", () => {
    const outdir = synthesized((app) => {
      const stack = providersStack(app, "hub");
      const issuer = new TerraformVariable(stack, "issuer", { type: "string" }).stringValue;
      new FleetAccess(stack, "fleet", {
        ...KUEUE,
        hub: { ...hub, issuer },
        identities: [],
        plugins: [busybox],
        spokes: [own("edge")],
      });
    });
    const [stack] = writtenStacks(outdir);
    if (!stack) throw new Error("no stack was written");
    expect(stack.files.get("spokes/edge_control-plane.yaml")).toContain('url: "@late(var.issuer)@"');
    const nodes = record(parse(boundFiles(outdir, stack).get("spokes/edge_control-plane.yaml") ?? ""));
    const content = text(record(list(nodes["files"])[0])["content"]);
    expect(inside(record(list(record(parse(content))["jwt"])[0]), "issuer", "url")).toMatch(
      /^https:\/\/late\.example\.com\/[0-9a-f-]{36}$/,
    );
  });

  it("shares stack, OIDC provider and record with the hub's other workloads", () => {
    const stack = written(KUEUE, (within) => {
      const may = awsAccess({ managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonSESFullAccess"] });
      const workloads = [{ serviceAccount: "shop/web", may }];
      new WorkloadAccess(within, "workloads", { cluster: hub, workloads, identities: [roles] });
    });
    expect(resources(stack.terraform, "aws_iam_openid_connect_provider")).toHaveLength(1);
    expect(list(stack.identity["clusters"]).map((cluster) => Object.keys(record(cluster)))).toEqual([
      ["name", "issuer", "apiServer", "fleet", "workloads"],
    ]);
  });

  it("is the same twice", () => {
    expect(written(ARGO).files).toEqual(argo().files);
  });
});
