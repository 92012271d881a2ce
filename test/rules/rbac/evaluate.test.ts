import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRbacGrant, rbacAllows, readRbac, type RbacRequest } from "../../../lib/rules/rbac/evaluate";

interface Case {
  readonly note: string;
  readonly request?: Partial<RbacRequest>;
  readonly objects: readonly unknown[];
  readonly allowed: boolean;
}

const { cases } = JSON.parse(readFileSync(join(__dirname, "../../fixtures/kubelet/rbac.json"), "utf8")) as {
  cases: readonly Case[];
};

const usual: RbacRequest = {
  user: "system:node:node-1",
  groups: ["system:nodes", "system:authenticated"],
  verb: "request-serviceaccounts-token-audience",
  apiGroup: "",
  resource: "aud",
  name: "app",
  namespace: "team-a",
};

const role = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "r" },
  rules: [{ verbs: [usual.verb], apiGroups: [""], resources: ["aud"] }],
};
const binding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "b" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }],
};

describe("rbacAllows", () => {
  it.each(cases)("as the API server does: $note", ({ objects, request, allowed }) => {
    expect(rbacAllows(readRbac(objects), { ...usual, ...request })).toBe(allowed);
    expect(rbacAllows(readRbac(objects.toReversed()), { ...usual, ...request })).toBe(allowed);
  });

  // Validation of the API server keeps these objects out, so they grant nothing (pkg/apis/rbac/validation).
  it.each([
    ["a role of another API group", [{ ...role, apiVersion: "authorization.openshift.io/v1" }, binding]],
    [
      "a subject of another API group",
      [role, { ...binding, subjects: [{ ...binding.subjects[0], apiGroup: "v1" }] }],
    ],
    [
      "a roleRef of another API group",
      [role, { ...binding, roleRef: { ...binding.roleRef, apiGroup: "x" } }],
    ],
    ["a Role without namespace, under a cluster-wide name", [{ ...role, kind: "Role" }, binding]],
    ["a RoleBinding without namespace", [role, { ...binding, kind: "RoleBinding" }]],
    [
      "an aggregation by an unknown operator",
      [
        { ...role, metadata: { name: "s" } },
        {
          ...role,
          aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "Is" }] }] },
        },
        binding,
      ],
    ],
    [
      "two roles that aggregate each other",
      [
        ...["r", "s"].map((name) => ({
          ...role,
          metadata: { name, labels: { x: "1" } },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: "1" } }] },
        })),
        binding,
      ],
    ],
  ])("grants nothing for %s", (_, objects) => {
    expect(rbacAllows(readRbac(objects), usual)).toBe(false);
  });

  it("takes the later of two objects with one name, as applying them in order does", () => {
    const empty = { ...role, rules: [] };
    expect(rbacAllows(readRbac([role, empty, binding]), usual)).toBe(false);
    expect(rbacAllows(readRbac([empty, role, binding]), usual)).toBe(true);
  });

  it("does without apiVersion and the defaulted apiGroups", () => {
    const objects = [
      { kind: "ClusterRole", metadata: { name: "r" }, rules: role.rules },
      {
        kind: "ClusterRoleBinding",
        roleRef: { kind: "ClusterRole", name: "r" },
        subjects: [{ kind: "Group", name: "system:nodes" }],
      },
    ];
    expect(rbacAllows(readRbac(objects), usual)).toBe(true);
  });

  it("never throws, and unknown objects change nothing", () => {
    const odd = fc.anything({ withDate: true });
    const object = fc.record({
      kind: fc.constantFrom("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "List"),
      metadata: odd,
      rules: odd,
      subjects: odd,
      roleRef: odd,
      aggregationRule: odd,
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, object)), (objects) => {
        expect(rbacAllows(readRbac(objects), usual)).toBe(false);
        expect(rbacAllows(readRbac([...objects, role, binding]), usual)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

it("names the binding and the rule that allow", () => {
  const grant = findRbacGrant(readRbac([role, binding]), usual);
  expect([grant?.binding.kind, grant?.binding.name, grant?.binding.roleName]).toEqual([
    "ClusterRoleBinding",
    "b",
    "r",
  ]);
  expect(grant?.rule.resources).toEqual(["aud"]);
  expect(findRbacGrant(readRbac([role]), usual)).toBeUndefined();
});
