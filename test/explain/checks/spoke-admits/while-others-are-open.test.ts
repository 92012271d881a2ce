/*
 * A link that is certainly broken denies, whatever else cannot be determined: what is not read on one side hides no refusal
 * by the other. Each refusal stands beside the same artefacts without it, which are unknown.
 */

import { describe, expect, it } from "vitest";
import { allSpokes } from "../../../fixtures/explain/all-spokes";
import { explained, firstFailed } from "../../../fixtures/explain/artefacts";
import { inDocument, inTerraform, put } from "../../../fixtures/explain/documents";
import { type Damage, both, resource, told } from "../../../fixtures/explain/fleet-damages";

const add =
  (type: string, values: object): Damage =>
  (all) =>
    inTerraform(all, (document) => {
      const { resource: resources } = document as { resource: Record<string, object> };
      return put(["resource", type], { ...resources[type], added: values })(document);
    });

describe("spoke-admits, while another link is open: a spoke", () => {
  const artefacts = allSpokes("eks", "kueue");
  const asked = (spoke: string, damage: Damage): readonly (string | undefined)[] => {
    const [result] = explained(damage(artefacts), { spoke });
    return [result?.verdict, result && firstFailed(result)];
  };

  const otherRead = told("azure-aks-r", "AZURE_CLIENT_ID", "11111111-2222-4333-8444-555555555555");

  it.each<readonly [spoke: string, what: string, open: Damage, refusing: Damage]>([
    [
      "eks-g",
      "the role that is assumed has no access entry",
      told("aws-eks-g", "DEFAULT_ROLE", "arn:aws:iam::111122223333:role/assumed"),
      add("aws_eks_cluster", { name: "eksg", access_config: { authentication_mode: "API" } }),
    ],
    [
      "aks-r",
      "another identity enters, and the cluster takes none of Entra's tokens",
      otherRead,
      (all) =>
        inTerraform(
          new Map([...all].map(([path, text]) => [path, text.replaceAll("data.azurerm_k", "azurerm_k")])),
          put(["resource", "azurerm_kubernetes_cluster"], { aksc: { name: "aksc" } }),
        ),
    ],
    [
      "ocp-gw",
      "a role is not read, and the Connect agent may not act as the user",
      resource("google_project_iam_member", "role", "projects/acme-prod/roles/unread"),
      (all) =>
        inDocument(all, "spokes/ocp-gw.yaml", ["ClusterRole"], put(["rules", 0, "resourceNames"], ["other"])),
    ],
  ])("%s is denied where %s", (spoke, _, open, refusing) => {
    expect(asked(spoke, open)).toEqual(["unknown", undefined]);
    expect(asked(spoke, both(open, refusing))).toEqual(["denied", "spoke-admits"]);
  });
});
