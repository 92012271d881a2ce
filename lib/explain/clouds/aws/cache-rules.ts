/*
 * Repositories that cache those of another registry, with the first pull of each image.
 * Source: "Sync an upstream registry with an Amazon ECR private registry" in the ECR user guide.
 */

import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { type RegistryPlace, mayBeOf, placeOf } from "./registry-place";

/** The prefix of all repositories that no other rule is about. */
const ROOT = "ROOT";

/** A rule of a registry. */
interface CacheRule extends RegistryPlace {
  /** Begins the names of its repositories, without the slash. */
  readonly prefix: string;
  readonly source: Source;
}

/** Pull through cache rules of all registries. */
export class CacheRules {
  readonly #rules: readonly CacheRule[];
  readonly #terraform: Terraform;
  /** Names of declared repositories, from the first time that it is needed. */
  #declared: ReadonlySet<string> | undefined;

  constructor(terraform: Terraform) {
    this.#terraform = terraform;
    this.#rules = terraform.ofType("aws_ecr_pull_through_cache_rule").map((resource) => ({
      ...placeOf(resource, terraform),
      prefix: terraform.text(resource, "ecr_repository_prefix"),
      source: resource.source,
    }));
  }

  /** The rule that a repository is cached by, or may be; one of everything counts for what nobody declares. */
  of(place: RegistryPlace & { readonly repository: string }): Source | undefined {
    if (this.#rules.length === 0) return undefined;
    const near = this.#rules.filter((rule) => mayBeOf(rule, place));
    const own = near.find(({ prefix }) => place.repository.startsWith(`${prefix}/`));
    if (own) return own.source;
    const rest = near.find(({ prefix }) => prefix === ROOT);
    return rest && !this.#isDeclared(place.repository) ? rest.source : undefined;
  }

  #isDeclared(repository: string): boolean {
    this.#declared ??= new Set(
      this.#terraform
        .ofType("aws_ecr_repository")
        .map((resource) => this.#terraform.text(resource, "name"))
        .filter((name) => !isLateText(name)),
    );
    return this.#declared.has(repository);
  }
}
