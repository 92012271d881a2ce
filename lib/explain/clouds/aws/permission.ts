/*
 * May the role log in and read the repository?
 */

import type { AwsDecision } from "../../../rules/aws/evaluate/decide";
import { evaluateAwsPermission } from "../../../rules/aws/evaluate/evaluate-permission";
import { evaluateAwsResourcePolicy } from "../../../rules/aws/evaluate/evaluate-resource-policy";
import { PermissionTable } from "../../../rules/aws/evaluate/permission-table";
import { type PrivateEcrHost, parseEcrHost } from "../../../rules/aws/ecr-host";
import { partitions } from "../../../rules/aws/partitions";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { PermissionAnswer, Repository } from "../cloud";
import { BrokenLater } from "../broken-later";
import type { RoleFact } from "./iam";
import type { RepositoryPolicies, RepositoryPolicyFact } from "./repository-policies";

/** A role that has been assumed. */
export interface AssumedRole {
  /** ARN; empty where it is known only after apply. */
  readonly arn: string;
  /** Account id; empty where it is not known. */
  readonly account: string;
  /** The role. */
  readonly role: RoleFact;
}

const LOGINS: Readonly<Record<"private" | "public", readonly string[]>> = {
  private: ["ecr:GetAuthorizationToken"],
  public: ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"],
};
const PULL: readonly string[] = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];

/** Judges login and repository; `policies` are those of repositories. */
export function awsPermission(
  assumed: AssumedRole,
  repository: Repository,
  policies: RepositoryPolicies,
): PermissionAnswer {
  const { host, arn } = placeOf(repository);
  if (host === undefined) {
    const answer = unknown(
      `${repository.host} is no host of ECR, so account and region of the registry are not known`,
      "pull by the registry's own host name",
    );
    return { login: answer, repository: answer };
  }
  if (host.kind === "public") {
    const login = loginPermitted(assumed, "public");
    return { login, repository: pass("every repository of ECR Public may be read") };
  }
  return {
    login: loginPermitted(assumed, "private"),
    repository: repositoryPermitted(assumed, host, arn, repository.path, policies),
  };
}

/** The login is the same for every repository. */
const logins = new WeakMap<RoleFact, Map<string, Answer>>();

function loginPermitted({ role }: AssumedRole, registry: keyof typeof LOGINS): Answer {
  const known = logins.get(role) ?? new Map<string, Answer>();
  logins.set(role, known);
  const answer = known.get(registry) ?? mayLogIn(role, LOGINS[registry]);
  known.set(registry, answer);
  return answer;
}

function mayLogIn(role: RoleFact, actions: readonly string[]): Answer {
  for (const action of actions.filter((each) => outcomeOf(role, each, "*") !== "allowed")) {
    const decision = permitted(role, action, "*");
    if (decision.outcome === "denied")
      return broken(
        `the role may not ${action}: ${decision.reason}`,
        `allow ${action} on "*"; the service offers nothing narrower`,
        `AccessDeniedException: User: arn:aws:sts::…:assumed-role/…/ecr-credential-provider is not authorized to perform: ${action} on resource: *`,
      );
    if (decision.outcome === "unknown") return unknown(decision.reason, "see the role's policies");
  }
  return pass(`the role may ${actions.join(" and ")}`);
}

function repositoryPermitted(
  assumed: AssumedRole,
  host: PrivateEcrHost,
  arn: string | undefined,
  name: string,
  policies: RepositoryPolicies,
): Answer {
  if (arn === undefined)
    return unknown(`the region ${host.region} is not known`, "check the image's host name");
  const own = identityAllows(assumed, arn);
  if (own.status !== "pass") return own;
  if (assumed.account === "")
    return unknown(
      "whether role and registry are in one account is not known",
      "state the role's account, so that its ARN is a literal",
    );
  const policy = policies.of({ account: host.account, region: host.region, repository: name });
  return ownerAllows(assumed, host, policy) ?? own;
}

interface Place {
  readonly host: ReturnType<typeof parseEcrHost>;
  /** ARN of a private repository in a known region. */
  readonly arn: string | undefined;
}

/** A repository is asked about for many roles. */
const places = new WeakMap<Repository, Place>();

function placeOf(repository: Repository): Place {
  const known = places.get(repository);
  if (known) return known;
  const host = parseEcrHost(repository.host);
  const arn = host?.kind === "private" ? repositoryArn(host, repository.path) : undefined;
  const made = { host, arn };
  places.set(repository, made);
  return made;
}

function repositoryArn({ region, account }: PrivateEcrHost, name: string): string | undefined {
  const partition = partitions.find(({ regions }) => regions.test(region));
  return partition && `arn:${partition.name}:ecr:${region}:${account}:repository/${name}`;
}

function identityAllows({ role }: AssumedRole, arn: string): Answer {
  for (const action of PULL) {
    const outcome = outcomeOf(role, action, arn);
    if (outcome === "denied")
      return new BrokenLater(() =>
        broken(
          `the role may not ${action} on ${arn}: ${permitted(role, action, arn).reason}`,
          "name the repository in the role's permission policy",
          `is not authorized to perform: ${action} on resource: ${arn} because no identity-based policy allows the ${action} action`,
        ),
      );
    if (outcome === "unknown") return unknown(permitted(role, action, arn).reason, "see the role's policies");
  }
  return pass(`the role may pull ${arn}`);
}

interface Tables {
  readonly own: PermissionTable;
  readonly boundary: PermissionTable | undefined;
}

/** A role is asked about many repositories. */
const tables = new WeakMap<RoleFact, Tables>();

function tablesOf(role: RoleFact): Tables {
  const known = tables.get(role);
  if (known) return known;
  const { policies, boundary } = role;
  const made = {
    own: new PermissionTable(policies),
    boundary: boundary === undefined ? undefined : new PermissionTable([boundary]),
  };
  tables.set(role, made);
  return made;
}

/** The outcome of {@link permitted}. */
function outcomeOf(role: RoleFact, action: string, resource: string): AwsDecision["outcome"] {
  if (resource.includes("${")) return "unknown";
  const { own, boundary } = tablesOf(role);
  const outcome = own.outcome(action, resource);
  const bounded = outcome === "denied" ? undefined : boundary?.outcome(action, resource);
  return bounded === undefined || bounded === "allowed" ? outcome : bounded;
}

/** The owner's part: between accounts it must allow, within one it must not deny. */
function ownerAllows(
  { account, arn }: AssumedRole,
  host: PrivateEcrHost,
  fact: RepositoryPolicyFact | undefined,
): Answer | undefined {
  const foreign = account !== host.account;
  if (fact === undefined)
    return foreign
      ? unknown(
          `the repository is of account ${host.account}, the role of ${account}, and no repository policy was read`,
          "name the Terraform of the owner as well, or let the owner add a repository policy for the role",
        )
      : undefined;
  const where = seen("policy of the repository", fact.source);
  for (const action of PULL) {
    const decision = evaluateAwsResourcePolicy(fact.policy, { roleArn: arn, action });
    if (decision.outcome === "unknown") return unknown(decision.reason, "see the repository policy", where);
    const denies = decision.outcome === "denied" && (foreign || decision.reason.endsWith("denies it"));
    if (denies)
      return broken(
        `the repository policy does not let ${arn} in: ${decision.reason}`,
        `the owner of account ${host.account} adds ${PULL.join(" and ")} for the role`,
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

/** The role's policies, and within them what its permissions boundary leaves. */
function permitted({ policies, boundary }: RoleFact, action: string, resource: string): AwsDecision {
  const decision = evaluateAwsPermission(policies, { action, resource });
  if (boundary === undefined || decision.outcome === "denied") return decision;
  const bounded = evaluateAwsPermission([boundary], { action, resource });
  if (bounded.outcome === "allowed") return decision;
  return { outcome: bounded.outcome, reason: `the permissions boundary: ${bounded.reason}` };
}
