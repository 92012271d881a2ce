/*
 * The tables of arguments, the providers' schemas and the code that reads arguments say the same, in both directions.
 */

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type CloudCoverage,
  type Coverage,
  type TypeRow,
  words,
} from "../../../lib/explain/coverage/coverage";
import { AZUREAD } from "../../support/azuread-arguments";
import { CLOUDS, NOT_UNDERSTOOD, missing, namesIn, rows } from "../../support/coverage-tables";
import { ROOT } from "../../support/markdown";
import { schemaOf } from "../../support/provider-schema";

/** Arguments of other versions than those whose bindings are installed, and computed lists and maps. */
const OTHER_VERSIONS: readonly string[] = [
  "agent_pool_profile",
  "automatic_channel_upgrade",
  "azuread_authentication_as_arm_policy_enabled",
  "certificate_authority",
  "delay_after_policy_creation_in_ms",
  "effective_labels",
  "identity",
  "instance_lifecycle_policy",
  "isolation_scope",
  "kube_admin_config",
  "kube_api_server_config",
  "kube_config",
  "kube_controller_manager_config",
  "kube_scheduler_config",
  "mode",
  "namespace_config",
  "network_performance_options",
  "node_os_channel_upgrade",
  "node_provisioning_profile",
  "org_id",
  "policy",
  "project",
  "registry_uri",
  "resolve_conflicts",
  "resources",
  "retention_policy",
  "role_assignment_mode",
  "role_last_used",
  "secondary_interfaces",
  "tags_all",
  "terraform_labels",
  "trust_policy",
  "user_assigned_identity_id",
  "warm_pool_config",
];

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

/** Of azuread there are no bindings, so the documentation is the schema. */
describe("tables and the documentation of azuread", () => {
  const azuread = rows.filter(([type]) => /^(?:data\.)?azuread_/.test(type));
  const documented = (type: string): readonly string[] => words(AZUREAD[type.replace(/^data\./, "")]);

  test.each(azuread)("%s leaves out no argument", (type, row) => {
    expect(documented(type)).not.toEqual([]);
    expect(documented(type).filter((name) => !namesIn(row).includes(name))).toEqual([]);
  });

  test("name arguments and attributes of their types", () => {
    const every = new Set(Object.values(AZUREAD).flatMap(words));
    const unheardOf = azuread.flatMap(([, row]) => namesIn(row).filter((name) => !every.has(name)));
    // An argument of the newer data source of groups.
    expect([...new Set(unheardOf)]).toEqual(["include_transitive_members"]);
  });
});

/** The code of some folders of `lib/explain`, as one text. */
const codeOf = (...folders: readonly string[]): string =>
  folders
    .map((folder) => join(ROOT, "lib/explain", folder))
    .flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")))
    .join("\n");

/** What a row lists as read, also in its blocks, and the blocks themselves. */
const readIn = ({ read, blocks = {} }: Coverage): readonly string[] => [
  ...words(read),
  // A block of harmless arguments alone is not asked for.
  ...Object.entries(blocks).flatMap(([name, row]) => {
    const inside = readIn(row);
    return inside.length > 0 ? [name, ...inside] : [];
  }),
];

const allNames = (row: Coverage): readonly string[] => [
  ...namesIn(row),
  ...Object.values(row.blocks ?? {}).flatMap(allNames),
];

const ASKED = /\.(?:text|stated|list|flag|blocks|block|json|tree|attribute|mentioned|referred)\(\s*"(\w+)"/g;

/** Asked of Terraform providers and of what hosts an issuer, which have tables of their own, and of what is only known to exist. */
const ASKED_ELSEWHERE: Readonly<Record<keyof typeof CLOUDS, readonly string[]>> = {
  aws: [
    "aliases",
    "allowed_account_ids",
    "bucket",
    "domain_name",
    "lifecycle",
    "replace_triggered_by",
    "target_origin_id",
  ],
  azure: [
    "container_access_type",
    "environment",
    "metadata_host",
    "primary_blob_endpoint",
    "primary_web_host",
    "storage_account_id",
    "storage_account_name",
    "storage_container_id",
    "storage_container_name",
    "subscription_id",
  ],
  google: ["number", "parent", "project_id", "secret_id", "universe_domain"],
};

describe.each(Object.keys(CLOUDS) as (keyof typeof CLOUDS)[])("the code of %s", (cloud) => {
  const { rows: own, api = {}, grants }: CloudCoverage = CLOUDS[cloud];
  const all: readonly Coverage[] = [
    ...Object.values(own),
    ...Object.values(api).flatMap(Object.values<Coverage>),
    ...(grants ? [grants.rowOf("google_project_iam_member")] : []),
  ];
  const listed = new Set(all.flatMap(readIn));

  test("asks for what is listed as read", () => {
    const code = codeOf(cloud, "jobs", "read", "shared");
    expect([...listed].filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });

  test("asks for nothing else", () => {
    const named = new Set(all.flatMap(allNames));
    const asked = [...codeOf(cloud).matchAll(ASKED)].map(([, name = ""]) => name);
    expect([...new Set(asked)].filter((name) => !named.has(name)).sort()).toEqual(ASKED_ELSEWHERE[cloud]);
  });
});
