/*
 * What the owner of a registry says of pulls: policies of repositories and of whole registries, and repositories that
 * cache others with the first pull of each image.
 *
 * Source: "Private repository policies", "Private registry permissions" (of scope V1, that a few accounts still have,
 * none of the actions is one of a pull) and "Sync an upstream registry with an Amazon ECR private registry" in the ECR
 * user guide.
 */

import {
  type Known,
  type Ternary,
  and,
  is,
  isKnown,
  known,
  match,
  or,
  orElse,
  same,
} from "../../model/known";
import { type AskedName, AskedNames } from "../../rules/asked-names";
import type { Policy } from "../../rules/aws/policy/document";
import { type AskedResource, namedResource, oneResource } from "../../rules/aws/policy/resource-name";
import { literalPattern, prefixPattern } from "../../rules/wildcard";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { type Documents, samePolicy } from "./documents";
import { ModuleCalls } from "./modules";
import { accountOf, regionOf } from "./place";

/** A repository that is asked about, or one of a set. */
export interface AskedPlace {
  /** Account id of its registry. */
  readonly account: string;
  /** Region of its registry. */
  readonly region: string;
  /** Its name; `undefined` for one of a set. */
  readonly path: string | undefined;
  /** Its ARN. */
  readonly resource: AskedResource;
  /** Whether it has a name. */
  isNamed(name: Known<string>): Ternary;
  /** Whether its name begins with a prefix and a slash. */
  isBelow(prefix: Known<string>): Ternary;
}

/** The registry of a repository. */
export interface Registry {
  /** Account id. */
  readonly account: string;
  /** Region. */
  readonly region: string;
  /** What the ARNs of its repositories begin with. */
  readonly arn: string;
}

/** One repository. */
export function onePlace({ account, region, arn }: Registry, path: string): AskedPlace {
  return {
    account,
    region,
    path,
    resource: oneResource(arn + path),
    isNamed: (name) => is(name, path),
    isBelow: (prefix) =>
      match(
        prefix,
        (text): Ternary => (path.startsWith(`${text}/`) ? "yes" : "no"),
        (): Ternary => "unknown",
      ),
  };
}

/** One of the repositories that are asked about. */
export function somePlace(
  { account, region, arn }: Registry,
  asked: AskedNames,
  name: AskedName,
): AskedPlace {
  return {
    account,
    region,
    path: undefined,
    resource: namedResource(arn, name),
    isNamed: (other) =>
      match(
        other,
        (text) => (AskedNames.covers(asked.text, text) ? name.matches(literalPattern(text)) : "no"),
        () => "unknown",
      ),
    isBelow: (prefix) =>
      match(
        prefix,
        (text) => name.matches(prefixPattern(literalPattern(`${text}/`))),
        () => "unknown",
      ),
  };
}

/** Something that is declared of a registry. */
interface Declared {
  readonly account: Known<string>;
  readonly region: Known<string>;
  readonly source: Source;
}

/** The policy of a repository or registry. */
export interface OwnerPolicy extends Declared {
  /** The policy. */
  readonly policy: Policy;
}

interface RepositoryPolicy extends OwnerPolicy {
  readonly repository: Known<string>;
  readonly text: Known<string>;
}

interface CacheRule extends Declared {
  /** Begins the names of its repositories, without the slash. */
  readonly prefix: Known<string>;
}

/** Whether it is the registry. */
export function isOf(
  { account, region }: Pick<Declared, "account" | "region">,
  place: Pick<AskedPlace, "account" | "region">,
): Ternary {
  return and(is(account, place.account), is(region, place.region));
}

/** The prefix of all repositories that no other rule is about. */
const ROOT = "ROOT";
const REPOSITORY = "aws_ecr_repository";

/** What was read of registries. */
export class Registries {
  readonly #terraform: Terraform;
  readonly #policies: readonly RepositoryPolicy[];
  readonly #byName = new Map<string, RepositoryPolicy[]>();
  readonly #unnamed: readonly RepositoryPolicy[];
  readonly #registryPolicies: readonly OwnerPolicy[];
  readonly #rules: readonly CacheRule[];
  readonly #modules: ModuleCalls;
  #names: readonly Known<string>[] | undefined;

  constructor(terraform: Terraform, documents: Documents) {
    this.#terraform = terraform;
    this.#modules = new ModuleCalls(terraform);
    this.#policies = repositoryPolicies(terraform, documents);
    for (const each of this.#policies) {
      const name = orElse(each.repository, () => undefined);
      if (name !== undefined) this.#byName.set(name, [...(this.#byName.get(name) ?? []), each]);
    }
    this.#unnamed = this.#policies.filter(({ repository }) => !isKnown(repository));
    this.#registryPolicies = registryPolicies(terraform, documents);
    this.#rules = terraform.ofType("aws_ecr_pull_through_cache_rule").map((resource) => ({
      ...declaredOf(resource),
      prefix: resource.stated("ecr_repository_prefix"),
    }));
  }

  /** True where it does not matter who asks. */
  get isEmpty(): boolean {
    return this.#policies.length === 0 && this.#registryPolicies.length === 0;
  }

  /** The policy of a repository: one of its name, which may be another registry's where that is not known. */
  policyOf(place: AskedPlace): OwnerPolicy | undefined {
    const { path } = place;
    const named = path === undefined ? this.#policies : (this.#byName.get(path) ?? []);
    const near = named.filter(
      (each) => isOf(each, place) !== "no" && place.isNamed(each.repository) === "yes",
    );
    return near.find(({ account }) => is(account, place.account) === "yes") ?? near[0];
  }

  /** Besides {@link policyOf}, policies that may be the repository's, since a repository has but one. */
  othersOf(place: AskedPlace): readonly OwnerPolicy[] {
    const { path } = place;
    const found = this.policyOf(place);
    if (found && isOf(found, place) === "yes") return [];
    const named = path === undefined ? this.#policies : [...(this.#byName.get(path) ?? []), ...this.#unnamed];
    return named.filter(
      (each) => each !== found && isOf(each, place) !== "no" && place.isNamed(each.repository) !== "no",
    );
  }

  /** Policies of whole registries that are, or may be, the repository's, which ECR enforces in every request. */
  registryPoliciesOf(place: AskedPlace): readonly OwnerPolicy[] {
    return this.#registryPolicies.filter((each) => isOf(each, place) !== "no");
  }

  /** The rule that a repository is cached by, or may be; one of everything counts for what is not declared. */
  cacheRuleOf(place: AskedPlace): Source | undefined {
    if (this.#rules.length === 0) return undefined;
    const near = this.#rules.filter((rule) => isOf(rule, place) !== "no");
    const own = near.find(({ prefix }) => is(prefix, ROOT) !== "yes" && place.isBelow(prefix) !== "no");
    if (own) return own.source;
    const rest = near.find(({ prefix }) => is(prefix, ROOT) === "yes");
    return rest && or(...this.#declared.map((name) => place.isNamed(name))) !== "yes"
      ? rest.source
      : undefined;
  }

  /** A module's call that is given the repository; what it makes of that is not known. */
  callFor(place: AskedPlace): Source | undefined {
    if (this.#modules.isEmpty) return undefined;
    const resources = this.#terraform
      .ofType(REPOSITORY)
      .filter(
        (each) => isOf(declaredOf(each), place) !== "no" && place.isNamed(each.stated("name")) === "yes",
      );
    const names = resources.flatMap((each) => [each.stated("name"), each.attribute("arn")]);
    return this.#modules.given(resources, [...names, known(place.resource.example)]);
  }

  get #declared(): readonly Known<string>[] {
    return (this.#names ??= this.#terraform.ofType(REPOSITORY).map((each) => each.stated("name")));
  }
}

function declaredOf(resource: Resource): Declared {
  return {
    account: accountOf(resource),
    region: regionOf(resource),
    get source() {
      return resource.source;
    },
  };
}

function repositoryPolicies(terraform: Terraform, documents: Documents): readonly RepositoryPolicy[] {
  const found: RepositoryPolicy[] = [];
  for (const resource of terraform.ofType("aws_ecr_repository_policy")) {
    const text = resource.stated("policy");
    const made = {
      ...declaredOf(resource),
      repository: resource.stated("repository"),
      text,
      policy: documents.ofText(text, "resource"),
    };
    const place = found.findIndex((each) => isSameRepository(each, made));
    const before = found[place];
    if (before === undefined) found.push(made);
    else if (samePolicy(before.text, text) !== "yes") found[place] = { ...before, policy: CONTESTED };
  }
  return found;
}

function isSameRepository(one: RepositoryPolicy, other: RepositoryPolicy): boolean {
  return (
    same(one.repository, other.repository) === "yes" &&
    same(one.account, other.account) === "yes" &&
    same(one.region, other.region) === "yes"
  );
}

/** A repository has but one policy: which of two is there, the order tells in which they were applied. */
const CONTESTED: Policy = {
  kind: "unread",
  why: "the repository has two policies in what was read, and the last one to be applied is there",
};

function registryPolicies(terraform: Terraform, documents: Documents): readonly OwnerPolicy[] {
  const unenforced = terraform
    .ofType("aws_ecr_account_setting")
    .filter(
      (each) =>
        is(each.text("name"), "REGISTRY_POLICY_SCOPE") === "yes" && is(each.text("value"), "V1") === "yes",
    )
    .map(declaredOf);
  return terraform
    .ofType("aws_ecr_registry_policy")
    .map((resource) => ({
      ...declaredOf(resource),
      policy: documents.ofText(resource.stated("policy"), "resource"),
    }))
    .filter(
      ({ account, region }) =>
        !unenforced.some((each) => and(same(each.account, account), same(each.region, region)) === "yes"),
    );
}
