/*
 * A component of Azure works in one tenant and one subscription: those of its identity, its roles and its neighbours.
 */

import { describe, expect, it } from "vitest";
import {
  INGRESS,
  accessArtefacts,
  resultOf,
  subscriptionId,
  withTerraform,
} from "../fixtures/explain/access";
import { type Artefacts, type Edit, edited, statuses } from "../fixtures/explain/artefacts";

const SECRET = "manifests/openshift-ingress-operator-cloud-credentials-credentials.yaml";
const TENANT = "11111111-2222-4333-8444-555555555555";
const OTHER = "99999999-2222-4333-8444-555555555555";
const REGISTRY = "openshift-image-registry/registry";
const WEBHOOK = "manifests/azure-ad-pod-identity-webhook-config.yaml";
const artefacts = accessArtefacts("azure");
const tenant: Edit = [SECRET, TENANT, OTHER];
const subscription: Edit = [SECRET, subscriptionId, OTHER];

const wellFormed = (changed: Artefacts, account = INGRESS): string | undefined =>
  statuses(resultOf(changed, account))["secret-well-formed"];

/** Scopes known only after apply. */
const lateScopes = (changed: Artefacts): Artefacts =>
  withTerraform(changed, ({ resource }) => {
    for (const each of Object.values(resource["azurerm_role_assignment"] ?? {}))
      each["scope"] = "${var.scope}";
  });

describe("a Secret of another tenant", () => {
  it("is not known to be right, nor are the others, which name another one", () => {
    expect([...artefacts.keys()].some((path) => path.endsWith(WEBHOOK))).toBe(true);
    const changed = edited(artefacts, [tenant]);
    expect(wellFormed(changed)).toBe("unknown");
    expect(wellFormed(changed, REGISTRY)).toBe("unknown");
  });

  it("is wrong where the provider of its identity is of another one", () => {
    const provided = withTerraform(artefacts, (configuration) => {
      const { provider } = configuration as unknown as { provider: { azurerm: Record<string, unknown>[] } };
      for (const each of provider.azurerm) each["tenant_id"] = TENANT;
    });
    expect(wellFormed(provided)).toBe("pass");
    expect(wellFormed(edited(provided, [tenant]))).toBe("fail");
  });
});

describe("a Secret of another subscription", () => {
  it("is wrong where all roles of its identity are assigned elsewhere", () => {
    expect(wellFormed(edited(artefacts, [subscription]))).toBe("fail");
  });

  it("cannot be determined to be right by late scopes, where more Secrets name another one", () => {
    const changed = lateScopes(edited(artefacts, [subscription]));
    expect(wellFormed(changed)).toBe("unknown");
  });
});
