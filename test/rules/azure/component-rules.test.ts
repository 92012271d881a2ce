import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { assignmentKey } from "../../../lib/rules/azure/component-adoption";
import { componentCredentials } from "../../../lib/rules/azure/component-credentials";
import { componentNames } from "../../../lib/rules/azure/component-names";
import { assignableScopes, componentScopes, statedScopes } from "../../../lib/rules/azure/component-scopes";
import { componentPermissions } from "../../../lib/rules/azure/provider-spec";
import { SUBSCRIPTION, request } from "../../cloud/azure/components";

const OTHER = "11111111-1111-1111-1111-111111111111";
const group = (name: string): string => `/subscriptions/${SUBSCRIPTION}/resourceGroups/${name}`;

describe("componentScopes", () => {
  const groups = {
    subscriptionId: SUBSCRIPTION,
    installationResourceGroupName: "cluster",
    networkResourceGroupName: "net",
    dnsZoneResourceGroupName: "dns",
  };

  // openshift/cloud-credential-operator, pkg/cmd/provisioning/azure/create_managed_identities.go
  it.each([
    ["azure-disk-csi-driver-operator", ["cluster"]],
    ["azure-file-csi-driver-operator", ["cluster", "net"]],
    ["openshift-azure-cloud-controller-manager", ["cluster", "net"]],
    ["openshift-cloud-network-config-controller-azure", ["cluster", "net"]],
    ["openshift-cluster-api-azure", ["cluster"]],
    ["openshift-image-registry-azure", ["cluster", "net"]],
    ["openshift-ingress-azure", ["cluster", "dns", "net"]],
    ["openshift-machine-api-azure", ["cluster", "net"]],
    ["acme-operator", ["cluster"]],
  ])("lets %s act in %j", (name, expected) => {
    expect(componentScopes(name, groups)).toEqual(expected.map(group));
  });

  it("names a group once, whatever its letter case, and none that is not given", () => {
    const same = { ...groups, networkResourceGroupName: "Cluster", dnsZoneResourceGroupName: undefined };
    expect(componentScopes("openshift-ingress-azure", same)).toEqual([group("Cluster")]);
  });
});

describe("statedScopes", () => {
  it.each([
    [`/subscriptions/${SUBSCRIPTION}`],
    [group("a")],
    [`${group("a")}/providers/Microsoft.Network/virtualNetworks/v`],
    ["/providers/Microsoft.Management/managementGroups/acme"],
  ])("takes %s", (scope) => {
    expect(statedScopes([scope])).toEqual([scope]);
  });

  it.each([
    [""],
    ["/"],
    ["a"],
    ["/subscriptions/"],
    ["/subscriptions/x/resourceGroups/a"],
    [`${group("a")}/`],
    [`${group("a")} `],
  ])("refuses %j", (scope) => {
    expect(() => statedScopes([scope])).toThrowError(
      expect.objectContaining({ code: "azure-scope-invalid" }),
    );
  });
});

describe("assignableScopes", () => {
  const own = `/subscriptions/${SUBSCRIPTION}`;
  it.each([
    [[], [own]],
    [[group("a"), group("b")], [own]],
    [
      [`/subscriptions/${OTHER}/resourceGroups/a`, group("a")],
      [own, `/subscriptions/${OTHER}`],
    ],
    [
      ["/providers/Microsoft.Management/managementGroups/acme"],
      [own, "/providers/Microsoft.Management/managementGroups/acme"],
    ],
  ])("of roles at %j are %j", (scopes, expected) => {
    expect(assignableScopes(own, scopes)).toEqual(expected);
  });
});

describe("assignmentKey", () => {
  it.each([
    [undefined, group("net"), "net"],
    ["Reader", group("net"), "Reader at net"],
    [undefined, `/subscriptions/${OTHER}/resourceGroups/net`, `/subscriptions/${OTHER}/resourceGroups/net`],
    [undefined, `/subscriptions/${SUBSCRIPTION}`, `/subscriptions/${SUBSCRIPTION}`],
  ])("of role %s at %s is %s", (role, scope, expected) => {
    expect(assignmentKey(role, scope, SUBSCRIPTION)).toBe(expected);
  });
});

describe("componentPermissions", () => {
  it("keeps the order of the request and takes what stands twice once, whatever its letter case", () => {
    const permissions = ["Microsoft.B/x/read", "Microsoft.A/x/*", "microsoft.b/X/read", "Microsoft.A/*/read"];
    expect(componentPermissions(request({ providerSpec: { permissions } }))).toEqual({
      actions: ["Microsoft.B/x/read", "Microsoft.A/x/*", "Microsoft.A/*/read"],
      dataActions: [],
      roles: [],
    });
  });

  it("takes absent and null lists for empty ones", () => {
    const providerSpec = { permissions: null, roleBindings: [{ role: "Reader" }, { role: "Reader" }] };
    expect(componentPermissions(request({ providerSpec })).roles).toEqual(["Reader"]);
  });
});

describe("componentNames", () => {
  const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
  const secrets = fc.uniqueArray(fc.record({ namespace: label, name: label }), {
    maxLength: 20,
    selector: ({ namespace, name }) => `${namespace}/${name}`,
  });

  it("are legal and told apart for any Secrets", () => {
    fc.assert(
      fc.property(label, secrets, (cluster, list) => {
        const requests = list.map((secret) => request({ secret }));
        const names = componentNames(cluster, requests, "unique");
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(requests.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{2,127}$/);
      }),
    );
  });

  it("are joined and cut by ccoctl, so that it cannot tell some apart", () => {
    const requests = [
      request({ name: "one", secret: { namespace: "a-b", name: "c" } }),
      request({ name: "two", secret: { namespace: "a", name: "b-c" } }),
    ];
    expect(componentNames("x", requests.slice(0, 1), "ccoctl")).toEqual(["x-a-b-c"]);
    expect(() => componentNames("x", requests, "ccoctl")).toThrowError(
      expect.objectContaining({
        code: "azure-component-name-taken",
        message: expect.stringMatching(/CredentialsRequest one and .*CredentialsRequest two/) as string,
      }),
    );
    expect(new Set(componentNames("x", requests, "unique")).size).toBe(2);
  });
});

describe("componentCredentials", () => {
  const trust = {
    clusterName: "prod",
    issuer: Issuer.of("https://issuer.example.com"),
    audience: "openshift",
    subjects: [Subject.of("ns/operator")],
  };

  it.each([
    ["unique", "prod_ns_operator"],
    ["ccoctl", "operator"],
  ] as const)("are named %s", (naming, name) => {
    expect(componentCredentials(trust, naming)).toEqual([
      {
        name,
        issuer: "https://issuer.example.com",
        subject: "system:serviceaccount:ns:operator",
        audience: "openshift",
      },
    ]);
  });

  it.each([["a"], ["with.dot"], ["x".repeat(121)]])("cannot be named %s by ccoctl", (name) => {
    const subjects = [Subject.of(`ns/${name}`)];
    expect(() => componentCredentials({ ...trust, subjects }, "ccoctl")).toThrowError(
      expect.objectContaining({ code: "azure-name-invalid" }),
    );
    expect(componentCredentials({ ...trust, subjects }, "unique")).toHaveLength(1);
  });
});
