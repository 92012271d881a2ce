/*
 * Names and Secrets of the roles of OpenShift's components; with `ccoctl` as the `ccoctl aws` command makes
 * them (openshift/cloud-credential-operator, pkg/cmd/provisioning/aws), so that what it made can be adopted.
 */

import type { CredentialsRequest, SecretReference } from "../../model/credentials-request";
import { COMPONENT_TOKEN_PATH, type ComponentSecret } from "../../model/components";
import { roleName } from "./role-name";

/** How roles are named: by this library, or to the letter as ccoctl does. */
export type ComponentNaming = "derived" | "ccoctl";

/** Both ways of naming. */
export const componentNamings: readonly ComponentNaming[] = ["derived", "ccoctl"];

const CCOCTL_MAX = 64;
const POLICY_NAME = "component";

/**
 * `<cluster>-<namespace>-<secret>`: over 64 characters cut and ended with a hash, or plainly cut as ccoctl does.
 *
 * Throws `aws-role-name-invalid`.
 */
export function componentRoleName(
  clusterName: string,
  { namespace, name }: SecretReference,
  naming: ComponentNaming,
): string {
  const whole = `${clusterName}-${namespace}-${name}`;
  return roleName(naming === "ccoctl" ? whole.slice(0, CCOCTL_MAX) : whole);
}

/** Name of the inline policy of a component's role; ccoctl repeats the role's name. */
export function componentPolicyName(role: string, naming: ComponentNaming): string {
  return naming === "ccoctl" ? role : POLICY_NAME;
}

/** The description that ccoctl gives a role. */
export function componentDescription({ namespace, name }: SecretReference): string {
  return `OpenShift role for ${namespace}/${name}`;
}

/**
 * The Secret that a component reads: an AWS configuration file, line by line as ccoctl writes it.
 *
 * The token's path is the request's `cloudTokenPath` where it has one, as the cloud credential operator reads it;
 * ccoctl ignores the field, which no AWS request of a release payload has.
 */
export function componentSecret(
  { secret, cloudTokenPath = COMPONENT_TOKEN_PATH }: CredentialsRequest,
  roleArn: string,
): ComponentSecret {
  const lines = [
    "[default]",
    "sts_regional_endpoints = regional",
    `role_arn = ${roleArn}`,
    `web_identity_token_file = ${cloudTokenPath}`,
  ];
  return { ...secret, stringData: { credentials: lines.join("\n") } };
}
