import { describe, expect, it } from "vitest";
import { accessProviderDocument, accessProviderIssues } from "../../../lib/rules/fleet/provider-list";
import { refusal } from "../../support/refusal";

const execConfig = { apiVersion: "client.authentication.k8s.io/v1", command: "/plugins/x" };
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
    ["no object", 1, ["fleet-invalid: the access provider "]],
    ["no name", { execConfig }, ["fleet-invalid: name of an access provider"]],
    ["an empty name", { name: "", execConfig }, ["fleet-invalid: name of an access provider"]],
    ["a long name", { name: "a".repeat(254), execConfig }, ["fleet-invalid: name of an access provider"]],
    [
      "Argo CD's name for AWS",
      { name: "argo-cd-builtin-aws", execConfig },
      ["fleet-unsupported: argocd-k8s-auth aws without --cluster-name"],
    ],
    ["Argo CD's name for Azure", { name: "argo-cd-builtin-azure", execConfig }, []],
    ["no exec", { name: "a" }, ["fleet-invalid: the access provider "]],
    [
      "the policy of the drafts",
      { name: "a", execConfig, ClusterProfileSourcedEnvVarsPolicy: "Replace" },
      ["fleet-unknown: older draft"],
    ],
    [
      "a policy in lower case",
      { name: "a", execConfig, profileSourcedEnvVarsPolicy: "replace" },
      ["fleet-unknown: a value that the controllers do not know"],
    ],
    [
      "arguments of the profile",
      { name: "a", execConfig, profileSourcedCLIArgsPolicy: "Append" },
      ["fleet-unsupported: additional-args"],
    ],
  ])("%s", (_, entry, expected) => {
    expect(accessProviderIssues([entry])).toEqual(expected.map((each) => refusal(each)));
  });

  it.each<[string, object]>([
    ["no command", { command: "" }],
    ["another apiVersion", { apiVersion: "v1" }],
    ["args of numbers", { args: [1] }],
    ["env as a map", { env: { A: "b" } }],
    ["a variable without name", { env: [{ name: "", value: "b" }] }],
    ["a provideClusterInfo that is a text", { provideClusterInfo: "false" }],
    ["an installHint that is not a string", { installHint: 1 }],
    ["another mode", { interactiveMode: "never" }],
    ["a key that is ignored", { config: {} }],
  ])("an exec with %s", (_, over) => {
    expect(accessProviderIssues([{ name: "a", execConfig: { ...execConfig, ...over } }])).toEqual([
      refusal("fleet-invalid: the access provider "),
    ]);
  });

  it("names a provider that appears twice once", () => {
    const entry = { name: "a", execConfig };
    expect(accessProviderIssues([entry, entry, entry]).map(({ message }) => message)).toEqual([
      'two access providers have the same name, so only the first would be used, got "a"; allowed: each name once; ' +
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
    expect(accessProviderIssues([document])).toEqual([]);
  });
});
