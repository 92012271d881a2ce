import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { App, TerraformStack, TerraformVariable, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type ConnectGatewaySpokeProps,
  type ExistingGkeCluster,
  type GkeSpokeProps,
  connectGatewaySpoke,
  gkeSpoke,
  workloadServiceAccounts,
} from "../../../lib/cloud/google";
import type { SpokeEntry } from "../../../lib/model/fleet";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import type { AccessGrant } from "../../../lib/model/workloads";
import { onlyResource, resources, testStack } from "../../fixtures/google/synth";
import { refusal, code } from "../../support/refusal";
import { rendered, warnings } from "../../support/stacks";

const MEMBER = "google_project_iam_member";
const kueue = Subject.of("kueue-system/kueue-controller-manager");
const CLUSTER: ExistingGkeCluster = { endpoint: "34.76.1.2", clusterCaCertificate: "LS0tLS1CRUdJTi4uLg==" };

function identity(stack: TerraformStack, impersonate = true): AccessGrant {
  const [grant] = workloadServiceAccounts({
    project: "hub-prod",
    projectNumber: "123456789012",
    impersonate,
  }).declare(stack, {
    clusterName: "hub",
    issuer: Issuer.of("https://issuer.example.com/hub"),
    accounts: [{ subject: kueue, asks: [] }],
  }).grants;
  if (!grant) throw new Error("no grant");
  return grant;
}

function enter(
  stack: TerraformStack,
  props: Partial<GkeSpokeProps> = {},
  grant: AccessGrant = identity(stack),
  spoke = "spoke-c",
): SpokeEntry {
  const access = gkeSpoke({ cluster: CLUSTER, project: "spokes-prod", ...props });
  return access.declare(stack, { hub: "hub", spoke, controllers: [grant] });
}

describe("gkeSpoke", () => {
  it("refuses a second spoke of a project through another Terraform provider", () => {
    const stack = testStack();
    const grant = identity(stack);
    const provider = new GoogleProvider(stack, "other", { project: "spokes-prod", alias: "other" });
    enter(stack, { provider }, grant);
    expect(() => enter(stack, { provider }, grant, "spoke-d")).not.toThrowError();
    expect(() => enter(stack, {}, grant, "spoke-e")).toThrowError(
      refusal("google-mismatch: through different Terraform providers", { value: "spokes-prod" }),
    );
  });

  it.each([null, { cluster: "spoke", project: "spokes-prod" }])("refuses the settings %j", (given) => {
    expect(() => gkeSpoke(given as unknown as GkeSpokeProps)).toThrowError(refusal("property-invalid"));
  });

  it("completes the endpoint to a URL", () => {
    const { cloud, endpoint, parameters } = gkeSpoke({ cluster: CLUSTER, project: "spokes-prod" });
    expect({ cloud, endpoint, parameters }).toEqual({
      cloud: "google",
      endpoint: { server: "https://34.76.1.2", certificateAuthorityData: CLUSTER.clusterCaCertificate },
      parameters: {},
    });
  });

  it("lets a controller in, and leaves its rights to RBAC by its e-mail address", () => {
    const stack = testStack();
    const grant = identity(stack);
    expect(enter(stack, {}, grant)).toEqual({
      users: [{ subject: kueue, user: grant.identity, groups: [], authorized: false }],
    });
    expect(onlyResource(stack, MEMBER)).toEqual({
      project: "spokes-prod",
      role: "roles/container.clusterViewer",
      member: `serviceAccount:${grant.identity}`,
      depends_on: [expect.stringMatching(/^google_service_account\.[\w-]+$/)],
    });
    expect(warnings(stack)).toEqual([]);
  });

  it("says that rights of a role reach the whole project, once", () => {
    const stack = testStack();
    const grant = identity(stack);
    for (const spoke of ["spoke-c", "spoke-d"])
      expect(enter(stack, { role: "roles/container.developer" }, grant, spoke).users).toMatchObject([
        { user: grant.identity, authorized: true },
      ]);
    expect(onlyResource(stack, MEMBER)).toMatchObject({ role: "roles/container.developer" });
    expect(warnings(stack)).toEqual([
      "roles/container.developer of kueue-system/kueue-controller-manager applies to every cluster of project spokes-prod; with roles/container.clusterViewer and RBAC it would have rights only in the spokes",
    ]);
  });

  it("shares one binding, under an address that no spoke decides", () => {
    const synth = (names: readonly string[]): unknown => {
      const stack = testStack();
      const grant = identity(stack);
      for (const name of names) enter(stack, {}, grant, name);
      return (JSON.parse(Testing.synth(stack)) as { resource: unknown }).resource;
    };
    expect(synth(["spoke-c"])).toEqual(synth(["spoke-a", "spoke-b", "spoke-c"]));
  });

  it("gives rights to a pool's principal by a role, and warns where RBAC would have to", () => {
    const stack = testStack();
    const grant = identity(stack, false);
    expect(enter(stack, {}, grant).users).toEqual([{ subject: kueue, groups: [], authorized: false }]);
    expect(warnings(stack)).toEqual([
      expect.stringMatching(/^RBAC of spoke spoke-c .* without impersonate: false/),
    ]);
    expect(enter(stack, { role: "roles/container.developer" }, grant, "spoke-d").users).toEqual([
      { subject: kueue, groups: [], authorized: true },
    ]);
    expect(new Set(Object.values(resources(stack, MEMBER)).map(({ member }) => member))).toEqual(
      new Set([
        "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-hub/subject/system:serviceaccount:kueue-system:kueue-controller-manager",
      ]),
    );
  });

  it("waits for an identity of another stack", () => {
    const app = new App();
    const [hub, spokes] = ["hub", "spokes"].map((name) => {
      const stack = new TerraformStack(app, name);
      new GoogleProvider(stack, "google", { project: "hub-prod" });
      return stack;
    });
    if (!hub || !spokes) throw new Error("no stacks");
    enter(spokes, {}, identity(hub));
    expect(spokes.dependencies).toEqual([hub]);
    expect(onlyResource(spokes, MEMBER)).not.toHaveProperty("depends_on");
  });

  it.each([
    ["declared", ContainerCluster, "google_container_cluster"],
    ["looked up", DataGoogleContainerCluster, "data.google_container_cluster"],
  ] as const)("reads the public attributes alone of a cluster that is %s", (_, Cluster, address) => {
    const stack = testStack();
    const cluster = new Cluster(stack, "spoke", { name: "spoke-c" });
    const endpoints = [false, true].map(
      (dnsEndpoint) => gkeSpoke({ cluster, project: "spokes-prod", dnsEndpoint }).endpoint,
    );
    expect(rendered(stack, endpoints)).toEqual([
      {
        server: `https://\${${address}.spoke.endpoint}`,
        certificateAuthorityData: `\${${address}.spoke.master_auth[0].cluster_ca_certificate}`,
      },
      {
        server: `https://\${${address}.spoke.control_plane_endpoints_config[0].dns_endpoint_config[0].endpoint}`,
        publicCertificate: true,
      },
    ]);
    expect(Testing.synth(stack)).not.toMatch(/client_key|client_certificate/);
  });

  it.each<readonly [string, Partial<GkeSpokeProps>]>([
    ["google-invalid: Google Cloud project is not a project id", { project: "Spokes" }],
    ["google-unsafe: a basic role reaches", { role: "roles/editor" }],
    ["google-invalid: not the full name of a role", { role: "developer" }],
    // The DNS endpoint has a certificate of Google's.
    ["google-unused: has no effect", { dnsEndpoint: true }],
  ])("refuses with %s", (code, props) => {
    expect(() => gkeSpoke({ cluster: CLUSTER, project: "spokes-prod", ...props })).toThrowError(
      refusal(code),
    );
  });

  it.each(["hub", "${TfToken[TOKEN.1]}"])("refuses identity %s, which no policy can name", (name) => {
    const stack = testStack();
    const { principal: _, ...grant } = identity(testStack());
    expect(() => enter(stack, {}, { ...grant, identity: name })).toThrowError(
      code("google-invalid: cannot be named in a policy of Google Cloud", /^spoke spoke-c: /),
    );
    expect(resources(stack, MEMBER)).toEqual({});
  });

  it("makes a member of a plain e-mail address or principal", () => {
    const stack = testStack();
    for (const impersonate of [true, false]) {
      const { principal, ...grant } = identity(testStack(), impersonate);
      enter(stack, {}, grant, `spoke-${String(impersonate)}`);
      expect(Object.values(resources(stack, MEMBER)).map(({ member }) => member)).toContain(principal?.name);
    }
  });
});

describe("connectGatewaySpoke", () => {
  const props: ConnectGatewaySpokeProps = {
    project: "fleet-prod",
    projectNumber: "210987654321",
    membership: "spoke-c",
    role: "roles/gkehub.gatewayEditor",
  };

  it("is behind Google's host and certificate", () => {
    const { declare: _, ...facts } = connectGatewaySpoke({ ...props, location: "europe-west1" });
    expect(facts).toEqual({
      cloud: "google",
      project: "fleet-prod",
      projectNumber: "210987654321",
      endpoint: {
        server:
          "https://europe-west1-connectgateway.googleapis.com/v1/projects/210987654321/locations/europe-west1/gkeMemberships/spoke-c",
        publicCertificate: true,
      },
      parameters: {},
    });
  });

  it("takes the late number of a project", () => {
    const stack = testStack();
    const number = new TerraformVariable(stack, "number", { type: "string" }).stringValue;
    expect(
      rendered(stack, connectGatewaySpoke({ ...props, projectNumber: number, gke: false }).endpoint),
    ).toEqual({
      server:
        "https://connectgateway.googleapis.com/v1/projects/${var.number}/locations/global/memberships/spoke-c",
      publicCertificate: true,
    });
  });

  it("lets controllers through the gateway, and leaves their rights to RBAC of the member", () => {
    const stack = testStack();
    const grant = identity(stack);
    const { users } = connectGatewaySpoke(props).declare(stack, {
      hub: "hub",
      spoke: "spoke-c",
      controllers: [grant],
    });
    expect(users).toEqual([{ subject: kueue, user: grant.identity, groups: [], authorized: false }]);
    expect(onlyResource(stack, MEMBER)).toMatchObject({
      project: "fleet-prod",
      role: "roles/gkehub.gatewayEditor",
      member: `serviceAccount:${grant.identity}`,
    });
    expect(warnings(stack)).toEqual([]);
  });

  it("lets the agent of a member that is not a GKE cluster impersonate each controller, and nothing else", () => {
    const stack = testStack();
    const grant = identity(stack);
    const { objects } = connectGatewaySpoke({ ...props, gke: false }).declare(stack, {
      hub: "hub",
      spoke: "spoke-c",
      controllers: [grant],
    });
    const name = `connect-agent:hub:${kueue.namespace}:${kueue.name}`;
    expect(objects).toEqual([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name },
        rules: [
          { apiGroups: [""], resources: ["users"], resourceNames: [grant.identity], verbs: ["impersonate"] },
        ],
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [{ kind: "ServiceAccount", namespace: "gke-connect", name: "connect-agent-sa" }],
      },
    ]);
  });

  it("refuses an agent that would have to impersonate someone without a known name, before it declares", () => {
    const stack = testStack();
    const access = connectGatewaySpoke({ ...props, gke: false });
    const controllers = [identity(stack, false)];
    expect(() => access.declare(stack, { hub: "hub", spoke: "spoke-c", controllers })).toThrowError(
      refusal("google-unknown: but its name is not known at synth", { value: kueue.key }),
    );
    expect(JSON.parse(Testing.synth(stack))).not.toHaveProperty(["resource", MEMBER]);
  });

  it.each<readonly [string, Partial<ConnectGatewaySpokeProps>]>([
    ["google-invalid: Google Cloud project is not a project id", { project: "" }],
    ["google-invalid: project number is not a number", { projectNumber: "fleet-prod" }],
    ["google-invalid: of a fleet membership is not valid", { membership: "Spoke" }],
    ["google-invalid: of a fleet membership is not valid", { location: "europe-west1-b" }],
    ["property-invalid", { role: "roles/gkehub.viewer" as "roles/gkehub.gatewayReader" }],
  ])("refuses with %s", (code, change) => {
    expect(() => connectGatewaySpoke({ ...props, ...change })).toThrowError(refusal(code));
  });
});
