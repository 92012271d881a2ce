import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../../lib/explain";
import { bind } from "../../../lib/synth";
import { folderOf } from "../../fixtures/explain/artefacts";
import { type Damage, answer, checkOf, checks } from "../../fixtures/explain/checks";
import { type Change, configured, only, provider } from "../../fixtures/explain/configuration";
import { question } from "../../fixtures/explain/plain";
import { accounts, acr, ecr, node, objects, record, tools } from "../../fixtures/explain/three-clouds";

const KEY = "eks.amazonaws.com/ecr-role-arn";
const ROLE = "arn:aws:iam::111122223333:role/edge-1_shop_web";
const REQUIRED = `requiredServiceAccountAnnotationKeys:\n              - ${KEY}`;
const optional = node(REQUIRED, REQUIRED.replace("required", "optional"));
const irsa = accounts("ecr-role-arn", "role-arn");
const CLIENT = '"@late(azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id)@"';
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const OTHER = "11111111-86f1-41af-91ab-2d7cd011db47";

checks("annotations-present", "the role on AWS", ecr, [
  ["as written", [], "pass"],
  [
    "the annotation of IRSA",
    irsa,
    "fail",
    "it has eks.amazonaws.com/role-arn",
    { as: null, log: `required annotation ${KEY} not found` },
  ],
  // kubernetes/cloud-provider-aws: without the annotation 1.34 fails, 1.35 takes the node's identity.
  [
    "an optional key, ECR plugin 1.35",
    [optional, irsa],
    "fail",
    "which the plugin does not read",
    { as: "node identity", log: "silent" },
  ],
  [
    "an optional key, ECR plugin 1.34",
    [optional, irsa, record('"1.35.2"', '"1.34.1"')],
    "fail",
    `has no ${KEY}`,
    { as: null, log: "no arn provided, cannot assume role using ServiceAccountToken" },
  ],
  [
    "a key that is not listed",
    node(`            ${REQUIRED}\n`, ""),
    "fail",
    "does not pass it to the plugin",
    { as: "node identity" },
  ],
]);

const tenant = (id: string): Damage => configured(provider("azurerm", { tenant_id: id }));
const ofIdentity: Change = (all) => void (only(all, "azurerm_user_assigned_identity")["tenant_id"] = OTHER);
const IS = `kubernetes.azure.com/acr-tenant-id is ${TENANT}, but`;

// kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider.
checks("annotations-present", "client and tenant on Azure", acr, [
  [
    "an empty client id",
    accounts(CLIENT, '""'),
    "fail",
    "or an empty one",
    { log: "client id annotation kubernetes.azure.com/acr-client-id is not found or the value is empty" },
  ],
  [
    "an empty tenant id",
    accounts(TENANT, '""'),
    "fail",
    "",
    { log: "tenant id annotation kubernetes.azure.com/acr-tenant-id is not found or the value is empty" },
  ],
  [
    "another tenant than the plugin's",
    accounts("72f988bf-86f1", "00000000-86f1"),
    "fail",
    "the annotation names the tenant",
    { log: "silent" },
  ],
  [
    "tenants that may differ",
    accounts(TENANT, '"@late(azurerm_user_assigned_identity.other.tenant_id)@"'),
    "unknown",
    "known only after apply",
  ],
  ["the tenant of the provider", tenant(TENANT.toUpperCase()), "pass"],
  ["a domain of the tenant", tenant("acme.example"), "pass"],
  ["another tenant of the provider", tenant(OTHER), "fail", IS],
  ["a tenant of the provider that is not known", tenant("${var.t}"), "unknown"],
  ["another tenant of the identity", configured(ofIdentity), "fail", IS],
]);

// kubernetes/cloud-provider-gcp, app/getcredentials.go.
checks("annotations-present", "the switch on Google", tools, [
  [
    "True is not true",
    accounts('"true"', '"True"'),
    "fail",
    "the plugin needs exactly",
    { as: "node identity", log: "Workload Identity is disabled, using Node Service Account for image" },
  ],
  ["none", accounts("enable-wi-image-pull", "enable-wi"), "fail", "", { as: null, log: "silent" }],
]);

const account = (name: string, annotations: object | undefined, more: object = {}): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: name === "web" ? "shop" : "team", name, ...(annotations && { annotations }) },
    ...more,
  });
const web = (annotations?: object, more?: object): Damage => objects(account("web", annotations, more));

checks("annotations-present", "several documents of the stack", ecr, [
  ["the same once more", web({ [KEY]: ROLE }), "pass"],
  [
    "one without the annotation",
    web(),
    "unknown",
    /^documents of shop\/web contradict each other about the annotation eks\.amazonaws\.com\/ecr-role-arn \(.*20-service-accounts\.yaml#\d+, .*20-service-accounts\.yaml#\d+\): /,
  ],
  ["one with another role", web({ [KEY]: `${ROLE}2` }), "unknown"],
  ["another annotation besides", web({ [KEY]: ROLE, "acme.example/team": "a" }), "pass"],
  // What a chart owns whole keeps annotations that are applied with --server-side.
  ["someone's whole one without it", web(undefined, { secrets: [] }), "pass"],
  ["someone's whole one with another role", web({ [KEY]: "x" }, { secrets: [] }), "unknown"],
]);

describe.each(["app/a.json", "app/z.json"])("in %s", (name) => {
  const beside =
    (annotations?: object, more?: object): Damage =>
    (files) =>
      new Map(files).set(name, account("puller", annotations, more));
  checks("annotations-present", "several plain documents", question, [
    ["the same once more", beside({ [KEY]: "arn:aws:iam::111122223333:role/team/puller" }), "pass"],
    ["one without the annotation", beside(), "unknown"],
    ["one with another role", beside({ [KEY]: "x" }), "unknown"],
    ["someone's whole one", beside(undefined, { imagePullSecrets: [] }), "pass"],
  ]);
});

it("names each document as evidence", () => {
  expect(checkOf(answer(ecr, web()), "annotations-present").evidence).toHaveLength(2);
});

const text = [...acr.artefacts.values()].join();
const [output = ""] = /azurerm_user_assigned_identity_\w+_client_id/.exec(text) ?? [];
const [, address = ""] = /\$\{(azurerm_user_assigned_identity\.[\w-]+)\.client_id\}/.exec(text) ?? [];

/** The pull by manifests that were filled in with a client id, beside a state that has another, or the same. */
function filledIn(client: string, by: "outputs" | "attributes") {
  const from = folderOf(acr.artefacts);
  const outputs = folderOf({ "o.json": JSON.stringify({ "edge-1": { [output]: client } }) });
  const to = folderOf({});
  bind({ outputs: join(outputs, "o.json"), from, to });
  const [type = "", name = ""] = address.split(".");
  const resource = { address, mode: "managed", type, name, values: { client_id: OTHER } };
  const values = {
    outputs: by === "outputs" ? { [output]: { value: OTHER } } : {},
    root_module: { resources: by === "attributes" ? [resource] : [] },
  };
  const state = folderOf({ "state.json": JSON.stringify({ format_version: "1.0", values }) });
  const [result] = explain([from, to, state], { serviceAccount: "shop/web", image: acr.image ?? "" });
  return result;
}

describe.each(["outputs", "attributes"] as const)(
  "a client id that was filled in, by %s of a state",
  (by) => {
    it("holds where the state has it", () => {
      expect(filledIn(OTHER, by)?.verdict).toBe("allowed");
    });

    it("is broken where the state has another, with both values", () => {
      const result = filledIn(TENANT, by);
      const check = result?.checks.find(({ id }) => id === "annotations-present");
      expect([result?.verdict, check?.status]).toEqual(["denied", "fail"]);
      expect(check?.reason).toContain(`${TENANT} was filled in, but the state has ${OTHER} there`);
    });
  },
);
