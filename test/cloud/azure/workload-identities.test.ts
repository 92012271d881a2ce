import { type TerraformStack, TerraformVariable } from "cdktf";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import {
  type AccessRole,
  PullIdentities,
  WorkloadIdentities,
  type WorkloadIdentitiesProps,
  azureAccess,
  workloadIdentities,
  acr,
} from "../../../lib/cloud/azure";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import { Subject } from "../../../lib/model/subject";
import type { IAccess } from "../../../lib/model/workloads";
import { SUBSCRIPTION, TENANT } from "./components";
import { newStack, registryId, resources } from "./synth";
import { refusal, refusedWith } from "../../support/refusal";
import { warnings } from "../../support/stacks";

const IDENTITY = "azurerm_user_assigned_identity";
const CREDENTIAL = "azurerm_federated_identity_credential";
const ASSIGNMENT = "azurerm_role_assignment";
const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;
const READER: AccessRole = { role: "Storage Blob Data Reader", scope: GROUP };
const WEB = Subject.of("shop/web");
const ISSUER = Issuer.of("https://issuer.example.com");

function declared(
  change: Partial<WorkloadIdentitiesProps> = {},
  stack: TerraformStack = newStack(),
): { readonly stack: TerraformStack; readonly made: WorkloadIdentities } {
  const made = new WorkloadIdentities(stack, "workloads", {
    clusterName: "prod",
    issuer: ISSUER,
    resourceGroupName: "identities",
    location: "westeurope",
    accounts: [{ subject: WEB, asks: [azureAccess({ roles: [READER] })] }],
    ...change,
  });
  return { stack, made };
}

describe("WorkloadIdentities", () => {
  it("warns of a role that is nearly a built-in one", () => {
    const role = "Storage Blob Data Raeder";
    const asks = [azureAccess({ roles: [{ role, scope: GROUP }] })];
    const { stack } = declared({ accounts: [{ subject: WEB, asks }] });
    expect(warnings(stack)).toContainEqual(expect.stringContaining(`role ${role} is not a built-in role`));
  });

  it("gives a service account an identity with exact trust, its roles and the webhook's words", () => {
    const { stack, made } = declared({ tenantId: TENANT, tags: { team: "shop" }, withoutWebhook: false });
    expect(Object.values(resources(stack, IDENTITY))).toEqual([
      {
        name: "prod_shop_web_access",
        resource_group_name: "identities",
        location: "westeurope",
        tags: { team: "shop" },
      },
    ]);
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([
      {
        name: "prod_shop_web",
        issuer: ISSUER.url,
        subject: "system:serviceaccount:shop:web",
        audience: ["api://AzureADTokenExchange"],
      },
    ]);
    const [identity] = Object.keys(resources(stack, IDENTITY));
    expect(Object.values(resources(stack, ASSIGNMENT))).toEqual([
      {
        scope: GROUP,
        role_definition_name: "Storage Blob Data Reader",
        principal_id: `\${${IDENTITY}.${identity}.principal_id}`,
        principal_type: "ServicePrincipal",
        skip_service_principal_aad_check: true,
      },
    ]);
    const [grant] = made.grants;
    expect(Object.keys(grant?.annotations ?? {})).toEqual([
      "azure.workload.identity/client-id",
      "azure.workload.identity/tenant-id",
    ]);
    expect(isLate(grant?.annotations["azure.workload.identity/client-id"])).toBe(true);
    expect(grant?.annotations["azure.workload.identity/tenant-id"]).toBe(TENANT);
    expect(grant?.pod).toEqual({
      labels: { "azure.workload.identity/use": "true" },
      env: [],
      volumeMounts: [],
      volumes: [],
    });
    expect(grant?.credentialFile).toBeUndefined();
  });

  it("joins the roles of several accesses, with definitions by id and late scopes", () => {
    const stack = newStack();
    const scope = new TerraformVariable(stack, "scope", {}).stringValue;
    const role = `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/${TENANT}`;
    const access = [azureAccess({ roles: [READER, { role, scope }] }), azureAccess({ roles: [READER] })];
    declared({ accounts: [{ subject: WEB, asks: access }] }, stack);
    expect(
      Object.values(resources(stack, ASSIGNMENT))
        .map((block) => [block["role_definition_id"] ?? block["role_definition_name"], block["scope"]])
        .sort(),
    ).toEqual([
      [role, "${var.scope}"],
      ["Storage Blob Data Reader", GROUP],
    ]);
    expect(access[0]?.rights).toEqual({ roleBindings: [READER, { role, scope }] });
  });

  it("keeps an assignment's id when another role is added before it", () => {
    const ids = (...roles: readonly AccessRole[]): readonly string[] => {
      const { stack } = declared({ accounts: [{ subject: WEB, asks: [azureAccess({ roles })] }] });
      return Object.keys(resources(stack, ASSIGNMENT));
    };
    expect(ids({ role: "Reader", scope: GROUP }, READER)).toEqual(expect.arrayContaining([...ids(READER)]));
  });

  it("writes the reason for a broad role beside its assignment", () => {
    const scope = `/subscriptions/${SUBSCRIPTION}`;
    const access = azureAccess({ roles: [{ role: "Contributor", scope, reason: "builds landing zones" }] });
    const { stack } = declared({ accounts: [{ subject: WEB, asks: [access] }] });
    expect(Object.values(resources(stack, ASSIGNMENT)).map((block) => block["description"])).toEqual([
      "builds landing zones",
    ]);
  });

  it("has another identity than the one that pulls the service account's images", () => {
    const stack = newStack();
    const source = acr({ registry: registryId("images"), roleAssignmentMode: "LegacyRegistryPermissions" });
    new PullIdentities(stack, "pulls", {
      resourceGroupName: "identities",
      location: "westeurope",
      clusterName: "prod",
      issuer: ISSUER,
      accounts: [{ subject: WEB, asks: [source] }],
    });
    declared({}, stack);
    const names = Object.values(resources(stack, IDENTITY)).map(({ name }) => name);
    expect(names.sort()).toEqual(["prod_shop_web", "prod_shop_web_access"]);
  });

  it("is made by workloadIdentities() as Default", () => {
    const stack = newStack();
    const place = { resourceGroupName: "identities", location: "westeurope" };
    const maker = workloadIdentities({ ...place, audience: "mine" });
    const { grants } = maker.declare(stack, {
      clusterName: "prod",
      issuer: ISSUER,
      accounts: [{ subject: WEB, asks: [azureAccess({ roles: [READER] })] }],
    });
    expect([maker.cloud, grants.map(({ subject }) => subject.key)]).toEqual(["azure", ["shop/web"]]);
    expect(Object.values(resources(stack, CREDENTIAL)).map((block) => block["audience"])).toEqual([["mine"]]);
    expect(stack.node.findChild("Default")).toBeInstanceOf(WorkloadIdentities);
  });

  const foreign: IAccess<Construct> = {
    cloud: "azure",
    rights: { everything: [] },
    defaultIdentities: () => workloadIdentities({ resourceGroupName: "x", location: "y" }),
  };

  it("without the webhook, gives pods a token for the audience and the cloud that are stated", () => {
    const china = { audience: "api://own", cloud: "AzureChinaCloud", tenantId: TENANT } as const;
    const { made } = declared({ withoutWebhook: true, ...china });
    const [pod] = made.grants.map((grant) => grant.pod);
    const directory = "/var/run/secrets/workload-identity/azure";
    const [identity] = made.identities.values();
    const token = { audience: "api://own", expirationSeconds: 3600, path: "token" };
    expect(pod).toEqual({
      labels: {},
      env: [
        { name: "AZURE_CLIENT_ID", value: identity?.clientId },
        { name: "AZURE_TENANT_ID", value: TENANT },
        { name: "AZURE_FEDERATED_TOKEN_FILE", value: `${directory}/token` },
        { name: "AZURE_AUTHORITY_HOST", value: "https://login.chinacloudapi.cn/" },
      ],
      volumeMounts: [{ name: "azure-token", mountPath: directory, readOnly: true }],
      volumes: [{ name: "azure-token", projected: { sources: [{ serviceAccountToken: token }] } }],
    });
  });

  it("where nothing says whether the webhook runs, gives pods its label and a token", () => {
    const [grant] = declared({ tenantId: TENANT }).made.grants;
    expect(grant?.pod.labels).toEqual({ "azure.workload.identity/use": "true" });
    expect(grant?.pod.env.map(({ name }) => name)).toContain("AZURE_FEDERATED_TOKEN_FILE");
    expect(grant?.pod.volumes).toHaveLength(1);
  });

  it.each<readonly [string, Partial<WorkloadIdentitiesProps>]>([
    ["azure-foreign: not created by azureAccess()", { accounts: [{ subject: WEB, asks: [foreign] }] }],
    ["azure-invalid: is not a valid name", { resourceGroupName: "a/b" }],
    ["azure-missing: but resourceGroupName is missing", { resourceGroupName: undefined }],
    ["azure-missing: but location is missing", { location: undefined }],
    ["azure-invalid: the tag is not valid in Azure", { tags: { "a/b": "x" } }],
    ["azure-invalid: is not a valid name", { namePrefix: "a_b" }],
    ["azure-invalid: is not a GUID", { tenantId: "mine" }],
    ["issuer-unsupported", { issuer: Issuer.of("https://kubernetes.default.svc") }],
    ["audience-invalid", { audience: "" }],
  ])("refuses with %s before anything is declared", (code, change) => {
    const stack = newStack();
    expect(() => declared(change, stack)).toThrowError(
      refusal(code, { message: expect.stringMatching(/^test\/workloads: /) as string }),
    );
    expect(resources(stack, IDENTITY)).toEqual({});
  });
});

describe("azureAccess", () => {
  const SUB = `/subscriptions/${SUBSCRIPTION}`;
  const OWNER = `${SUB}/providers/Microsoft.Authorization/roleDefinitions/8E3AF657-a8ff-443c-a75c-2fe8c4bcb635`;

  const LATE = "${TfToken[TOKEN.1]}";
  const GROUPS = "/providers/Microsoft.Management/managementGroups/acme";
  const untyped = (value: unknown): never => value as never;
  const inGroup = (role: string): AccessRole => ({ role, scope: GROUP });
  const inAll = (role: string, more: object = {}): AccessRole => ({ role, scope: SUB, ...more });

  it.each(
    refusedWith<AccessRole>({
      "azure-invalid: role is neither a name": [
        inGroup(""),
        inGroup(" Reader"),
        inGroup("/subscriptions/x"),
        inGroup('${file("x")}'),
        inGroup(OWNER.replace("/providers", "/${x.y}/providers")),
      ],
      "azure-invalid: the scope is not a resource id": [
        { role: "Reader", scope: "shop" },
        { role: "Reader", scope: "/" },
        { role: "Reader", scope: `${GROUP}\${x.y}` },
      ],
      "azure-unsafe: would give access to everything": [
        inAll("Owner"),
        inAll("contributor", { scope: GROUPS }),
        inAll("User Access Administrator", { scope: LATE }),
        inAll("Role Based Access Control Administrator"),
        inAll(OWNER),
        inAll(LATE),
      ],
      "property-missing": [inGroup(untyped(undefined)), inAll("Reader", { scope: undefined })],
      "property-invalid": [inAll("Owner", { reason: 5 })],
      "azure-invalid: is empty or too long": [inAll("Owner", { reason: " " })],
    }),
  )("refuses with %s: %j", (code, role) => {
    expect(() => azureAccess({ roles: [role] })).toThrowError(refusal(code));
  });

  it("refuses no roles", () => {
    expect(() => azureAccess({ roles: [] })).toThrowError(refusal("azure-missing: names no role"));
    expect(() => azureAccess({ roles: untyped(undefined) })).toThrowError(refusal("property-missing"));
  });

  it("shows no token of cdktf for what is late", () => {
    expect(() => azureAccess({ roles: [{ role: LATE, scope: LATE }] })).toThrowError(
      expect.objectContaining({
        message: expect.not.stringMatching(/TfToken/) as string,
        problem: expect.stringMatching(/a scope that is known only after apply/) as string,
      }),
    );
  });

  it("allows a broad role within a resource group, and a narrow one anywhere", () => {
    const roles = [
      { role: "Owner", scope: GROUP },
      { role: "Reader", scope: SUB },
    ];
    expect(azureAccess({ roles }).roles).toEqual(roles);
  });

  it("has no default place for identities", () => {
    expect(() => azureAccess({ roles: [READER] }).defaultIdentities()).toThrowError(
      refusal("azure-missing: workloads need managed identities"),
    );
  });
});
