/*
 * The tables of arguments of all Terraform types, and what a schema has besides.
 */

import { awsCoverage } from "../../lib/explain/coverage/aws";
import { azureCoverage } from "../../lib/explain/coverage/azure";
import { type Coverage, type TypeRow, words } from "../../lib/explain/coverage/coverage";
import { googleCoverage } from "../../lib/explain/coverage/google";
import { KUBERNETES } from "../../lib/explain/coverage/kubernetes";
import type { BlockSchema } from "./provider-schema";

export const CLOUDS = { aws: awsCoverage, azure: azureCoverage, google: googleCoverage } as const;
export const rows: readonly (readonly [type: string, row: TypeRow])[] = [
  ...Object.values(CLOUDS).flatMap((each) => Object.entries(each.rows)),
  ...Object.entries(KUBERNETES).flatMap(([type, row]) =>
    [type, `${type}_v1`].map((name) => [name, row] as const),
  ),
];

/** What no chain with it is understood, and why. */
export const NOT_UNDERSTOOD: readonly string[] = [
  // What is started instead of the image's own.
  "aws_launch_template.kernel_id",
  "aws_launch_template.ram_disk_id",
  // The principal is of another tenant.
  "azurerm_role_assignment.delegated_managed_identity_resource_id",
  // They trust others than OIDC issuers.
  "google_iam_workload_identity_pool_provider.aws",
  "google_iam_workload_identity_pool_provider.saml",
  "google_iam_workload_identity_pool_provider.x509",
  // Virtual repositories read others, and repositories of other formats hold no images.
  "google_artifact_registry_repository.virtual_repository_config",
  "google_artifact_registry_repository.remote_repository_config.common_repository",
  "google_artifact_registry_repository.remote_repository_config.apt_repository",
  "google_artifact_registry_repository.remote_repository_config.maven_repository",
  "google_artifact_registry_repository.remote_repository_config.npm_repository",
  "google_artifact_registry_repository.remote_repository_config.python_repository",
  "google_artifact_registry_repository.remote_repository_config.yum_repository",
];

export const namesIn = ({
  read,
  harmless,
  computed,
  only = {},
  blocks = {},
}: Coverage): readonly string[] => [
  ...[read, harmless, computed].flatMap(words),
  ...Object.keys(only),
  ...Object.keys(blocks),
];

/** Paths of the arguments of a schema that a row does not have. */
export function missing(row: Coverage, schema: BlockSchema, path: string): readonly string[] {
  const names = namesIn(row);
  return [...schema.arguments].flatMap(([name, block]) => {
    const nested = row.blocks?.[name];
    if (nested && block) return missing(nested, block, `${path}.${name}`);
    return name === "timeouts" || names.includes(name) ? [] : [`${path}.${name}`];
  });
}
