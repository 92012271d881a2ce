/*
 * Where a store of issuer documents is: behind which network, in which cloud or universe.
 * Source: learn.microsoft.com, "Azure Storage firewall rules"; azurerm, `environment`, and the Google provider,
 * `universe_domain`: endpoints are those of the cloud in which Terraform makes the store.
 */

import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import type { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { IssuerContainer, IssuerWebsite, azureAccess, workloadIdentities } from "../../../lib/cloud/azure";
import {
  IssuerBucket,
  componentServiceAccounts,
  googleAccess,
  workloadServiceAccounts,
} from "../../../lib/cloud/google";
import type { IIssuerHost } from "../../../lib/model/issuer";
import { credentialsRequestsOf } from "../../../lib/openshift";
import { PlatformComponents, WorkloadAccess } from "../../../lib/synth";
import {
  type Configuration,
  INGRESS,
  WORKLOAD,
  publicKey,
  resultOf,
  subscriptionId,
  withTerraform,
} from "../../fixtures/explain/access";
import { type Artefacts, synthesizedStack } from "../../fixtures/explain/artefacts";
import { payloadRequests } from "../../support/credentials-requests";

const keys = [{ publicKey, use: "current" }] as const;
const storage = { resourceGroupName: "oidc", region: "westeurope", keys } as const;
const tenantId = "11111111-2222-4333-8444-555555555555";
const GOV = "AzureUSGovernmentCloud";

type Place = ConstructorParameters<typeof IssuerContainer>[2];
type Made = Partial<ConstructorParameters<typeof AzurermProvider>[2]>;
type Edit = (configuration: Configuration & { provider: Record<string, Record<string, unknown>[]> }) => void;

const onAzure = (declare: (stack: TerraformStack) => IIssuerHost, made: Made = {}): Artefacts =>
  synthesizedStack((stack) => {
    new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId, ...made });
    const role = { role: "Reader", scope: `/subscriptions/${subscriptionId}/resourceGroups/reports` };
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer: declare(stack) },
      workloads: [{ serviceAccount: WORKLOAD, may: azureAccess({ roles: [role] }) }],
      identities: [workloadIdentities({ resourceGroupName: "apps", location: "westeurope", tenantId })],
    });
  });

const container = (place: Partial<Place> = {}, made: Made = {}): Artefacts =>
  onAzure(
    (stack) =>
      new IssuerContainer(stack, "issuer", {
        ...storage,
        storageAccountName: "acmec1",
        blobContainerName: "cluster1",
        ...place,
      }),
    made,
  );

const HOSTS = {
  container: container(),
  website: onAzure(
    (stack) => new IssuerWebsite(stack, "issuer", { ...storage, storageAccountName: "acmec1" }),
  ),
} as const;

function trusted(artefacts: Artefacts, edit?: Edit, subject = WORKLOAD): readonly (string | undefined)[] {
  const changed = edit ? withTerraform(artefacts, edit as (configuration: Configuration) => void) : artefacts;
  const check = resultOf(changed, subject).checks.find(({ id }) => id === "issuer-trusted");
  return [check?.status, check?.reason];
}

const ACCOUNT = "azurerm_storage_account";
const RULES = "azurerm_storage_account_network_rules";

function account(values: object): Edit {
  return ({ resource }) =>
    Object.values(resource[ACCOUNT] ?? {}).forEach((each) => Object.assign(each, values));
}

/** Rules beside the account, by default of it. */
function rules(values: object, id?: string): Edit {
  return ({ resource }) => {
    const [name = ""] = Object.keys(resource[ACCOUNT] ?? {});
    resource[RULES] = { r: { storage_account_id: id ?? "${" + `${ACCOUNT}.${name}.id}`, ...values } };
  };
}

const DENY = { default_action: "Deny", bypass: ["AzureServices"] };
const OTHER_ID = "/subscriptions/a/resourceGroups/b/providers/Microsoft.Storage/storageAccounts/other";

describe.each(["container", "website"] as const)("the network before a %s", (host) => {
  it.each<[string, Edit, string, string]>([
    [
      "a block that denies",
      account({ network_rules: DENY }),
      "fail",
      "firewall of the storage account denies",
    ],
    [
      "a list of one block",
      account({ network_rules: [DENY] }),
      "fail",
      "firewall of the storage account denies",
    ],
    [
      "addresses let in",
      account({ network_rules: { ...DENY, ip_rules: ["203.0.113.0/24"] } }),
      "unknown",
      "except from some addresses",
    ],
    [
      "subnets let in",
      account({ network_rules: { ...DENY, virtual_network_subnet_ids: ["s"] } }),
      "fail",
      "",
    ],
    ["a block that allows", account({ network_rules: { default_action: "Allow" } }), "pass", ""],
    ["what a state writes where nothing is", account({ network_rules: [] }), "pass", ""],
    [
      "an action of a variable",
      account({ network_rules: { default_action: "${var.a}" } }),
      "unknown",
      "default_action",
    ],
    ["rules of a variable", account({ network_rules: "${var.r}" }), "unknown", "network rules"],
    [
      "a public network of a variable",
      account({ public_network_access_enabled: "${var.p}" }),
      "unknown",
      "public",
    ],
    ["rules beside it", rules(DENY), "fail", "firewall of the storage account denies"],
    ["rules beside it, with addresses", rules({ ...DENY, ip_rules: ["203.0.113.1"] }), "unknown", ""],
    ["rules beside it that allow", rules({ default_action: "Allow" }), "pass", ""],
    ["rules of another account", rules(DENY, OTHER_ID), "pass", ""],
    [
      "rules of an account of a variable",
      rules(DENY, "${var.account}"),
      "unknown",
      "if its rules belong to this account",
    ],
  ])("%s", (_, edit, status, reason) => {
    expect(trusted(HOSTS[host], edit)).toEqual([status, expect.stringContaining(reason)]);
  });
});

it("is not asked about where another server stands before the store", () => {
  const served = container({ issuerUrl: "https://oidc.example.com/c1" });
  expect(trusted(served, account({ network_rules: DENY }))[0]).toBe("pass");
});

const provider =
  (name: string, values: object): Edit =>
  (configuration) =>
    Object.assign(configuration.provider[name]?.[0] ?? {}, values);

describe("the Azure cloud of a store", () => {
  const gov = container({ cloud: GOV }, { environment: "usgovernment" });
  const elsewhere = "a different Azure cloud than the storage account";

  it.each<[string, Artefacts, Edit | undefined, string, string]>([
    ["its own", gov, undefined, "pass", ""],
    [
      "the provider's is another",
      HOSTS.container,
      provider("azurerm", { environment: "usgovernment" }),
      "fail",
      elsewhere,
    ],
    [
      "the provider's is the public one",
      gov,
      provider("azurerm", { environment: "public" }),
      "fail",
      elsewhere,
    ],
    ["in other letters", gov, provider("azurerm", { environment: "USGovernment" }), "pass", ""],
    ["the public one, stated", HOSTS.container, provider("azurerm", { environment: "public" }), "pass", ""],
    [
      "of a variable",
      HOSTS.container,
      provider("azurerm", { environment: "${var.e}" }),
      "unknown",
      "whether the storage account is in the issuer's cloud",
    ],
    [
      "told by a metadata host",
      HOSTS.container,
      provider("azurerm", { environment: "usgovernment", metadata_host: "m.example" }),
      "unknown",
      "whether the storage account is in the issuer's cloud",
    ],
    [
      "as a state tells it",
      HOSTS.container,
      account({ primary_blob_endpoint: "https://acmec1.blob.core.usgovcloudapi.net/" }),
      "fail",
      elsewhere,
    ],
    [
      "the same, as a state tells it",
      HOSTS.container,
      account({ primary_blob_endpoint: "https://acmec1.blob.core.windows.net/" }),
      "pass",
      "",
    ],
  ])("%s", (_, artefacts, edit, status, reason) => {
    expect(trusted(artefacts, edit)).toEqual([status, expect.stringContaining(reason)]);
  });
});

const onGoogle = (universeDomain?: string): Artefacts =>
  synthesizedStack((stack) => {
    const universe = universeDomain === undefined ? {} : { universeDomain };
    new GoogleProvider(stack, "google", { project: "acme-prod", ...universe });
    const issuer = new IssuerBucket(stack, "issuer", {
      bucket: "issuer-c1",
      project: "acme-prod",
      location: "EU",
      keys,
      ...universe,
    });
    const trust = { project: "acme-prod", projectNumber: "123456789012", ...universe };
    new PlatformComponents(stack, "components", {
      clusterName: "c1",
      issuer,
      requests: credentialsRequestsOf(
        payloadRequests("google", "4.22").filter(({ metadata }) =>
          (metadata as { readonly name: string }).name.startsWith("openshift-ingress"),
        ),
        { cloud: "google", featureGates: "all" },
      ),
      identities: componentServiceAccounts(trust),
    });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer },
      workloads: [
        {
          serviceAccount: WORKLOAD,
          may: googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "reports" }] }),
        },
      ],
      identities: [workloadServiceAccounts(trust)],
    });
  });

describe("the universe of Google Cloud", () => {
  const plain = onGoogle();
  const other = onGoogle("s3ns.fr");
  const inOther = provider("google", { universe_domain: "s3ns.fr" });
  const inDefault = provider("google", { universe_domain: "googleapis.com" });
  const file =
    /credential file names the token exchange of googleapis\.com, but the pool provider is in s3ns\.fr/;

  it.each<[string, Artefacts, Edit | undefined, string, RegExp]>([
    ["not stated", plain, undefined, "pass", /./],
    ["the default one, stated", plain, inDefault, "pass", /./],
    ["another one, everywhere", other, undefined, "pass", /./],
    ["of a variable", plain, provider("google", { universe_domain: "${var.u}" }), "pass", /./],
    ["the provider's is another", plain, inOther, "fail", file],
    ["the provider's is the default one", other, inDefault, "fail", /token exchange of s3ns\.fr/],
  ])("%s", (_, artefacts, edit, status, reason) => {
    for (const subject of [WORKLOAD, INGRESS])
      expect(trusted(artefacts, edit, subject)).toEqual([status, expect.stringMatching(reason)]);
  });

  /** The provider of the bucket alone. */
  const ofBucket =
    (universe_domain: string): Edit =>
    (configuration) => {
      configuration.provider["google"]?.push({ alias: "b", project: "acme-prod", universe_domain });
      for (const each of Object.values(configuration.resource["google_storage_bucket"] ?? {}))
        each["provider"] = "google.b";
    };

  // Of a workload: its pool provider was handed no keys and asks the issuer.
  it.each([
    ["another", plain, "s3ns.fr", "fail", "a different Google Cloud universe than the bucket"],
    ["the same", plain, "googleapis.com", "pass", ""],
    ["the same other", other, "s3ns.fr", "pass", ""],
    ["the default", other, "googleapis.com", "fail", "a different Google Cloud universe than the bucket"],
  ])("of the bucket: %s", (_, artefacts, universe, status, reason) => {
    expect(trusted(artefacts, ofBucket(universe))).toEqual([status, expect.stringContaining(reason)]);
  });
});
