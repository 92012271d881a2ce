/*
 * One build serves cdktf and its living fork CDK Terrain (cdktn): installs the packed library into an empty folder in
 * which `cdktf` is an alias of `cdktn`, synthesizes a stack, and compares what it writes with what cdktf writes.
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
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CDKTN = "0.24.0";
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
new ImagePulls(stack, "pulls", {
  cluster: kubernetes({ name: "edge", version: "1.35", issuer: "https://oidc.example.com/edge", plugins: { ecr: "1.35.2", acr: "1.36.5" } }),
  identities: [pullRoles({ account, region }), pullIdentities({ resourceGroupName: "edge", location: "westeurope" })],
  pulls: [{ serviceAccount: "shop/web", from: [ecr({ account, region, repositories: ["shop/*"] }), acr({ registry, roleAssignmentMode: "LegacyRegistryPermissions" })] }],
});
app.synth();
`;

function synthesized(name, cdktf, tarball) {
  const project = join(scratch, name);
  mkdirSync(project);
  const { constructs, cdk8s } = manifest.devDependencies;
  const dependencies = { cdktf, constructs, cdk8s, [manifest.name]: `file:${tarball}` };
  writeFileSync(join(project, "package.json"), JSON.stringify({ name, private: true, dependencies }));
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--legacy-peer-deps"], project);
  mkdirSync(join(project, "node_modules/@cdktf"), { recursive: true });
  for (const cloud of ["aws", "azurerm"]) {
    const bindings = `node_modules/@cdktf/provider-${cloud}`;
    symlinkSync(join(root, bindings), join(project, bindings));
  }
  writeFileSync(join(project, "app.cjs"), PROGRAM);
  run("node", ["--preserve-symlinks", "app.cjs"], project);
  return filesOf(join(project, "out"));
}

/** All files; JSON without its white space, the core's version and the absolute path of the local backend. */
function filesOf(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(
    files.map((path) => [path, textOf(path, readFileSync(join(folder, path), "utf8"))]),
  );
}

function textOf(path, text) {
  if (!path.endsWith(".json")) return text;
  const plain = (key, value) =>
    key === "version" || (key === "path" && /tfstate$/.test(value)) ? "#" : value;
  return JSON.stringify(JSON.parse(text, plain));
}

try {
  run("npm", ["run", "--silent", "build"], root);
  const [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch], root),
  );
  const tarball = join(scratch, packed.filename);
  const cdktf = synthesized("on-cdktf", manifest.devDependencies.cdktf, tarball);
  const cdktn = synthesized("on-cdktn", `npm:cdktn@${CDKTN}`, tarball);
  const paths = [...new Set([...Object.keys(cdktf), ...Object.keys(cdktn)])];
  const different = paths.filter((path) => cdktf[path] !== cdktn[path]);
  if (different.length > 0) throw new Error(`different on cdktn: ${different.join(", ")}`);
  console.log(
    `${paths.length} files are the same on cdktf ${manifest.devDependencies.cdktf} and cdktn ${CDKTN}`,
  );
} catch (error) {
  console.error(`cdktn check failed: ${error.message}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
