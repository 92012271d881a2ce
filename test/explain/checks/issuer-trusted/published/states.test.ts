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

/** The state of a stack with a distribution of this host. */
function stateOf(artefacts: Artefacts, host: string): string {
  const { resource, locals = {} } = JSON.parse(artefacts.get(TERRAFORM) ?? "") as Configuration & {
    readonly locals?: Readonly<Record<string, string>>;
  };
  const text = JSON.stringify(resource)
    .replace(/\$\{local\.([\w-]+)\}/g, (_, name: string) => JSON.stringify(locals[name]).slice(1, -1))
    .replace(/\$\{trimprefix\([^}]*\}[^}]*\}/g, host);
  return printed(resource, text, {
    [DISTRIBUTION]: () => ({ domain_name: host, arn: "arn:aws:cloudfront::111122223333:distribution/E1" }),
    aws_iam_role: ({ name }) => ({ arn: `arn:aws:iam::111122223333:role/${String(name)}` }),
    aws_iam_openid_connect_provider: () => ({ arn: `arn:aws:iam::111122223333:oidc-provider/${host}` }),
    aws_s3_bucket: ({ bucket }) => ({ id: bucket }),
  });
}

/** The state of the website, with this host in its documents and credentials. */
function websiteState(host: string): string {
  const { resource } = JSON.parse(hosted("website").get(TERRAFORM) ?? "") as Configuration;
  const providers = `/subscriptions/${subscriptionId}/resourceGroups/oidc/providers`;
  const text = JSON.stringify(resource).replace(/\$\{[^}]*\.primary_web_host\}/g, host);
  return printed(resource, text, {
    azurerm_storage_account: () => ({
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
  ["whose documents are wrong", [], "fail", "", state(stateOf(disabled(hosted("CloudFront")), SERVED))],
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
    ["whose documents are wrong", [], "fail", "", state(stateOf(disabled(artefacts), SERVED))],
  ]);

  it("says that a state contradicts itself", () => {
    const other = replaced(text, ofDistribution(SERVED), ofDistribution(OTHER));
    expect(checkOf(answer({ ...question, ...state(other) }), ID)).toMatchObject({
      status: "unknown",
      remedy: expect.stringMatching(/^the document is that of a state: /) as string,
    });
  });
});
