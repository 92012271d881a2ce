import { ApiObject, App, Chart, Testing } from "cdk8s";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenAudienceGrant, type TokenAudienceGrantProps } from "../../lib/kubernetes";
import { tokenAudienceRoleName } from "../../lib/kubernetes/token-audience-grant";
import { refusal } from "../support/refusal";

const AWS = "sts.amazonaws.com";
const AZURE = "api://AzureADTokenExchange";
const VERB = "request-serviceaccounts-token-audience";
const NODES = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }];
const API = "rbac.authorization.k8s.io/v1";

function manifests(props: Partial<TokenAudienceGrantProps>): Record<string, unknown>[] {
  const chart = Testing.chart();
  new TokenAudienceGrant(chart, "grant", { audience: AWS, apiServer: "1.35", ...props });
  return Testing.synth(chart);
}

const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });

function reserved(roleName: string): readonly [Partial<TokenAudienceGrantProps>, string] {
  return [{ namespaces: ["shop"], roleName }, "kubernetes-invalid: name of an RBAC role"];
}

describe("TokenAudienceGrant", () => {
  it("makes one ClusterRole and a RoleBinding in each namespace", () => {
    const name = "token-audience:sts.amazonaws.com";
    expect(manifests({ namespaces: ["shop", "batch", "shop"] })).toEqual([
      {
        apiVersion: API,
        kind: "ClusterRole",
        metadata: { name },
        rules: [{ apiGroups: [""], resources: [AWS], verbs: [VERB] }],
      },
      ...["batch", "shop"].map((namespace) => ({
        apiVersion: API,
        kind: "RoleBinding",
        metadata: { name, namespace },
        roleRef: roleRef("ClusterRole", name),
        subjects: NODES,
      })),
    ]);
  });

  // openshift/hypershift PR 8397, without its rule `create serviceaccounts/token`, which holds for all of the cluster.
  it("reproduces the object names of openshift/hypershift#8397", () => {
    const name = "system:node:credential-provider-token-audience";
    expect(manifests({ audience: AZURE, scope: "cluster", roleName: name })).toEqual([
      {
        apiVersion: API,
        kind: "ClusterRole",
        metadata: { name },
        rules: [{ apiGroups: [""], resources: [AZURE], verbs: [VERB] }],
      },
      {
        apiVersion: API,
        kind: "ClusterRoleBinding",
        metadata: { name },
        roleRef: roleRef("ClusterRole", name),
        subjects: NODES,
      },
    ]);
  });

  it("limits to service accounts with a Role in each namespace, so that names do not leak", () => {
    const name = "token-audience-limited:sts.amazonaws.com";
    const objects = manifests({ serviceAccounts: ["shop/web", "batch/jobs", "shop/api", "shop/web"] });
    const rules = (...resourceNames: string[]) => [
      { apiGroups: [""], resources: [AWS], verbs: [VERB], resourceNames },
    ];
    expect(objects).toEqual([
      { apiVersion: API, kind: "Role", metadata: { name, namespace: "batch" }, rules: rules("jobs") },
      { apiVersion: API, kind: "Role", metadata: { name, namespace: "shop" }, rules: rules("api", "web") },
      ...["batch", "shop"].map((namespace) => ({
        apiVersion: API,
        kind: "RoleBinding",
        metadata: { name, namespace },
        roleRef: roleRef("Role", name),
        subjects: NODES,
      })),
    ]);
  });

  it("limits the ClusterRole with the scope cluster", () => {
    const objects = manifests({ scope: "cluster", serviceAccounts: ["shop/web", "batch/web", "batch/jobs"] });
    expect(objects.map(({ kind }) => kind)).toEqual(["ClusterRole", "ClusterRoleBinding"]);
    expect(objects[0]?.["rules"]).toEqual([
      { apiGroups: [""], resources: [AWS], verbs: [VERB], resourceNames: ["jobs", "web"] },
    ]);
  });

  // plugin/pkg/auth/authorizer/node: the gate KubeletServiceAccountTokenForCredentialProviders, off in 1.33.
  it.each([
    ["1.36", false],
    ["1.35", false],
    ["1.34", false],
    ["1.33", true],
    ["1.32", true],
  ])("API server %s: get serviceaccounts granted: %s", (apiServer, granted) => {
    const limited = manifests({ apiServer, serviceAccounts: ["shop/web"] })[0]?.["rules"];
    const get = { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] };
    expect(limited).toEqual([
      { apiGroups: [""], resources: [AWS], verbs: [VERB], resourceNames: ["web"] },
      ...(granted ? [{ ...get, resourceNames: ["web"] }] : []),
    ]);
    expect(manifests({ apiServer, namespaces: ["shop"] })[0]?.["rules"]).toEqual([
      { apiGroups: [""], resources: [AWS], verbs: [VERB] },
      ...(granted ? [get] : []),
    ]);
  });

  it("never lets nodes create tokens", () => {
    for (const apiServer of ["1.32", "1.36"])
      expect(JSON.stringify(manifests({ apiServer, namespaces: ["shop"] }))).not.toMatch(
        /serviceaccounts\/token|create/,
      );
  });

  it("keeps a chart's namespace out of cluster-wide objects", () => {
    const chart = new Chart(new App(), "own", { namespace: "other" });
    new TokenAudienceGrant(chart, "grant", { audience: AWS, apiServer: "1.35", scope: "cluster" });
    expect(chart.toJson().map(({ metadata }) => metadata.namespace)).toEqual([undefined, undefined]);
  });

  it("exposes everything it created", () => {
    const grant = new TokenAudienceGrant(Testing.chart(), "grant", {
      audience: AWS,
      apiServer: "1.35",
      namespaces: ["a", "b"],
    });
    expect(grant.roles.map(({ kind }) => kind)).toEqual(["ClusterRole"]);
    expect(grant.bindings.map(({ metadata }) => metadata.namespace)).toEqual(["a", "b"]);
    expect(ApiObject.of(grant)).toBe(grant.roles[0]);
    expect(grant.audience).toBe(AWS);
  });

  it.each([
    [{}, "kubernetes-missing: names no namespace"],
    [{ namespaces: [] }, "kubernetes-missing: names no namespace"],
    [{ serviceAccounts: [] }, "kubernetes-missing: names no namespace"],
    [{ scope: "cluster", serviceAccounts: [] }, "kubernetes-missing: names no namespace"],
    [{ scope: "cluster", namespaces: ["shop"] }, "kubernetes-conflict: grant of the audience"],
    [{ namespaces: ["shop"], serviceAccounts: ["shop/web"] }, "kubernetes-conflict: grant of the audience"],
    [{ namespaces: ["Shop"] }, "identities-invalid"],
    [{ serviceAccounts: ["web"] }, "identities-invalid"],
    [{ audience: "", namespaces: ["shop"] }, "audience-invalid"],
    [{ audience: "*", namespaces: ["shop"] }, "audience-invalid"],
    [{ audience: "${TfToken[TOKEN.1]}", namespaces: ["shop"] }, "late-value"],
    [{ namespaces: ["shop"], roleName: "a/b" }, "kubernetes-invalid: name of an RBAC role"],
    [{ namespaces: ["shop"], roleName: "a%b" }, "kubernetes-invalid: name of an RBAC role"],
    [{ namespaces: ["shop"], roleName: ".." }, "kubernetes-invalid: name of an RBAC role"],
    [{ namespaces: ["shop"], roleName: "" }, "kubernetes-invalid: name of an RBAC role"],
    [{ namespaces: ["shop"], roleName: "a".repeat(254) }, "kubernetes-invalid: name of an RBAC role"],
    [{ namespaces: ["shop"], apiServer: "1.99" }, "version-unknown"],
    [{ scope: "Cluster" as "cluster" }, "property-invalid"],
    [{ namespaces: ["shop"], featureGates: { PodCertificateRequest: "no" } as never }, "property-invalid"],
    // kubernetes, plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go; OpenShift's own.
    ...["cluster-admin", "admin", "edit", "view", "system:node", "system:nodes", "system:"].map(reserved),
    ...["self-provisioner", "cluster-reader", "basic-user", "node-credential-providers"].map(reserved),
    ...["system:node:credential-provider-token-audience2"].map(reserved),
    [{ namespaces: ["shop"], apiServer: "latest" }, "version-invalid"],
  ] as readonly (readonly [Partial<TokenAudienceGrantProps>, string])[])(
    "refuses %j with %s",
    (wrong, code) => {
      expect(() => manifests(wrong)).toThrowError(refusal(code));
    },
  );
});

describe("tokenAudienceRoleName", () => {
  it.each([
    [AWS, "token-audience:sts.amazonaws.com"],
    [AZURE, "token-audience:api-AzureADTokenExchange:92071ace"],
  ])("%s gives a readable name", (audience, name) => {
    expect(tokenAudienceRoleName(audience, false)).toBe(name);
  });

  const audience = fc.stringMatching(/^[!-~]{1,256}$/);

  it("is always a path segment that RBAC accepts", () => {
    fc.assert(
      fc.property(audience, fc.boolean(), (text, limited) => {
        const name = tokenAudienceRoleName(text, limited);
        expect(name).toMatch(/^[A-Za-z0-9:.-]{1,253}$/);
      }),
    );
  });

  it("differs for different audiences, also when one is made to look like the name of the other", () => {
    const made = `api-AzureADTokenExchange:${tokenAudienceRoleName(AZURE, false).slice(-8)}`;
    expect(tokenAudienceRoleName(made, false)).not.toBe(tokenAudienceRoleName(AZURE, false));
    fc.assert(
      fc.property(audience, audience, (a, b) => {
        fc.pre(a !== b);
        expect(tokenAudienceRoleName(a, false)).not.toBe(tokenAudienceRoleName(b, false));
      }),
    );
  });
});
