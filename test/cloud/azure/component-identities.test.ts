import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { App, TerraformResource, TerraformStack, TerraformVariable, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type ComponentAdoption,
  ComponentIdentities,
  type ComponentIdentitiesProps,
  ComponentIdentity,
  type ComponentIdentityProps,
  type ComponentOverride,
  componentIdentities,
} from "../../../lib/cloud/azure";
import type { CredentialsRequest } from "../../../lib/model/credentials-request";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import { Subject } from "../../../lib/model/subject";
import { ISSUER, SUBSCRIPTION, TENANT, components, release, request } from "./components";
import { imports, newStack, resources } from "./synth";
import { code as refused, refusedWith } from "../../support/refusal";

const IDENTITY = "azurerm_user_assigned_identity";
const CREDENTIAL = "azurerm_federated_identity_credential";
const ROLE = "azurerm_role_definition";
const ASSIGNMENT = "azurerm_role_assignment";
const GROUP = "azurerm_resource_group";
const OTHER = "11111111-1111-1111-1111-111111111111";
const LATE = "${TfToken[TOKEN.99999]}";
const NAME = "openshift-ingress-azure";

function declared(
  change: Partial<ComponentIdentitiesProps> = {},
  stack: TerraformStack = newStack(),
): { readonly stack: TerraformStack; readonly made: ComponentIdentities } {
  const made = new ComponentIdentities(stack, "components", {
    ...components(request()),
    subscriptionId: SUBSCRIPTION,
    region: "eastus",
    ...change,
  });
  return { stack, made };
}

/** One argument of every resource of a type. */
function each(stack: TerraformStack, type: string, argument: string): unknown[] {
  return Object.values(resources(stack, type)).map((block) => block[argument]);
}

/** Everything that a stack holds, to show that a refusal came before the first resource. */
function everything(stack: TerraformStack): readonly unknown[] {
  return stack.node.findAll().filter((each) => each instanceof TerraformResource);
}

function group(name: string): string {
  return `/subscriptions/${SUBSCRIPTION}/resourceGroups/${name}`;
}

describe("ComponentIdentities", () => {
  it("names things after cluster, namespace and Secret, with exact subjects and the audience of components", () => {
    const { stack, made } = declared();
    const name = "mycluster_openshift-ingress-operator_cloud-credentials";
    expect(Object.values(resources(stack, IDENTITY))).toEqual([
      expect.objectContaining({ name, resource_group_name: "mycluster-oidc", location: "eastus" }),
    ]);
    expect(Object.values(resources(stack, ROLE))).toMatchObject([
      // One custom role of a name per tenant: the name ends with a hash of the subscription.
      {
        name: expect.stringMatching(`^${name}_[0-9a-f]{8}$`) as string,
        scope: `/subscriptions/${SUBSCRIPTION}`,
      },
    ]);
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([
      {
        name: "mycluster_openshift-ingress-operator_ingress-operator",
        issuer: ISSUER,
        subject: "system:serviceaccount:openshift-ingress-operator:ingress-operator",
        audience: ["openshift"],
      },
    ]);
    expect(made.grants[0]?.identity).toBe(
      `${group("mycluster-oidc")}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`,
    );
  });

  it("writes the Secret in ccoctl's order, with what is literal and the request's own token path", () => {
    const { made } = declared({
      ...components(request({ cloudTokenPath: "/var/run/secrets/azure/tokens" })),
      tenantId: TENANT,
    });
    const [grant] = made.grants;
    const { azure_client_id: clientId, ...literal } = grant?.secret.stringData ?? {};
    expect(Object.keys(grant?.secret.stringData ?? {})[0]).toBe("azure_client_id");
    expect(isLate(clientId)).toBe(true);
    expect(Object.entries(literal)).toEqual([
      ["azure_tenant_id", TENANT],
      ["azure_region", "eastus"],
      ["azure_subscription_id", SUBSCRIPTION],
      ["azure_federated_token_file", "/var/run/secrets/azure/tokens"],
    ]);
    expect(made.secrets).toEqual([
      {
        file: "azure-ad-pod-identity-webhook-config",
        namespace: "openshift-cloud-credential-operator",
        name: "azure-credentials",
        stringData: { azure_tenant_id: TENANT },
      },
    ]);
  });

  it("takes the tenant from an identity where none is stated", () => {
    const { made } = declared();
    expect(made.secrets.map(({ stringData }) => isLate(stringData?.["azure_tenant_id"]))).toEqual([true]);
    expect(declared({ requests: [] }).made.secrets).toEqual([]);
  });

  it("declares both resource groups once, and lets what is in them wait", () => {
    const { stack } = declared();
    const groups = Object.entries(resources(stack, GROUP));
    const [installation, oidc] = ["mycluster", "mycluster-oidc"].map((name) =>
      groups.find(([, block]) => block["name"] === name),
    );
    // OpenShift's installer tags the group, and destroys by that tag.
    expect(installation?.[1]).toEqual({
      name: "mycluster",
      location: "eastus",
      lifecycle: { ignore_changes: ["tags"] },
    });
    expect(oidc?.[1]).toEqual({ name: "mycluster-oidc", location: "eastus" });
    expect(Object.values(resources(stack, IDENTITY))).toMatchObject([
      { depends_on: [`${GROUP}.${oidc?.[0]}`] },
    ]);
    expect(Object.values(resources(stack, ASSIGNMENT))).toMatchObject([
      { depends_on: [`${GROUP}.${installation?.[0]}`] },
    ]);
    const one = declared({ oidcResourceGroup: "existing" });
    expect(each(one.stack, GROUP, "name")).toEqual(["mycluster"]);
    const existing = declared({ oidcResourceGroup: "existing", installationResourceGroup: "existing" });
    expect(resources(existing.stack, GROUP)).toEqual({});
    expect(each(existing.stack, ASSIGNMENT, "depends_on")).toEqual([undefined]);
  });

  it("shares a resource group between two clusters of a stack", () => {
    const { stack } = declared({ oidcResourceGroupName: "identities" });
    const other = { ...components(request()), clusterName: "other", oidcResourceGroupName: "IDENTITIES" };
    new ComponentIdentities(stack, "other", { ...other, subscriptionId: SUBSCRIPTION, region: "eastus" });
    expect(each(stack, GROUP, "name").sort()).toEqual(["identities", "mycluster", "other"]);
    expect(
      () =>
        new ComponentIdentities(stack, "third", {
          ...other,
          clusterName: "third",
          subscriptionId: SUBSCRIPTION,
          region: "westus",
        }),
    ).toThrowError(refused("azure-mismatch: in another region", /^test\/third: .*IDENTITIES/));
  });

  it("assigns roles by name beside the custom role, and withholds what the caller withholds", () => {
    const bound = request({
      providerSpec: {
        roleBindings: [{ role: "Reader" }],
        permissions: ["Microsoft.Network/dnsZones/A/write", "microsoft.network/DNSZONES/a/Write"],
        dataPermissions: ["Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read"],
      },
    });
    const { stack, made } = declared({
      ...components(bound),
      overrides: { [NAME]: { withoutPermissions: ["microsoft.network/dnszones/a/write"] } },
    });
    expect(each(stack, ROLE, "permissions")).toEqual([
      [{ data_actions: ["Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read"] }],
    ]);
    expect([...(made.identities.get(NAME)?.roleAssignments.keys() ?? [])]).toEqual([
      "mycluster",
      "Reader at mycluster",
    ]);
    expect(
      Object.values(resources(stack, ASSIGNMENT)).map((block) => [
        block["role_definition_name"],
        block["scope"],
      ]),
    ).toContainEqual(["Reader", group("mycluster")]);
    expect(each(stack, ASSIGNMENT, "principal_type")).toEqual(["ServicePrincipal", "ServicePrincipal"]);
  });

  it("has scopes of the caller, also in other subscriptions, where the role becomes assignable too", () => {
    const hub = `/subscriptions/${OTHER}/resourceGroups/hub`;
    const { stack } = declared({ overrides: { [NAME]: { scopes: [group("a"), group("A"), hub] } } });
    expect(each(stack, ASSIGNMENT, "scope").sort()).toEqual([hub, group("a")].sort());
    expect(each(stack, ROLE, "assignable_scopes")).toEqual([
      [`/subscriptions/${SUBSCRIPTION}`, `/subscriptions/${OTHER}`],
    ]);
  });

  it("passes a late issuer on", () => {
    const late = new TerraformVariable(newStack(), "issuer", {});
    const stack = TerraformStack.of(late);
    declared({ issuer: Issuer.of(late.stringValue) }, stack);
    expect(each(stack, CREDENTIAL, "issuer")).toEqual(["${var.issuer}"]);
  });

  it("is made by componentIdentities() as Default", () => {
    const stack = newStack();
    const maker = componentIdentities({ subscriptionId: SUBSCRIPTION, region: "eastus" });
    expect([maker.cloud, maker.providerKind]).toEqual(["azure", "AzureProviderSpec"]);
    expect(maker.declare(stack, components(request())).grants).toHaveLength(1);
    expect(stack.node.findChild("Default")).toBeInstanceOf(ComponentIdentities);
  });

  const long = "x".repeat(60);
  const twin = (suffix: string): CredentialsRequest =>
    request({ name: `twin-${suffix}`, secret: { namespace: long, name: `${long}-secret-of-${suffix}` } });

  it("cuts names as ccoctl does, and refuses two requests that would then share one, naming both", () => {
    const { stack } = declared({ ...components(twin("a")), naming: "ccoctl" });
    const [identity] = Object.values(resources(stack, IDENTITY));
    expect(identity?.["name"]).toBe(`mycluster-${long}-${long}-secret-of-a`.slice(0, 128));
    expect(() => declared({ ...components(twin("a"), twin("b")), naming: "ccoctl" })).toThrowError(
      refused("azure-conflict", /twin-a and .*twin-b would have the same identity/),
    );
    expect(() => declared(components(twin("a"), twin("b")))).not.toThrow();
  });

  const places = /requests\/06\.yaml, document 2, CredentialsRequest openshift-ingress-azure: /;
  const spec = (providerSpec: Readonly<Record<string, unknown>>): Partial<ComponentIdentitiesProps> =>
    components(request({ providerSpec }));
  const override = (change: ComponentOverride): Partial<ComponentIdentitiesProps> => ({
    overrides: { [NAME]: change },
  });
  const managementGroup = "/providers/Microsoft.Management/managementGroups/acme";
  const accounts = Array.from({ length: 21 }, (_, n) => Subject.of(`ns/sa-${n}`));
  const roles = (...names: string[]): Partial<ComponentIdentitiesProps>[] =>
    names.map((role) => spec({ roleBindings: [{ role }] }));
  const untyped = (value: unknown): never => value as never;

  it.each(
    refusedWith<Partial<ComponentIdentitiesProps>>({
      "azure-foreign: the request is not for Azure": [
        components(request({ providerKind: "AWSProviderSpec" })),
      ],
      "azure-unknown: has a field that no known release": [spec({ permission: [] })],
      "azure-unsupported: writes the Secret itself": [
        spec({ azureClientID: "x" }),
        spec({ azureRegion: "x" }),
        spec({ azureSubscriptionID: "x" }),
        spec({ azureTenantID: "x" }),
      ],
      "azure-invalid: is malformed": [
        spec({ permissions: "Microsoft.Compute/disks/read" }),
        spec({ roleBindings: ["Reader"] }),
        spec({ roleBindings: [{ role: "Reader", scope: "/" }] }),
      ],
      "azure-invalid: permission is not an operation": [
        spec({ permissions: ["*"] }),
        spec({ dataPermissions: ["read disks"] }),
        spec({ permissions: ["*/read"] }),
        spec({ permissions: ["A.B/${x.y}/read"] }),
      ],
      "late-value": [spec({ permissions: [LATE] })],
      "azure-missing: asks for no permission": [spec({})],
      "azure-limit: federated identity credentials": [components(request({ subjects: accounts }))],
      "azure-invalid: role is neither a name": roles(
        '${file("/etc/passwd")}',
        "%{if true}",
        "/subscriptions/x",
      ),
      "azure-missing: no service account may act": [components(request({ subjects: [] }))],
      "azure-unsafe: roles would apply beyond": [
        override({ scopes: [`/subscriptions/${SUBSCRIPTION}`] }),
        override({ scopes: [managementGroup] }),
      ],
      "azure-invalid: is empty or too long": [override({ scopes: [managementGroup], reason: " " })],
      "azure-invalid: the scope is not a resource id": [override({ scopes: [] })],
      "azure-limit: assignable at these scopes": [
        override({ scopes: [managementGroup, `${managementGroup}2`], reason: "DNS of the company" }),
      ],
      "azure-unknown: withoutPermissions": [override({ withoutPermissions: ["A.B/c"] })],
    }),
  )("refuses with %s before anything is declared, and names the request: %j", (code, change) => {
    const stack = newStack();
    expect(() => declared(change, stack)).toThrowError(refused(code, places));
    expect(everything(stack)).toEqual([]);
  });

  const elsewhere = request({ secret: { namespace: "b", name: "c" }, source: { file: "b.yaml" } });
  const one = { oidcResourceGroupName: "MyCluster", installationResourceGroupName: "mycluster" };

  it.each<readonly [string, RegExp, Partial<ComponentIdentitiesProps>]>([
    ["property-unknown", /write scopes/, override(untyped({ scope: ["x"] }))],
    [
      "openshift-conflict",
      /^test\/components: requests\/06\.yaml, .* and b\.yaml, /,
      components(request(), elsewhere),
    ],
    [
      "issuer-unsupported",
      /^test\/components: issuer/,
      { issuer: Issuer.of("https://kubernetes.default.svc") },
    ],
    ["cluster-invalid", /^test\/components: cluster/, { clusterName: "My Cluster!", requests: [] }],
    [
      "azure-invalid",
      /^test\/components: resourceGroupName is not a valid name/,
      { dnszoneResourceGroupName: "a/b" },
    ],
    ["azure-invalid", /^test\/components: the tag is not valid in Azure/, { tags: { "a%{b}": "x" } }],
    [
      "azure-unknown: names a CredentialsRequest",
      /overrides names .*"nobody"/,
      { overrides: { nobody: {} } },
    ],
    ["azure-invalid: is not a GUID", /subscriptionId/, { subscriptionId: "mine" }],
    ["late-value", /subscriptionId/, { subscriptionId: LATE }],
    ["azure-invalid: is not a GUID", /tenantId/, { tenantId: "mine" }],
    ["azure-invalid: is not a valid name", /location/, { region: "east/us" }],
    ["azure-conflict", /identities and the cluster are to be in the same resource group.*MyCluster/, one],
    ["property-invalid", /naming/, { naming: untyped("mine") }],
    ["property-invalid", /oidcResourceGroup/, { oidcResourceGroup: untyped("mine") }],
    ["property-invalid", /installationResourceGroup/, { installationResourceGroup: untyped("mine") }],
  ])("refuses with %s before anything is declared: %s", (code, message, change) => {
    const stack = newStack();
    expect(() => declared(change, stack)).toThrowError(refused(code, message));
    expect(everything(stack)).toEqual([]);
  });

  it("writes the reason for a broad scope beside the assignments, as text", () => {
    const { stack } = declared({
      overrides: {
        [NAME]: { scopes: [`/subscriptions/${SUBSCRIPTION}`], reason: "zones of all teams, ${x.y}" },
      },
      tags: { note: "100%{x}" },
    });
    expect(each(stack, ASSIGNMENT, "description")).toEqual(["zones of all teams, $${x.y}"]);
    expect(each(stack, IDENTITY, "tags")).toEqual([{ note: "100%%{x}" }]);
  });

  it.each([[LATE], [undefined as unknown as string]])(
    "refuses subscription %s before it is compared with the provider's",
    (subscriptionId) => {
      const stack = newStack();
      new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId: OTHER });
      expect(() => declared({ subscriptionId }, stack)).toThrowError(
        expect.objectContaining({ message: expect.stringMatching(/subscriptionId/) as string }),
      );
    },
  );

  it("refuses the custom role of another subscription's cluster, unless in another tenant", () => {
    const app = new App();
    const [one, two, three] = ["one", "two", "three"].map((id) => new TerraformStack(app, id));
    declared({ naming: "ccoctl", tenantId: TENANT }, one);
    const again = { naming: "ccoctl", subscriptionId: OTHER } as const;
    expect(() => declared(again, two)).toThrowError(
      refused("azure-conflict: custom role of this name", /one\/components/),
    );
    expect(two && everything(two)).toEqual([]);
    expect(() => declared({ ...again, tenantId: OTHER }, three)).not.toThrow();
  });

  it("refuses a subscription that is not the provider's", () => {
    const stacks = [newStack(), newStack()] as const;
    for (const stack of stacks)
      new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId: OTHER });
    expect(() => declared({}, stacks[0])).toThrowError(
      refused("azure-mismatch: another subscription", /subscriptionId/),
    );
    expect(() => declared({ subscriptionId: OTHER }, stacks[1])).not.toThrow();
  });

  it("refuses a second cluster of the same name", () => {
    const { stack } = declared();
    expect(
      () =>
        new ComponentIdentities(stack, "again", {
          ...components(request()),
          subscriptionId: SUBSCRIPTION,
          region: "eastus",
        }),
    ).toThrowError(refused("azure-conflict: user-assigned identity of this name", /test\/components/));
  });
});

describe("adoption of what ccoctl made", () => {
  const roleDefinitions = { [NAME]: OTHER };
  const roleAssignments = { [NAME]: { mycluster: TENANT, dns: "absent" } };
  const adopted = (change: Partial<ComponentIdentitiesProps> = {}): ReturnType<typeof declared> =>
    declared({ dnszoneResourceGroupName: "dns", adopt: { roleDefinitions, roleAssignments }, ...change });

  it("imports everything that exists, under ccoctl's names", () => {
    const { stack } = adopted();
    const identity = `${group("mycluster-oidc")}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/mycluster-openshift-ingress-operator-cloud-credentials`;
    expect(
      Object.entries(imports(stack))
        .map(([to, id]) => [to.split(".", 1)[0], id])
        .sort(),
    ).toEqual([
      [CREDENTIAL, `${identity}/federatedIdentityCredentials/ingress-operator`],
      [GROUP, group("mycluster")],
      [GROUP, group("mycluster-oidc")],
      [ASSIGNMENT, `${group("mycluster")}/providers/Microsoft.Authorization/roleAssignments/${TENANT}`],
      [
        ROLE,
        `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/${OTHER}|/subscriptions/${SUBSCRIPTION}`,
      ],
      [IDENTITY, identity],
    ]);
  });

  it("keeps ccoctl's tag, and leaves alone of an assignment what Azure does not answer", () => {
    const { stack } = adopted({ tags: { env: "test" } });
    const tags = { "openshift.io_cloud-credential-operator_mycluster": "owned", env: "test" };
    for (const type of [IDENTITY, GROUP])
      for (const block of Object.values(resources(stack, type))) expect(block["tags"]).toEqual(tags);
    const unread = each(stack, ASSIGNMENT, "lifecycle");
    const ignored = { ignore_changes: ["skip_service_principal_aad_check", "description"] };
    expect(unread).toEqual([ignored, ignored]);
    // Likewise once `adopt` is gone: azurerm could not change the one, and replaces for the other.
    const later = declared({ naming: "ccoctl" });
    const after = each(later.stack, ASSIGNMENT, "lifecycle");
    expect(after).toEqual([ignored]);
  });

  it("makes what does not exist yet: a request, or one credential of it", () => {
    const absent = adopted({ adopt: { absent: [NAME] } });
    expect(Object.keys(imports(absent.stack)).map((to) => to.split(".", 1)[0])).toEqual([GROUP, GROUP]);
    const account = adopted({
      adopt: { roleDefinitions, roleAssignments, absent: [`${NAME}/ingress-operator`] },
    });
    expect(Object.keys(imports(account.stack)).some((to) => to.startsWith(CREDENTIAL))).toBe(false);
    expect(Object.keys(imports(account.stack)).some((to) => to.startsWith(IDENTITY))).toBe(true);
  });

  const adopting = (adopt: ComponentAdoption): Partial<ComponentIdentitiesProps> => ({ adopt });
  const more = { ...roleAssignments[NAME], MyCluster: TENANT, nonsense: "x" };
  const reader = components(request({ providerSpec: { roleBindings: [{ role: "Reader" }] } }));

  it.each<readonly [string, RegExp, Partial<ComponentIdentitiesProps>]>([
    ["azure-missing", /adopt lacks .*\["openshift-ingress-azure"\].*az role definition list/, { adopt: {} }],
    [
      "azure-missing",
      /adopt lacks .*azure: mycluster.*azure: dns.*az role assignment list/,
      adopting({ roleDefinitions }),
    ],
    ["azure-mismatch: adopt imports", /"unique"/, { naming: "unique" }],
    [
      "azure-invalid",
      /role definition is not a GUID/,
      adopting({ roleDefinitions: { [NAME]: "x" }, roleAssignments }),
    ],
    [
      "azure-unused: adopt names",
      /\["MyCluster","nonsense"\]; allowed: mycluster, dns/,
      adopting({ roleDefinitions, roleAssignments: { [NAME]: more } }),
    ],
    ["azure-unused: adopt names", /custom roles/, { ...reader, ...adopting({ roleDefinitions }) }],
    [
      "azure-conflict",
      /adopt contradicts itself.*replace the assignments mycluster/,
      adopting({ roleDefinitions: { [NAME]: "absent" }, roleAssignments }),
    ],
    [
      "azure-conflict",
      /adopt contradicts itself.*adopt\.absent, but has entries/,
      adopting({ absent: [NAME], roleDefinitions }),
    ],
    [
      "azure-unknown",
      /adopt\.roleDefinitions names a Credent/,
      adopting({ roleDefinitions: { nobody: OTHER } }),
    ],
    [
      "azure-unknown",
      /adopt\.roleAssignments names a Credent/,
      adopting({ roleAssignments: { nobody: {} } }),
    ],
    ["azure-unknown", /adopt\.absent names a Credent/, adopting({ absent: [`${NAME}/nobody`] })],
  ])("refuses with %s: %s", (code, message, change) => {
    expect(() => adopted(change)).toThrowError(refused(code, message));
  });

  it("imports every payload request", () => {
    const requests = release("HEAD");
    const { stack } = declared({
      ...components(...requests),
      adopt: {
        roleDefinitions: Object.fromEntries(requests.map(({ name }) => [name, OTHER])),
        roleAssignments: Object.fromEntries(requests.map(({ name }) => [name, { mycluster: TENANT }])),
      },
    });
    const count = requests.reduce((sum, { subjects }) => sum + subjects.length, 0);
    expect(Object.keys(imports(stack))).toHaveLength(2 + 3 * requests.length + count);
  });
});

describe("ComponentIdentity", () => {
  const props: ComponentIdentityProps = {
    identityName: "acme",
    resourceGroupName: "identities",
    location: "eastus",
    subscriptionId: SUBSCRIPTION,
    clusterName: "mycluster",
    issuer: ISSUER,
    serviceAccounts: ["acme/operator"],
    scopes: [group("mycluster")],
    roles: ["Reader"],
  };

  it("is usable alone, and has no custom role where it needs none", () => {
    const stack = newStack();
    const identity = new ComponentIdentity(stack, "acme", props);
    expect(identity.roleDefinition).toBeUndefined();
    expect(Object.values(resources(stack, ASSIGNMENT))).toMatchObject([{ role_definition_name: "Reader" }]);
    expect(identity.node.defaultChild).toBe(identity.resource);
    expect(identity.credentials).toHaveLength(1);
  });

  it("refuses a subscription that is not its provider's", () => {
    const stack = newStack();
    new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId: OTHER });
    expect(() => new ComponentIdentity(stack, "acme", props)).toThrowError(
      refused("azure-mismatch", /test\/acme: subscriptionId is in another subscription/),
    );
    const provider = new AzurermProvider(stack, "own", {
      features: [{}],
      alias: "own",
      subscriptionId: SUBSCRIPTION.toUpperCase(),
    });
    expect(() => new ComponentIdentity(stack, "other", { ...props, provider })).not.toThrow();
    // A provider that is added later is compared at synth.
    const later = newStack();
    new ComponentIdentity(later, "acme", props);
    new AzurermProvider(later, "azurerm", { features: [{}], subscriptionId: OTHER });
    expect(() => Testing.synth(later, true)).toThrowError(
      refused("azure-mismatch: another subscription", /subscriptionId/),
    );
  });

  it("takes each role once, acts in a resource of any name, and describes its role in text", () => {
    const stack = newStack();
    const storage = `${group("mycluster")}/providers/Microsoft.Storage/storageAccounts/acct/blobServices/default/containers/$web`;
    new ComponentIdentity(stack, "acme", {
      ...props,
      roles: ["Reader", "reader"],
      actions: ["A.B/c/read"],
      scopes: [storage],
      roleName: "Acme reader",
      roleDescription: "reads ${x}",
    });
    expect(each(stack, ASSIGNMENT, "scope")).toEqual([storage, storage]);
    expect(Object.values(resources(stack, ROLE))).toMatchObject([
      { name: "Acme reader", description: "reads $${x}" },
    ]);
  });

  it("has a late resource id where its resource group is late", () => {
    const late = new TerraformVariable(newStack(), "group", {});
    const stack = TerraformStack.of(late);
    const identity = new ComponentIdentity(stack, "acme", { ...props, resourceGroupName: late.stringValue });
    expect(isLate(identity.resourceId)).toBe(true);
    expect(Object.values(resources(stack, IDENTITY))).toMatchObject([
      { resource_group_name: "${var.group}" },
    ]);
  });

  it("chains its credentials, since Azure refuses two writes at once", () => {
    const stack = newStack();
    new ComponentIdentity(stack, "acme", { ...props, serviceAccounts: ["acme/c", "acme/a", "acme/b"] });
    const blocks = Object.entries(resources(stack, CREDENTIAL));
    const waits = Object.fromEntries(blocks.map(([id, block]) => [`${CREDENTIAL}.${id}`, block]));
    const order = blocks.map(([, block]) => {
      const [before] = (block["depends_on"] ?? []) as readonly string[];
      return [block["name"], before === undefined ? undefined : waits[before]?.["name"]];
    });
    expect(order.sort()).toEqual([
      ["mycluster_acme_a", undefined],
      ["mycluster_acme_b", "mycluster_acme_a"],
      ["mycluster_acme_c", "mycluster_acme_b"],
    ]);
  });

  const managementGroup = "/providers/Microsoft.Management/managementGroups/acme";

  it.each(
    refusedWith<Partial<ComponentIdentityProps>>({
      "azure-missing: asks for no permission": [{ roles: [] }],
      "azure-invalid: is not a valid name": [{ identityName: "a" }],
      "azure-invalid: the scope is not a resource id": [{ scopes: ["x"] }, { scopes: [] }],
      "azure-unsafe: roles would apply beyond": [{ scopes: [`/subscriptions/${SUBSCRIPTION}`] }],
      "azure-invalid: permission is not an operation": [{ actions: ["*"] }, { dataActions: ["${x.y}"] }],
      "azure-invalid: role is neither a name": [
        { roles: [""] },
        { roleName: "%{x}" },
        { roleName: "x".repeat(513) },
      ],
      "azure-missing: no service account may act": [{ serviceAccounts: [] }],
      "azure-limit: assignable at these scopes": [
        { dataActions: ["A.B/c/read"], scopes: [managementGroup], reason: "x" },
      ],
      "late-value": [{ scopes: [LATE] }, { subscriptionId: LATE }, { resourceGroupName: LATE, adopt: {} }],
      "identities-invalid": [{ serviceAccounts: ["acme"] }],
      "issuer-invalid": [{ issuer: `${ISSUER}/` }],
      "azure-invalid: name that ccoctl would give": [
        { naming: "ccoctl", serviceAccounts: ["acme/operator.v1"] },
      ],
    }),
  )("refuses with %s before anything is declared: %j", (code, change) => {
    const stack = newStack();
    expect(() => new ComponentIdentity(stack, "acme", { ...props, ...change })).toThrowError(
      refused(code, /^test\/acme: /),
    );
    expect(everything(stack)).toEqual([]);
  });
});
