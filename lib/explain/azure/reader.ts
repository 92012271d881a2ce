/*
 * Azure: ACR, identities of Microsoft Entra, AKS clusters as spokes, storage accounts that publish issuers.
 */

import type { Cloud, CloudReader, DeclaredIdentity } from "../cloud";
import type { Terraform } from "../read/terraform";
import { Unread } from "../shared/not-read";
import type { Issuers } from "../shared/object-store";
import { AzureAccess } from "./access";
import { Assignments } from "./assignments";
import { Credentials, declaredCredentials } from "./credentials";
import { Scopes } from "./scopes";
import { Identities } from "./identity";
import { issuerContainers } from "./issuer";
import { AcrPlugin } from "./plugin";
import { Registries } from "./registry";
import { Roles } from "./roles";
import { AzureSpokes } from "./spoke";
import { known } from "../../model/known";
import { credentialsTrust } from "./trust";

/** Reads Azure. */
export const azureReader: CloudReader = {
  cloud: "azure",
  computed: [],
  stores: issuerContainers,
  read: (terraform, issuers) => new Azure(terraform, issuers),
};

class Azure implements Cloud {
  readonly cloud = "azure";
  readonly pulls: AcrPlugin;
  readonly access: AzureAccess;
  readonly spokes: AzureSpokes;
  readonly #terraform: Terraform;

  constructor(terraform: Terraform, issuers: Issuers) {
    const scopes = new Scopes(terraform);
    const unread = new Unread(terraform);
    const assignments = new Assignments(terraform, new Roles(terraform), scopes);
    const identities = new Identities(terraform, new Credentials(terraform), assignments, unread);
    this.#terraform = terraform;
    this.pulls = new AcrPlugin(identities, new Registries(terraform, scopes, unread), issuers);
    this.access = new AzureAccess(identities, scopes, issuers);
    this.spokes = new AzureSpokes(terraform, identities, scopes, unread);
  }

  get identities(): readonly DeclaredIdentity[] {
    return declaredCredentials(this.#terraform).map(({ address, names, credential }) => ({
      address,
      names,
      source: credential.source,
      trust: ({ issuer, audience, subject }) =>
        credentialsTrust({ credentials: [credential], isOpen: false, doubt: undefined }, address, {
          issuer: known(issuer),
          audience: known(audience),
          subject,
        }),
    }));
  }
}
