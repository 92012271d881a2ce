import { describe, expect, it } from "vitest";
import { type PlacedObject, readRbacInAnyOrder, rbacAllows } from "../../../lib/rules/rbac/evaluate";

const API = "rbac.authorization.k8s.io";
const named = (kind: string, name: string, rest: object): object => ({
  apiVersion: `${API}/v1`,
  kind,
  metadata: { name },
  ...rest,
});
const READ = [{ apiGroups: [""], resources: ["x"], verbs: ["get"] }];
const role = (rules: object[], more: object = {}): object => named("ClusterRole", "r", { rules, ...more });
const binding = (group: string, name = "r"): object =>
  named("ClusterRoleBinding", "b", {
    roleRef: { apiGroup: API, kind: "ClusterRole", name },
    subjects: [{ apiGroup: API, kind: "Group", name: group }],
  });
const REQUEST = {
  user: "u",
  groups: ["g"],
  verb: "get",
  apiGroup: "",
  resource: "x",
  name: "",
  namespace: "",
};

/** Objects by folder, in the order in which they were read. */
function placed(folders: Readonly<Record<string, readonly object[]>>): readonly PlacedObject[] {
  return Object.entries(folders).flatMap(([folder, values]) => values.map((value) => ({ value, folder })));
}

// Applying replaces an object of the same name, so that the folder that comes last counts.
describe("folders that", () => {
  it.each<[string, Readonly<Record<string, readonly object[]>>, boolean, boolean]>([
    ["are one", { a: [role(READ), binding("g"), role([])] }, false, false],
    ["declare a role the same", { a: [role(READ), binding("g")], b: [role(READ)] }, true, true],
    ["declare other objects", { a: [role(READ)], b: [binding("g")] }, true, true],
    ["declare a role differently", { a: [role(READ), binding("g")], b: [role([])] }, false, true],
    ["declare a binding differently", { a: [role(READ), binding("h")], b: [binding("g")] }, true, false],
    [
      "differ in what does not count",
      { a: [role(READ), binding("g")], b: [role(READ, { x: 1 })] },
      true,
      true,
    ],
    [
      "declare it the same first and last, and another one between them differently",
      { a: [role(READ), binding("g")], b: [role([])], c: [role(READ)] },
      true,
      false,
    ],
    [
      "declare role and binding, each in two of them",
      { a: [role(READ)], b: [role([])], c: [binding("h")], d: [binding("g")] },
      false,
      true,
    ],
  ])("%s", (_, folders, first, other) => {
    const [inOrder, ...otherwise] = readRbacInAnyOrder(placed(folders));
    expect(rbacAllows(inOrder, REQUEST)).toBe(first);
    const different = otherwise.some((policy) => rbacAllows(policy, REQUEST) !== first);
    expect(different).toBe(first !== other);
  });
});
