/*
 * Policies of the resources that a role may use, as far as they were read: whatever a role's own policies allow, they
 * may deny it, and a key's policy must allow it too.
 *
 * Sources: "Policy evaluation logic" in the IAM user guide; "Key policies in AWS KMS" in the KMS developer guide.
 */

import { type Known, is, isAbsent, orElse, same } from "../../model/known";
import type { Policy } from "../../rules/aws/policy/document";
import { ResourcePolicy } from "../../rules/aws/policy/permission";
import { everyResource } from "../../rules/aws/policy/asked-resource";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Documents } from "./documents";
import type { Role } from "./identity";
import { accountOf, arnFields, regionOf } from "./place";
import { resourcesIn } from "../shared/references";
import { hasWildcard } from "../../rules/wildcard";

/** Types that hold such a policy, and the argument that names its resource; `arn` is the resource's own. */
const OWNERS: Readonly<Record<string, string>> = {
  aws_dynamodb_resource_policy: "resource_arn",
  aws_ecr_registry_policy: "registry_id",
  aws_ecr_repository_policy: "repository",
  aws_kms_key: "arn",
  aws_kms_key_policy: "key_id",
  aws_s3_bucket: "arn",
  aws_s3_bucket_policy: "bucket",
  aws_secretsmanager_secret: "arn",
  aws_secretsmanager_secret_policy: "secret_arn",
  aws_sns_topic: "arn",
  aws_sns_topic_policy: "arn",
  aws_sqs_queue: "arn",
  aws_sqs_queue_policy: "queue_url",
};
const BUCKET = "aws_s3_bucket";
/** Its policies name no resources. */
const REPOSITORY_POLICY = "aws_ecr_repository_policy";
const KEYS = "kms";

/** A role; `account` is that in its ARN. */
export type AskingRole = Pick<Role, "arn" | "partition" | "account">;

interface Owned {
  readonly resource: Resource;
  readonly service: string;
  /** The resource to which it belongs: its ARN, name or URL. */
  readonly owner: Known<string>;
  /** `undefined` for a resource without one. */
  readonly policy: Policy | undefined;
}

export class ResourcePolicies {
  readonly #terraform: Terraform;
  readonly #documents: Documents;
  #owned: readonly Owned[] | undefined;

  constructor(terraform: Terraform, documents: Documents) {
    this.#terraform = terraform;
    this.#documents = documents;
  }

  /** Why a right that the role's own policies give may not be effective; `undefined` if no reason was read. */
  objection(role: AskingRole, action: string, on: Known<string>): string | undefined {
    // Most requests for * are for actions that have no resource.
    if (is(on, "*") === "yes") return undefined;
    for (const { resource, service, owner, policy } of (this.#owned ??= this.#all())) {
      const isAsked = action === "*" || action.toLowerCase().startsWith(`${service}:`);
      if (!isAsked || isOther(owner, on) || isElsewhere(resource, on)) continue;
      const what = resource.address;
      // The ARN of a bucket does not name its account.
      if (resource.type === BUCKET && same(accountOf(resource), role.account) === "no")
        return `${what} is in another account, and whether it admits the role is not judged`;
      if (policy === undefined) continue;
      const question = new ResourcePolicy(policy, role).every(action);
      const scope = resource.type === REPOSITORY_POLICY ? undefined : everyResource(on);
      const denial = question.denial(scope);
      if (denial.holds !== "no") return `the policy of ${what}: ${denial.reason}`;
      const decision = service === KEYS ? question.decide(scope) : undefined;
      if (decision && decision.outcome !== "allowed")
        return `the key's policy in ${what}: ${decision.reason}`;
    }
    return undefined;
  }

  #all(): readonly Owned[] {
    return Object.entries(OWNERS).flatMap(([type, argument]) =>
      this.#terraform.ofType(type).flatMap((resource): readonly Owned[] => {
        const [, service = ""] = type.split("_");
        const isNone = isAbsent(resource.text("policy"));
        const policy = isNone ? undefined : this.#documents.ofText(resource.stated("policy"), "resource");
        return [{ resource, service, owner: resource.attribute(argument), policy }];
      }),
    );
  }
}

/** True if a policy certainly belongs to a resource other than those that are asked about. */
function isOther(owner: Known<string>, on: Known<string>): boolean {
  const [its, asked] = [owner, on].map((each) => resourcesIn(each)[0]);
  if (its && asked) return its !== asked;
  const literal = (value: Known<string>, target: Resource | undefined): string | undefined =>
    orElse(value, () => target && orElse(target.text("name"), () => undefined));
  const [name, text] = [literal(owner, its), literal(on, asked)];
  if (name === undefined || text === undefined || hasWildcard(text.replace(/\/\*$/, ""))) return false;
  return !text.includes(name.replace(/^(?:arn|https):.*[:/]/, ""));
}

/** True if an ARN names another region or account than a resource's; the ARN of a bucket names none. */
function isElsewhere(resource: Resource, on: Known<string>): boolean {
  const [, , , region, account] = (arnFields(on) ?? []).map((field) => orElse(field, () => ""));
  const differs = (own: Known<string>, asked = ""): boolean =>
    /^[a-z0-9-]+$/.test(asked) && is(own, asked) === "no";
  return differs(regionOf(resource), region) || differs(accountOf(resource), account);
}
