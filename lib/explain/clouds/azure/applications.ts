/*
 * Applications of Entra, which can have federated identity credentials as managed identities have, and act through
 * their service principals.
 */

import type { Terraform, TerraformResource } from "../../facts/terraform";
import { type IdentityFact, assignment, credential, grouped, hasUnowned } from "./entra";

/** The names that versions of the azuread provider give to one attribute, the newest first. */
const CLIENT_ID = ["client_id", "application_id"] as const;

/** Every application by what annotations can name it by: a reference to its client id, or the client id. */
export function applicationsByClientId(terraform: Terraform): ReadonlyMap<string, IdentityFact> {
  const credentials = grouped(terraform, "azuread_application_federated_identity_credential", [
    "application_id",
    "application_object_id",
  ]);
  const principals = grouped(terraform, "azuread_service_principal", CLIENT_ID);
  const assignments = grouped(terraform, "azurerm_role_assignment", ["principal_id"]);
  const isOpen = [credentials, principals, assignments].some(hasUnowned);
  return new Map(
    terraform.ofType("azuread_application").flatMap((resource): (readonly [string, IdentityFact])[] => {
      const named = (attributes: readonly string[]): readonly string[] =>
        attributes.map((attribute) => terraform.attribute(resource, attribute).toLowerCase());
      const found = (
        groups: ReadonlyMap<string, readonly TerraformResource[]>,
        keys: readonly string[],
      ): readonly TerraformResource[] => keys.flatMap((key) => groups.get(key) ?? []);
      const objects = found(principals, named(CLIENT_ID)).flatMap((principal) =>
        ["object_id", "id"].map((attribute) => terraform.attribute(principal, attribute).toLowerCase()),
      );
      const fact: IdentityFact = {
        label: resource.address,
        adopted: resource.adopted || isOpen,
        credentials: found(credentials, named(["id", "object_id"])).map((each) =>
          credential(each, terraform),
        ),
        assignments: found(assignments, [...new Set(objects)]).map((each) => assignment(each, terraform)),
        source: resource.source,
      };
      return named(CLIENT_ID).map((key) => [key, fact]);
    }),
  );
}
