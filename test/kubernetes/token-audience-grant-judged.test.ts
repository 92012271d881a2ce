import { Testing } from "cdk8s";
import { describe, expect, it } from "vitest";
import { TokenAudienceGrant, type TokenAudienceGrantProps } from "../../lib/kubernetes";
import { rbacAllows, readRbac, nodeMayRequestAudience } from "../../lib/rules/rbac/evaluate";

const AZURE = "api://AzureADTokenExchange";

function objectsOf(props: Partial<TokenAudienceGrantProps>): unknown[] {
  const chart = Testing.chart();
  new TokenAudienceGrant(chart, "grant", { audience: AZURE, apiServer: "1.35", ...props });
  return Testing.synth(chart);
}

/** Which of the four service accounts a node may request a token for. */
function admitted(objects: readonly unknown[], audience = AZURE, nodeGroups?: readonly string[]): string[] {
  return ["shop/web", "shop/api", "batch/web", "batch/jobs"].filter((key) => {
    const [namespace = "", serviceAccount = ""] = key.split("/");
    const groups = nodeGroups ? { nodeGroups } : {};
    return nodeMayRequestAudience({ objects, audience, namespace, serviceAccount, node: "n1", ...groups });
  });
}

// The RBAC authorizer as kube-apiserver asks it; kubernetes/kubernetes, plugin/pkg/admission/noderestriction.
describe("what the API server makes of a TokenAudienceGrant", () => {
  it.each([
    [{ namespaces: ["shop"] }, ["shop/web", "shop/api"]],
    [{ namespaces: ["shop", "batch"] }, ["shop/web", "shop/api", "batch/web", "batch/jobs"]],
    [{ scope: "cluster" }, ["shop/web", "shop/api", "batch/web", "batch/jobs"]],
    [{ serviceAccounts: ["shop/web", "batch/jobs"] }, ["shop/web", "batch/jobs"]],
    [{ scope: "cluster", serviceAccounts: ["shop/web"] }, ["shop/web", "batch/web"]],
    [
      { scope: "cluster", roleName: "system:node:credential-provider-token-audience" },
      ["shop/web", "shop/api", "batch/web", "batch/jobs"],
    ],
  ] as const)("%j admits exactly %j", (props, expected) => {
    expect(admitted(objectsOf(props))).toEqual(expected);
  });

  it("admits no other audience", () => {
    expect(admitted(objectsOf({ scope: "cluster" }), "sts.amazonaws.com")).toEqual([]);
  });

  it("admits no one but nodes", () => {
    expect(admitted(objectsOf({ scope: "cluster" }), AZURE, ["system:authenticated"])).toEqual([]);
  });

  it("keeps several grants apart", () => {
    const objects = [
      ...objectsOf({ namespaces: ["batch"] }),
      ...objectsOf({ serviceAccounts: ["shop/web"] }),
      ...objectsOf({ audience: "sts.amazonaws.com", namespaces: ["shop"] }),
    ];
    expect(admitted(objects)).toEqual(["shop/web", "batch/web", "batch/jobs"]);
    expect(admitted(objects, "sts.amazonaws.com")).toEqual(["shop/web", "shop/api"]);
  });

  it.each([
    ["1.33", true],
    ["1.34", false],
  ])(
    "API server %s: RBAC lets nodes get the service account: %s, and never create its tokens",
    (apiServer, get) => {
      const policy = readRbac(objectsOf({ apiServer, serviceAccounts: ["shop/web"] }));
      const node = { user: "system:node:n1", groups: ["system:nodes"], apiGroup: "", namespace: "shop" };
      const read = { ...node, verb: "get", resource: "serviceaccounts" };
      expect(rbacAllows(policy, { ...read, name: "web" })).toBe(get);
      expect(rbacAllows(policy, { ...read, name: "api" })).toBe(false);
      const create = {
        ...node,
        verb: "create",
        resource: "serviceaccounts",
        subresource: "token",
        name: "web",
      };
      expect(rbacAllows(policy, create)).toBe(false);
    },
  );
});
