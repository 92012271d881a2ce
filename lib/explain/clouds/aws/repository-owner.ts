import type { AwsDecision, AwsResourceDecision } from "../../../rules/aws/evaluate/decide";
import { evaluateAwsResourcePolicy } from "../../../rules/aws/evaluate/evaluate-resource-policy";
import type { PrivateEcrHost } from "../../../rules/aws/ecr-host";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import type { RepositoryPolicyFact } from "./repository-policies";
import { pullActions } from "./role-permissions";

/** Who asks. */
interface Role {
  /** ARN; empty where it is known only after apply. */
  readonly arn: string;
  /** Account id; empty where it is not known. */
  readonly account: string;
}

/**
 * The owner's part: between accounts it must allow, within one it must not deny. `isGranted` is true where the
 * registry's policy may let in whom the repository's does not.
 */
export function ownerAllows(
  role: Role,
  host: PrivateEcrHost,
  fact: RepositoryPolicyFact,
  isGranted: boolean,
): Answer | undefined {
  const refusal = obstacle(
    pullActions.map((action) => ownerRefuses(role, host, fact, { action, isGranted })),
  );
  if (refusal) return refusal;
  if (role.account === host.account) return undefined;
  const where = seen("policy of the repository", fact.source);
  return fact.account === ""
    ? unknown(
        "which account the policy's repository is in is not known",
        "limit the Terraform provider of the owner to its account (allowed_account_ids)",
        where,
      )
    : pass("role and repository policy allow the pull between accounts", where);
}

function ownerRefuses(
  { account, arn }: Role,
  host: PrivateEcrHost,
  { policy, source }: RepositoryPolicyFact,
  { action, isGranted }: { readonly action: string; readonly isGranted: boolean },
): Answer | undefined {
  const where = seen("policy of the repository", source);
  const said = evaluateAwsResourcePolicy(policy, { roleArn: arn, action });
  const { outcome, reason } = account === host.account ? withinAccount(said) : said;
  if (outcome === "unknown") return unknown(reason, "see the repository policy", where);
  if (outcome === "allowed") return undefined;
  if (isGranted && said.denial.holds !== true)
    return unknown(
      "the repository policy does not let the role in, and whether the registry's does is not known",
      "let the role in by the repository policy",
      where,
    );
  return broken(
    `the repository policy does not let ${arn} in: ${reason}`,
    `the owner of account ${host.account} adds ${pullActions.join(" and ")} for the role`,
    `is not authorized to perform: ${action} because no resource-based policy allows the ${action} action`,
    where,
  );
}

/** Within one account the role's own policies allow it, so that only a denial counts. */
function withinAccount({ denial }: AwsResourceDecision): AwsDecision {
  if (denial.holds === undefined) return { outcome: "unknown", reason: denial.reason };
  return { outcome: denial.holds ? "denied" : "allowed", reason: denial.reason };
}

/** Within one account a repository needs no policy. */
export function withoutPolicy({ account }: Pick<Role, "account">, host: PrivateEcrHost): Answer | undefined {
  if (account === host.account) return undefined;
  return unknown(
    `the repository is of account ${host.account}, the role of ${account}, and no repository policy was read`,
    "name the Terraform of the owner as well, or let the owner add a repository policy for the role",
  );
}
