import { describe, expect, it } from "vitest";
import {
  accessProviderDocument,
  accessProviderIssues,
  providersOf,
} from "../../../lib/rules/fleet/provider-file";

const execConfig = { apiVersion: "client.authentication.k8s.io/v1", command: "/plugins/x" };
const codes = (...entries: readonly unknown[]): readonly string[] =>
  accessProviderIssues(entries).map(({ code }) => code);

// kubernetes-sigs/cluster-inventory-api:pkg/access/config.go, kubernetes-sigs/kueue:pkg/config/validation.go.
describe("accessProviderIssues", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["a good entry", { name: "a", execConfig }, []],
    [
      "all keys",
      {
        name: "a",
        execConfig: {
          ...execConfig,
          args: ["a"],
          env: [{ name: "A", value: "" }],
          installHint: "",
          provideClusterInfo: true,
          interactiveMode: "IfAvailable",
        },
        profileSourcedEnvVarsPolicy: "Replace",
        profileSourcedCLIArgsPolicy: "Ignore",
      },
      [],
    ],
    ["no object", 1, ["access-provider-invalid"]],
    ["no name", { execConfig }, ["access-provider-name-invalid"]],
    ["an empty name", { name: "", execConfig }, ["access-provider-name-invalid"]],
    ["a long name", { name: "a".repeat(254), execConfig }, ["access-provider-name-invalid"]],
    ["Argo CD's name for AWS", { name: "argo-cd-builtin-aws", execConfig }, ["argo-cd-builtin-aws"]],
    ["Argo CD's name for Azure", { name: "argo-cd-builtin-azure", execConfig }, []],
    ["no exec", { name: "a" }, ["access-provider-invalid"]],
    ["no command", { name: "a", execConfig: { ...execConfig, command: "" } }, ["access-provider-invalid"]],
    [
      "another apiVersion",
      { name: "a", execConfig: { ...execConfig, apiVersion: "v1" } },
      ["access-provider-invalid"],
    ],
    ["args of numbers", { name: "a", execConfig: { ...execConfig, args: [1] } }, ["access-provider-invalid"]],
    [
      "env as a map",
      { name: "a", execConfig: { ...execConfig, env: { A: "b" } } },
      ["access-provider-invalid"],
    ],
    [
      "a variable without name",
      { name: "a", execConfig: { ...execConfig, env: [{ name: "", value: "b" }] } },
      ["access-provider-invalid"],
    ],
    [
      "a provideClusterInfo that is a text",
      { name: "a", execConfig: { ...execConfig, provideClusterInfo: "false" } },
      ["access-provider-invalid"],
    ],
    [
      "an installHint that is no text",
      { name: "a", execConfig: { ...execConfig, installHint: 1 } },
      ["access-provider-invalid"],
    ],
    [
      "another mode",
      { name: "a", execConfig: { ...execConfig, interactiveMode: "never" } },
      ["access-provider-invalid"],
    ],
    [
      "a key that is ignored",
      { name: "a", execConfig: { ...execConfig, config: {} } },
      ["access-provider-invalid"],
    ],
    [
      "the policy of the drafts",
      { name: "a", execConfig, ClusterProfileSourcedEnvVarsPolicy: "Replace" },
      ["fleet-name-outdated"],
    ],
    [
      "a policy in lower case",
      { name: "a", execConfig, profileSourcedEnvVarsPolicy: "replace" },
      ["access-provider-policy-invalid"],
    ],
    [
      "arguments of the profile",
      { name: "a", execConfig, profileSourcedCLIArgsPolicy: "Append" },
      ["access-provider-additional-args"],
    ],
  ])("%s", (_, entry, expected) => {
    expect(codes(entry)).toEqual(expected);
  });

  it("names a provider that stands twice once", () => {
    const entry = { name: "a", execConfig };
    expect(accessProviderIssues([entry, entry, entry]).map(({ message }) => message)).toEqual([
      'two access providers have one name, and only the first would be used, got "a"; allowed: each name once; ' +
        "rename one of the two, in the controller's file and in the profiles",
    ]);
  });

  it("shows no value, which may be a secret", () => {
    const secret = { name: "AWS_SECRET_ACCESS_KEY", value: "hunter2" };
    const broken = [
      "hunter2",
      { name: "a", execConfig: "hunter2" },
      { name: "a", execConfig: { ...execConfig, env: [secret, 5] } },
      { name: "a", execConfig: { ...execConfig, args: ["--password", "hunter2", 5] } },
      { name: "a", execConfig: { ...execConfig, command: ["hunter2"], apiVersion: "hunter2" } },
    ];
    const issues = accessProviderIssues(broken);
    expect(issues).toHaveLength(7);
    expect(issues.map(({ message }) => message).join()).not.toContain("hunter2");
  });

  it("says the new name of an older key", () => {
    const [issue] = accessProviderIssues([
      { name: "a", execConfig, ClusterProfileSourcedCLIArgsPolicy: "Ignore" },
    ]);
    expect(issue).toMatchObject({
      value: "ClusterProfileSourcedCLIArgsPolicy",
      allowed: "profileSourcedCLIArgsPolicy",
    });
  });
});

describe("accessProviderDocument", () => {
  it("leaves out what is empty and is good itself", () => {
    const document = accessProviderDocument({
      name: "a",
      execConfig: { ...execConfig, args: [], env: [], provideClusterInfo: false },
    });
    expect(document).toEqual({ name: "a", execConfig: { ...execConfig, interactiveMode: "Never" } });
    expect(codes(document)).toEqual([]);
    expect(providersOf({ providers: [document] })).toEqual([document]);
    expect(providersOf([document])).toEqual([]);
  });
});
