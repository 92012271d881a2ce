/*
 * Google Cloud. `gcloud … --format=json` prints the members of the REST resources: Project (Resource Manager),
 * WorkloadIdentityPool, WorkloadIdentityPoolProvider, ServiceAccount, Role and Policy (IAM), Bucket as `gcloud storage`
 * describes it, Cluster (Kubernetes Engine).
 */

import { ASK } from "../../rules/google/commands";
import type { AdoptionFindings } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";

export const WORKLOAD_USER = "roles/iam.workloadIdentityUser";

export interface Project {
  readonly id: string | undefined;
  readonly number: string | undefined;
}

export interface Account {
  readonly email: string;
  readonly displayName: string;
  readonly description: string;
  readonly isDisabled: boolean;
  readonly name: string;
}

export function projectOf(answers: CommandAnswer, findings: AdoptionFindings): Project {
  const [id, number] = ["projectId", "projectNumber"].map((key) => answers.at(ASK.project, key).text());
  if (id === undefined || number === undefined)
    findings.lacks("id and number of the project", `run \`gcloud ${ASK.project}\``);
  return { id, number };
}

export function accountsOf(answers: CommandAnswer): readonly Account[] {
  return answers
    .at(ASK.accounts)
    .list()
    .map((each) => ({
      email: each.at("email").text() ?? "",
      displayName: each.at("displayName").text() ?? "",
      description: each.at("description").text() ?? "",
      isDisabled: each.at("disabled").value === true,
      name: each.at("name").text() ?? "",
    }));
}

export function lastPart(name: string | undefined): string {
  return name?.split("/").at(-1) ?? "";
}

export function usersIn(policy: CommandAnswer): readonly string[] {
  return policy
    .at("bindings")
    .list()
    .filter((binding) => binding.at("role").text() === WORKLOAD_USER)
    .flatMap((binding) => binding.at("members").texts());
}
