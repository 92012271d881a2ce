import { expect, it } from "vitest";
import { credentialIdentity, lowestVersion } from "../../../lib/rules/azure/azurerm-version";

// developer.hashicorp.com/terraform/language/expressions/version-constraints
it.each([
  ["4.55.0", "4.55.0"],
  ["= 4.55.0", "4.55.0"],
  ["~> 4.0", "4.0"],
  ["~> 4", "4.0"],
  ["~>4.60.1", "4.60.1"],
  [">= 4.9, < 5.0.0", "4.9"],
  ["< 6, >= 4.77.0 , != 4.80.0", "4.77.0"],
  [">4.64.0,>=4.9", "4.64.0"],
  ["v5.2.0", "5.2.0"],
  ["5.0.0-beta1", "5.0.0"],
  ["< 5.0", "0.0"],
  ["!= 4.80.0", "0.0"],
  ["", "0.0"],
  ["newest", "0.0"],
])("%j allows %s and nothing lower", (constraint, version) => {
  expect(lowestVersion(constraint)).toBe(version);
});

// federated_identity_credential_resource.go of the tags v4.59.0, v4.60.0, v4.64.0, v4.65.0, v4.81.0 and v5.2.0
it.each([
  ["0.0", { parent_id: "i", resource_group_name: "g" }],
  ["4.59.0", { parent_id: "i", resource_group_name: "g" }],
  ["4.60.0", { parent_id: "i" }],
  ["4.64.0", { parent_id: "i" }],
  ["4.65", { user_assigned_identity_id: "i" }],
  ["4.81.0", { user_assigned_identity_id: "i" }],
  ["5.2.0", { user_assigned_identity_id: "i" }],
])("azurerm %s takes the identity of a credential as %j", (version, expected) => {
  expect(credentialIdentity(version, { id: "i", resourceGroupName: "g" })).toEqual(expected);
});
