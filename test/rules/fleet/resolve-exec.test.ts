import { describe, expect, it } from "vitest";
import { resolveExec } from "../../../lib/rules/fleet/resolve-exec";

const ENVS = "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs";
const ARGS = "clusterprofiles.multicluster.x-k8s.io/exec/additional-args";
const EXEC = "client.authentication.k8s.io/exec";

const execConfig = {
  apiVersion: "client.authentication.k8s.io/v1beta1",
  command: "/plugins/x",
  args: ["token"],
  env: [{ name: "AWS_REGION", value: "eu-west-1" }],
  interactiveMode: "Never",
};

const profile = (extensions: readonly object[], names: readonly string[] = ["a"]): object => ({
  metadata: { name: "spoke" },
  status: {
    accessProviders: names.map((name) => ({ name, cluster: { server: `https://${name}`, extensions } })),
  },
});

const entry = (over: object = {}): object => ({ name: "a", execConfig, ...over });
const envs = (extension: unknown): object => ({ name: ENVS, extension });

/** All rows: what sigs.k8s.io/cluster-inventory-api/pkg/access at 8375ac2 did with file and profile. */
describe("resolveExec", () => {
  it.each<[string, string | undefined, unknown, object]>([
    ["no policy", undefined, { B: "2" }, { AWS_REGION: "eu-west-1" }],
    ["an empty policy", "", { B: "2" }, { AWS_REGION: "eu-west-1" }],
    ["Ignore", "Ignore", { B: "2" }, { AWS_REGION: "eu-west-1" }],
    [
      "AppendIfNotExists",
      "AppendIfNotExists",
      { AWS_REGION: "us", B: "2" },
      { AWS_REGION: "eu-west-1", B: "2" },
    ],
    ["Replace", "Replace", { AWS_REGION: "us", B: "2" }, { AWS_REGION: "us", B: "2" }],
    [
      "other scalars",
      "Replace",
      { B: 2, C: true, D: null },
      { AWS_REGION: "eu-west-1", B: "2", C: "true", D: "" },
    ],
    ["no variables", "Replace", {}, { AWS_REGION: "eu-west-1" }],
  ])("takes variables of the profile with %s", (_, policy, extension, env) => {
    const resolution = resolveExec(
      [entry(policy === undefined ? {} : { profileSourcedEnvVarsPolicy: policy })],
      profile([envs(extension)]),
    );
    expect(resolution).toMatchObject({ outcome: "resolved" });
    const found = resolution.outcome === "resolved" ? resolution.exec.env : [];
    expect(Object.fromEntries(found.map(({ name, value }) => [name, value]))).toEqual(env);
  });

  it.each<[string, readonly object[], object, string]>([
    [
      "no common name",
      [entry({ name: "b" })],
      profile([]),
      'no matching cluster accessor found for cluster profile "spoke"',
    ],
    ["no exec", [{ name: "a" }], profile([]), 'no exec config found for provider "a"'],
    [
      "another policy",
      [entry({ profileSourcedEnvVarsPolicy: "append" })],
      profile([envs({ B: "2" })]),
      'unsupported ProfileSourcedEnvVarsPolicy: "append"',
    ],
    [
      "a variable that is an object",
      [entry({ profileSourcedEnvVarsPolicy: "Replace" })],
      profile([envs({ B: {} })]),
      "failed to unmarshal additional env vars extension",
    ],
    [
      "arguments of the profile",
      [entry({ profileSourcedCLIArgsPolicy: "Append" })],
      profile([{ name: ARGS, extension: { a: "b" } }]),
      "failed to unmarshal additional CLI args extension",
    ],
    [
      "another policy of arguments",
      [entry({ profileSourcedCLIArgsPolicy: "append" })],
      profile([{ name: ARGS, extension: {} }]),
      'unsupported ProfileSourcedCLIArgsPolicy: "append"',
    ],
    [
      "an extension twice",
      [entry()],
      profile([EXEC, EXEC].map((name) => ({ name, extension: {} }))),
      `failed to convert v1 Cluster to internal: duplicate name "${EXEC}" in list`,
    ],
  ])("gives up with %s", (_, providers, document, reason) => {
    expect(resolveExec(providers, document)).toEqual({ outcome: "refused", reason });
  });

  it("chooses in the order of the file, and names the others", () => {
    const file = ["other", "first", "second"].map((name) => entry({ name }));
    expect(resolveExec(file, profile([], ["second", "first"]))).toEqual({
      outcome: "resolved",
      exec: {
        provider: "first",
        others: ["second"],
        server: "https://first",
        apiVersion: execConfig.apiVersion,
        command: "/plugins/x",
        args: ["token"],
        env: execConfig.env,
        provideClusterInfo: false,
        config: undefined,
      },
    });
  });

  it("uses the first of two entries of one name, and the newer list of the profile", () => {
    const document = {
      metadata: { name: "spoke" },
      status: {
        credentialProviders: [{ name: "a", cluster: { server: "https://old" } }],
        accessProviders: [{ name: "a", cluster: { server: "https://new" } }],
      },
    };
    const second = entry({ execConfig: { ...execConfig, command: "/second" } });
    expect(resolveExec([entry(), second], document)).toMatchObject({
      exec: { command: "/plugins/x", server: "https://new", others: [] },
    });
    expect(
      resolveExec([entry()], {
        ...document,
        status: { credentialProviders: document.status.credentialProviders },
      }),
    ).toMatchObject({ exec: { server: "https://old" } });
  });

  it("hands the exec extension over", () => {
    const extension = { clusterName: "a" };
    expect(resolveExec([entry()], profile([{ name: EXEC, extension }]))).toMatchObject({
      exec: { config: extension },
    });
  });

  it.each([undefined, null, 1, [], {}, { status: 1 }])("never throws for the profile %j", (document) => {
    expect(resolveExec([entry(), null, 1], document).outcome).toBe("refused");
  });
});
