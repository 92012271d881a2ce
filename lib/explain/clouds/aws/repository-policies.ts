import { own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, providerOf } from "../../facts/terraform";
import { accountOf } from "./iam";

/** The policy of a repository. */
export interface RepositoryPolicyFact {
  /** Account id of the registry; empty where it is not known. */
  readonly account: string;
  /** Region of the registry; empty where it is not known. */
  readonly region: string;
  /** The policy. */
  readonly policy: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A repository of one registry. */
export interface RepositoryPlace {
  /** Account id of the registry. */
  readonly account: string;
  /** Region of the registry. */
  readonly region: string;
  /** The repository's name. */
  readonly repository: string;
}

/** Policies of repositories. */
export class RepositoryPolicies {
  readonly #byName = new Map<string, RepositoryPolicyFact[]>();

  constructor(terraform: Terraform) {
    for (const resource of terraform.ofType("aws_ecr_repository_policy")) {
      const name = terraform.text(resource, "repository");
      const fact = {
        account: accountOf(resource),
        region: terraform.text(resource, "region") || text(own(providerOf(resource), "region")),
        policy: terraform.text(resource, "policy"),
        source: resource.source,
      };
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), fact]);
    }
  }

  /** True where no policy was read. */
  get empty(): boolean {
    return this.#byName.size === 0;
  }

  /** The policy of a repository; one whose account or region is not known may be it. */
  of({ account, region, repository }: RepositoryPlace): RepositoryPolicyFact | undefined {
    const near = (this.#byName.get(repository) ?? []).filter(
      (fact) => ["", account].includes(fact.account) && ["", region].includes(fact.region),
    );
    return near.find((fact) => fact.account === account) ?? near[0];
  }
}
