/*
 * Policies of whole registries, which ECR enforces in every request besides those of repositories.
 *
 * Source: "Private registry permissions" in the ECR user guide; of scope V1, that a few accounts still have, none of the
 * actions is one of a pull.
 */

import {
  evaluateAwsDirectGrant,
  evaluateAwsResourcePolicy,
} from "../../../rules/aws/evaluate/evaluate-resource-policy";
import { any } from "../../../rules/aws/evaluate/match";
import { type Answer, broken, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { type RegistryPlace, isOf, mayBeOf, placeOf } from "./registry-place";
import { pullActions } from "./role-permissions";

/** The policy of a registry. */
interface RegistryPolicyFact extends RegistryPlace {
  readonly policy: string;
  readonly source: Source;
}

/** Who asks for what. */
export interface RegistryQuestion {
  /** ARN of the role; empty where it is known only after apply. */
  readonly roleArn: string;
  /** ARN of the repository. */
  readonly repository: string;
  /** Account and region of the registry. */
  readonly place: RegistryPlace;
}

/** Policies of registries. */
export class RegistryPolicies {
  readonly #facts: readonly RegistryPolicyFact[];

  constructor(terraform: Terraform) {
    const old = terraform.ofType("aws_ecr_account_setting").filter((each) => isScopeV1(each, terraform));
    const unenforced = old.map((each) => placeOf(each, terraform));
    this.#facts = terraform
      .ofType("aws_ecr_registry_policy")
      .map((resource) => ({
        ...placeOf(resource, terraform),
        policy: terraform.text(resource, "policy"),
        source: resource.source,
      }))
      .filter((fact) => !unenforced.some((place) => isOf(place, fact)));
  }

  /** True where none was read that is enforced. */
  get empty(): boolean {
    return this.#facts.length === 0;
  }

  /** What keeps a role from reading a repository, or may; `undefined` where nothing does. */
  denial(question: RegistryQuestion): Answer | undefined {
    const near = this.#near(question);
    const certain = near.find((fact) => isOf(fact, question.place) && denies(fact, question) === true);
    if (certain) return refused(certain);
    const perhaps = near.find((fact) => denies(fact, question) !== false);
    return perhaps && perhapsRefused(perhaps);
  }

  /** A policy that grants the pull, or may, where neither the role's own nor the repository's do. */
  grant(question: RegistryQuestion, isForeign: boolean): Source | undefined {
    const evaluate = isForeign ? evaluateAwsResourcePolicy : evaluateAwsDirectGrant;
    const { roleArn, repository: resource } = question;
    return this.#near(question).find(({ policy }) =>
      pullActions.some((action) => evaluate(policy, { roleArn, action, resource }).outcome !== "denied"),
    )?.source;
  }

  /** Whether one certainly lets the role itself fetch the repository's images from the registry that they are of. */
  letsImport({ roleArn, repository: resource, place }: RegistryQuestion): boolean {
    const request = { roleArn, action: "ecr:BatchImportUpstreamImage", resource };
    return this.#facts.some(
      (fact) => isOf(fact, place) && evaluateAwsDirectGrant(fact.policy, request).outcome === "allowed",
    );
  }

  #near({ place }: RegistryQuestion): readonly RegistryPolicyFact[] {
    return this.#facts.filter((fact) => mayBeOf(fact, place));
  }
}

function isScopeV1(resource: TerraformResource, terraform: Terraform): boolean {
  return (
    terraform.text(resource, "name") === "REGISTRY_POLICY_SCOPE" &&
    terraform.text(resource, "value") === "V1" &&
    !isLateText(terraform.text(resource, "region"))
  );
}

/** `undefined` where that cannot be told. */
function denies(
  { policy }: RegistryPolicyFact,
  { roleArn, repository: resource }: RegistryQuestion,
): boolean | undefined {
  const denials = pullActions.map(
    (action) => evaluateAwsResourcePolicy(policy, { roleArn, action, resource }).denial,
  );
  return any(denials, "no action of a pull is denied").holds;
}

function refused({ source }: RegistryPolicyFact): Answer {
  return broken(
    "the registry's policy denies the pull from every repository that it names, whatever other policies allow",
    "except the role or the repository from the denial in the registry policy",
    "is not authorized to perform: ecr:BatchGetImage … with an explicit deny in a resource-based policy",
    seen("policy of the registry", source),
  );
}

function perhapsRefused({ source }: RegistryPolicyFact): Answer {
  return unknown(
    "a registry policy that denies it, or cannot be judged, is or may be this registry's",
    "see the registry policy, and limit its Terraform provider to one account (allowed_account_ids)",
    seen("policy of a registry", source),
  );
}
