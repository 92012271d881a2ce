/*
 * Names that ccoctl gives on Google Cloud, to the letter.
 * Source: openshift/cloud-credential-operator, pkg/cmd/provisioning/gcp/create_service_accounts.go.
 */

import { stableHash } from "../names";

const CREATED_BY = "Created By OpenShift ccoctl";
const ACCOUNT = { name: 12, request: 11, suffix: 5 } as const;
const DISPLAY = { name: 50, request: 49 } as const;
const ROLE = { project: 32, request: 31 } as const;

/** Description of the pool and the pool provider. */
export const CCOCTL_DESCRIPTION: string = CREATED_BY;

/** Display name of a service account, by which ccoctl finds it: `<name>-<request>`, each cut. */
export function ccoctlDisplayName(name: string, request: string): string {
  return `${name.slice(0, DISPLAY.name)}-${request.slice(0, DISPLAY.request)}`;
}

/** Description of the service account and of the custom role, both with the account's display name. */
export function ccoctlDescription(displayName: string): string {
  return `${CREATED_BY} for service account ${displayName}`;
}

/**
 * Service account id in ccoctl's form, `<name>-<request>-<5 characters>`, for a request that ccoctl made nothing for.
 * Its last part is random there, and a hash of the names here.
 */
export function ccoctlAccountId(name: string, request: string): string {
  const suffix = stableHash([name, request]).slice(0, ACCOUNT.suffix);
  return `${name.slice(0, ACCOUNT.name)}-${request.slice(0, ACCOUNT.request)}-${suffix}`;
}

/** Custom role id, which has the project's name and not the cluster's: all clusters of a project share the role. */
export function ccoctlRoleId(project: string, request: string): string {
  return `${alphanumeric(project).slice(0, ROLE.project)}_${alphanumeric(request).slice(0, ROLE.request)}`;
}

/** Title of the custom role: `<project>-<request>`, each cut. */
export function ccoctlRoleTitle(project: string, request: string): string {
  return ccoctlDisplayName(project, request);
}

function alphanumeric(text: string): string {
  return text.replace(/[^a-zA-Z0-9]/g, "");
}
