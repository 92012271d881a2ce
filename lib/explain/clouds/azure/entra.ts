/*
 * Identities, federated identity credentials and role assignments as Terraform declares them.
 */

import { own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import { listed } from "../../facts/terraform-values";

/** A federated identity credential. */
export interface CredentialFact {
  /** The issuer. */
  readonly issuer: string;
  /** The subject. */
  readonly subject: string;
  /** The one audience. */
  readonly audience: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A role assignment. */
export interface AssignmentFact {
  /** Name of the role; empty where only an id is known. */
  readonly role: string;
  /** Id of the role's definition, or a reference, in lower case; empty where it is named. */
  readonly definition: string;
  /** Resource id that it is made on, or a reference. */
  readonly scope: string;
  /** The condition; empty where there is none. */
  readonly condition: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A user-assigned identity, or an application with its service principal. */
export interface IdentityFact {
  /** Terraform address, for people. */
  readonly label: string;
  /**
   * True where not all of its credentials and assignments are known: it is only looked up, or one was read whose owner
   * only apply tells.
   */
  readonly adopted: boolean;
  /**
   * Its tenant, late where only apply tells it.
   *
   * @defaultValue - not known
   */
  readonly tenant?: string;
  /** Its credentials. */
  readonly credentials: readonly CredentialFact[];
  /** Its role assignments. */
  readonly assignments: readonly AssignmentFact[];
  /** Where it stands. */
  readonly source: Source;
}

/** Ids of built-in roles. Source: learn.microsoft.com, "Azure built-in roles for Containers". */
const ROLE_IDS: Readonly<Record<string, string>> = {
  "7f951dda-4ed3-4680-a7ca-43fe172d538d": "AcrPull",
  "8311e382-0749-4cb8-b61a-304f252e45ec": "AcrPush",
  "b93aa761-3e63-49ed-ac28-beffa264f7ac": "Container Registry Repository Reader",
};

const IDENTITY = "azurerm_user_assigned_identity";

/** Every identity by what annotations can name it by: a reference to its client id, or the client id. */
export function identitiesByClientId(terraform: Terraform): ReadonlyMap<string, IdentityFact> {
  const credentials = grouped(terraform, "azurerm_federated_identity_credential", [
    "parent_id",
    "user_assigned_identity_id",
  ]);
  const assignments = grouped(terraform, "azurerm_role_assignment", ["principal_id"]);
  const isOpen = [credentials, assignments].some(hasUnowned);
  return new Map(
    terraform.ofType(IDENTITY).map((resource): [string, IdentityFact] => {
      const ids = [terraform.attribute(resource, "id"), idOf(resource, terraform)];
      return [
        terraform.attribute(resource, "client_id").toLowerCase(),
        {
          label: resource.address,
          adopted: resource.adopted || isOpen,
          tenant: tenantOf(resource, terraform),
          credentials: ids
            .flatMap((id) => credentials.get(id.toLowerCase()) ?? [])
            .map((each) => credential(each, terraform)),
          assignments: (
            assignments.get(terraform.attribute(resource, "principal_id").toLowerCase()) ?? []
          ).map((each) => assignment(each, terraform)),
          source: resource.source,
        },
      ];
    }),
  );
}

/** As a state has it, or as the provider is configured. */
function tenantOf(resource: TerraformResource, terraform: Terraform): string {
  const stated = terraform.text(resource, "tenant_id");
  return stated || terraform.resolve(text(own(providerOf(resource), "tenant_id")), resource.scope);
}

/** The resource id, composed where Terraform knows it only after apply; empty where parts are missing. */
function idOf(resource: TerraformResource, terraform: Terraform): string {
  const name = terraform.text(resource, "name");
  const group = terraform.text(resource, "resource_group_name");
  const subscription = text(own(providerOf(resource), "subscription_id"));
  if ([name, group, subscription].some((part) => part === "" || isLateText(part))) return "";
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
}

/** The resources of a type by the first of the attributes that is there, in lower case. */
export function grouped(
  terraform: Terraform,
  type: string,
  attributes: readonly string[],
): ReadonlyMap<string, readonly TerraformResource[]> {
  const groups = new Map<string, TerraformResource[]>();
  for (const resource of terraform.ofType(type)) {
    const owner =
      attributes.map((attribute) => terraform.text(resource, attribute)).find((id) => id !== "") ?? "";
    const same = groups.get(owner.toLowerCase());
    if (same) same.push(resource);
    else groups.set(owner.toLowerCase(), [resource]);
  }
  groups.delete("");
  return groups;
}

/** Whether some are of an owner that only apply tells: a variable, say, or what a module gives. */
export function hasUnowned(groups: ReadonlyMap<string, unknown>): boolean {
  return [...groups.keys()].some((owner) => isLateText(owner) && !OF_RESOURCE.test(owner));
}

/**
 * An attribute of one resource: `${0#module.m.azurerm_user_assigned_identity.web.principal_id}`. What a plan does not know
 * is an attribute of what it belongs to itself.
 */
const OF_RESOURCE =
  /^\$\{\d+#(?:module\.[^.]+\.)*(?:data\.)?(?!azurerm_role_assignment\.|\w+_federated_identity_credential\.)[a-z0-9]+_\w+\.[\w-]+(?:\[[^\]]*\])?\.[\w.[\]-]+\}$/;

/** A federated identity credential of azurerm (`audience`) or azuread (`audiences`), each a list of one. */
export function credential(resource: TerraformResource, terraform: Terraform): CredentialFact {
  const [audience = ""] = listed(resource.values["audience"] ?? resource.values["audiences"]);
  return {
    issuer: terraform.text(resource, "issuer"),
    subject: terraform.text(resource, "subject"),
    audience: terraform.resolve(audience, resource.scope),
    source: resource.source,
  };
}

/** A role assignment. */
export function assignment(resource: TerraformResource, terraform: Terraform): AssignmentFact {
  const id = terraform.text(resource, "role_definition_id").toLowerCase();
  const known = Object.keys(ROLE_IDS).find((guid) => id.endsWith(guid));
  return {
    role:
      terraform.text(resource, "role_definition_name") ||
      (known === undefined ? "" : (ROLE_IDS[known] ?? "")),
    definition: id,
    scope: terraform.text(resource, "scope"),
    condition: terraform.text(resource, "condition"),
    source: resource.source,
  };
}
