/*
 * May the role log in and read the repository?
 */

import type { AwsDecision } from "../../../rules/aws/evaluate/decide";
import { evaluateAwsResourcePolicy } from "../../../rules/aws/evaluate/evaluate-resource-policy";
import { type PrivateEcrHost, parseEcrHost } from "../../../rules/aws/ecr-host";
import { partitions } from "../../../rules/aws/partitions";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { Recent } from "../../memory";
import type { PermissionAnswer, Repository } from "../cloud";
import type { RoleFact } from "./iam";
import type { RepositoryPolicies, RepositoryPolicyFact } from "./repository-policies";
import { RolePermissions, pullActions } from "./role-permissions";

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

/** Judges login and repository. */
export class AwsPermissions {
  readonly #policies: RepositoryPolicies;
  readonly #roles = new Recent((role: RoleFact) => new RolePermissions(role));
  /** By repository: each is asked about for many roles. */
  readonly #places = new Map<string, Place>();

  /** `policies` are those of repositories. */
  constructor(policies: RepositoryPolicies) {
    this.#policies = policies;
  }

  /** May the role log in and read the repository? */
  of(assumed: AssumedRole, repository: Repository): PermissionAnswer {
    const place = this.#placeOf(repository);
    const { host } = place;
    if (host === undefined) return { login: place.answer, repository: place.answer };
    const role = this.#roles.get(assumed.role);
    return host.kind === "public"
      ? { login: role.login("public"), repository: place.answer }
      : { login: role.login("private"), repository: this.#repository(assumed, role, host, place) };
  }

  #repository(assumed: AssumedRole, role: RolePermissions, host: PrivateEcrHost, place: Place): Answer {
    const { arn } = place;
    if (arn === undefined) return place.answer;
    const foreign = otherPartition(assumed.partition, arn);
    if (foreign) return foreign;
    const refusal = role.refusal(arn);
    if (refusal) return refusal;
    if (assumed.account === "") return NO_ROLE_ACCOUNT;
    return this.#policies.empty
      ? (withoutPolicy(assumed, host) ?? place.answer)
      : this.#owner(assumed, host, place);
  }

  /** What the owner's policies say to a role whose own policies allow it. */
  #owner(assumed: AssumedRole, host: PrivateEcrHost, { path, answer }: Place): Answer {
    const { account, region } = host;
    const asked = { account, region, repository: path };
    const fact = this.#policies.of(asked);
    const said = (fact ? ownerAllows(assumed, host, fact) : withoutPolicy(assumed, host)) ?? answer;
    if (said.status !== "pass") return said;
    const doubt = this.#policies.others(asked).find((other) => mayDeny(assumed, other));
    return doubt === undefined ? said : perhapsDenied(doubt);
  }

  #placeOf(repository: Repository): Place {
    const known = this.#places.get(repository.name);
    if (known) return known;
    const made = placeOf(repository);
    this.#places.set(repository.name, made);
    return made;
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

function placeOf({ host: name, path }: Repository): Place {
  const host = parseEcrHost(name);
  const arn = host?.kind === "private" ? repositoryArn(host, path) : undefined;
  return { host, path, arn, answer: answerOf(name, host, arn) };
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

/** The owner's part: between accounts it must allow, within one it must not deny. */
function ownerAllows(
  { account, arn }: AssumedRole,
  host: PrivateEcrHost,
  fact: RepositoryPolicyFact,
): Answer | undefined {
  const foreign = account !== host.account;
  const where = seen("policy of the repository", fact.source);
  for (const action of pullActions) {
    const decision = evaluateAwsResourcePolicy(fact.policy, { roleArn: arn, action });
    if (decision.outcome === "unknown") return unknown(decision.reason, "see the repository policy", where);
    if (decision.outcome === "denied" && (foreign || isExplicit(decision)))
      return broken(
        `the repository policy does not let ${arn} in: ${decision.reason}`,
        `the owner of account ${host.account} adds ${pullActions.join(" and ")} for the role`,
        `is not authorized to perform: ${action} because no resource-based policy allows the ${action} action`,
        where,
      );
  }
  if (foreign && fact.account === "")
    return unknown(
      "which account the policy's repository is in is not known",
      "limit the Terraform provider of the owner to its account (allowed_account_ids)",
      where,
    );
  return foreign ? pass("role and repository policy allow the pull between accounts", where) : undefined;
}

/** Within one account a repository needs no policy. */
function withoutPolicy({ account }: AssumedRole, host: PrivateEcrHost): Answer | undefined {
  if (account === host.account) return undefined;
  return unknown(
    `the repository is of account ${host.account}, the role of ${account}, and no repository policy was read`,
    "name the Terraform of the owner as well, or let the owner add a repository policy for the role",
  );
}

/** A statement denies it; nothing that allows it is no denial within one account. */
function isExplicit({ reason }: AwsDecision): boolean {
  return reason.endsWith("denies it");
}

function mayDeny({ arn }: AssumedRole, { policy }: RepositoryPolicyFact): boolean {
  return pullActions
    .map((action) => evaluateAwsResourcePolicy(policy, { roleArn: arn, action }))
    .some((decision) => decision.outcome === "unknown" || isExplicit(decision));
}

function perhapsDenied({ source }: RepositoryPolicyFact): Answer {
  return unknown(
    "a repository policy that denies it, or cannot be judged, may be this repository's",
    "write its repository and region as literals, and limit its Terraform provider to one account (allowed_account_ids)",
    seen("policy of a repository that is not known", source),
  );
}
