/*
 * Azure: ACR, identities of Microsoft Entra, AKS clusters as spokes, storage accounts that publish issuers.
 */

import { known } from "../../model/known";
import type { Cloud, CloudReader, TrustTerms } from "../cloud";
import type { ClosedWorld } from "../coverage/closed-world";
import type { Terraform } from "../read/terraform";
import { type NamingRow, grantsInArguments, grantsNotRead } from "../shared/not-read";
import type { Issuers } from "../shared/object-store";
import { aksClusters } from "./clusters";
import { azureAccess } from "./access";
import { Assignments } from "./assignments";
import { type Credential, Credentials, declaredCredentials } from "./credentials";
import { directoryRoles, grantedRoles } from "./held";
import { Identities } from "./identity";
import { IdentityBindings } from "./identity-binding";
import { issuerContainers } from "./issuer";
import { acrPlugin } from "./plugin";
import { recorded } from "./recorded";
import { Registries } from "./registry";
import { aksSpokes } from "./spoke";
import { credentialsTrust, statedIn } from "./trust";

export const azureReader: CloudReader = {
  cloud: "azure",
  title: "Azure",
  providers: ["azapi", "azuread", "azurerm"],
  computed: [],
  clusters: aksClusters,
  recorded,
  stores: issuerContainers,
  read: azure,
};

/** Passwords and tokens, group members, and credentials whose expressions are not evaluated. */
const NOT_JUDGED: readonly string[] = [
  "azuread_application_certificate",
  "azuread_application_flexible_federated_identity_credential",
  "azuread_application_password",
  "azuread_group_member",
  "azuread_service_principal_password",
  "azurerm_container_registry_scope_map",
  "azurerm_container_registry_token",
  "azurerm_lighthouse_assignment",
  "azurerm_lighthouse_definition",
];

/** Owners add members, credentials and passwords; the groups have the right to everything in the cluster. */
const NAMING: readonly NamingRow[] = [
  ["azuread_application", "", "owners", "owner of"],
  ["azuread_group", "", "owners", "owner of"],
  ["azuread_service_principal", "", "owners", "owner of"],
  [
    "azurerm_kubernetes_cluster",
    "azure_active_directory_role_based_access_control",
    "admin_group_object_ids",
    "admin of",
  ],
];

function azure(terraform: Terraform, issuers: Issuers, world: ClosedWorld): Cloud {
  const assignments = new Assignments(terraform);
  const identities = new Identities(terraform, new Credentials(terraform), assignments, world);
  const registries = new Registries(terraform, world);
  return {
    cloud: "azure",
    pulls: acrPlugin(identities, registries, issuers),
    access: azureAccess(identities, issuers, new IdentityBindings(terraform, world)),
    spokes: aksSpokes(terraform, identities, world),
    get granted(): Cloud["granted"] {
      const roles = grantedRoles(identities.declared, (own) => assignments.others(own));
      const directory = directoryRoles(terraform);
      const others = [...grantsNotRead(terraform, NOT_JUDGED), ...grantsInArguments(terraform, NAMING)];
      return [...roles, ...directory, ...registries.granted, ...others];
    },
    get identities(): Cloud["identities"] {
      return declaredCredentials(terraform).map(({ owner, source, names, credentials }) => ({
        id: owner.join(" "),
        address: owner[0],
        names: [...owner, ...names],
        source,
        trust: ({ issuer, audience, subject }) =>
          credentialsTrust({ credentials, isOpen: false, doubt: undefined }, owner[0], {
            issuer,
            audience: known(audience),
            subject,
          }),
        terms: termsOf(credentials),
      }));
    },
  };
}

function termsOf(credentials: readonly Credential[]): TrustTerms {
  return {
    issuers: statedIn(credentials, "issuer"),
    audiences: statedIn(credentials, "audience"),
    subjects: statedIn(credentials, "subject"),
    beyond: credentials.flatMap(({ problem }) => (problem === undefined ? [] : [known(problem)])),
  };
}
