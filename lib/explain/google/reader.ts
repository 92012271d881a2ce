/*
 * Google Cloud: workload identity pools, Artifact Registry by auth-provider-gcp, GKE and fleets.
 */

import { known, shown } from "../../model/known";
import type { Cloud, CloudReader, DeclaredIdentity, ShownClaims, TrustAnswer } from "../cloud";
import type { Terraform } from "../read/terraform";
import type { Issuers } from "../shared/object-store";
import { Accounts } from "./accounts";
import { Iam } from "./iam";
import { GoogleAccess } from "./identity";
import { issuerStores } from "./issuer";
import { googleComputed } from "./names";
import { Downloads } from "./permission";
import { GooglePlugin } from "./plugin";
import { type PoolProvider, poolProviders } from "./pool";
import { Repositories } from "./repositories";
import { GoogleSpokes } from "./spoke";
import { Exchanges } from "./trust";

/** Reads Google Cloud. */
export const googleReader: CloudReader = {
  cloud: "google",
  computed: googleComputed,
  stores: issuerStores,
  read: (terraform, issuers) => new Google(terraform, issuers),
};

class Google implements Cloud {
  readonly cloud = "google";
  readonly pulls: GooglePlugin;
  readonly #terraform: Terraform;
  readonly #providers: readonly PoolProvider[];
  readonly #exchanges: Exchanges;
  #iam: Iam | undefined;
  #access: GoogleAccess | undefined;
  #spokes: GoogleSpokes | undefined;
  #downloads: Downloads | undefined;

  constructor(terraform: Terraform, issuers: Issuers) {
    this.#terraform = terraform;
    this.#providers = poolProviders(terraform);
    this.#exchanges = new Exchanges(this.#providers, issuers);
    this.pulls = new GooglePlugin(
      this.#providers,
      this.#exchanges,
      () => (this.#downloads ??= new Downloads(this.#read(), new Repositories(terraform))),
    );
  }

  get access(): GoogleAccess {
    const iam = this.#read();
    return (this.#access ??= new GoogleAccess({
      providers: this.#providers,
      exchanges: this.#exchanges,
      accounts: new Accounts(this.#terraform, iam),
      iam,
    }));
  }

  get spokes(): GoogleSpokes {
    return (this.#spokes ??= new GoogleSpokes(this.#terraform, this.#read()));
  }

  get identities(): readonly DeclaredIdentity[] {
    return this.#providers
      .filter(({ resource }) => !resource.adopted)
      .map((provider): DeclaredIdentity => {
        const { resource, poolId, providerId } = provider;
        const path = `workloadIdentityPools/${shown(poolId)}/providers/${shown(providerId)}`;
        return {
          address: resource.address,
          names: [resource.address, shown(providerId), path],
          source: resource.source,
          trust: (claims) => this.#trust(provider, claims),
        };
      });
  }

  #trust(provider: PoolProvider, { issuer, subject, audience }: ShownClaims): TrustAnswer {
    const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(subject) ?? [];
    const account = namespace === undefined || name === undefined ? undefined : { namespace, name };
    const token = { issuer: known(issuer), audience: known(audience), subject, account };
    const { poolId, providerId, numbers } = provider;
    const [number = known("-")] = numbers;
    return this.#exchanges.custom({ kind: "custom", number, poolId, providerId }, provider, token);
  }

  /** Policies, read when they are first asked for. */
  #read(): Iam {
    return (this.#iam ??= new Iam(this.#terraform));
  }
}
