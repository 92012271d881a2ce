import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { type RegistryPlace, mayBeOf, placeOf } from "./registry-place";
import { RegistryPolicies } from "./registry-policies";

/** The policy of a repository. */
export interface RepositoryPolicyFact extends RegistryPlace {
  /** The policy. */
  readonly policy: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A repository of one registry. */
export interface RepositoryPlace extends RegistryPlace {
  /** The repository's name. */
  readonly repository: string;
}

/** Policies of repositories, and of the registries that hold them. */
export class RepositoryPolicies {
  /** Those of registries. */
  readonly ofRegistries: RegistryPolicies;
  readonly #byName = new Map<string, RepositoryPolicyFact[]>();
  /** Of repositories whose names only apply will tell: each may be any. */
  readonly #unnamed: RepositoryPolicyFact[] = [];

  constructor(terraform: Terraform) {
    this.ofRegistries = new RegistryPolicies(terraform);
    for (const resource of terraform.ofType("aws_ecr_repository_policy")) {
      const name = terraform.text(resource, "repository");
      const fact = {
        ...placeOf(resource, terraform),
        policy: terraform.text(resource, "policy"),
        source: resource.source,
      };
      const same = this.#byName.get(name);
      if (isLateText(name)) this.#unnamed.push(fact);
      else if (same) same.push(fact);
      else this.#byName.set(name, [fact]);
    }
  }

  /** True where no policy was read. */
  get empty(): boolean {
    return this.#byName.size === 0 && this.#unnamed.length === 0 && this.ofRegistries.empty;
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
