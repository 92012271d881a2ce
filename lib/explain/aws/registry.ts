/*
 * What the owner of a registry says of pulls: policies of repositories and of whole registries, and repositories that
 * cache others with the first pull of each image.
 *
 * Source: "Private repository policies", "Private registry permissions" (of scope V1, that a few accounts still have,
 * none of the actions is one of a pull) and "Sync an upstream registry with an Amazon ECR private registry" in the ECR
 * user guide.
 */

import { type Known, type Ternary, and, is, isKnown, known, map, orElse, same } from "../../model/known";
import { type AskedName, AskedNames } from "../../rules/asked-names";
import type { Policy } from "../../rules/aws/policy/document";
import { type AskedResource, namedResource, oneResource } from "../../rules/aws/policy/resource-name";
import { literalPattern, prefixPattern } from "../../rules/wildcard";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { type Documents, samePolicy } from "./documents";
import { ModuleCalls } from "./documents";
import { accountOf, push, regionOf } from "./place";

export interface Registry {
  readonly account: string;
  readonly region: string;
  /** What the ARNs of its repositories begin with. */
  readonly arn: string;
}

/** A repository that is asked about, or one of a set. */
export interface AskedPlace extends Pick<Registry, "account" | "region"> {
  /** `undefined` for one of a set. */
  readonly path: string | undefined;
  readonly resource: AskedResource;
  readonly isNamed: (name: Known<string>) => Ternary;
  /** Whether its name begins with a prefix and a slash. */
  readonly isBelow: (prefix: Known<string>) => Ternary;
}

export function onePlace({ account, region, arn }: Registry, path: string): AskedPlace {
  return {
    account,
    region,
    path,
    resource: oneResource(arn + path),
    isNamed: (name) => is(name, path),
    isBelow: (prefix) => unlessLate(prefix, (text) => (path.startsWith(`${text}/`) ? "yes" : "no")),
  };
}

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
      unlessLate(other, (text) =>
        AskedNames.covers(asked.text, text) ? name.matches(literalPattern(text)) : "no",
      ),
    isBelow: (prefix) =>
      unlessLate(prefix, (text) => name.matches(prefixPattern(literalPattern(`${text}/`)))),
  };
}

function unlessLate(text: Known<string>, judge: (text: string) => Ternary): Ternary {
  return orElse(map(text, judge), () => "unknown");
}

interface Declared {
  readonly account: Known<string>;
  readonly region: Known<string>;
  readonly source: Source;
}

export interface PolicyOfOwner extends Declared {
  readonly policy: Policy;
}

interface RepositoryPolicy extends PolicyOfOwner {
  readonly repository: Known<string>;
  readonly text: Known<string>;
}

export function isOf(
  one: Pick<Declared, "account" | "region">,
  place: Pick<Registry, "account" | "region">,
): Ternary {
  return and(is(one.account, place.account), is(one.region, place.region));
}

/** The prefix of all repositories that no other rule is about. */
const ROOT = "ROOT";
const REPOSITORY = "aws_ecr_repository";

export class Registries {
  /** True where it does not matter who asks. */
  readonly isEmpty: boolean;
  readonly #terraform: Terraform;
  readonly #policies: readonly RepositoryPolicy[];
  readonly #byName = new Map<string, RepositoryPolicy[]>();
  readonly #unnamed: readonly RepositoryPolicy[];
  readonly #registryPolicies: readonly PolicyOfOwner[];
  readonly #rules: readonly (Declared & { readonly prefix: Known<string> })[];
  readonly #modules: ModuleCalls;
  #names: readonly Known<string>[] | undefined;

  constructor(terraform: Terraform, documents: Documents) {
    this.#terraform = terraform;
    this.#modules = new ModuleCalls(terraform);
    this.#policies = repositoryPolicies(terraform, documents);
    this.#unnamed = this.#policies.filter(({ repository }) => !isKnown(repository));
    for (const each of this.#policies) {
      const name = orElse(each.repository, () => undefined);
      if (name !== undefined) push(this.#byName, name, each);
    }
    this.#registryPolicies = registryPolicies(terraform, documents);
    this.isEmpty = this.#policies.length === 0 && this.#registryPolicies.length === 0;
    this.#rules = terraform.ofType("aws_ecr_pull_through_cache_rule").map((resource) => ({
      ...declaredOf(resource),
      prefix: resource.stated("ecr_repository_prefix"),
    }));
  }

  /**
   * The policy of a repository: one of its name, which may be another registry's where that is not known; and those that
   * may be the repository's instead, since a repository has but one.
   */
  policiesOf(place: AskedPlace): {
    readonly policy: PolicyOfOwner | undefined;
    readonly others: readonly PolicyOfOwner[];
  } {
    const { path } = place;
    const named = path === undefined ? this.#policies : [...(this.#byName.get(path) ?? []), ...this.#unnamed];
    const near = named.filter(
      (each) => isOf(each, place) !== "no" && place.isNamed(each.repository) !== "no",
    );
    const itsName = near.filter(({ repository }) => place.isNamed(repository) === "yes");
    const policy = itsName.find(({ account }) => is(account, place.account) === "yes") ?? itsName[0];
    const isCertain = policy !== undefined && isOf(policy, place) === "yes";
    return { policy, others: isCertain ? [] : near.filter((each) => each !== policy) };
  }

  /** Policies of whole registries that are, or may be, the repository's, which ECR enforces in every request. */
  registryPoliciesOf(place: AskedPlace): readonly PolicyOfOwner[] {
    return this.#registryPolicies.filter((each) => isOf(each, place) !== "no");
  }

  /** The rule that a repository is cached by, or may be; one of everything counts for what is not declared. */
  cacheRuleOf(place: AskedPlace): Source | undefined {
    const near = this.#rules.filter((rule) => isOf(rule, place) !== "no");
    const own = near.find(({ prefix }) => is(prefix, ROOT) !== "yes" && place.isBelow(prefix) !== "no");
    const rest = near.find(({ prefix }) => is(prefix, ROOT) === "yes");
    if (own || !rest) return own?.source;
    this.#names ??= this.#terraform.ofType(REPOSITORY).map((each) => each.stated("name"));
    const isDeclared = this.#names.some((name) => place.isNamed(name) === "yes");
    return isDeclared ? undefined : rest.source;
  }

  /** A module's call that is given the repository; what it makes of that is not known. */
  callFor(place: AskedPlace): Source | undefined {
    if (this.#modules.isEmpty) return undefined;
    const resources = this.#terraform
      .ofType(REPOSITORY)
      .filter(
        (each) =>
          isOf({ account: accountOf(each), region: regionOf(each) }, place) !== "no" &&
          place.isNamed(each.stated("name")) === "yes",
      );
    const names = resources.flatMap((each) => [each.stated("name"), each.attribute("arn")]);
    return this.#modules.given(resources, [...names, known(place.resource.example)]);
  }
}

function declaredOf(resource: Resource): Declared {
  return { account: accountOf(resource), region: regionOf(resource), source: resource.source };
}

function repositoryPolicies(terraform: Terraform, documents: Documents): readonly RepositoryPolicy[] {
  const found: RepositoryPolicy[] = [];
  for (const resource of terraform.ofType("aws_ecr_repository_policy")) {
    const text = resource.stated("policy");
    const repository = resource.stated("repository");
    const made = { ...declaredOf(resource), repository, text, policy: documents.ofText(text, "resource") };
    const place = found.findIndex(
      (each) => and(same(each.repository, repository), isSameRegistry(each, made)) === "yes",
    );
    const before = found[place];
    if (before === undefined) found.push(made);
    else if (samePolicy(before.text, text) !== "yes") found[place] = { ...before, policy: CONTESTED };
  }
  return found;
}

function isSameRegistry(one: Declared, other: Declared): Ternary {
  return and(same(one.account, other.account), same(one.region, other.region));
}

/** A repository has but one policy: which of two is there, the order tells in which they were applied. */
const CONTESTED: Policy = {
  kind: "unread",
  why: "the repository has two policies in what was read, and the last one to be applied is there",
};

function registryPolicies(terraform: Terraform, documents: Documents): readonly PolicyOfOwner[] {
  const unenforced = terraform
    .ofType("aws_ecr_account_setting")
    .filter(
      (each) =>
        is(each.text("name"), "REGISTRY_POLICY_SCOPE") === "yes" && is(each.text("value"), "V1") === "yes",
    )
    .map(declaredOf);
  return terraform
    .ofType("aws_ecr_registry_policy")
    .map((each) => ({ ...declaredOf(each), policy: documents.ofText(each.stated("policy"), "resource") }))
    .filter((each) => !unenforced.some((other) => isSameRegistry(each, other) === "yes"));
}
