/*
 * Synthesizes a hub with that many spokes, of four kinds in turn; prints the processor time per spoke, after smaller
 * runs that load and compile what is needed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const { App, TerraformStack } = require("cdktf");
const { DataAwsEksCluster } = require("@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { AzurermProvider } = require("@cdktf/provider-azurerm/lib/provider/index.js");
const { GoogleProvider } = require("@cdktf/provider-google/lib/provider/index.js");
const { eksSpoke, workloadRoles } = require("cdktf-workload-identity/aws");
const { aksSpoke, workloadIdentities } = require("cdktf-workload-identity/azure");
const { controller, selfManagedSpoke } = require("cdktf-workload-identity/fleet");
const { connectGatewaySpoke, workloadServiceAccounts } = require("cdktf-workload-identity/google");
const { FleetAccess } = require("cdktf-workload-identity/synth");

const region = "eu-west-1";
const subscriptionId = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const project = { project: "acme-prod", projectNumber: "123456789012" };
const certificateAuthorityData = readFileSync(
  new URL("../../examples/fleet-multikueue/on-prem-ca.crt", import.meta.url),
).toString("base64");
const clusterRole = "deployer";

const kinds = [
  (stack, name) => ({
    name,
    access: eksSpoke({
      cluster: new DataAwsEksCluster(stack, name, { name }),
      region,
      accessPolicies: [{ policy: "AmazonEKSEditPolicy" }],
    }),
  }),
  (_, name) => ({
    name,
    access: aksSpoke({
      cluster: {
        id: `/subscriptions/${subscriptionId}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/${name}`,
        server: `https://${name}.example.com`,
        certificateAuthorityData,
      },
      roles: [{ role: "Azure Kubernetes Service RBAC Writer", namespaces: ["shop"] }],
    }),
  }),
  (_, name) => ({
    name,
    clusterRole,
    access: connectGatewaySpoke({ ...project, membership: name, role: "roles/gkehub.gatewayEditor" }),
  }),
  (_, name) => ({
    name,
    clusterRole,
    access: (hub) =>
      selfManagedSpoke({
        ...hub,
        apiServer: "1.34",
        audience: `https://${name}.example.com`,
        endpoint: { server: `https://${name}.example.com`, certificateAuthorityData },
      }),
  }),
];
const workload = {
  kind: "Deployment",
  namespace: "fleet",
  name: "hub",
  container: "hub",
  serviceAccount: "hub",
};
const plugins = ["aws-iam-authenticator", "gcp-auth-plugin", "kubelogin", "projected-token"].map(
  (plugin) => ({
    plugin,
    image: `registry.example.com/${plugin}:v1`,
    path: `/${plugin}`,
  }),
);

function synth(spokes) {
  const outdir = mkdtempSync(join(tmpdir(), "bench-"));
  const begin = process.cpuUsage();
  const app = new App({ outdir, stackTraces: false });
  const stack = new TerraformStack(app, "hub");
  new AwsProvider(stack, "aws", { region });
  new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId });
  new GoogleProvider(stack, "google");
  new FleetAccess(stack, "fleet", {
    hub: { name: "hub", issuer: "https://oidc.example.com/hub", apiServer: "1.35" },
    consumer: controller({ title: "hub", workloads: [workload] }),
    clusterManager: "bench",
    identities: [
      workloadRoles({ account: "111122223333", region }),
      workloadIdentities({ resourceGroupName: "hub", location: "westeurope" }),
      workloadServiceAccounts(project),
    ],
    plugins,
    spokes: Array.from({ length: spokes }, (_, number) =>
      kinds[number % kinds.length](stack, `spoke-${String(number).padStart(4, "0")}`),
    ),
  });
  app.synth();
  const { user, system } = process.cpuUsage(begin);
  rmSync(outdir, { recursive: true, force: true });
  return (user + system) / 1000;
}

const spokes = Number(process.argv[2]);
for (let run = 0; run < 20; run++) synth(kinds.length * 5);
console.log(JSON.stringify({ ms: synth(spokes) / spokes }));
