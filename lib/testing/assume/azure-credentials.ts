import { texts } from "../../explain/facts/access";
import type { Terraform, TerraformResource } from "../../explain/facts/terraform";
import { admits } from "../../rules/azure/admits";
import type { ReadIdentities } from "./identity";

const STATUS = { allowed: "pass", denied: "fail", unknown: "unknown" } as const;

/** The federated identity credentials that a stack declares, also those of identities that are only adopted. */
export const azureCredentials: ReadIdentities = (terraform, own) =>
  own("azurerm_federated_identity_credential").map((resource) => {
    const [audience = ""] = texts(resource.values["audience"]);
    const credential = {
      issuer: terraform.text(resource, "issuer"),
      subject: terraform.text(resource, "subject"),
      audience: terraform.resolve(audience, resource.scope),
    };
    return {
      address: resource.address,
      names: [resource.address, terraform.text(resource, "name"), ...ownerNames(resource, terraform)],
      admits: (claims) => {
        const { outcome, reason } = admits(credential, claims);
        return [{ id: "subject-admitted", status: STATUS[outcome], reason }];
      },
    };
  });

/** The identity, by its address and name where it is declared here, by its resource id otherwise. */
function ownerNames(resource: TerraformResource, terraform: Terraform): readonly string[] {
  const id = ["parent_id", "user_assigned_identity_id"]
    .map((attribute) => terraform.text(resource, attribute))
    .find((each) => each !== "");
  const identity = id === undefined ? undefined : terraform.referred(id, "id");
  if (identity) return [identity.address, terraform.text(identity, "name")];
  return id === undefined ? [] : [id];
}
