/*
 * Which identities AKS clusters admit. Source: Azure/kubelogin, pkg/internal/token/options.go: variables are above flags.
 */

import { describe, expect, it } from "vitest";
import type { SpokeQuestion } from "../../../../lib/explain/cloud";
import { type Known, known, unread } from "../../../../lib/model/known";
import { explained } from "../../../fixtures/explain/artefacts";
import { allSpokes } from "../../../fixtures/explain/all-spokes";
import { CLUSTER_SECRETS, secret, stored } from "../../../fixtures/explain/cluster-secrets";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { profile } from "../../../fixtures/explain/fleet-damages";
import { CA } from "../../../fixtures/fleet/ca";
import { CLIENT, OTHER, TENANT, read } from "../../azure/spoke";

const ID = "spoke-admits";

describe("a call of the plugin", () => {
  const env = (...pairs: readonly (readonly [string, Known<string>])[]): Partial<SpokeQuestion> => ({
    env: new Map(pairs),
  });
  const args = (...all: readonly string[]): Partial<SpokeQuestion> => ({
    args: all.map((each) => known(each)),
  });
  const own = [
    `--client-id=${CLIENT}`,
    `--tenant-id=${TENANT}`,
    "--federated-token-file=/var/run/secrets/azure/tokens/azure-identity-token",
  ];
  const late = unread("x");

  it.each<[string, Partial<SpokeQuestion>, string]>([
    ["as the service account says", {}, "pass"],
    ["with its own client id", env(["AZURE_CLIENT_ID", known(CLIENT)]), "pass"],
    ["with another client id", env(["AZURE_CLIENT_ID", known(OTHER)]), "unknown"],
    ["with another client id by flag", args("--client-id", OTHER), "unknown"],
    ["with a client id that only the cluster knows", env(["AZURE_CLIENT_ID", late]), "unknown"],
    ["with an empty tenant", env(["AZURE_TENANT_ID", known("")]), "unknown"],
    ["with another tenant", args("-t", OTHER), "unknown"],
    ["with another login", env(["AAD_LOGIN_METHOD", known("msi")]), "fail"],
    ["with a login that only the cluster knows", env(["AAD_LOGIN_METHOD", late]), "unknown"],
    [
      "with the Entra of another cloud",
      env(["AZURE_AUTHORITY_HOST", known("https://login.chinacloudapi.cn/")]),
      "unknown",
    ],
    ["with what is no Entra", env(["AZURE_AUTHORITY_HOST", known("https://login.example/")]), "unknown"],
    ["with an Entra that only the cluster knows", env(["AZURE_AUTHORITY_HOST", late]), "unknown"],
    ["with the variables of Terraform", args("--use-azurerm-env-vars"), "unknown"],
    ["without variables, and all flags", args("--disable-environment-override", ...own), "unknown"],
  ])("%s", (_, asked, status) => {
    expect(read({ asked })[0]).toBe(status);
  });
});

describe("a cluster", () => {
  const at = (server: string): Partial<SpokeQuestion> => ({ server: known(server) });

  it("that was not read and is not recorded is not known to be integrated with Entra", () => {
    expect(read({ asked: { ...at("https://aksc.example"), recorded: false } })[0]).toBe("unknown");
  });

  it("that is not integrated with Entra admits no one", () => {
    const cluster = {
      azurerm_kubernetes_cluster: { k: { name: "k", resource_group_name: "rg", fqdn: "k.example" } },
    };
    expect(read({ more: cluster, asked: at("https://k.example") })[0]).toBe("fail");
  });
});

fleetChecks(ID, "AKS", spokeOf("aks"), [
  ["as written, where the cluster was not read", [], "pass", "is assumed to be integrated"],
  [
    "a server of another cloud",
    profile("aks-r", [0, "cluster"], {
      server: "@late(data.aws_eks_cluster.eksc.endpoint)@",
      "certificate-authority-data": CA,
    }),
    "fail",
    "leads to data.aws_eks_cluster.eksc",
    { spoke: "aks-r" },
  ],
  [
    "a cluster Secret that people wrote, beside those of the stack",
    [],
    "unknown",
    "whether the cluster of shop is integrated with Entra was not read",
    { artefacts: CLUSTER_SECRETS, spoke: "shop", others: stored([secret("shop")]) },
  ],
]);

it("Argo CD's own access provider does for a spoke of its cloud", () => {
  const all = allSpokes("eks", "argocd");
  const said = (artefacts: typeof all): readonly (readonly unknown[])[] =>
    explained(artefacts, { spoke: "aks" }).map(({ verdict, as }) => [verdict, as]);
  const found = said(profile("aks", [0, "name"], "argo-cd-builtin-azure")(all));
  expect(found).toEqual(said(all));
  expect(found.map(([verdict]) => verdict)).toEqual(["allowed", "allowed"]);
});
