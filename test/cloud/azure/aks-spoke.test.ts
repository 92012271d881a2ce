import { DataAzurermKubernetesCluster } from "@cdktf/provider-azurerm/lib/data-azurerm-kubernetes-cluster/index.js";
import {
  KubernetesCluster,
  type KubernetesClusterConfig,
} from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { type TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type AksSpokeProps,
  type ExistingAksCluster,
  aksSpoke,
  workloadIdentities,
} from "../../../lib/cloud/azure";
import type { SpokeEntry } from "../../../lib/model/fleet";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import { Subject } from "../../../lib/model/subject";
import type { AccessGrant } from "../../../lib/model/workloads";
import { newStack, resources } from "./synth";
import { refusal } from "../../support/refusal";
import { rendered, warnings } from "../../support/stacks";

const ROLE = "azurerm_role_assignment";
const controllers = [Subject.of("argocd/argocd-application-controller"), Subject.of("argocd/argocd-server")];
const CLUSTER: ExistingAksCluster = {
  id: "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/spokes/providers/Microsoft.ContainerService/managedClusters/spoke-b",
  server: "https://spoke-b.hcp.westeurope.azmk8s.io:443",
  certificateAuthorityData: "LS0tLS1CRUdJTi4uLg==",
};
const WRITER = "Azure Kubernetes Service RBAC Writer";

function identities(stack: TerraformStack): readonly AccessGrant[] {
  return workloadIdentities({ resourceGroupName: "identities", location: "westeurope" }).declare(stack, {
    clusterName: "hub",
    issuer: Issuer.of("https://oidc.example.com/hub"),
    accounts: controllers.map((subject) => ({ subject, asks: [] })),
  }).grants;
}

function enter(
  stack: TerraformStack,
  props: Partial<AksSpokeProps>,
  grants: readonly AccessGrant[] = identities(stack),
): SpokeEntry {
  return aksSpoke({ cluster: CLUSTER, ...props }).declare(stack, {
    hub: "hub",
    spoke: "spoke-b",
    controllers: grants,
  });
}

describe("aksSpoke", () => {
  it.each([
    { cluster: CLUSTER, roles: {} },
    { cluster: CLUSTER, roles: [null] },
  ])("refuses forms that only the compiler checks: %j", (given) => {
    expect(() => aksSpoke(given as unknown as AksSpokeProps)).toThrowError(refusal("property-invalid"));
  });

  it("says where the spoke is", () => {
    const { cloud, endpoint, parameters } = aksSpoke({ cluster: CLUSTER });
    expect({ cloud, endpoint, parameters }).toEqual({
      cloud: "azure",
      endpoint: { server: CLUSTER.server, certificateAuthorityData: CLUSTER.certificateAuthorityData },
      parameters: {},
    });
  });

  it("assigns each controller's principal its roles, at the cluster or in namespaces", () => {
    const stack = newStack();
    const { users } = enter(stack, {
      roles: [{ role: WRITER, namespaces: ["web"] }, { role: "Azure Kubernetes Service RBAC Reader" }],
    });
    expect(users.map(({ subject, groups, authorized }) => [subject, groups, authorized])).toEqual(
      controllers.map((subject) => [subject, [], true]),
    );
    const assignments = Object.entries(resources(stack, ROLE));
    expect(assignments).toHaveLength(4);
    expect(assignments.filter(([id]) => id.includes("argocd-server")).map(([, block]) => block)).toEqual(
      [
        ["Azure Kubernetes Service RBAC Reader", CLUSTER.id],
        [WRITER, `${CLUSTER.id}/namespaces/web`],
      ].map(([role, scope]) => ({
        scope,
        role_definition_name: role,
        principal_id: expect.stringMatching(
          /^\$\{azurerm_user_assigned_identity\.[\w-]*argocd-server[\w-]*\.principal_id\}$/,
        ) as string,
        principal_type: "ServicePrincipal",
        skip_service_principal_aad_check: true,
      })),
    );
  });

  it("needs no role of the identities besides", () => {
    const stack = newStack();
    enter(stack, {});
    expect(Object.keys(resources(stack, "azurerm_user_assigned_identity"))).toHaveLength(2);
    expect(resources(stack, ROLE)).toEqual({});
  });

  it("names the object id as user where RBAC of the cluster decides", () => {
    const stack = newStack();
    const { users } = enter(stack, {});
    expect(users.map(({ authorized }) => authorized)).toEqual([false, false]);
    expect(users.every(({ user }) => isLate(user))).toBe(true);
    expect(
      rendered(
        stack,
        users.map(({ user }) => user),
      ),
    ).toEqual(
      controllers.map(
        ({ name }) =>
          expect.stringMatching(
            new RegExp(String.raw`^\$\{azurerm_user_assigned_identity\.[\w-]*${name}[\w-]*\.principal_id\}$`),
          ) as string,
      ),
    );
  });

  it("uses the subscription of the spoke", () => {
    const stack = newStack();
    const provider = new AzurermProvider(stack, "spoke", { alias: "spoke", features: [{}] });
    enter(stack, { roles: [{ role: WRITER }], provider });
    expect(Object.values(resources(stack, ROLE)).map((block) => block["provider"])).toEqual([
      "azurerm.spoke",
      "azurerm.spoke",
    ]);
  });

  it("takes the certificate alone out of kube_config", () => {
    const stack = newStack();
    const { endpoint } = aksSpoke({ cluster: aks(stack, ENTRA), roles: [{ role: WRITER }] });
    expect(isLate(endpoint.server) && isLate(endpoint.certificateAuthorityData)).toBe(true);
    expect(rendered(stack, endpoint)).toEqual({
      server: "https://${azurerm_kubernetes_cluster.spoke.fqdn}:443",
      certificateAuthorityData:
        "${nonsensitive(azurerm_kubernetes_cluster.spoke.kube_config[0].cluster_ca_certificate)}",
    });
    expect(Testing.synth(stack)).not.toMatch(
      /client_key|client_certificate|password|kube_admin_config|kube_config_raw/,
    );
  });

  it.each<readonly [string, Partial<KubernetesClusterConfig>, boolean | undefined, string]>([
    ["a private cluster", { privateClusterEnabled: true }, undefined, "private_fqdn"],
    ["a private cluster with a public name", { privateClusterEnabled: true }, false, "fqdn"],
    ["a public cluster", {}, undefined, "fqdn"],
  ])("reaches %s at its address", (_, config, privateEndpoint, attribute) => {
    const stack = newStack();
    const { endpoint } = aksSpoke({
      cluster: aks(stack, { ...ENTRA, ...config }),
      ...(privateEndpoint !== undefined && { privateEndpoint }),
    });
    expect(rendered(stack, endpoint)).toMatchObject({
      server: `https://\${azurerm_kubernetes_cluster.spoke.${attribute}}:443`,
    });
  });

  it("writes the namespace behind the id of a declared cluster", () => {
    const stack = newStack();
    enter(stack, { cluster: aks(stack, ENTRA), roles: [{ role: WRITER, namespaces: ["shop"] }] });
    expect(Object.values(resources(stack, ROLE)).map(({ scope }) => scope)).toEqual([
      "${azurerm_kubernetes_cluster.spoke.id}/namespaces/shop",
      "${azurerm_kubernetes_cluster.spoke.id}/namespaces/shop",
    ]);
  });

  it.each([
    [{}, 1],
    [{ localAccountDisabled: false }, 1],
    [{ localAccountDisabled: true }, 0],
  ])("warns of a declared cluster with local accounts: %j", (more, count) => {
    const stack = newStack();
    const cluster = aks(stack, { ...ENTRA, ...more });
    enter(stack, { cluster });
    const texts = stack.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .map(({ data }) => String(data));
    expect(texts.filter((each) => /does not set local_account_disabled/.test(each))).toHaveLength(count);
  });

  it("warns of the data source, which stores the kubeconfig", () => {
    const stack = newStack();
    const place = { name: "spoke-b", resourceGroupName: "spokes" };
    const cluster = new DataAzurermKubernetesCluster(stack, "spoke", place);
    enter(stack, { cluster, roles: [{ role: WRITER }] });
    expect(warnings(stack)).toEqual([
      expect.stringMatching(/kube_config into the state.*local_account_disabled/),
    ]);
  });

  it.each<readonly [string, (stack: TerraformStack) => Partial<AksSpokeProps>]>([
    [
      "azure-unsupported: does not accept tokens of Microsoft Entra",
      (stack) => ({ cluster: aks(stack, {}) }),
    ],
    [
      "azure-unsupported: AKS cluster without Azure RBAC",
      (stack) => ({
        cluster: aks(stack, { azureActiveDirectoryRoleBasedAccessControl: {} }),
        roles: [{ role: WRITER }],
      }),
    ],
    [
      "azure-unsupported: AKS cluster without Azure RBAC",
      () => ({ cluster: { ...CLUSTER, azureRbacEnabled: false }, roles: [{ role: WRITER }] }),
    ],
    [
      "azure-unknown: the role is not known to allow anything within an AKS",
      () => ({ roles: [{ role: "Contributor" }] }),
    ],
    ["azure-invalid: resource id of", () => ({ cluster: { ...CLUSTER, id: "spoke-b" } })],
  ])("refuses with %s before anything is declared", (code, props) => {
    const stack = newStack();
    const grants = identities(stack);
    const given = props(stack);
    expect(() => enter(stack, given, grants)).toThrowError(refusal(code));
    expect(resources(stack, ROLE)).toEqual({});
  });

  it.each<readonly [string, AccessGrant["principal"] | undefined]>([
    ["azure-missing: object id of the controller", undefined],
    ["azure-invalid: is not a GUID", { name: "hub", dependencies: [] }],
  ])("refuses an identity with %s", (code, principal) => {
    const stack = newStack();
    const grants = identities(newStack()).map(({ principal: _, ...grant }) => ({
      ...grant,
      ...(principal && { principal }),
    }));
    expect(() => enter(stack, { roles: [{ role: WRITER }] }, grants)).toThrowError(
      refusal(code, { message: expect.stringMatching(/^spoke spoke-b: /) as string }),
    );
    expect(resources(stack, ROLE)).toEqual({});
  });

  it("takes RBAC of the cluster without Azure RBAC", () => {
    const stack = newStack();
    const cluster = aks(stack, { azureActiveDirectoryRoleBasedAccessControl: { azureRbacEnabled: false } });
    expect(enter(stack, { cluster }).users.map(({ authorized }) => authorized)).toEqual([false, false]);
  });
});

const ENTRA: Partial<KubernetesClusterConfig> = {
  azureActiveDirectoryRoleBasedAccessControl: { azureRbacEnabled: true },
};

function aks(stack: TerraformStack, config: Partial<KubernetesClusterConfig>): KubernetesCluster {
  return new KubernetesCluster(stack, "spoke", {
    name: "spoke-b",
    resourceGroupName: "spokes",
    location: "westeurope",
    defaultNodePool: { name: "default" },
    ...config,
  });
}
