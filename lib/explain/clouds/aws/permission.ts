/*
 * May the role log in and read the repository?
 */

import type { AwsDecision } from "../../../rules/aws/evaluate/decide";
import {
  evaluateAwsDirectGrant,
  evaluateAwsResourcePolicy,
} from "../../../rules/aws/evaluate/evaluate-resource-policy";
import { type PrivateEcrHost, parseEcrHost } from "../../../rules/aws/ecr-host";
import { partitions } from "../../../rules/aws/partitions";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { Recent } from "../../memory";
import type { PermissionAnswer, Repository } from "../cloud";
import type { RoleFact } from "./role-fact";
import { ownerAllows, withoutPolicy } from "./repository-owner";
import type { RepositoryPolicies, RepositoryPolicyFact } from "./repository-policies";
import type { AlikeRoles } from "./alike-roles";
import { type RoleJudge, pullActions } from "./role-permissions";

/** A role that has been assumed. */
export interface AssumedRole {
  /** ARN; empty where it is known only after apply. */
  readonly arn: string;
  /** Partition of the ARN, `aws`; empty where it is known only after apply. */
  readonly partition: string;
  /** Account id; empty where it is not known. */
  readonly account: string;
  /** The role. */
  readonly role: RoleFact;
}

/** Repositories of which is remembered what they are. */
const PLACES = 1024;

/** Judges login and repository. */
export class AwsPermissions {
  readonly #policies: RepositoryPolicies;
  readonly #roles: Recent<RoleFact, RoleJudge>;
  /** By repository: each is asked about for many roles. */
  readonly #hosts = new Recent(parseEcrHost);
  readonly #places = new Recent((name: string) => this.#placeOf(name), PLACES);

  /** `policies` are those of repositories. */
  constructor(policies: RepositoryPolicies, roles: AlikeRoles) {
    this.#policies = policies;
    this.#roles = new Recent((role) => roles.of(role));
  }

  /** May the role log in and read the repository? */
  of(assumed: AssumedRole, repository: Repository): PermissionAnswer {
    const place = this.#places.get(repository.name);
    const { host } = place;
    if (host === undefined) return { login: place.answer, repository: place.answer };
    const role = this.#roles.get(assumed.role);
    return host.kind === "public"
      ? { login: role.login("public", ""), repository: place.answer }
      : {
          login: role.login("private", host.region),
          repository: this.#repository(assumed, role, host, place),
        };
  }

  #repository(assumed: AssumedRole, role: RoleJudge, host: PrivateEcrHost, place: Place): Answer {
    const { arn } = place;
    if (arn === undefined) return place.answer;
    const foreign = otherPartition(assumed.partition, arn);
    if (foreign) return foreign;
    const said = this.#mayRead(assumed, role, host, place, arn);
    return (said.status === "pass" ? this.#uncached(assumed, role, host, place, arn) : undefined) ?? said;
  }

  /** A certain refusal by the owner counts, whatever cannot be told of the role's own policies. */
  #mayRead(assumed: AssumedRole, role: RoleJudge, host: PrivateEcrHost, place: Place, arn: string): Answer {
    const refusal = role.refusal(arn);
    const own = refusal && (this.#granted(assumed, role, host, place) ?? refusal);
    if (own && own.status !== "unknown") return own;
    if (assumed.account === "") return own ?? NO_ROLE_ACCOUNT;
    const owner = this.#policies.empty
      ? (withoutPolicy(assumed, host) ?? place.answer)
      : this.#owner(assumed, host, place, arn);
    return owner.status === "fail" ? owner : (own ?? owner);
  }

  /** What of a pull through a cache is not there yet takes another permission. */
  #uncached(
    { arn: roleArn }: AssumedRole,
    role: RoleJudge,
    { account, region }: PrivateEcrHost,
    { path }: Place,
    arn: string,
  ): Answer | undefined {
    const asked = { account, region, repository: path };
    const rule = this.#policies.cacheRules.of(asked);
    if (rule === undefined || role.mayImport(arn) === "allowed") return undefined;
    return this.#policies.ofRegistries.letsImport({ roleArn, repository: arn, place: asked })
      ? undefined
      : perhapsUncached(rule);
  }

  #placeOf(repository: string): Place {
    const slash = repository.indexOf("/");
    const name = repository.slice(0, slash);
    const path = repository.slice(slash + 1);
    const host = this.#hosts.get(name);
    const arn = host?.kind === "private" ? repositoryArn(host, path) : undefined;
    return { host, path, arn, answer: answerOf(name, host, arn) };
  }

  /** What the owner's policies say to a role whose own policies allow it. */
  #owner(assumed: AssumedRole, host: PrivateEcrHost, { path, answer }: Place, arn: string): Answer {
    const { account, region } = host;
    const asked = { account, region, repository: path };
    const fact = this.#policies.of(asked);
    const { ofRegistries } = this.#policies;
    const question = { roleArn: assumed.arn, repository: arn, place: asked };
    const denial = ofRegistries.denial(question);
    if (denial?.status === "fail") return denial;
    const isGranted = account !== assumed.account && ofRegistries.grant(question, true) !== undefined;
    const said =
      (fact ? ownerAllows(assumed, host, fact, isGranted) : withoutPolicy(assumed, host)) ?? answer;
    if (said.status !== "pass") return said;
    if (denial) return denial;
    const doubt = this.#policies.others(asked).find((other) => mayDeny(assumed, other));
    return doubt === undefined ? said : perhapsDenied(doubt);
  }

  /** Within one account a repository policy that names the role itself needs no permission of the role. */
  #granted(assumed: AssumedRole, role: RoleJudge, host: PrivateEcrHost, place: Place): Answer | undefined {
    const { account, region } = host;
    if (this.#policies.empty || place.arn === undefined) return undefined;
    if (!["", account].includes(assumed.account)) return undefined;
    const asked = { account, region, repository: place.path };
    const question = { roleArn: assumed.arn, repository: place.arn, place: asked };
    const fact = this.#policies.of(asked);
    for (const each of [...(fact ? [fact] : []), ...this.#policies.others(asked)]) {
      const outcome = directGrant(assumed, role, each, place.arn);
      if (outcome === "denied") continue;
      const certain =
        outcome === "allowed" &&
        each === fact &&
        assumed.account !== "" &&
        each.account === account &&
        each.region === region;
      const answer = grantedDirectly(assumed, each.source, certain);
      return answer.status === "pass" ? (this.#policies.ofRegistries.denial(question) ?? answer) : answer;
    }
    const source = this.#policies.ofRegistries.grant(question, false);
    return source && grantedDirectly(assumed, source, false);
  }
}

/** Partitions share nothing: the credentials of one are unknown in another. */
function otherPartition(partition: string, repository: string): Answer | undefined {
  if (partition === "" || repository.startsWith(`arn:${partition}:`)) return undefined;
  return broken(
    `the role is in partition ${partition}, the repository is ${repository}`,
    "name a role of the registry's partition; one of another cannot be let in",
    "InvalidClientTokenId: The security token included in the request is invalid",
  );
}

const NO_ROLE_ACCOUNT = unknown(
  "whether role and registry are in one account is not known",
  "state the role's account, so that its ARN is a literal",
);

/** A repository of ECR. */
interface Place {
  readonly host: ReturnType<typeof parseEcrHost>;
  /** Path below the host. */
  readonly path: string;
  /** ARN of a private repository in a known region. */
  readonly arn: string | undefined;
  /** What is said of every role that no policy keeps from reading it. */
  readonly answer: Answer;
}

function answerOf(name: string, host: Place["host"], arn: string | undefined): Answer {
  if (host === undefined)
    return unknown(
      `${name} is no host of ECR, so account and region of the registry are not known`,
      "pull by the registry's own host name",
    );
  if (host.kind === "public") return pass("every repository of ECR Public may be read");
  return arn === undefined
    ? unknown(`the region ${host.region} is not known`, "check the image's host name")
    : pass(`the role may pull ${arn}`);
}

function repositoryArn({ region, account }: PrivateEcrHost, name: string): string | undefined {
  const partition = partitions.find(({ regions }) => regions.test(region));
  return partition && `arn:${partition.name}:ecr:${region}:${account}:repository/${name}`;
}

/** Whether a repository policy lets the role read where the role's own policies do not. */
function directGrant(
  { arn: roleArn }: AssumedRole,
  role: RoleJudge,
  { policy }: RepositoryPolicyFact,
  repository: string,
): AwsDecision["outcome"] {
  const outcomes = pullActions.map((action) => {
    const { outcome, denial } = evaluateAwsDirectGrant(policy, { roleArn, action });
    if (outcome === "unknown" || denial.holds === true) return outcome;
    const own = role.outcome(action, repository, outcome === "allowed");
    return own === "allowed" && denial.holds === undefined ? "unknown" : own;
  });
  return (["denied", "unknown"] as const).find((outcome) => outcomes.includes(outcome)) ?? "allowed";
}

function grantedDirectly({ arn }: AssumedRole, source: Source, certain: boolean): Answer {
  const where = seen("policy of the repository", source);
  return certain
    ? pass(
        `the repository policy lets ${arn} itself in, which needs no policy of the role within one account`,
        where,
      )
    : unknown(
        "the role's own policies do not allow it, and whether a policy of the repository or registry does instead is not known",
        "allow it in the role's permission policy",
        where,
      );
}

function mayDeny({ arn }: AssumedRole, { policy }: RepositoryPolicyFact): boolean {
  return pullActions
    .map((action) => evaluateAwsResourcePolicy(policy, { roleArn: arn, action }))
    .some(({ denial }) => denial.holds !== false);
}

function perhapsUncached(rule: Source): Answer {
  return unknown(
    "the repository caches another registry, and the role may pull only what is in it already: it is not certain that it may ecr:BatchImportUpstreamImage",
    "allow ecr:BatchImportUpstreamImage on the repository too (pullThroughCache)",
    seen("pull through cache rule", rule),
  );
}

function perhapsDenied({ source }: RepositoryPolicyFact): Answer {
  return unknown(
    "a repository policy that denies it, or cannot be judged, may be this repository's",
    "write its repository and region as literals, and limit its Terraform provider to one account (allowed_account_ids)",
    seen("policy of a repository that is not known", source),
  );
}
