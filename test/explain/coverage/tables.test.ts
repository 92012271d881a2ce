/*
 * The tables of arguments, the providers' schemas and the code that reads arguments say the same, in both directions.
 */

import { describe, expect, test } from "vitest";
import { awsCoverage } from "../../../lib/explain/coverage/aws";
import { azureCoverage } from "../../../lib/explain/coverage/azure";
import { type Coverage, type TypeRow, words } from "../../../lib/explain/coverage/coverage";
import { googleCoverage } from "../../../lib/explain/coverage/google";
import { KUBERNETES } from "../../../lib/explain/coverage/kubernetes";
import { type BlockSchema, schemaOf } from "../../support/provider-schema";

const rows: readonly (readonly [type: string, row: TypeRow])[] = [
  ...[awsCoverage, azureCoverage, googleCoverage].flatMap((each) => Object.entries(each.rows)),
  ...Object.entries(KUBERNETES).flatMap(([type, row]) =>
    [type, `${type}_v1`].map((name) => [name, row] as const),
  ),
];

/** What no chain with it is understood, and why. */
const NOT_UNDERSTOOD: readonly string[] = [
  // The role's session then acts as a further role, possibly in another account.
  "aws_eks_pod_identity_association.target_role_arn",
  // The principal is of another tenant.
  "azurerm_role_assignment.delegated_managed_identity_resource_id",
  // They trust others than OIDC issuers.
  "google_iam_workload_identity_pool_provider.aws",
  "google_iam_workload_identity_pool_provider.saml",
  "google_iam_workload_identity_pool_provider.x509",
  // Repositories of other formats hold no images.
  "google_artifact_registry_repository.remote_repository_config.apt_repository",
  "google_artifact_registry_repository.remote_repository_config.maven_repository",
  "google_artifact_registry_repository.remote_repository_config.npm_repository",
  "google_artifact_registry_repository.remote_repository_config.python_repository",
  "google_artifact_registry_repository.remote_repository_config.yum_repository",
];

/** Arguments of other versions than those whose bindings are installed, and computed lists and maps. */
const OTHER_VERSIONS: readonly string[] = [
  "agent_pool_profile",
  "automatic_channel_upgrade",
  "azuread_authentication_as_arm_policy_enabled",
  "certificate_authority",
  "delay_after_policy_creation_in_ms",
  "effective_labels",
  "identity",
  "isolation_scope",
  "kube_admin_config",
  "kube_config",
  "mode",
  "node_os_channel_upgrade",
  "node_provisioning_profile",
  "org_id",
  "project",
  "registry_uri",
  "retention_policy",
  "role_assignment_mode",
  "role_last_used",
  "tags_all",
  "terraform_labels",
  "trust_policy",
  "user_assigned_identity_id",
];

const namesIn = ({ read, harmless, computed, only = {}, blocks = {} }: Coverage): readonly string[] => [
  ...[read, harmless, computed].flatMap(words),
  ...Object.keys(only),
  ...Object.keys(blocks),
];

function missing(row: Coverage, schema: BlockSchema, path: string): readonly string[] {
  const names = namesIn(row);
  return [...schema.arguments].flatMap(([name, block]) => {
    const nested = row.blocks?.[name];
    if (nested && block) return missing(nested, block, `${path}.${name}`);
    return name === "timeouts" || names.includes(name) ? [] : [`${path}.${name}`];
  });
}

/** A data source shares its row with the resource. */
function unheard(type: string, row: TypeRow): readonly string[] {
  const plain = type.replace(/^data\./, "");
  const schemas = [schemaOf(plain), schemaOf(`data.${plain}`)];
  return namesIn(row).filter(
    (name) => !schemas.some((each) => each?.arguments.has(name) || each?.computed.has(name)),
  );
}

const withSchema = rows.filter(([type]) => schemaOf(type) !== undefined);

describe("tables and schemas", () => {
  test.each(withSchema)("%s leaves out no argument", (type, row) => {
    const left = missing(row, schemaOf(type) ?? { arguments: new Map() }, type);
    expect(left.filter((each) => !NOT_UNDERSTOOD.includes(each))).toEqual([]);
  });

  test("name arguments and attributes of their types", () => {
    const found = withSchema.flatMap(([type, row]) => unheard(type, row));
    expect([...new Set(found)].sort()).toEqual(OTHER_VERSIONS);
  });

  test.each(rows)("%s names each once", (_, row) => {
    const names = namesIn(row);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  });

  test("nothing is listed as not understood that is", () => {
    const left = withSchema.flatMap(([type, row]) =>
      missing(row, schemaOf(type) ?? { arguments: new Map() }, type),
    );
    expect(NOT_UNDERSTOOD.filter((each) => !left.includes(each))).toEqual([]);
  });
});
