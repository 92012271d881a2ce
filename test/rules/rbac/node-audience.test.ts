import { expect, it } from "vitest";
import { nodeMayRequestAudience } from "../../../lib/rules/rbac/evaluate";

const audience = "api://AzureADTokenExchange";

function grant(subject: unknown): readonly unknown[] {
  return [
    {
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: [
        {
          verbs: ["request-serviceaccounts-token-audience"],
          apiGroups: [""],
          resources: [audience],
          resourceNames: ["web"],
        },
      ],
    },
    {
      kind: "RoleBinding",
      metadata: { name: "b", namespace: "shop" },
      roleRef: { kind: "ClusterRole", name: "r" },
      subjects: [subject],
    },
  ];
}

const nodes = { kind: "Group", name: "system:nodes" };
const asked = { objects: grant(nodes), audience, namespace: "shop", serviceAccount: "web", node: "node-1" };

// The request of kubernetes:plugin/pkg/admission/noderestriction/admission.go: the audience is the resource, the
// service account the name, the node the user.
it.each([
  [{}, true],
  [{ audience: "sts.amazonaws.com" }, false],
  [{ serviceAccount: "jobs" }, false],
  [{ namespace: "other" }, false],
  [{ nodeGroups: ["system:authenticated"] }, false],
  [{ objects: grant({ kind: "User", name: "system:node:node-1" }), nodeGroups: [] }, true],
  [{ objects: grant({ kind: "User", name: "system:node:node-1" }), node: "node-2" }, false],
  [{ objects: grant({ kind: "Group", name: "system:authenticated" }) }, true],
  [{ objects: grant({ kind: "ServiceAccount", name: "web" }) }, false],
  [{ objects: [] }, false],
])("%j: %s", (change, allowed) => {
  expect(nodeMayRequestAudience({ ...asked, ...change })).toBe(allowed);
});

it.each([
  [null],
  [undefined],
  [{}],
  [{ ...asked, objects: null }],
  [{ ...asked, objects: "x" }],
  [{ ...asked, objects: {} }],
  [{ ...asked, nodeGroups: null }],
  [{ ...asked, audience: undefined }],
])("says no to what is no question: %j", (options) => {
  expect(nodeMayRequestAudience(options as unknown as typeof asked)).toBe(false);
});
