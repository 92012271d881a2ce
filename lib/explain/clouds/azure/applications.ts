/*
 * Applications of Entra, which can have federated identity credentials as managed identities have, and act through
 * their service principals.
 */

import type { Terraform, TerraformResource } from "../../facts/terraform";
import { Credentials } from "./credentials";
import type { IdentityFact } from "./entra";
import { grouped, hasUnowned, ownerOf } from "./owners";
import type { RoleAssignments } from "./role-assignments";

/** The names that versions of the azuread provider give to one attribute, the newest first. */
const CLIENT_ID = ["client_id", "application_id"] as const;

/** Every application by what annotations can name it by: a reference to its client id, or the client id. */
export function applicationsByClientId(
  terraform: Terraform,
  roles: RoleAssignments,
): ReadonlyMap<string, IdentityFact> {
  const resources = terraform.ofType("azuread_application");
  if (resources.length === 0) return new Map();
  const credentials = new Credentials(terraform, {
    type: "azuread_application_federated_identity_credential",
    ownerOf: (credential) => ownerOf(credential, ["application_id", "application_object_id"], terraform),
    unread: terraform.ofType("azuread_application_flexible_federated_identity_credential"),
    unreadOwner: ["application_id"],
  });
  const principals = grouped(terraform, "azuread_service_principal", CLIENT_ID);
  const hasOpenPrincipals = hasUnowned(principals);
  return new Map(
    resources.flatMap((resource): (readonly [string, IdentityFact])[] => {
      const ids = (each: TerraformResource, attributes: readonly string[]): readonly string[] =>
        attributes.map((attribute) => terraform.attribute(each, attribute).toLowerCase());
      const objects = ids(resource, CLIENT_ID)
        .flatMap((id) => principals.get(id) ?? [])
        .flatMap((principal) => ids(principal, ["object_id", "id"]));
      const { isOpen, ...held } = roles.of(objects);
      const { hasOpenCredentials, ...trusted } = credentials.of(ids(resource, ["id", "object_id"]));
      const fact: IdentityFact = {
        label: resource.address,
        adopted: resource.adopted || isOpen || hasOpenPrincipals,
        hasOpenCredentials: resource.adopted || hasOpenCredentials,
        ...trusted,
        ...held,
        source: resource.source,
      };
      return ids(resource, CLIENT_ID).map((key) => [key, fact]);
    }),
  );
}
