import { own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import { accountOf } from "./account-of";

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
  /** Of repositories whose names only apply will tell: each may be any. */
  readonly #unnamed: RepositoryPolicyFact[] = [];

  constructor(terraform: Terraform) {
    for (const resource of terraform.ofType("aws_ecr_repository_policy")) {
      const name = terraform.text(resource, "repository");
      const fact = policyFact(resource, terraform);
      const same = this.#byName.get(name);
      if (isLateText(name)) this.#unnamed.push(fact);
      else if (same) same.push(fact);
      else this.#byName.set(name, [fact]);
    }
  }

  /** True where no policy was read. */
  get empty(): boolean {
    return this.#byName.size === 0 && this.#unnamed.length === 0;
  }

  /** The policy of a repository; one whose account or region is not known may be it. */
  of(place: RepositoryPlace): RepositoryPolicyFact | undefined {
    const near = this.#byName.get(place.repository)?.filter((fact) => mayBeOf(fact, place));
    return near?.find((fact) => fact.account === place.account) ?? near?.[0];
  }

  /** Besides {@link of}, policies that may be the repository's, since a repository has but one. */
  others(place: RepositoryPlace): readonly RepositoryPolicyFact[] {
    const found = this.of(place);
    if (found?.account === place.account && found.region === place.region) return [];
    const near = [...(this.#byName.get(place.repository) ?? []), ...this.#unnamed];
    return near.filter((fact) => fact !== found && mayBeOf(fact, place));
  }
}

function policyFact(resource: TerraformResource, terraform: Terraform): RepositoryPolicyFact {
  const ofProvider = terraform.resolve(text(own(providerOf(resource), "region")), resource.scope);
  const region = terraform.text(resource, "region") || ofProvider;
  return {
    account: accountOf(resource),
    region: isLateText(region) ? "" : region,
    policy: terraform.text(resource, "policy"),
    source: resource.source,
  };
}

function mayBeOf(fact: RepositoryPolicyFact, { account, region }: RepositoryPlace): boolean {
  return ["", account].includes(fact.account) && ["", region].includes(fact.region);
}
