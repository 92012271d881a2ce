import { expect, it } from "vitest";
import { credentialsInOrder } from "../../../lib/rules/kubelet/registry-credentials";

const named = (...registries: readonly string[]): readonly { readonly registry: string }[] =>
  registries.map((registry) => ({ registry }));

// Computed by BasicDockerKeyring of kubernetes:pkg/credentialprovider/keyring.go, 1.36.2.
it.each<[why: string, repository: string, keys: readonly string[], expected: readonly string[]]>([
  [
    "longer paths first",
    "a.io/team/app",
    ["a.io", "a.io/team/app", "a.io/team"],
    ["a.io/team/app", "a.io/team", "a.io"],
  ],
  ["literal hosts before *", "a.io/x", ["*.io", "a.io", "*.*"], ["a.io", "*.io", "*.*"]],
  [
    "equal keys in the order in which they were given",
    "a.io/x",
    ["https://a.io", "a.io"],
    ["https://a.io", "a.io"],
  ],
  [
    "without v1 and v2 behind the host",
    "a.io/team",
    ["a.io/v2/team", "http://a.io/v1/"],
    ["a.io/v2/team", "http://a.io/v1/"],
  ],
  ["ports must be equal", "a.io:5000/x", ["a.io", "a.io:5000"], ["a.io:5000"]],
  [
    "index.docker.io serves docker.io where nothing matches",
    "docker.io/library/nginx",
    ["https://index.docker.io/v1/"],
    ["https://index.docker.io/v1/"],
  ],
  [
    "and not where something does",
    "docker.io/library/nginx",
    ["index.docker.io", "docker.io"],
    ["docker.io"],
  ],
  ["and no other registry", "a.io/x", ["index.docker.io"], []],
  ["what does not parse is left out", "a.io/x", ["a b", "a.io/%zz", "a.io"], ["a.io"]],
])("%s", (_, repository, keys, expected) => {
  const found = credentialsInOrder(repository, { credentialProviders: named(...keys) });
  expect(found.map(({ registry }) => registry)).toEqual(expected);
});

// MakeDockerKeyring and EnsureImageExists: a union of keyrings, whose results follow each other.
it("pull secrets come before the node's file, and that before providers, whatever their keys", () => {
  const keyrings = {
    credentialProviders: named("a.io/team/app"),
    nodeConfig: named("a.io/team"),
    imagePullSecrets: named("*.io"),
  };
  expect(credentialsInOrder("a.io/team/app", keyrings).map(({ registry }) => registry)).toEqual([
    "*.io",
    "a.io/team",
    "a.io/team/app",
  ]);
});

it("never throws", () => {
  expect(credentialsInOrder(undefined as unknown as string, null as never)).toEqual([]);
  expect(credentialsInOrder("a.io/x", { nodeConfig: [{ registry: 5 as unknown as string }] })).toEqual([]);
  expect(credentialsInOrder("a.io/x", { nodeConfig: null, imagePullSecrets: 5 } as never)).toEqual([]);
  const holes = [null, undefined, { registry: "a.io" }] as never;
  expect(credentialsInOrder("a.io/x", { credentialProviders: holes }, null as never)).toEqual(named("a.io"));
});
