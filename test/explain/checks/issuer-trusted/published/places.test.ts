/*
 * Where a store of issuer documents is: behind which network, in which cloud or universe.
 * Source: learn.microsoft.com, "Azure Storage firewall rules"; azurerm, `environment`, and the Google provider,
 * `universe_domain`: endpoints are those of the cloud in which Terraform makes the store.
 */

import { INGRESS, WORKLOAD } from "../../../../fixtures/explain/access";
import { type Row, checks } from "../../../../fixtures/explain/checks";
import { type Change, argument, configured, provider } from "../../../../fixtures/explain/configuration";
import {
  container,
  googleBucket,
  onAzure,
  onGoogle,
  workloadAt,
} from "../../../../fixtures/explain/issuer-hosts";

const ID = "issuer-trusted";
const ACCOUNT = "azurerm_storage_account";
const account = (values: object) => configured(argument(ACCOUNT, values));
const rulesOf = (network_rules: unknown) => account({ network_rules });
/** Rules beside the account, by default of it. */
const beside = (values: object, id?: string) =>
  configured(({ resource }) => {
    const [name = ""] = Object.keys(resource[ACCOUNT] ?? {});
    const storage_account_id = id ?? "${" + `${ACCOUNT}.${name}.id}`;
    resource["azurerm_storage_account_network_rules"] = { r: { storage_account_id, ...values } };
  });
const DENY = { default_action: "Deny", bypass: ["AzureServices"] };
const OTHER_ID = "/subscriptions/a/resourceGroups/b/providers/Microsoft.Storage/storageAccounts/other";
const DENIES = "firewall of the storage account denies";

for (const host of ["container", "website"] as const)
  checks(ID, `the network before a ${host}`, workloadAt(host), [
    ["a block that denies", rulesOf(DENY), "fail", DENIES],
    ["a list of one block", rulesOf([DENY]), "fail", DENIES],
    [
      "addresses let in",
      rulesOf({ ...DENY, ip_rules: ["203.0.113.0/24"] }),
      "unknown",
      "except from some addresses",
    ],
    ["subnets let in", rulesOf({ ...DENY, virtual_network_subnet_ids: ["s"] }), "fail"],
    ["a block that allows", rulesOf({ default_action: "Allow" }), "pass"],
    ["what a state writes where nothing is", rulesOf([]), "pass"],
    ["an action of a variable", rulesOf({ default_action: "${var.a}" }), "unknown", "default_action"],
    ["rules of a variable", rulesOf("${var.r}"), "unknown", "network rules"],
    [
      "a public network of a variable",
      account({ public_network_access_enabled: "${var.p}" }),
      "unknown",
      "public",
    ],
    ["rules beside it", beside(DENY), "fail", DENIES],
    ["rules beside it, with addresses", beside({ ...DENY, ip_rules: ["203.0.113.1"] }), "unknown"],
    ["rules beside it that allow", beside({ default_action: "Allow" }), "pass"],
    ["rules of another account", beside(DENY, OTHER_ID), "pass"],
    [
      "rules of an account of a variable",
      beside(DENY, "${var.account}"),
      "unknown",
      "if its rules belong to this account",
    ],
  ]);

const served = onAzure(container({ issuerUrl: "https://oidc.example.com/c1" }));
checks(ID, "the network", { artefacts: served, serviceAccount: WORKLOAD }, [
  ["of a store before which another server stands", rulesOf(DENY), "pass"],
]);

const azurerm = (values: object) => configured(provider("azurerm", values));
const gov = onAzure(container({ cloud: "AzureUSGovernmentCloud" }), { environment: "usgovernment" });
const ELSEWHERE = "a different Azure cloud than the storage account";
const WHETHER = "whether the storage account is in the issuer's cloud";
const endpoint = (domain: string) =>
  account({ primary_blob_endpoint: `https://acmec1.blob.core.${domain}/` });

checks(ID, "the Azure cloud of a store", workloadAt("container"), [
  ["another one of the provider", azurerm({ environment: "usgovernment" }), "fail", ELSEWHERE],
  ["the public one, stated", azurerm({ environment: "public" }), "pass"],
  ["of a variable", azurerm({ environment: "${var.e}" }), "unknown", WHETHER],
  [
    "told by a metadata host",
    azurerm({ environment: "usgovernment", metadata_host: "m.example" }),
    "unknown",
    WHETHER,
  ],
  ["as a state tells it", endpoint("usgovcloudapi.net"), "fail", ELSEWHERE],
  ["the same, as a state tells it", endpoint("windows.net"), "pass"],
]);
// At which Entra the pods of the workload ask is not known.
const OPEN = { verdict: "unknown" } as const;
checks(ID, "the Azure cloud of a store for governments", { artefacts: gov, serviceAccount: WORKLOAD }, [
  ["its own", [], "pass", "", OPEN],
  ["in other letters", azurerm({ environment: "USGovernment" }), "pass", "", OPEN],
  ["the public one of the provider", azurerm({ environment: "public" }), "fail", ELSEWHERE],
]);

const google = (values: object) => configured(provider("google", values));
/** The provider of the bucket alone. */
const ofBucket = (universe_domain: string) => {
  const moved: Change = (all) => {
    all.provider["google"]?.push({ alias: "b", project: "acme-prod", universe_domain });
    argument("google_storage_bucket", { provider: "google.b" })(all);
  };
  return configured(moved);
};
const inBucket = "a different Google Cloud universe than the bucket";
const universes = (other: object) => onGoogle(googleBucket(other), other);
const plain = universes({});
const elsewhere = universes({ universeDomain: "s3ns.fr" });
const inPlain: readonly Row[] = [
  ["not stated", [], "pass"],
  ["the default one, stated", google({ universe_domain: "googleapis.com" }), "pass"],
  ["of a variable", google({ universe_domain: "${var.u}" }), "pass"],
  [
    "another one of the provider",
    google({ universe_domain: "s3ns.fr" }),
    "fail",
    "credential file names the token exchange of googleapis.com, but the pool provider is in s3ns.fr",
  ],
];
const inOther: readonly Row[] = [
  ["another one, everywhere", [], "pass"],
  [
    "the default one of the provider",
    google({ universe_domain: "googleapis.com" }),
    "fail",
    "token exchange of s3ns.fr",
  ],
];

for (const serviceAccount of [WORKLOAD, INGRESS]) {
  checks(ID, `the universe of ${serviceAccount}`, { artefacts: plain, serviceAccount }, inPlain);
  checks(ID, `another universe of ${serviceAccount}`, { artefacts: elsewhere, serviceAccount }, inOther);
}

// Of a workload: its pool provider was handed no keys and asks the issuer.
checks(ID, "the universe of the bucket", { artefacts: plain, serviceAccount: WORKLOAD }, [
  ["another", ofBucket("s3ns.fr"), "fail", inBucket],
  ["the same", ofBucket("googleapis.com"), "pass"],
]);
checks(ID, "the universe of the bucket in another", { artefacts: elsewhere, serviceAccount: WORKLOAD }, [
  ["the same", ofBucket("s3ns.fr"), "pass"],
  ["the default", ofBucket("googleapis.com"), "fail", inBucket],
]);
