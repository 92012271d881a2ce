/*
 * Names that Google Cloud composes, and Terraform would tell only after apply.
 */

import { customRoleName } from "../../../rules/google/custom-role";
import { serviceAccountEmail, serviceAccountResource } from "../../../rules/google/service-account";
import {
  type ComputedAttribute,
  type Terraform,
  type TerraformResource,
  isLateText,
} from "../../facts/terraform";
import { poolName, projectOf } from "./workload-identity";

const ACCOUNT = "google_service_account";
const ROLE = "google_project_iam_custom_role";
const POOL = "google_iam_workload_identity_pool";
const REPOSITORY = "google_artifact_registry_repository";

/** E-mail addresses and names of service accounts, names of custom roles, of pools and of repositories. */
export const googleComputed: readonly ComputedAttribute[] = [
  { type: ACCOUNT, attribute: "email", value: email },
  { type: ACCOUNT, attribute: "member", value: prefixed("serviceAccount:", email) },
  { type: ACCOUNT, attribute: "name", value: accountName },
  { type: ACCOUNT, attribute: "id", value: accountName },
  { type: ROLE, attribute: "name", value: roleName },
  { type: ROLE, attribute: "id", value: roleName },
  { type: POOL, attribute: "name", value: poolName },
  { type: REPOSITORY, attribute: "name", value: repositoryId },
  { type: REPOSITORY, attribute: "id", value: repositoryPath },
];

/** The e-mail address of a service account; `undefined` where only apply tells it. */
export function email(resource: TerraformResource, terraform: Terraform): string | undefined {
  const [id, project] = [terraform.text(resource, "account_id"), projectOf(resource, terraform)];
  if (id.includes("@")) return id;
  return isKnown(id, project) ? serviceAccountEmail(id, project) : undefined;
}

function accountName(resource: TerraformResource, terraform: Terraform): string | undefined {
  const [address, project] = [email(resource, terraform), projectOf(resource, terraform)];
  return address !== undefined && isKnown(project) ? serviceAccountResource(project, address) : undefined;
}

function roleName(resource: TerraformResource, terraform: Terraform): string | undefined {
  const [id, project] = [terraform.text(resource, "role_id"), projectOf(resource, terraform)];
  return isKnown(id, project) ? customRoleName(project, id) : undefined;
}

/** The provider shortens what the API calls the name. */
function repositoryId(resource: TerraformResource, terraform: Terraform): string | undefined {
  const id = terraform.text(resource, "repository_id");
  return isKnown(id) ? id : undefined;
}

function repositoryPath(resource: TerraformResource, terraform: Terraform): string | undefined {
  const [id, project] = [terraform.text(resource, "repository_id"), projectOf(resource, terraform)];
  const location = terraform.text(resource, "location");
  return isKnown(id, location, project)
    ? `projects/${project}/locations/${location}/repositories/${id}`
    : undefined;
}

function prefixed(prefix: string, value: ComputedAttribute["value"]): ComputedAttribute["value"] {
  return (resource, terraform) => {
    const text = value(resource, terraform);
    return text === undefined ? undefined : prefix + text;
  };
}

function isKnown(...texts: readonly string[]): boolean {
  return texts.every((text) => text !== "" && !isLateText(text));
}
