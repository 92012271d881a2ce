/*
 * Source: learn.microsoft.com, "Important considerations and restrictions for federated identity credentials", and the
 * error reference of Entra.
 */

import { expect, it } from "vitest";
import {
  ANOTHER,
  CREDENTIAL,
  IDENTITIES,
  OWN,
  application,
  besideAnother,
  call,
  credential,
  more,
} from "../../../fixtures/explain/azure";
import { answer, checkOf, checks } from "../../../fixtures/explain/checks";
import { type Change, added, configured, without } from "../../../fixtures/explain/configuration";
import { ISSUER, acr } from "../../../fixtures/explain/three-clouds";

const ID = "subject-admitted";
const SUBJECT = "system:serviceaccount:shop:web";
const subject = (text: string) => credential({ subject: text });
const others = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `o${index}`, subject: `${SUBJECT}-${index}` }));
const moreCredentials = (...values: readonly object[]) => configured(more(CREDENTIAL, ...values));
const REFUSED = "Azure refuses some of the federated identity credentials";

checks(ID, "credentials", acr, [
  ["as written", [], "pass"],
  ["another subject", subject("system:serviceaccount:shop:api"), "fail", "", { log: "AADSTS700213" }],
  ["a subject of 601 characters", subject("x".repeat(601)), "fail"],
  ["a subject known only after apply", subject("system:serviceaccount:${var.n}:web"), "unknown"],
  ["one that ends otherwise", subject("system:serviceaccount:${var.n}:api"), "fail"],
  [
    "another subject beside a late issuer",
    credential({ issuer: "${var.i}", subject: "system:serviceaccount:a:b" }),
    "fail",
  ],
  ["another subject, of an application", application({ subject: "system:serviceaccount:shop:api" }), "fail"],
  ["a name with a space", credential({ name: "a b" }), "fail", "the federated identity credential of"],
  ["a name of two letters", credential({ name: "ab" }), "fail", "the federated identity credential of"],
  ["two audiences", credential({ audience: ["api://AzureADTokenExchange", "x"] }), "fail"],
  ["20 credentials", moreCredentials(...others(19)), "pass"],
  ["21 credentials", moreCredentials(...others(20)), "unknown", REFUSED],
  ["two of one issuer and subject", moreCredentials({ name: "second" }), "unknown", REFUSED],
  ["two of one name", moreCredentials({ subject: ANOTHER }), "unknown", REFUSED],
  [
    "two of one issuer and subject on two identities",
    configured(
      more(CREDENTIAL, { name: "second", parent_id: `\${${IDENTITIES}.added.id}` }),
      added(IDENTITIES, { name: "other", resource_group_name: "x" }),
    ),
    "pass",
  ],
  [
    "what a state tells is there",
    credential({ name: "n", id: "/subscriptions/s/federatedIdentityCredentials/n" }),
    "pass",
  ],
]);

const updated = (resource_id: string): Change =>
  added("azapi_update_resource", {
    type: "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@2023-01-31",
    resource_id,
  });
const GIVEN = `a module, which explain does not follow, is given ${OWN}`;
const given = call({ x: `\${${OWN}.principal_id}` });
const inModule = {
  address: "module.m.azurerm_x.y",
  mode: "managed",
  type: "azurerm_x",
  name: "y",
  values: {},
};
const state = JSON.stringify({
  format_version: "1.0",
  terraform_version: "1.11.0",
  values: { root_module: { child_modules: [{ address: "module.m", resources: [inModule] }] } },
});

checks(ID, "what may change the credential", acr, [
  ["a module that is given nothing of the chain", configured(call({ x: "y" })), "pass"],
  ["a module that is given the identity", configured(given), "unknown", GIVEN],
  [
    "the same, of which a state is read",
    configured(given),
    "pass",
    "",
    { others: [{ "state.json": state }] },
  ],
  ["the identity in a list in an object", configured(call({ x: [{ y: `\${${OWN}.id}` }] })), "unknown"],
  [
    "the identity, where no role is declared",
    configured(without("azurerm_role_assignment"), call({ x: `\${${OWN}.id}` })),
    "unknown",
  ],
  ["azapi, of another credential", configured(updated(`\${${CREDENTIAL}.x.id}`)), "unknown"],
  [
    "azapi, of the credential",
    configured((all) => {
      const [key = ""] = Object.keys(all.resource[CREDENTIAL] ?? {});
      updated(`\${${CREDENTIAL}.${key}.id}`)(all);
    }),
    "unknown",
  ],
  ["azapi, of any credential", configured(updated("${var.id}")), "unknown"],
]);

const found = `no federated identity credential of ${OWN} with the issuer and audience of the token has the subject ${SUBJECT}; found ${ANOTHER}; the one of ${SUBJECT} has the`;

// Entra compares exactly.
checks(ID, "what almost fits is named", acr, [
  [
    "letter case in the only one's subject",
    subject("system:serviceaccount:Shop:web"),
    "fail",
    `no federated identity credential of ${OWN} has the subject ${SUBJECT}; found system:serviceaccount:Shop:web; system:serviceaccount:Shop:web differs only in letter case;`,
    { log: "AADSTS7002138" },
  ],
  [
    "the end that cdk8s would generate",
    subject(`${SUBJECT}-c8c7fda7`),
    "fail",
    `; ${SUBJECT}-c8c7fda7 differs only in its generated end: cdk8s`,
    { log: "AADSTS700213" },
  ],
  [
    "the issuer of the one of the subject",
    besideAnother({ issuer: "https://oidc.acme.example/old" }),
    "fail",
    `${found} issuer https://oidc.acme.example/old;`,
  ],
  [
    "a slash in the issuer of the one of the subject",
    besideAnother({ issuer: `${ISSUER}/` }),
    "fail",
    `${found} issuer ${ISSUER}/; ${ISSUER}/ differs only in a trailing slash;`,
  ],
  [
    "the audience of the one of the subject",
    besideAnother({ audience: ["api://AzureADTokenExchangeUSGov"] }),
    "fail",
    `${found} audience api://AzureADTokenExchangeUSGov;`,
  ],
]);

it("says what to change, and where", () => {
  const changed = besideAnother({ issuer: "https://oidc.acme.example/old" });
  const check = checkOf(answer(acr, changed), ID);
  expect(check.remedy).toBe(
    "write exactly the cluster's issuer, trailing slash included, into the federated identity credential",
  );
  const path = check.evidence[0]?.source?.path ?? "";
  expect([path.startsWith(`resource.${CREDENTIAL}`), path.includes("more0")]).toEqual([true, false]);
});
