/*
 * One build serves cdktf and its living fork CDK Terrain (cdktn): packs both packages, installs each into an empty
 * folder with its own core and bindings, synthesizes the same stack, and compares what is written.
 *
 * Needs the package registry, so it is no part of the tests: `npm run pack:cdktn`.
 */

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renamed } from "../../build/cdktn-package.mjs";

const CDKTN = { cdktn: "0.24.0", "@cdktn/provider-aws": "25.7.0", "@cdktn/provider-azurerm": "16.1.0" };
const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const scratch = mkdtempSync(join(tmpdir(), "pack-cdktn-"));
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const PROGRAM = `
const { App, TerraformStack } = require("cdktf");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { AzurermProvider } = require("@cdktf/provider-azurerm/lib/provider/index.js");
const { ecr, pullRoles } = require("cdktf-workload-identity/aws");
const { acr, pullIdentities } = require("cdktf-workload-identity/azure");
const { kubernetes } = require("cdktf-workload-identity/node");
const { ImagePulls } = require("cdktf-workload-identity/synth");
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
app.synth();
`;

function packed(folder) {
  const [{ filename }] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch], folder),
  );
  return join(scratch, filename);
}

/** Files of the program, run in an empty project with the package and what it is used with. */
function synthesized(name, tarball, dependencies, program, links = []) {
  const project = join(scratch, name);
  mkdirSync(join(project, "node_modules"), { recursive: true });
  const { constructs, cdk8s } = manifest.devDependencies;
  const all = { constructs, cdk8s, ...dependencies, [name]: `file:${tarball}` };
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, dependencies: all }),
  );
  // Bindings of the fork state peers that lag behind its core.
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--legacy-peer-deps"], project);
  for (const link of links) {
    mkdirSync(dirname(join(project, link)), { recursive: true });
    symlinkSync(join(root, link), join(project, link));
  }
  writeFileSync(join(project, "app.cjs"), program);
  run("node", ["--preserve-symlinks", "app.cjs"], project);
  return filesOf(join(project, "out"));
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

try {
  run("npm", ["run", "--silent", "build"], root);
  const fork = join(scratch, "fork");
  run("node", ["build/cdktn-package.mjs", fork], root);
  const bindings = ["aws", "azurerm"].map((cloud) => `node_modules/@cdktf/provider-${cloud}`);
  const { cdktf } = manifest.devDependencies;
  const ours = synthesized(manifest.name, packed(root), { cdktf }, PROGRAM, bindings);
  const theirs = synthesized(renamed(manifest.name), packed(fork), CDKTN, renamed(PROGRAM));
  const paths = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const different = paths.filter((path) => ours[path] !== theirs[path]);
  if (different.length > 0) throw new Error(`different on cdktn: ${different.join(", ")}`);
  console.log(`${paths.length} files are the same on cdktf ${cdktf} and cdktn ${CDKTN.cdktn}`);
} catch (error) {
  console.error(`cdktn check failed: ${error.message}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
