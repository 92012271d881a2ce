import { describe, expect, it } from "vitest";
import {
  EKS_ACCESS_POLICIES,
  type EksAccess,
  accessPolicyArn,
  eksAccess,
  eksClusterName,
  requireAccessEntries,
} from "../../../lib/rules/aws/spoke";
import { code as refused } from "../../support/refusal";

describe("eksAccess", () => {
  // access-policy-reference.adoc: those that are for people and programs.
  it("knows these access policies", () => {
    expect(EKS_ACCESS_POLICIES).toEqual([
      "AmazonEKSAdminPolicy",
      "AmazonEKSAdminViewPolicy",
      "AmazonEKSClusterAdminPolicy",
      "AmazonEKSEditPolicy",
      "AmazonEKSViewPolicy",
    ]);
  });

  it("sorts policies, namespaces and groups, each once", () => {
    expect(
      eksAccess({
        accessPolicies: [
          { policy: "AmazonEKSViewPolicy" },
          { policy: "AmazonEKSEditPolicy", namespaces: ["web", "shop", "web"] },
        ],
        kubernetesGroups: ["b", "a", "b"],
      }),
    ).toEqual({
      accessPolicies: [
        { policy: "AmazonEKSEditPolicy", namespaces: ["shop", "web"] },
        { policy: "AmazonEKSViewPolicy" },
      ],
      kubernetesGroups: ["a", "b"],
    });
  });

  const VIEW = { policy: "AmazonEKSViewPolicy" } as const;
  const GROUP = "aws-invalid: the Kubernetes group is not one that an access entry can have";
  it.each<[string, Partial<EksAccess>, string]>([
    [
      "nothing",
      {},
      "aws-missing: access entries of the EKS cluster would admit the controllers but allow them nothing",
    ],
    // access-policies.adoc: "you can only associate each policy to an access entry once".
    [
      "a policy twice",
      { accessPolicies: [VIEW, { ...VIEW, namespaces: ["shop"] }] },
      "aws-conflict: the access policy is stated twice, but EKS associates it with an access entry only once",
    ],
    [
      "no namespace",
      { accessPolicies: [{ ...VIEW, namespaces: [] }] },
      "aws-missing: the access policy is limited to an empty list of namespaces",
    ],
    // access-policies.adoc: EKS takes wildcards.
    ["a wildcard", { accessPolicies: [{ ...VIEW, namespaces: ["dev-*"] }] }, "identities-invalid"],
    // CreateAccessEntry: "The kubernetes group name system:masters is invalid, it cannot start with system:".
    ["a group of the system", { kubernetesGroups: ["system:masters"] }, GROUP],
    ["an empty group", { kubernetesGroups: [""] }, GROUP],
    ["a late group", { kubernetesGroups: ["${TfToken[TOKEN.1]}"] }, "late-value"],
  ])("refuses %s", (_, given, code) => {
    expect(() => eksAccess({ accessPolicies: [], kubernetesGroups: [], ...given })).toThrowError(
      refused(code),
    );
  });
});

describe("accessPolicyArn", () => {
  it.each(["aws", "aws-cn", "aws-us-gov"])("is of partition %s, and of no account", (partition) => {
    expect(accessPolicyArn(partition, "AmazonEKSAdminPolicy")).toBe(
      `arn:${partition}:eks::aws:cluster-access-policy/AmazonEKSAdminPolicy`,
    );
  });
});

// Its characters and its length are in names-of-clouds.test.ts.
describe("eksClusterName", () => {
  it.each<[unknown, string]>([
    ["", "aws-invalid: the name of the EKS cluster is missing, or not one that EKS accepts"],
    [undefined, "aws-invalid: the name of the EKS cluster is missing, or not one that EKS accepts"],
    ["${TfToken[TOKEN.1]}", "late-value"],
  ])("refuses %j", (name, code) => {
    expect(() => eksClusterName(name)).toThrowError(refused(code));
  });
});

describe("requireAccessEntries", () => {
  it.each<[string, string | undefined]>([
    ["API", undefined],
    ["API_AND_CONFIG_MAP", undefined],
    ["CONFIG_MAP", "aws-unsupported: does not support access entries"],
    ["config_map", "property-invalid"],
  ])("answers to %s with %s", (mode, code) => {
    const check = (): void => requireAccessEntries("spoke-a", mode);
    if (code === undefined) expect(check).not.toThrow();
    else expect(check).toThrowError(refused(code));
  });
});
