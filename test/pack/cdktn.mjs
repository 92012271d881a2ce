/*
 * One build serves cdktf and its living fork CDK Terrain (cdktn): packs both packages, installs each into an empty
 * folder with its own core and bindings, synthesizes the same stack, and compares what is written.
 *
 * Needs the package registry, so it is no part of the tests: `npm run pack:cdktn`.
 */

import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PINS, renamed } from "../../build/cdktn-package.mjs";
import { build, check, install, manifest, packed, project, root, run, scratch } from "./scratch.mjs";

/** With Google's bindings under the fork's name, as docs/cdk-terrain.md says. */
const CDKTN = {
  ...Object.fromEntries(
    ["cdktn", "@cdktn/provider-aws", "@cdktn/provider-azurerm"].map((name) => [name, PINS[name]]),
  ),
  cdktf: `npm:cdktn@${PINS.cdktn}`,
  "@cdktn/provider-google": `npm:@cdktf/provider-google@${manifest.devDependencies["@cdktf/provider-google"]}`,
};
const PROGRAM = `
const { App, TerraformStack } = require("cdktf");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { AzurermProvider } = require("@cdktf/provider-azurerm/lib/provider/index.js");
const { ecr, pullRoles } = require("cdktf-workload-identity/aws");
const { acr, pullIdentities } = require("cdktf-workload-identity/azure");
const { kubernetes } = require("cdktf-workload-identity/node");
const { GoogleProvider } = require("@cdktf/provider-google/lib/provider/index.js");
const { gke, googleAccess, workloadServiceAccounts } = require("cdktf-workload-identity/google");
const { ImagePulls, WorkloadAccess } = require("cdktf-workload-identity/synth");
const [account, region] = ["111122223333", "eu-west-1"];
const registry = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop";
const app = new App({ outdir: "out" });
const stack = new TerraformStack(app, "edge");
new AwsProvider(stack, "aws", { region });
new AzurermProvider(stack, "azurerm", { features: [{}] });
// What is written depends on the version, and the bindings of the two cores are of different ones.
stack.addOverride("terraform.required_providers.azurerm.version", "4.55.0");
new ImagePulls(stack, "pulls", {
  cluster: kubernetes({ name: "edge", version: "1.35", issuer: "https://oidc.example.com/edge", plugins: { ecr: "1.35.2", acr: "1.36.5" } }),
  identities: [pullRoles({ account, region }), pullIdentities({ resourceGroupName: "edge", location: "westeurope" })],
  pulls: [{ serviceAccount: "shop/web", from: [ecr({ account, region, repositories: ["shop/*"] }), acr({ registry, roleAssignmentMode: "LegacyRegistryPermissions" })] }],
});
const google = new TerraformStack(app, "gke");
new GoogleProvider(google, "google", { project: "acme-prod" });
new WorkloadAccess(google, "workloads", {
  cluster: gke({ project: "acme-prod", location: "europe-west1", name: "gke" }),
  identities: [workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" })],
  workloads: [{ serviceAccount: "shop/web", may: googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] }) }],
});
app.synth();
`;

/** Files of the program, run in an empty project with the package and what it is used with. */
function synthesized(name, tarball, dependencies, program, links = []) {
  const { constructs, cdk8s } = manifest.devDependencies;
  const all = { constructs, cdk8s, ...dependencies, [name]: `file:${tarball}` };
  const folder = project(name, { dependencies: all });
  // Bindings of the fork state peers that lag behind its core.
  install(folder, "--legacy-peer-deps");
  for (const link of links) {
    mkdirSync(dirname(join(folder, link)), { recursive: true });
    symlinkSync(join(root, link), join(folder, link));
  }
  writeFileSync(join(folder, "app.cjs"), program);
  run("node", ["--preserve-symlinks", "app.cjs"], folder);
  return filesOf(join(folder, "out"));
}

/** All files; JSON without its white space, versions, the default namespace of providers, and the local backend's path. */
function filesOf(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(
    files.map((path) => [path, textOf(path, readFileSync(join(folder, path), "utf8"))]),
  );
}

function textOf(path, text) {
  if (!path.endsWith(".json")) return renamed(text);
  const plain = (key, value) => {
    if (key === "source") return value.replace(/^hashicorp\//, "");
    return key === "version" || (key === "path" && /tfstate$/.test(value)) ? "#" : value;
  };
  return JSON.stringify(JSON.parse(text, plain));
}

await check("cdktn check", () => {
  build();
  const fork = join(scratch, "fork");
  run("node", ["build/cdktn-package.mjs", fork], root);
  const bindings = ["aws", "azurerm", "google"].map((cloud) => `node_modules/@cdktf/provider-${cloud}`);
  const { cdktf } = manifest.devDependencies;
  const ours = synthesized(manifest.name, packed().tarball, { cdktf }, PROGRAM, bindings);
  const theirs = synthesized(renamed(manifest.name), packed(fork).tarball, CDKTN, renamed(PROGRAM));
  const paths = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const different = paths.filter((path) => ours[path] !== theirs[path]);
  if (different.length > 0) throw new Error(`different on cdktn: ${different.join(", ")}`);
  return `${paths.length} files are the same on cdktf ${cdktf} and cdktn ${CDKTN.cdktn}`;
});
