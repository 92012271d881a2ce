import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { assignmentKey } from "../../../lib/rules/azure/adoption";
import {
  assignableScopes,
  componentScopes,
  scopeResourceGroup,
  statedScopes,
} from "../../../lib/rules/azure/scope";
import { componentCredentials, componentNames } from "../../../lib/rules/azure/component";
import { componentPermissions } from "../../../lib/rules/azure/provider-spec";
import { tagsArgument } from "../../../lib/rules/azure/tags";
import { SUBSCRIPTION, request } from "../../cloud/azure/components";
import { refusal } from "../../support/refusal";

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
    expect(componentScopes("openshift-ingress-azure", same)).toEqual([group("cluster")]);
  });
});

describe("statedScopes", () => {
  it.each([
    [`/subscriptions/${SUBSCRIPTION}`],
    [group("a")],
    [`${group("a")}/providers/Microsoft.Network/virtualNetworks/v`],
    [`${group("a")}/providers/Microsoft.Storage/storageAccounts/x/blobServices/default/containers/$web`],
    ["/providers/Microsoft.Management/managementGroups/acme"],
  ])("takes %s", (scope) => {
    expect(statedScopes([scope])).toEqual([scope]);
  });

  it("writes fixed words as azurerm does, and keeps the first of several spellings", () => {
    expect(
      statedScopes([group("a").toUpperCase(), group("A"), `/SUBSCRIPTIONS/${SUBSCRIPTION}/resourcegroups/b`]),
    ).toEqual([group("A"), group("b")]);
    expect(statedScopes([group("a"), group("A")])).toEqual([group("a")]);
    expect(statedScopes(["/providers/microsoft.management/ManagementGroups/acme"])).toEqual([
      "/providers/Microsoft.Management/managementGroups/acme",
    ]);
  });

  it.each([[[]], [undefined], [group("a")]])("refuses %j, which is not a list of scopes", (scopes) => {
    expect(() => statedScopes(scopes as readonly string[])).toThrowError(
      refusal("azure-invalid: the scope is not a resource id"),
    );
  });

  it.each([
    [""],
    ["/"],
    ["a"],
    ["/subscriptions/"],
    ["/subscriptions/x/resourceGroups/a"],
    [`${group("a")}/`],
    [`${group("a")} `],
    [group('${file("x")}')],
    [group("%{if}")],
    [`${group("a")}/providers/A.B/c/\${x.y}`],
    ["/providers/Microsoft.Management/managementGroups/${x.y}"],
    [`/subscriptions/${SUBSCRIPTION}/nonsense/x`],
  ])("refuses %j", (scope) => {
    expect(() => statedScopes([scope])).toThrowError(
      refusal("azure-invalid: the scope is not a resource id"),
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

describe("assignableScopes of management groups", () => {
  const own = `/subscriptions/${SUBSCRIPTION}`;
  const managementGroup = (name: string): string =>
    `/providers/Microsoft.Management/managementGroups/${name}`;
  // learn.microsoft.com, "Azure custom roles", custom role limits
  it.each([
    [[managementGroup("x"), managementGroup("y")], false],
    [[managementGroup("x")], true],
  ])("are not %j with data actions %s", (scopes, hasDataActions) => {
    expect(() => assignableScopes(own, scopes, hasDataActions)).toThrowError(
      refusal("azure-limit: assignable at these scopes"),
    );
  });
});

describe("scopeResourceGroup", () => {
  it.each([
    [group("net"), "net"],
    [`${group("net")}/providers/A.B/c/x`, "net"],
    [`/subscriptions/${OTHER}/resourceGroups/net`, undefined],
    [`/subscriptions/${SUBSCRIPTION}`, undefined],
  ])("of %s is %s", (scope, expected) => {
    expect(scopeResourceGroup(scope, SUBSCRIPTION)).toBe(expected);
  });
});

/**
 * The text that Terraform makes of a template without expressions: HCL native syntax, "Template Expressions"; the first
 * marker of three characters from the left counts. `undefined` where an expression or a directive begins.
 */
function templateText(template: string): string | undefined {
  let text = "";
  for (let at = 0; at < template.length; at++) {
    if (/^[$%]\{/.test(template.slice(at))) return undefined;
    if (/^(?:\$\$|%%)\{/.test(template.slice(at))) at++;
    text += template[at];
    if (/^[$%]\{/.test(template.slice(at))) text += template[++at];
  }
  return text;
}

describe("tagsArgument", () => {
  it("is what Terraform reads back as the same tags, for any text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "$", "{", "}", "%", '"', " "), maxLength: 12 });
    fc.assert(
      fc.property(text, (value) => {
        const written = tagsArgument({ note: value }).tags?.["note"] ?? "";
        expect(templateText(written)).toBe(value);
      }),
    );
  });

  it.each([[{ "a/b": "x" }], [{ "a%{b}": "x" }], [{ "": "x" }], [{ a: 5 }], [{ a: "x".repeat(257) }]])(
    "refuses %j",
    (tags) => {
      expect(() => tagsArgument(tags as Record<string, string>)).toThrowError(
        refusal("azure-invalid: the tag is not valid in Azure"),
      );
    },
  );
});

describe("assignmentKey", () => {
  it.each([
    [undefined, group("net"), "net"],
    ["Reader", group("net"), "Reader at net"],
    [undefined, `/subscriptions/${OTHER}/resourceGroups/net`, `/subscriptions/${OTHER}/resourceGroups/net`],
    [undefined, `/subscriptions/${SUBSCRIPTION}`, `/subscriptions/${SUBSCRIPTION}`],
    [undefined, `${group("a")}/providers/A.B/c/$web`, `${group("a")}/providers/A.B/c/$web`],
  ])("of role %s at %s is %s", (role, scope, expected) => {
    expect(assignmentKey(role, scope, SUBSCRIPTION)).toBe(expected);
  });
});

describe("componentPermissions", () => {
  it("keeps the order of the request and takes what appears twice once, whatever its letter case", () => {
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
        const names = componentNames(cluster, SUBSCRIPTION, requests, "unique");
        for (const kind of ["identityName", "roleName"] as const)
          expect(new Set(names.map((name) => name[kind].toLowerCase())).size).toBe(requests.length);
        for (const { identityName } of names)
          expect(identityName).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{2,127}$/);
      }),
    );
  });

  it("are joined and cut by ccoctl, so that it cannot tell some apart", () => {
    const requests = [
      request({ name: "one", secret: { namespace: "a-b", name: "c" } }),
      request({ name: "two", secret: { namespace: "a", name: "b-c" } }),
    ];
    const ccoctl = { request: requests[0], identityName: "x-a-b-c", roleName: "x-a-b-c" };
    expect(componentNames("x", SUBSCRIPTION, requests.slice(0, 1), "ccoctl")).toEqual([ccoctl]);
    expect(() => componentNames("x", SUBSCRIPTION, requests, "ccoctl")).toThrowError(
      refusal("azure-conflict: would have the same identity", {
        message: expect.stringMatching(/CredentialsRequest one and .*CredentialsRequest two/) as string,
      }),
    );
    const names = componentNames("x", SUBSCRIPTION, requests, "unique");
    expect(new Set(names.map(({ identityName }) => identityName)).size).toBe(2);
  });

  it("tell the custom roles of two subscriptions apart, which share a tenant", () => {
    const [one, other] = [SUBSCRIPTION, OTHER].map(
      (subscription) => componentNames("x", subscription, [request()], "unique")[0],
    );
    expect(one?.identityName).toBe(other?.identityName);
    expect(one?.roleName).not.toBe(other?.roleName);
  });

  it("cannot be those of ccoctl where Azure takes no such name, which is said of the request", () => {
    const dotted = request({ secret: { namespace: "b", name: "c.d" } });
    expect(() => componentNames("x", SUBSCRIPTION, [dotted], "ccoctl")).toThrowError(
      refusal("azure-invalid: name that ccoctl would give", {
        message: expect.stringMatching(
          /^requests\/06\.yaml, document 2, .*x-b-c\.d.*remove `naming: "ccoctl"`/,
        ) as string,
      }),
    );
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
      refusal("azure-invalid: name that ccoctl would give"),
    );
    expect(componentCredentials({ ...trust, subjects }, "unique")).toHaveLength(1);
  });

  it("are refused where no one would act as the identity", () => {
    expect(() => componentCredentials({ ...trust, subjects: [] }, "unique")).toThrowError(
      refusal("azure-missing: no service account may act"),
    );
  });
});
