/*
 * What a registry's owner lets others pull: policies of repositories and of whole registries, and repositories that
 * cache another registry on the first pull of each image. Source: "Private repository policies", "Private registry
 * permissions" and "Sync an upstream registry with an Amazon ECR private registry" in the ECR user guide.
 */

import { push } from "../../model/grouped";
import {
  type Known,
  type Ternary,
  and,
  is,
  isAbsent,
  isKnown,
  joined,
  known,
  anyOf,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import type { AskedName, AskedNames } from "../../rules/asked-names";
import type { Policy } from "../../rules/aws/policy/document";
import { type AskedResource, namedResource, oneResource } from "../../rules/aws/policy/asked-resource";
import { literalPattern, prefixPattern } from "../../rules/wildcard";
import type { Answer } from "../answer";
import type { Granted } from "../cloud";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import type { ClosedWorld } from "../coverage/closed-world";
import { computed } from "../shared/computed";
import { type Documents, samePolicy } from "./documents";
import { grantedBy } from "./held";
import { accountOf, partitionOf, regionOf } from "./place";

export interface Registry {
  readonly account: string;
  readonly region: string;
  /** The common beginning of its repositories' ARNs. */
  readonly arn: string;
}

/** The repository in question, or any one of a set. */
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
    isBelow: (prefix) => whether(prefix, (text) => path.startsWith(`${text}/`)),
  };
}

export function somePlace(
  { account, region, arn }: Registry,
  names: AskedNames,
  name: AskedName,
): AskedPlace {
  return {
    account,
    region,
    path: undefined,
    resource: namedResource(arn, name),
    isNamed: (other) =>
      whether(other, (text) => (names.mayHave(text) ? name.matches(literalPattern(text)) : "no")),
    isBelow: (prefix) => whether(prefix, (text) => name.matches(prefixPattern(literalPattern(`${text}/`)))),
  };
}

export interface PolicyOfOwner {
  readonly account: Known<string>;
  readonly region: Known<string>;
  readonly source: Source;
  readonly policy: Policy;
  /** True for the policy of a whole registry, which ECR enforces in every request. */
  readonly isOfRegistry: boolean;
  readonly text: Known<string>;
}

interface RepositoryPolicy extends PolicyOfOwner {
  readonly repository: Known<string>;
}

/** What repositories get that the first pull through a cache creates. */
export interface CreationTemplate extends PolicyOfOwner {
  /** Whole segments of a name, or `ROOT` for all names to which no other template applies. */
  readonly prefix: Known<string>;
  readonly isForCaches: Ternary;
}

type Place = Pick<Registry, "account" | "region">;

export function isOf(one: Pick<PolicyOfOwner, "account" | "region">, place: Place): Ternary {
  return and(is(one.account, place.account), is(one.region, place.region));
}

const REPOSITORY = "aws_ecr_repository";
const POLICY = "aws_ecr_repository_policy";
const REGISTRY_POLICY = "aws_ecr_registry_policy";
const CACHE_RULE = "aws_ecr_pull_through_cache_rule";
const TEMPLATE = "aws_ecr_repository_creation_template";
/** What bears on all repositories of a registry. */
const OF_REGISTRY: readonly string[] = [REGISTRY_POLICY, CACHE_RULE, TEMPLATE];

/** What a repository's configuration says, although Terraform knows it only after apply. */
export const repositoryAttributes: readonly ComputedAttribute[] = [
  { type: REPOSITORY, attribute: "id", value: (repository) => repository.attribute("name") },
  ...computed(REPOSITORY, ["arn"], (repository) => {
    // A data source may look into the registry of another account.
    const isStated = !isAbsent(repository.text("registry_id"));
    const account = isStated ? repository.stated("registry_id") : accountOf(repository);
    const place = joined("arn:", partitionOf(repository), ":ecr:", regionOf(repository), ":", account);
    return joined(place, ":repository/", repository.attribute("name"));
  }),
];

export class Registries {
  /** True if the answer does not depend on who asks. */
  readonly isEmpty: boolean;
  readonly #terraform: Terraform;
  readonly #policies: readonly RepositoryPolicy[];
  readonly #byName = new Map<string, RepositoryPolicy[]>();
  readonly #unnamed: readonly RepositoryPolicy[];
  readonly #registryPolicies: readonly PolicyOfOwner[];
  readonly #templates: readonly CreationTemplate[];
  readonly #cacheRules: readonly Resource[];
  readonly #world: ClosedWorld;

  constructor(terraform: Terraform, documents: Documents, world: ClosedWorld) {
    this.#terraform = terraform;
    this.#world = world;
    this.#policies = repositoryPolicies(terraform, documents);
    this.#unnamed = this.#policies.filter(({ repository }) => !isKnown(repository));
    for (const each of this.#policies) {
      const name = orElse(each.repository, () => undefined);
      if (name !== undefined) push(this.#byName, name, each);
    }
    this.#registryPolicies = terraform
      .ofType(REGISTRY_POLICY)
      .map((each) => policyOf(each, "policy", documents));
    this.#templates = terraform.ofType(TEMPLATE).map((each) => templateOf(each, documents));
    this.#cacheRules = terraform.ofType(CACHE_RULE);
    this.isEmpty = this.#all.length === 0;
  }

  /**
   * The policy of a repository, found by name and perhaps another registry's; and other policies that may apply to it:
   * those that may be its own instead, since a repository has only one, and those of its registry.
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
    const others = isCertain ? [] : near.filter((each) => each !== policy);
    return { policy, others: [...others, ...this.ofRegistry(place)] };
  }

  /** The policies of the registry of a repository. */
  ofRegistry(place: AskedPlace): readonly PolicyOfOwner[] {
    return this.#registryPolicies.filter((each) => isOf(each, place) !== "no");
  }

  /**
   * The creation templates that apply or may apply to a repository, the most specific first; none for a repository that
   * a configuration declares.
   */
  templatesOf(place: AskedPlace): readonly CreationTemplate[] {
    const near = this.#templates.filter(
      (each) => and(each.isForCaches, isOf(each, place), isBelow(each.prefix, place)) !== "no",
    );
    const isDeclared =
      near.length > 0 &&
      this.#terraform.ofType(REPOSITORY).some((each) => place.isNamed(each.stated("name")) !== "no");
    return isDeclared ? [] : [...near].sort((one, other) => lengthOf(other) - lengthOf(one));
  }

  /** The policies and what they apply to, as texts. */
  get texts(): readonly string[] {
    return this.#all.map(
      ([{ account, region, text }, owned]) =>
        `policy of ${owned} in ${shown(account)}, ${shown(region)}: ${shown(text)}`,
    );
  }

  /** All policies and what they apply to; repositories are only named. */
  get #all(): readonly (readonly [policy: PolicyOfOwner, owned: string, kind: string])[] {
    return [
      ...this.#policies.map((each) => [each, shown(each.repository), "repository "] as const),
      ...this.#registryPolicies.map((each) => [each, "the registry", ""] as const),
      ...this.#templates.map((each) => [each, createdBy(each), ""] as const),
    ];
  }

  /** What the policies grant to the principals they name; a public repository admits everyone without a policy. */
  get granted(): readonly Granted[] {
    return [
      ...this.#all.flatMap(([{ account, region, policy, source }, owned, kind]) =>
        grantedBy(policy, `${kind}${owned} of ${shown(account)} in ${shown(region)}`, source),
      ),
      ...this.#terraform.ofType("aws_ecrpublic_repository").flatMap((each): readonly Granted[] => {
        const text = `pull from the public repository ${shown(each.stated("repository_name"))}`;
        return each.adopted
          ? []
          : [{ to: "everyone", isHeld: false, isOwn: false, rights: () => [{ text, source: each.source }] }];
      }),
    ];
  }

  /** A cache rule that covers or may cover a repository: the prefix ROOT covers all that no other rule does. */
  cacheRuleOf(place: AskedPlace): Source | undefined {
    for (const rule of this.#cacheRules) {
      const isThere = isOf({ account: accountOf(rule), region: regionOf(rule) }, place) !== "no";
      if (isThere && isBelow(rule.stated("ecr_repository_prefix"), place) !== "no") return rule.source;
    }
    return undefined;
  }

  /** The answer if something that was not understood may change who reads a repository. */
  unread(place: AskedPlace): Answer | undefined {
    return this.#world.isEmpty ? undefined : this.#notUnderstood(place);
  }

  #notUnderstood(place: AskedPlace): Answer | undefined {
    const isThere = (resource: Resource): boolean =>
      isOf({ account: accountOf(resource), region: regionOf(resource) }, place) !== "no";
    const named = [REPOSITORY, POLICY].flatMap((type) =>
      this.#terraform
        .ofType(type)
        .filter((each) => place.isNamed(each.stated(type === POLICY ? "repository" : "name")) !== "no"),
    );
    const whole = OF_REGISTRY.flatMap((type) => this.#terraform.ofType(type));
    const repositories = named.filter(({ type }) => type === REPOSITORY);
    const names = repositories.flatMap((each) => [each.stated("name"), each.attribute("arn")]);
    const texts = [...names, known(place.resource.example)];
    return this.#world.answer("the repository", [...named, ...whole].filter(isThere), texts);
  }
}

const ROOT = "ROOT";

export function isBelow(prefix: Known<string>, place: AskedPlace): Ternary {
  return is(prefix, ROOT) === "yes" ? "yes" : place.isBelow(prefix);
}

/** Templates that may apply come before those that do, whose prefix is known. */
function lengthOf({ prefix }: CreationTemplate): number {
  const text = orElse(prefix, () => undefined);
  return text === undefined ? Number.POSITIVE_INFINITY : text === ROOT ? 0 : text.length;
}

function createdBy({ prefix }: CreationTemplate): string {
  return `each repository that a pull creates below ${shown(prefix)}`;
}

function policyOf(resource: Resource, argument: string, documents: Documents): PolicyOfOwner {
  const text = resource.stated(argument);
  const isOfRegistry = resource.type === REGISTRY_POLICY;
  const policy = documents.ofText(text, "resource");
  return {
    account: accountOf(resource),
    region: regionOf(resource),
    source: resource.source,
    policy: isOfRegistry ? policy : withoutResource(policy),
    isOfRegistry,
    text,
  };
}

/** Source: aws/aws-cdk#24314 and awsdocs/amazon-ecr-user-guide#20 ("Invalid repository policy provided"). */
function withoutResource(policy: Policy): Policy {
  const isRefused =
    policy.kind === "read" && policy.statements.some((each) => !("unread" in each) && each.resources);
  return isRefused
    ? { kind: "unread", why: "ECR refuses it: the policy of a repository may not have a Resource" }
    : policy;
}

function templateOf(template: Resource, documents: Documents): CreationTemplate {
  const uses = template.list("applied_for");
  return {
    ...policyOf(template, "repository_policy", documents),
    prefix: template.stated("prefix"),
    isForCaches: whether(uses, (all) => anyOf(all.map((use) => is(use, "PULL_THROUGH_CACHE")))),
  };
}

function repositoryPolicies(terraform: Terraform, documents: Documents): readonly RepositoryPolicy[] {
  const policies: RepositoryPolicy[] = [];
  for (const resource of terraform.ofType(POLICY)) {
    const own = { ...policyOf(resource, "policy", documents), repository: resource.stated("repository") };
    const place = policies.findIndex(
      ({ repository, account, region }) =>
        and(same(repository, own.repository), same(account, own.account), same(region, own.region)) === "yes",
    );
    const before = policies[place];
    if (before === undefined) policies.push(own);
    else if (samePolicy(before.text, own.text) !== "yes") policies[place] = { ...before, policy: CONTESTED };
  }
  return policies;
}

/** A repository has only one policy: which of two remains depends on the order in which they were applied. */
const CONTESTED: Policy = {
  kind: "unread",
  why: "two policies for the repository were read, and only the one applied last remains",
};
