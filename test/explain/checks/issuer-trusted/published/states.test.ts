/*
 * A state beside the configuration that it was made by: it tells the issuer that only apply told.
 */

import { describe, expect, it } from "vitest";
import { TERRAFORM, WORKLOAD, subscriptionId } from "../../../../fixtures/explain/access";
import type { Artefacts } from "../../../../fixtures/explain/artefacts";
import { answer, checkOf, checks } from "../../../../fixtures/explain/checks";
import { type Configuration, argument, configured } from "../../../../fixtures/explain/configuration";
import {
  distributedElsewhere,
  hosted,
  onAzure,
  onGoogle,
  workloadAt,
} from "../../../../fixtures/explain/issuer-hosts";

const ID = "issuer-trusted";
const DISTRIBUTION = "aws_cloudfront_distribution";
const SERVED = "d111111abcdef8.cloudfront.net";
const OTHER = "d222222abcdef8.cloudfront.net";
const WEBSITE = "acmec1.z6.web.core.windows.net";

type Values = Readonly<Record<string, unknown>>;
type Told = Readonly<Record<string, (values: Values) => Values>>;

/** What `terraform show -json` prints of resources, with the attributes that apply told. */
function printed(resource: Configuration["resource"], text: string, told: Told): string {
  const known = text.replace(
    /\$\{((?:aws|azurerm)_\w+)\.([\w-]+)\.(\w+)\}/g,
    (whole, type: string, name: string, attribute: string) => {
      const values = resource[type]?.[name] ?? {};
      return String({ ...values, ...told[type]?.(values) }[attribute] ?? whole);
    },
  );
  const resources = Object.entries(JSON.parse(known) as Configuration["resource"]).flatMap(([type, byName]) =>
    Object.entries(byName).map(([name, values]) => {
      const all = { ...values, ...told[type]?.(values) };
      return { address: `${type}.${name}`, mode: "managed", type, name, values: all };
    }),
  );
  return JSON.stringify({ format_version: "1.0", values: { root_module: { resources } } });
}

const ARN = "arn:aws:cloudfront::111122223333:distribution/E1";
const first = (value: unknown): Values => (Array.isArray(value) ? (value[0] as Values) : (value as Values));

/** The arguments that a state has although no one set them. Source: refreshed states of hashicorp/aws 6. */
function distributionState({ default_cache_behavior: behavior, origin }: Values): Values {
  const nothing = { function_association: [], lambda_function_association: [], forwarded_values: [] };
  const usual = { custom_header: [], custom_origin_config: [], origin_shield: [], s3_origin_config: [] };
  return {
    arn: ARN,
    id: "E1",
    etag: "E2",
    status: "Deployed",
    web_acl_id: "",
    ordered_cache_behavior: [],
    custom_error_response: [],
    logging_config: [],
    origin_group: [],
    staging: false,
    aliases: null,
    trusted_signers: [{ enabled: false, items: [] }],
    default_cache_behavior: [
      {
        ...first(behavior),
        ...nothing,
        grpc_config: [{ enabled: false }],
        min_ttl: 0,
        smooth_streaming: false,
      },
    ],
    origin: [{ ...first(origin), ...usual, connection_attempts: 3, connection_timeout: 10, origin_path: "" }],
    restrictions: [{ geo_restriction: [{ locations: [], restriction_type: "none" }] }],
    viewer_certificate: [
      {
        acm_certificate_arn: "",
        iam_certificate_id: "",
        ssl_support_method: "",
        cloudfront_default_certificate: true,
        minimum_protocol_version: "TLSv1",
      },
    ],
  };
}

function bucketState({ bucket }: Values, policy: unknown): Values {
  const encryption = { kms_master_key_id: "", sse_algorithm: "AES256" };
  return {
    id: bucket,
    arn: `arn:aws:s3:::${String(bucket)}`,
    acl: null,
    bucket_prefix: "",
    cors_rule: [],
    grant: [{ id: "a1", permissions: ["FULL_CONTROL"], type: "CanonicalUser", uri: "" }],
    policy: String(policy).replace(/\$\{[^}]*\.arn\}/, ARN),
    request_payer: "BucketOwner",
    website: [],
    object_lock_enabled: false,
    lifecycle_rule: [],
    server_side_encryption_configuration: [
      { rule: [{ apply_server_side_encryption_by_default: [encryption], bucket_key_enabled: false }] },
    ],
    versioning: [{ enabled: false, mfa_delete: false }],
  };
}

/** The state of a stack with a distribution of this host. */
function stateOf(artefacts: Artefacts, host: string): string {
  const { resource, locals = {} } = JSON.parse(artefacts.get(TERRAFORM) ?? "") as Configuration & {
    readonly locals?: Readonly<Record<string, string>>;
  };
  const text = JSON.stringify(resource)
    .replace(/\$\{local\.([\w-]+)\}/g, (_, name: string) => JSON.stringify(locals[name]).slice(1, -1))
    .replace(/\$\{trimprefix\([^}]*\}[^}]*\}/g, host);
  const [{ policy = "" } = {}] = Object.values(resource["aws_s3_bucket_policy"] ?? {});
  return printed(resource, text, {
    [DISTRIBUTION]: (values) => ({ ...values, ...distributionState(values), domain_name: host }),
    aws_iam_role: ({ name }) => ({ arn: `arn:aws:iam::111122223333:role/${String(name)}` }),
    aws_iam_openid_connect_provider: () => ({ arn: `arn:aws:iam::111122223333:oidc-provider/${host}` }),
    aws_cloudfront_origin_access_control: () => ({ id: "E3" }),
    aws_s3_bucket: (values) => ({ ...values, ...bucketState(values, policy) }),
    aws_s3_object: () => ({
      acl: "private",
      server_side_encryption: "AES256",
      storage_class: "STANDARD",
      source: null,
    }),
  });
}

/** The state of the website, with this host in its documents and credentials. */
function websiteState(host: string): string {
  const { resource } = JSON.parse(hosted("website").get(TERRAFORM) ?? "") as Configuration;
  const providers = `/subscriptions/${subscriptionId}/resourceGroups/oidc/providers`;
  const text = JSON.stringify(resource).replace(/\$\{[^}]*\.primary_web_host\}/g, host);
  return printed(resource, text, {
    azurerm_storage_account: () => ({
      network_rules: [{ bypass: ["AzureServices"], default_action: "Allow", ip_rules: [] }],
      public_network_access_enabled: true,
      dns_endpoint_type: "Standard",
      is_hns_enabled: false,
      blob_properties: [{ change_feed_enabled: false, cors_rule: [], versioning_enabled: false }],
      customer_managed_key: [],
      custom_domain: [],
      edge_zone: "",
      sftp_enabled: false,
      id: `${providers}/Microsoft.Storage/storageAccounts/acmec1`,
      primary_web_host: WEBSITE,
      primary_web_endpoint: `https://${WEBSITE}/`,
    }),
    azurerm_user_assigned_identity: () => ({
      id: `${providers}/Microsoft.ManagedIdentity/userAssignedIdentities/c1`,
      client_id: "22222222-2222-4333-8444-555555555555",
    }),
  });
}

const replaced = (text: string, from: string, to: string): string => {
  expect(text).toContain(from);
  return text.replaceAll(from, to);
};
const state = (text: string) => ({ others: [{ "state.json": text }] });
const disabled = configured(argument(DISTRIBUTION, { enabled: false }));
const ofDistribution = (host: string): string => `"domain_name":"${host}"`;
const own = stateOf(hosted("CloudFront"), SERVED);

checks(ID, "beside the state of a distribution", workloadAt("CloudFront"), [
  ["that has its issuer", [], "pass", SERVED, state(own)],
  [
    "whose distribution is off",
    [],
    "unknown",
    "enabled",
    state(stateOf(disabled(hosted("CloudFront")), SERVED)),
  ],
  [
    "that has no keys",
    [],
    "fail",
    "the keys that",
    state(replaced(own, '\\"keys\\": [', '\\"keys\\": [], \\"x\\": [')),
  ],
  [
    "whose distribution has another domain than the state's issuer",
    [],
    "unknown",
    "",
    state(replaced(own, ofDistribution(SERVED), ofDistribution(OTHER))),
  ],
  [
    "whose role trusts another issuer than the state's",
    [],
    "unknown",
    "",
    state(replaced(own, `:oidc-provider/${SERVED}`, ":oidc-provider/d999999abcdef8.cloudfront.net")),
  ],
]);

// Of azurerm 4.55, 4.81 and 5.2, 12 components that were allowed became unknown beside the applied state.
checks(ID, "beside the state of a website", workloadAt("website"), [
  ["that has its issuer", [], "pass", "", state(websiteState(WEBSITE))],
  [
    "that has no keys",
    [],
    "fail",
    "the keys that",
    state(replaced(websiteState(WEBSITE), '\\"keys\\": [', '\\"keys\\": [], \\"x\\": [')),
  ],
  [
    "that names another host",
    [],
    "unknown",
    "whether the discovery document names",
    state(websiteState("other.z6.web.core.windows.net")),
  ],
]);

describe.each([
  ["Azure", onAzure(distributedElsewhere)],
  ["Google Cloud", onGoogle(distributedElsewhere)],
])("a distribution that %s trusts", (_, artefacts) => {
  const text = stateOf(artefacts, SERVED);
  const question = { artefacts, serviceAccount: WORKLOAD };
  checks(ID, "beside its state", question, [
    ["that was not read", [], "pass"],
    ["that has its issuer", [], "pass", "", state(text)],
    ["whose distribution is off", [], "unknown", "enabled", state(stateOf(disabled(artefacts), SERVED))],
  ]);

  it("says that a state contradicts itself", () => {
    const other = replaced(text, ofDistribution(SERVED), ofDistribution(OTHER));
    expect(checkOf(answer({ ...question, ...state(other) }), ID)).toMatchObject({
      status: "unknown",
      remedy: expect.stringMatching(/^the document is that of a state: /) as string,
    });
  });
});
