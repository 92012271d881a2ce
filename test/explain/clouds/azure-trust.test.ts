/*
 * Whose tokens Entra exchanges: the tenant of the identity, credentials that Azure refuses at apply or that have a form
 * which is not read. Source: learn.microsoft.com, "Important considerations and restrictions for federated identity
 * credentials".
 */

import { expect, it } from "vitest";
import { explained, statuses } from "../../fixtures/explain/artefacts";
import { type Change, firstOpen, only } from "../../fixtures/explain/azure-pulls";

const IDENTITY = "azurerm_user_assigned_identity";
const CREDENTIAL = "azurerm_federated_identity_credential";
const CLIENT = "11111111-2222-3333-4444-555555555555";
const OTHER = "11111111-86f1-41af-91ab-2d7cd011db47";
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const REFUSED = "unknown subject-admitted: Azure refuses some of the federated identity credentials";

const identity = (subscription: string): string =>
  `/subscriptions/${subscription}/resourceGroups/edge-identities/providers/Microsoft.ManagedIdentity/userAssignedIdentities/edge-1_shop_web`;
const own = identity("0b1f6471-1bf0-4dda-aec3-cb9272f09590");
const elsewhere = identity(OTHER);
const tenant =
  (id: string): Change =>
  ({ provider }) => {
    for (const each of provider["azurerm"] ?? []) each["tenant_id"] = id;
  };
const credential =
  (values: object): Change =>
  (all) =>
    void Object.assign(only(all, CREDENTIAL), values);
/** More credentials, made of the one that is there. */
const more =
  (...values: readonly object[]): Change =>
  (all) => {
    const first = only(all, CREDENTIAL);
    values.forEach((each, index) => {
      Object.assign(all.resource[CREDENTIAL] ?? {}, { [`x${index}`]: { ...first, ...each } });
    });
  };
const others = (count: number): readonly object[] =>
  [...Array(count).keys()].map((index) => ({
    name: `other-${index}`,
    subject: `system:serviceaccount:shop:other-${index}`,
  }));

it.each<[string, Change, string]>([
  ["as synthesized", () => undefined, "allowed"],
  ["the tenant of the provider", tenant(TENANT.toUpperCase()), "allowed"],
  ["a domain of the tenant", tenant("acme.example"), "allowed"],
  [
    "another tenant of the provider",
    tenant(OTHER),
    `fail annotations-present: kubernetes.azure.com/acr-tenant-id is ${TENANT}, but`,
  ],
  [
    "another tenant of the identity",
    (all) => void (only(all, IDENTITY)["tenant_id"] = OTHER),
    "fail annotations-present: kubernetes.azure.com/acr-tenant-id is",
  ],
  [
    "a name with a space",
    credential({ name: "a b" }),
    "fail subject-admitted: the federated identity credential of",
  ],
  [
    "a name of two letters",
    credential({ name: "ab" }),
    "fail subject-admitted: the federated identity credential of",
  ],
  [
    "two audiences",
    credential({ audience: ["api://AzureADTokenExchange", "x"] }),
    "fail subject-admitted: the",
  ],
  [
    "an id of another subscription, which azurerm does not look at",
    credential({ parent_id: elsewhere }),
    "allowed",
  ],
  [
    "an id of the identity, put on that of the same name in the subscription of another provider",
    (all) => {
      credential({ provider: "azurerm.other" })(all);
      all.provider["azurerm"]?.push({ alias: "other", subscription_id: OTHER });
    },
    "fail issuer-trusted: azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B has no federated",
  ],
  [
    "its literal id, put on that of the same name in the subscription of another provider",
    (all) => {
      credential({ provider: "azurerm.other", parent_id: undefined, user_assigned_identity_id: own })(all);
      all.provider["azurerm"]?.push({ alias: "other", subscription_id: OTHER });
    },
    "fail issuer-trusted: azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B has no federated",
  ],
  ["20 credentials", more(...others(19)), "allowed"],
  ["21 credentials", more(...others(20)), REFUSED],
  ["two of one issuer and subject", more({ name: "second" }), REFUSED],
  ["two of one name", more({ subject: "system:serviceaccount:shop:other" }), REFUSED],
  [
    "two of one issuer and subject on two identities",
    (all) => {
      more({ name: "second", parent_id: "${azurerm_user_assigned_identity.other.id}" })(all);
      Object.assign(all.resource[IDENTITY] ?? {}, { other: { name: "other", resource_group_name: "x" } });
    },
    "allowed",
  ],
  [
    "what a state tells is there",
    credential({ name: "n", id: `/subscriptions/s/federatedIdentityCredentials/n` }),
    "allowed",
  ],
  [
    "a credential of azapi",
    (all) => {
      const { parent_id } = only(all, CREDENTIAL);
      const type = "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@2023-01-31";
      delete all.resource[CREDENTIAL];
      all.resource["azapi_resource"] = { x: { type, parent_id, body: { properties: {} } } };
    },
    "unknown issuer-trusted: not every federated identity credential of",
  ],
  [
    "a credential of azapi of another identity",
    (all) => {
      const type = "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@2023-01-31";
      delete all.resource[CREDENTIAL];
      all.resource["azapi_resource"] = {
        x: { type, parent_id: "${azurerm_user_assigned_identity.other.id}" },
      };
    },
    "unknown issuer-trusted: not every federated identity credential of",
  ],
])("%s", (_, change, outcome) => {
  expect(firstOpen(change).slice(0, outcome.length)).toBe(outcome);
});

const LABEL = "azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B";
const ISSUER = "https://oidc.acme.example/edge-1";
const SUBJECT = "system:serviceaccount:shop:web";
const OF_ANOTHER = "system:serviceaccount:shop:another";
/** The credential of the service account as changed, beside one of another that has everything right. */
const changed =
  (values: object): Change =>
  (all) => {
    more({ name: "another", subject: OF_ANOTHER })(all);
    Object.assign(Object.values(all.resource[CREDENTIAL] ?? {})[0] ?? {}, values);
  };
const wrong = (claim: string, of: string, found: string, near: string): string =>
  `fail ${claim}: no federated identity credential of ${LABEL}${of}; found ${found}${near}`;

// Entra compares exactly: learn.microsoft.com, "Workload identity federation", important considerations.
it.each<[string, Change, string]>([
  [
    "a trailing slash in the only one's issuer",
    credential({ issuer: `${ISSUER}/` }),
    wrong(
      "issuer-trusted",
      ` has the issuer ${ISSUER}`,
      `${ISSUER}/`,
      `; ${ISSUER}/ differs only in a trailing slash`,
    ),
  ],
  [
    "letter case in the only one's subject",
    credential({ subject: SUBJECT.replace("shop", "Shop") }),
    wrong(
      "subject-admitted",
      ` has the subject ${SUBJECT}`,
      "system:serviceaccount:Shop:web",
      "; system:serviceaccount:Shop:web differs only in letter case",
    ),
  ],
  [
    "the issuer of the one of the subject",
    changed({ issuer: "https://oidc.acme.example/old" }),
    wrong(
      "subject-admitted",
      ` with the issuer and audience of the token has the subject ${SUBJECT}`,
      OF_ANOTHER,
      `; the one of ${SUBJECT} has the issuer https://oidc.acme.example/old`,
    ),
  ],
  [
    "a slash in the issuer of the one of the subject",
    changed({ issuer: `${ISSUER}/` }),
    wrong(
      "subject-admitted",
      ` with the issuer and audience of the token has the subject ${SUBJECT}`,
      OF_ANOTHER,
      `; the one of ${SUBJECT} has the issuer ${ISSUER}/; ${ISSUER}/ differs only in a trailing slash`,
    ),
  ],
  [
    "the audience of the one of the subject",
    changed({ audience: ["api://AzureADTokenExchangeUSGov"] }),
    wrong(
      "subject-admitted",
      ` with the issuer and audience of the token has the subject ${SUBJECT}`,
      OF_ANOTHER,
      `; the one of ${SUBJECT} has the audience api://AzureADTokenExchangeUSGov`,
    ),
  ],
  [
    "the issuers of all",
    (all) => {
      changed({ issuer: `${ISSUER}/` })(all);
      Object.assign(Object.values(all.resource[CREDENTIAL] ?? {})[1] ?? {}, { issuer: "https://a.example" });
    },
    wrong(
      "issuer-trusted",
      ` has the issuer ${ISSUER}`,
      `${ISSUER}/, https://a.example`,
      `; the one of ${SUBJECT} has the issuer ${ISSUER}/; ${ISSUER}/ differs only in a trailing slash`,
    ),
  ],
])("what is wrong is named: %s", (_, change, outcome) => {
  expect(firstOpen(change)).toBe(outcome);
});

it("what is wrong is what to change, and where", () => {
  const files = { "main.tf.json": JSON.stringify({ resource: twoCredentials() }), ...annotated() };
  const [result] = explained(files, {}, { cluster: { issuer: "https://oidc.example.com/c1" } });
  const check = result?.checks.find(({ id }) => id === "subject-admitted");
  expect(check?.status).toBe("fail");
  expect(check?.remedy).toBe(
    "write exactly the cluster's issuer, trailing slash included, into the federated identity credential",
  );
  expect(check?.evidence[0]?.source?.path).toBe(`resource.${CREDENTIAL}.own`);
});

it.each<[string, object, string]>([
  ["nothing", {}, `the identity with the client id ${CLIENT} is not among what was read`],
  [
    "a client id that differs by a letter",
    { [IDENTITY]: { i: { name: "i", client_id: CLIENT.replace("5555", "5556") } } },
    `${CLIENT} is not among what was read; the nearest is ${CLIENT.replace("5555", "5556")}`,
  ],
  [
    "an identity of another client id that trusts the subject",
    { ...twoCredentials(), [IDENTITY]: { i: { name: "i", client_id: OTHER } } },
    `is not among what was read; a federated identity credential of ${IDENTITY}.i, whose client id is ${OTHER}, is for ${SUBJECT}`,
  ],
  [
    "an identity whose client id is known only after apply and that trusts the subject",
    { ...twoCredentials(), [IDENTITY]: { i: { name: "i" } } },
    `whose client id is <${IDENTITY}.i.client_id>, is for ${SUBJECT}`,
  ],
])("an identity that was not read, beside %s", (_, resource, reason) => {
  const files = { "main.tf.json": JSON.stringify({ resource }), ...annotated() };
  const [result] = explained(files, {}, { cluster: { issuer: "https://oidc.example.com/c1" } });
  const check = result?.checks.find(({ id }) => id === "issuer-trusted");
  expect([check?.status, check?.reason]).toEqual(["unknown", expect.stringContaining(reason)]);
});

/** An identity with two credentials, of which that of the subject has another issuer. */
function twoCredentials(): object {
  const own = { parent_id: `\${${IDENTITY}.i.id}`, audience: ["api://AzureADTokenExchange"] };
  return {
    [IDENTITY]: { i: { name: "i", client_id: CLIENT } },
    [CREDENTIAL]: {
      another: { ...own, name: "another", issuer: "https://oidc.example.com/c1", subject: OF_ANOTHER },
      own: { ...own, name: "own", issuer: "https://oidc.example.com/c0", subject: SUBJECT },
    },
  };
}

/** The manifest of a service account that the pod identity webhook serves. */
function annotated(): Readonly<Record<string, string>> {
  const annotations = {
    "azure.workload.identity/client-id": CLIENT,
    "azure.workload.identity/tenant-id": TENANT,
  };
  const metadata = { name: "web", namespace: "shop", annotations };
  return { "account.yaml": JSON.stringify({ apiVersion: "v1", kind: "ServiceAccount", metadata }) };
}

/** The checks of that workload. */
function workload(resource: object): Readonly<Record<string, string>> {
  const files = { "main.tf.json": JSON.stringify({ resource }), ...annotated() };
  const [result] = explained(files, {}, { cluster: { issuer: "https://oidc.example.com/c1" } });
  return result ? statuses(result) : {};
}

it("a flexible credential of an application is not judged", () => {
  const azuread_application = { a: { display_name: "a", client_id: CLIENT } };
  const azuread_application_flexible_federated_identity_credential = {
    f: { application_id: "${azuread_application.a.id}", issuer: "https://oidc.example.com/c1" },
  };
  expect(workload({ azuread_application })).toMatchObject({ "issuer-trusted": "fail" });
  expect(
    workload({ azuread_application, azuread_application_flexible_federated_identity_credential }),
  ).toMatchObject({ "issuer-trusted": "unknown" });
});

it.each([
  [TENANT, "pass"],
  [OTHER, "fail"],
])("a workload that asks in its identity's tenant: %s", (tenant_id, status) => {
  const azurerm_user_assigned_identity = { i: { name: "i", client_id: CLIENT, tenant_id } };
  expect(workload({ azurerm_user_assigned_identity })).toMatchObject({ "account-annotated": status });
});
