/*
 * Whose tokens Entra exchanges: which credentials are those of the identity, and what Entra or Azure refuses.
 */

import {
  CREDENTIAL,
  IDENTITIES,
  NAME,
  OTHER,
  OWN,
  SUBSCRIPTION,
  application as ofEntra,
  besideAnother,
  credential,
  lookedUp,
} from "../../../fixtures/explain/azure";
import { type Damage, checks } from "../../../fixtures/explain/checks";
import {
  type Change,
  argument,
  configured,
  only,
  provider,
  without,
} from "../../../fixtures/explain/configuration";
import { ISSUER, accounts, acr, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "issuer-trusted";
const AKS = "https://westeurope.oic.prod-aks.azure.com/a/b";
const LOCAL = "https://kubernetes.default.svc";
const SUBJECT = "system:serviceaccount:shop:web";
const MAY_BELONG = "whether a federated identity credential belongs to";

checks(ID, "issuers", acr, [
  ["as written", [], "pass"],
  ["another one", credential({ issuer: "https://old.example" }), "fail"],
  ["one known only after apply", credential({ issuer: "${var.i}" }), "unknown"],
  ["one of Entra's own", credential({ issuer: `https://login.microsoftonline.com/${OTHER}/v2.0` }), "fail"],
  [
    "one known only inside the cluster",
    credential({ issuer: LOCAL }),
    "fail",
    "Microsoft Entra cannot reach",
    { cluster: { issuer: LOCAL } },
  ],
  // Tokens of AKS end their issuer with a slash: Azure/azure-workload-identity#1700.
  [
    "of AKS with its slash",
    credential({ issuer: `${AKS}/` }),
    "pass",
    "",
    { cluster: { issuer: `${AKS}/` } },
  ],
  ["of AKS without its slash", credential({ issuer: AKS }), "fail", "", { cluster: { issuer: `${AKS}/` } }],
  [
    "no credential",
    configured(without(CREDENTIAL)),
    "fail",
    "has no federated identity credential",
    { log: "AADSTS70021: No matching federated identity record found for presented assertion" },
  ],
]);

const OF_AZAPI = "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@2023-01-31";
const ofAzapi =
  (parent: (all: Parameters<Change>[0]) => unknown): Change =>
  (all) => {
    const parent_id = parent(all);
    delete all.resource[CREDENTIAL];
    all.resource["azapi_resource"] = { x: { type: OF_AZAPI, parent_id, body: { properties: {} } } };
  };
/** The credential's provider has another subscription than the identity's. */
const elsewhere = (subscription_id: string, values: object = {}): Damage =>
  configured(argument(CREDENTIAL, { provider: "azurerm.other", ...values }), (all) =>
    all.provider["azurerm"]?.push({ alias: "other", subscription_id }),
  );
const identityId = (group: string, name: string): string =>
  `${SUBSCRIPTION}/resourceGroups/${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
const literal = identityId("edge-identities", "edge-1_shop_web");
/** Terraform tells names apart by case. */
const renamed: Change = (all) => {
  const first = only(all, IDENTITIES);
  all.resource[IDENTITIES] = { [NAME]: first, [NAME.toUpperCase()]: { ...first, name: "another" } };
};
const NO_CREDENTIAL = `${OWN} has no federated`;

checks(ID, "whose credential it is", acr, [
  [
    "an id of another subscription, which azurerm does not look at",
    credential({ parent_id: literal.replace(SUBSCRIPTION, `/subscriptions/${OTHER}`) }),
    "pass",
  ],
  [
    "a literal id in other letters",
    credential({
      parent_id: literal.replace(SUBSCRIPTION, SUBSCRIPTION.toUpperCase()).replace("Groups", "GROUPS"),
    }),
    "pass",
  ],
  ["by the subscription of another provider", elsewhere(OTHER), "fail", NO_CREDENTIAL],
  [
    "by the subscription of another provider, whatever its literal id",
    elsewhere(OTHER, { parent_id: undefined, user_assigned_identity_id: literal }),
    "fail",
    NO_CREDENTIAL,
  ],
  ["by a subscription known only after apply", elsewhere("${var.s}"), "unknown", MAY_BELONG],
  ["by the same late subscription", configured(provider("azurerm", { subscription_id: "${var.s}" })), "pass"],
  ["beside an identity whose name differs in case", configured(renamed), "pass"],
  [
    "that of an identity whose name differs in case",
    configured(renamed, argument(CREDENTIAL, { parent_id: `\${${IDENTITIES}.${NAME.toUpperCase()}.id}` })),
    "fail",
  ],
  ["by another resource group", credential({ resource_group_name: "other" }), "unknown", MAY_BELONG],
  ["by a group known only after apply", credential({ resource_group_name: "${var.g}" }), "unknown"],
  ["by its own group, in other letters", credential({ resource_group_name: "EDGE-IDENTITIES" }), "pass"],
  [
    "by azapi",
    configured(ofAzapi((all) => only(all, CREDENTIAL)["parent_id"])),
    "unknown",
    "azapi_resource.x, which is not read, may change it",
  ],
  [
    "by azapi, of another identity",
    configured(ofAzapi(() => `\${${IDENTITIES}.other.id}`)),
    "unknown",
    "azapi_resource.x, which is not read, may change it",
  ],
]);

checks(ID, "what almost fits is named", acr, [
  [
    "a trailing slash in the only one's issuer",
    credential({ issuer: `${ISSUER}/` }),
    "fail",
    `no federated identity credential of ${OWN} has the issuer ${ISSUER}; found ${ISSUER}/; ${ISSUER}/ differs only in a trailing slash;`,
    { log: "AADSTS700211" },
  ],
  [
    "the issuers of all",
    besideAnother({ issuer: `${ISSUER}/` }, { issuer: "https://a.example" }),
    "fail",
    `found ${ISSUER}/, https://a.example; the one of ${SUBJECT} has the issuer ${ISSUER}/; ${ISSUER}/ differs only in a trailing slash;`,
  ],
]);

checks(ID, "identities that are only looked up or not read", acr, [
  ["with its credential here", lookedUp, "pass", "has the issuer"],
  [
    "in another group than its credential",
    [...lookedUp, terraform('"resource_group_name":"edge-identities"', '"resource_group_name":"g"')],
    "unknown",
    "azurerm may add it to another",
  ],
  [
    "with credentials elsewhere",
    [...lookedUp, terraform(`"${CREDENTIAL}"`, '"azurerm_other"')],
    "unknown",
    "only looked up",
  ],
  [
    "elsewhere",
    configured(without(IDENTITIES)),
    "unknown",
    `the identity with the client id <${OWN}.client_id> is not among what was read`,
  ],
  [
    "of a client id that nothing says whose it is",
    accounts(`"@late(${OWN}.client_id)@"`, OTHER),
    "unknown",
    "is not among what was read",
  ],
]);
const CLIENT = "11111111-2222-3333-4444-555555555555";
const FAR = "99999999-86f1-41af-91ab-2d7cd011db47";
const issuer = "https://oidc.example.com/c1";
/** A workload by hand: its service account, and resources. */
const workload = {
  artefacts: new Map([
    [
      "account.yaml",
      JSON.stringify({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: {
          name: "web",
          namespace: "shop",
          annotations: {
            "azure.workload.identity/client-id": CLIENT,
            "azure.workload.identity/tenant-id": OTHER,
          },
        },
      }),
    ],
  ]),
  serviceAccount: "shop/web",
  cluster: { issuer },
};
const beside =
  (resource: object): Damage =>
  (files) =>
    new Map(files).set("main.tf.json", JSON.stringify({ resource }));
/** An identity that trusts the subject. */
const trusting = (values: object): Damage =>
  beside({
    [IDENTITIES]: { i: { name: "i", ...values } },
    [CREDENTIAL]: {
      own: { parent_id: `\${${IDENTITIES}.i.id}`, name: "own", issuer, subject: SUBJECT, audience: ["x"] },
    },
  });
const application = { azuread_application: { a: { display_name: "a", client_id: CLIENT } } };
const NEAR = `is not among what was read; a federated identity credential of ${IDENTITIES}.i, whose client id is`;

checks(ID, "the identity that a workload names", workload, [
  [
    "nothing like it",
    beside({}),
    "unknown",
    `the identity with the client id ${CLIENT} is not among what was read`,
  ],
  [
    "a client id that differs by a letter",
    beside({ [IDENTITIES]: { i: { name: "i", client_id: CLIENT.replace("5555", "5556") } } }),
    "unknown",
    `${CLIENT} is not among what was read; the nearest is ${CLIENT.replace("5555", "5556")}`,
  ],
  [
    "an identity of another client id that trusts the subject",
    trusting({ client_id: FAR }),
    "unknown",
    `${NEAR} ${FAR}, is for ${SUBJECT}`,
  ],
  [
    "an identity whose client id is known only after apply and that trusts the subject",
    trusting({}),
    "unknown",
    `${NEAR} <${IDENTITIES}.i.client_id>, is for ${SUBJECT}`,
  ],
  ["an application without credentials", beside(application), "fail"],
  [
    "an application with a flexible credential, which is not judged",
    beside({
      ...application,
      azuread_application_flexible_federated_identity_credential: {
        f: { application_id: "${azuread_application.a.id}", issuer },
      },
    }),
    "unknown",
  ],
]);

const AS_CLIENT = { as: `client id ${OTHER}` };
checks(ID, "an application of Entra", acr, [
  ["as azuread 3 writes it", ofEntra(), "pass", "", AS_CLIENT],
  ["as azuread 2 writes it", ofEntra({ old: true }), "pass", "", AS_CLIENT],
  ["without credential", ofEntra({ without: "azuread_application_federated_identity_credential" }), "fail"],
]);
