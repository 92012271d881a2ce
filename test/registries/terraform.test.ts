/*
 * What the functions of registries write as Terraform JSON, against the providers' schemas: each argument exists, each that
 * is required is there, and each value is one that the provider's validators accept.
 */

import { describe, expect, it } from "vitest";
import { REGISTRY_ROWS } from "../../lib/explain/coverage/registries";
import { words } from "../../lib/explain/coverage/coverage";
import { Issuer } from "../../lib/model/issuer";
import { Subject } from "../../lib/model/subject";
import { type OidcRegistry, artifactory, cloudsmith, vaultSecret } from "../../lib/registries";
import { record } from "../support/json";

interface Schema {
  readonly required: string;
  readonly optional?: string;
  readonly computed?: string;
  /** By argument, with a dot for nested ones. */
  readonly valid?: Readonly<Record<string, RegExp>>;
  readonly source: string;
}

const NAME = /^[a-z][a-z0-9-]+$/;

const SCHEMAS: Readonly<Record<string, Schema>> = {
  platform_oidc_configuration: {
    required: "name issuer_url provider_type",
    optional:
      "description audience organization project_key token_issuer azure_app_id use_default_proxy enable_permissive_configuration",
    valid: { name: NAME, issuer_url: /^https:\/\//, provider_type: /^generic$/ },
    source: "jfrog/terraform-provider-platform@c9cb421 pkg/platform/resource_oidc_configuration.go",
  },
  platform_oidc_identity_mapping: {
    required: "name provider_name priority claims_json token_spec",
    optional: "description project_key",
    valid: {
      name: /^[^ !@#$%^&*()+={}[\]:;'"<>,./?~`|\\]{1,255}$/,
      provider_name: NAME,
      priority: /^[1-9]\d*$/,
      claims_json: /^\{.*\}$/,
      // With a user name, the scope is needed too; tokens live for 60 seconds by default, and nodes keep them for ten minutes.
      "token_spec.scope": /^applied-permissions\/user$/,
      "token_spec.expires_in": /^[1-9]\d{3,}$/,
    },
    source: "jfrog/terraform-provider-platform@c9cb421 pkg/platform/resource_oidc_identity_mapping.go",
  },
  platform_aws_iam_role: {
    required: "username iam_role",
    valid: { iam_role: /^arn:aws:iam::\d{12}:role\/[\w+=,.@:-]+$/ },
    source: "jfrog/terraform-provider-platform@c9cb421 pkg/platform/resource_aws_iam_role.go",
  },
  cloudsmith_oidc: {
    required: "claims enabled name namespace provider_url",
    optional: "service_accounts mapping_claim dynamic_mappings",
    computed: "slug slug_perm id",
    source: "cloudsmith-io/terraform-provider-cloudsmith@4a4a506 cloudsmith/resource_oidc.go",
  },
  vault_kubernetes_auth_backend_role: {
    required: "role_name bound_service_account_names bound_service_account_namespaces",
    optional: "backend audience alias_name_source token_policies token_ttl token_max_ttl namespace",
    source: "hashicorp/vault, resource kubernetes_auth_backend_role",
  },
};

const ISSUER = "https://oidc.example.com/prod";
const HOST = "registry.example.com";
const ROLE = "arn:aws:iam::111122223333:role/puller";
const vault = {
  host: HOST,
  address: "https://vault.example.com",
  role: "1.pull",
  secretMount: "kv",
  secretName: "r",
};
/** Names with all that Kubernetes allows in them. */
const ACCOUNTS = ["shop/web", "shop/web.v-1", "1shop/0.web"];

type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function resources(source: OidcRegistry, accounts: readonly string[]): Rows {
  const asked = accounts.map((each) => ({ subject: Subject.of(each), asks: [source] }));
  const request = { clusterName: "prod", issuer: Issuer.of(ISSUER), accounts: asked };
  const { tokenRegistries = {}, ownerDocument } = source.defaultIdentities().declare(undefined, request);
  const [[host, registry] = ["", undefined]] = Object.entries(tokenRegistries);
  return record(record(registry && ownerDocument?.(host, registry))["resource"]) as Rows;
}

/** Of a block and the blocks in it. */
function flat(block: object, path = ""): readonly (readonly [path: string, value: unknown])[] {
  return Object.entries(block).flatMap(([name, value]) => [
    [`${path}${name}`, value] as const,
    ...(name === "token_spec" ? flat(value as object, `${name}.`) : []),
  ]);
}

const SOURCES: readonly (readonly [string, OidcRegistry, readonly string[], blocks: number])[] = [
  ["artifactory", artifactory({ host: HOST, user: "a.b@example.com" }), ACCOUNTS, 4],
  ["artifactory on AWS", artifactory({ host: HOST, user: "1a.b@example.com", roleArn: ROLE }), ACCOUNTS, 1],
  ["cloudsmith", cloudsmith({ host: HOST, organization: "acme", service: "web" }), ACCOUNTS, 3],
  ["vaultSecret", vaultSecret(vault), ["shop/web", "shop/web.v-1"], 1],
];

describe.each(SOURCES)("%s", (_, source, accounts, count) => {
  const blocks = Object.entries(resources(source, accounts)).flatMap(([type, named]) =>
    Object.entries(named).map(([name, block]) => [type, name, block as object] as const),
  );

  it("writes what the provider takes", () => {
    const problems = blocks.flatMap(([type, name, block]) => {
      const { required, optional, valid = {} } = SCHEMAS[type] ?? { required: "" };
      const all = [...words(required), ...words(optional)];
      const rows = flat(block);
      return [
        ...(/^[A-Za-z_][\w-]*$/.test(name) ? [] : [`${name} is no name in Terraform`]),
        ...Object.keys(block).filter((each) => !all.includes(each)),
        ...words(required).filter((each) => !Object.hasOwn(block, each)),
        ...rows.filter(([path, value]) => valid[path]?.test(String(value)) === false).map(([path]) => path),
        ...Object.keys(valid).filter((path) => !rows.some(([each]) => each === path)),
      ].map((problem) => `${type}: ${problem}`);
    });
    expect(problems).toEqual([]);
  });

  it("writes each account once", () => {
    const names = blocks.map(([type, , block]) => `${type} ${String(record(block)["name"])}`);
    expect([names.length, new Set(names).size]).toEqual([count, count]);
  });
});

it("two users of one service account, and two roles of one user, are refused", () => {
  const declared = (...sources: readonly OidcRegistry[]): unknown => {
    const accounts = sources.map((source, place) => ({
      subject: Subject.of(`shop/w${place}`),
      asks: [source],
    }));
    const request = { clusterName: "prod", issuer: Issuer.of(ISSUER), accounts };
    const { tokenRegistries = {}, ownerDocument } =
      sources[0]?.defaultIdentities().declare(undefined, request) ?? {};
    return Object.entries(tokenRegistries).map(([host, registry]) => ownerDocument?.(host, registry));
  };
  const refused = expect.objectContaining({ code: "node-conflict" }) as Error;
  const user = "puller";
  const roles = [ROLE, `${ROLE}2`].map((roleArn) => artifactory({ host: HOST, user, roleArn }));
  expect(() => declared(...roles)).toThrow(refused);
  const users = ["a", "b"].map((each) => artifactory({ host: HOST, user: each }));
  const accounts = [{ subject: Subject.of("shop/web"), asks: users }];
  const declaration = users[0]
    ?.defaultIdentities()
    .declare(undefined, { clusterName: "prod", issuer: Issuer.of(ISSUER), accounts });
  const [[host, registry] = ["", undefined]] = Object.entries(declaration?.tokenRegistries ?? {});
  expect(() => registry && declaration?.ownerDocument?.(host, registry)).toThrow(refused);
});

describe("the table of what explain judges", () => {
  it.each(Object.entries(REGISTRY_ROWS))("%s: has every argument that decides, and no other", (type, row) => {
    const { required, optional, computed } = SCHEMAS[type] ?? { required: "" };
    const known = [...words(required), ...words(optional), ...words(computed)];
    const listed = [row.read, row.harmless, row.computed].flatMap(words);
    const nested = [...Object.keys(row.only ?? {}), ...Object.keys(row.blocks ?? {})];
    expect([...listed, ...nested].filter((each) => !known.includes(each))).toEqual([]);
    expect(words(required).filter((each) => ![...listed, ...nested].includes(each))).toEqual([]);
  });
});
