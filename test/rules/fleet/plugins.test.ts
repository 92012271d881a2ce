import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SpokeParameters } from "../../../lib/model/fleet";
import {
  type FleetPluginKey,
  fleetPlugin,
  fleetPlugins,
  pluginCallIssues,
  pluginExec,
  pluginOfCommand,
} from "../../../lib/rules/fleet/plugins";
import {
  ambiguousProviderIssues,
  ignoredProfileData,
  unlistedProfiles,
  unusedProviders,
} from "../../../lib/rules/fleet/resolve-exec";
import { LATE } from "../../fixtures/fleet/spokes";
import { refusal } from "../../support/refusal";

const call = (plugin: FleetPluginKey, cloud: string, parameters: SpokeParameters) =>
  pluginExec({
    plugin,
    cloud,
    command: `/plugins/${fleetPlugins[plugin].binary}`,
    provider: "p",
    parameters,
  });

const AKS = "6dae42f8-4368-4678-94ff-3960e28e3630";
const EKS = { clusterName: "c", region: "eu-west-1", roleArn: "arn:aws:iam::111122223333:role/x" };

describe("pluginExec", () => {
  // The options of each program, see the sources in lib/rules/fleet/plugins.ts.
  it.each<[FleetPluginKey, string, SpokeParameters, readonly string[], readonly string[], string]>([
    ["aws-iam-authenticator", "aws", { clusterName: "c" }, ["token", "--cluster-id", "c"], [], "v1beta1"],
    [
      "aws-iam-authenticator",
      "aws",
      EKS,
      ["token", "--cluster-id", "c", "--role", EKS.roleArn],
      ["AWS_REGION=eu-west-1"],
      "v1beta1",
    ],
    [
      "aws-eks-get-token",
      "aws",
      EKS,
      ["eks", "get-token", "--cluster-name", "c", "--region", "eu-west-1", "--role-arn", EKS.roleArn],
      [],
      "v1beta1",
    ],
    [
      "argocd-k8s-auth",
      "aws",
      EKS,
      ["aws", "--cluster-name", "c", "--role-arn", EKS.roleArn],
      ["AWS_REGION=eu-west-1"],
      "v1beta1",
    ],
    ["argocd-k8s-auth", "azure", {}, ["azure"], [], "v1beta1"],
    ["argocd-k8s-auth", "azure", { serverId: "s" }, ["azure"], ["AAD_SERVER_APPLICATION_ID=s"], "v1beta1"],
    ["argocd-k8s-auth", "google", {}, ["gcp"], [], "v1beta1"],
    ["kubelogin", "azure", {}, ["get-token", "--login", "workloadidentity", "--server-id", AKS], [], "v1"],
    [
      "kubelogin",
      "azure",
      { serverId: "s", clientId: "c", tenantId: "t" },
      ["get-token", "--login", "workloadidentity", "--server-id", "s"],
      ["AZURE_CLIENT_ID=c", "AZURE_TENANT_ID=t"],
      "v1",
    ],
    ["gcp-auth-plugin", "google", {}, [], [], "v1beta1"],
    ["gke-gcloud-auth-plugin", "google", {}, ["--use_application_default_credentials"], [], "v1beta1"],
    ["eks-aws-auth-plugin", "aws", { region: "eu-west-1" }, [], ["AWS_REGION=eu-west-1"], "v1beta1"],
  ])("%s for %s, %j", (plugin, cloud, parameters, args, env, version) => {
    const exec = call(plugin, cloud, parameters);
    expect(exec.args).toEqual(args);
    expect(exec.env.map(({ name, value }) => `${name}=${value}`)).toEqual(env);
    expect(exec.apiVersion).toBe(`client.authentication.k8s.io/${version}`);
    expect(exec.provideClusterInfo).toBe(plugin === "eks-aws-auth-plugin");
    expect(pluginOfCommand(exec.command)).toBe(plugin);
    expect(pluginCallIssues({ provider: "p", ...exec })).toEqual([]);
  });

  it.each<[FleetPluginKey, string, SpokeParameters, string]>([
    ["aws-iam-authenticator", "aws", {}, "fleet-missing: is called without"],
    ["argocd-k8s-auth", "aws", {}, "fleet-missing: is called without"],
    ["aws-eks-get-token", "aws", {}, "fleet-missing: is called without"],
    ["projected-token", "kubernetes", {}, "fleet-missing: is called without"],
    ["kubelogin", "aws", {}, "fleet-unsupported: cannot return credentials for a spoke"],
    ["aws-iam-authenticator", "aws", { clusterName: LATE }, "late-value"],
    ["kubelogin", "azure", { clientId: LATE }, "late-value"],
  ])("refuses %s for %s, %j with %s", (plugin, cloud, parameters, code) => {
    expect(() => call(plugin, cloud, parameters)).toThrowError(refusal(code));
  });

  it.each([
    ["secretreader", "fleet-unsafe: stored tokens"],
    ["cp-creds", "fleet-unsafe: stored tokens"],
    ["kubeconfig-secretreader-plugin", "fleet-unsafe: stored tokens"],
    ["spire-agent", "fleet-unknown: the access provider plugin is unknown"],
    [LATE, "late-value"],
  ])("refuses the plugin %s with %s", (plugin, code) => {
    expect(() => fleetPlugin(plugin)).toThrowError(refusal(code));
  });
});

describe("projected-token", () => {
  const run = (content: string | undefined): { readonly status: number | null; readonly stdout: string } => {
    const folder = mkdtempSync(join(tmpdir(), "token-"));
    const tokenFile = join(folder, "token");
    if (content !== undefined) writeFileSync(tokenFile, content);
    const { args } = call("projected-token", "kubernetes", { tokenFile });
    // `env` stands for busybox: it runs the program that its first argument names.
    const [, flag = "", script = "", , file = ""] = args;
    const result = spawnSync("/bin/sh", [flag, script, "/usr/bin/env", file], { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    return result;
  };

  it.each(["a.b.c", "a.b.c\n"])("answers with the token of the file %j, good for a minute", (content) => {
    const now = (): number => Number(execFileSync("date", ["+%s"], { encoding: "utf8" }));
    const before = now();
    const { status, ...answer } = JSON.parse(run(content).stdout) as Record<string, Record<string, string>>;
    expect(answer).toEqual({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" });
    expect(status?.["token"]).toBe("a.b.c");
    const expires = Date.parse(status?.["expirationTimestamp"] ?? "") / 1000;
    expect(expires).toBeGreaterThanOrEqual(before + 60);
    expect(expires).toBeLessThanOrEqual(now() + 60);
  });

  it.each([[undefined], [""]])("fails without a token: %j", (content) => {
    expect(run(content)).toMatchObject({ status: 1, stdout: "" });
  });
});

describe("pluginCallIssues", () => {
  const WITHOUT = ["fleet-missing: is called without"];
  const called = (name: string, args = ""): { command: string; args: readonly string[] } => ({
    command: `/p/${name}`,
    args: args === "" ? [] : args.split(" "),
  });
  const LOGIN = "get-token --login workloadidentity";
  const exec = {
    provider: "p",
    apiVersion: "client.authentication.k8s.io/v1beta1",
    args: [],
    env: [],
    provideClusterInfo: false,
  };

  it.each<[string, object, readonly string[]]>([
    [
      "kubelogin with = forms",
      called("kubelogin", `get-token --login=workloadidentity --server-id=${AKS}`),
      [],
    ],
    [
      "kubelogin without server id",
      called("kubelogin", "get-token -l workloadidentity"),
      ["fleet-missing: kubelogin is called without --server-id"],
    ],
    ["kubelogin with device code", called("kubelogin", `get-token --server-id ${AKS}`), WITHOUT],
    [
      "kubelogin with a client id that the pod overrides",
      called("kubelogin", `${LOGIN} --server-id ${AKS} --client-id c`),
      ["fleet-unused: kubelogin prefers"],
    ],
    [
      "kubelogin that heeds its flags",
      called("kubelogin", `${LOGIN} --server-id ${AKS} --client-id c --disable-environment-override`),
      [],
    ],
    ["the AWS CLI", called("aws", "eks get-token"), WITHOUT],
    ["argocd-k8s-auth aws", called("argocd-k8s-auth", "aws"), WITHOUT],
    ["argocd-k8s-auth gcp", called("argocd-k8s-auth", "gcp"), []],
    [
      "argocd-k8s-auth in v1",
      { ...called("argocd-k8s-auth", "gcp"), apiVersion: "client.authentication.k8s.io/v1" },
      ["fleet-mismatch: does not support this apiVersion"],
    ],
    [
      "aws-iam-authenticator by variable",
      {
        ...called("aws-iam-authenticator", "token"),
        env: [{ name: "KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID", value: "c" }],
      },
      [],
    ],
    ["aws-iam-authenticator without cluster", called("aws-iam-authenticator", "token"), WITHOUT],
    // cobra prints its help where the subcommand is missing, and takes an empty value for one.
    ["aws-iam-authenticator without token", called("aws-iam-authenticator", "--cluster-id c"), WITHOUT],
    [
      "aws-iam-authenticator without token, of a cluster of that name",
      called("aws-iam-authenticator", "--cluster-id token"),
      WITHOUT,
    ],
    [
      "aws-iam-authenticator with an empty cluster",
      called("aws-iam-authenticator", "token --cluster-id "),
      WITHOUT,
    ],
    [
      "kubelogin without get-token",
      called("kubelogin", `--login workloadidentity --server-id ${AKS}`),
      WITHOUT,
    ],
    ...["--server-id ", "--server-id=", "--server-id", "--server-id --login workloadidentity"].map(
      (args): [string, object, readonly string[]] => [
        `kubelogin with ${JSON.stringify(args)}`,
        called("kubelogin", `${LOGIN} ${args}`),
        ["fleet-missing: kubelogin is called without --server-id"],
      ],
    ),
    [
      "the AWS CLI that updates a kubeconfig",
      called("aws", "eks update-kubeconfig --cluster-name c"),
      WITHOUT,
    ],
    ["argocd-k8s-auth without cloud", called("argocd-k8s-auth"), WITHOUT],
    ["gke-gcloud-auth-plugin that calls gcloud", called("gke-gcloud-auth-plugin"), WITHOUT],
    ["eks-aws-auth-plugin that knows no spoke", called("eks-aws-auth-plugin"), WITHOUT],
    ["a stored token", called("secretreader-plugin"), ["fleet-unsafe: stored tokens"]],
    ["a custom program", called("own"), []],
  ])("%s", (_, over, codes) => {
    expect(pluginCallIssues({ ...exec, command: "", ...over })).toEqual(codes.map((each) => refusal(each)));
  });
});

describe("providers and profiles", () => {
  const execConfig = { apiVersion: "client.authentication.k8s.io/v1", command: "/p/own" };
  const listed = (name: string, over: object = {}): object => ({ name, execConfig, ...over });
  const profile = (names: readonly string[], extensions: readonly string[] = []): object => ({
    metadata: { name: "spoke" },
    status: {
      accessProviders: names.map((name) => ({
        name,
        cluster: {
          server: "https://a",
          extensions: extensions.map((each) => ({ name: each, extension: { A: "b" } })),
        },
      })),
    },
  });

  it("must name each other", () => {
    const [providers, profiles] = [
      [listed("a"), listed("b")],
      [profile(["a", "x"]), profile(["y"])],
    ];
    expect(unlistedProfiles(providers, profiles)).toEqual([
      refusal("fleet-mismatch: contains no access provider of the profile", { value: "y" }),
    ]);
    expect(unusedProviders(providers, profiles)).toEqual([
      refusal("fleet-unused: no profile refers to", { value: "b" }),
    ]);
  });

  it("warn where the order decides", () => {
    expect(
      ambiguousProviderIssues([listed("b"), listed("a")], profile(["a", "b"])).map(({ value }) => value),
    ).toEqual(["b, a"]);
    expect(ambiguousProviderIssues([listed("a")], profile(["a", "b"]))).toEqual([]);
  });

  const ENVS = "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs";
  const EXEC = "client.authentication.k8s.io/exec";
  const IGNORED = ["fleet-unused: contains environment variables"];
  const replaced = { profileSourcedEnvVarsPolicy: "Replace" };
  it.each<[string, object, string, boolean, readonly string[]]>([
    ["variables without policy", {}, ENVS, true, IGNORED],
    ["variables with Ignore", { profileSourcedEnvVarsPolicy: "Ignore" }, ENVS, true, IGNORED],
    ["variables with Replace", replaced, ENVS, true, []],
    ["variables for Kueue", replaced, ENVS, false, IGNORED],
    ["data without cluster info", {}, EXEC, true, ["fleet-unused: contains data for the plugin"]],
    ["data with cluster info", { execConfig: { ...execConfig, provideClusterInfo: true } }, EXEC, false, []],
  ])("%s", (_, over, extension, takes, codes) => {
    const { variables, config } = ignoredProfileData([listed("a", over)], profile(["a"], [extension]), takes);
    expect([...variables, ...config]).toEqual(codes.map((each) => refusal(each)));
  });
});
