import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { unreadPolicy } from "../../../rules/aws/evaluate/unread-policy";
import { type RegistryPlace, isOf, mayBeOf, placeOf } from "./registry-place";
import { CacheRules } from "./cache-rules";
import { plainPolicy } from "./role-agreement";
import { RegistryPolicies } from "./registry-policies";

/** The policy of a repository. */
export interface RepositoryPolicyFact extends RegistryPlace {
  /** The policy. */
  readonly policy: string;
  /** Document, provider and region as written: where all are the same, so is the registry. */
  readonly home: string;
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
  /** Which repositories cache others. */
  readonly cacheRules: CacheRules;
  readonly #byName = new Map<string, readonly RepositoryPolicyFact[]>();
  /** Of repositories whose names only apply will tell: each may be any. */
  readonly #unnamed: RepositoryPolicyFact[] = [];

  constructor(terraform: Terraform) {
    this.ofRegistries = new RegistryPolicies(terraform);
    this.cacheRules = new CacheRules(terraform);
    for (const resource of terraform.ofType("aws_ecr_repository_policy")) {
      const name = terraform.text(resource, "repository");
      const fact = {
        ...placeOf(resource, terraform),
        policy: terraform.text(resource, "policy"),
        home: `${resource.scope.id} ${resource.provider} ${terraform.text(resource, "region")}`,
        source: resource.source,
      };
      if (isLateText(name)) this.#unnamed.push(fact);
      else this.#byName.set(name, joined(this.#byName.get(name) ?? [], fact));
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

/** A repository has but one policy: which of two is there, the order tells in which they were applied. */
function joined(
  known: readonly RepositoryPolicyFact[],
  fact: RepositoryPolicyFact,
): readonly RepositoryPolicyFact[] {
  const other = known.find((each) => isSameRepository(each, fact));
  if (other === undefined) return [...known, fact];
  if (plainPolicy(other.policy) === plainPolicy(fact.policy)) return known;
  return known.map((each) => (each === other ? { ...each, policy: CONTESTED } : each));
}

const CONTESTED = unreadPolicy(
  "the repository has two policies in what was read, and the last one to be applied is there",
);

function isSameRepository(one: RepositoryPolicyFact, other: RepositoryPolicyFact): boolean {
  return isOf(one, other) || (one.home === other.home && !isLateText(one.home));
}
