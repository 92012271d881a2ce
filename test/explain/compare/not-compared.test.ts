/* What differs and is not read: it cannot be compared where it names an identity, and is counted otherwise. */

import { describe, expect, it } from "vitest";
import { compare, renderCompareJson, renderCompareMarkdown, renderCompareText } from "../../../lib/explain";
import { type Artefacts, folderOf } from "../../fixtures/explain/artefacts";
import {
  type Block,
  type Resources,
  adding,
  changed,
  compared,
  policy,
  whole,
} from "../../fixtures/explain/changed";

type Edit = (artefacts: Artefacts) => Artefacts;

const ROLE = "aws_iam_role.pulls_aws_shop_web_332B9317";
const ROLE_ARN = "arn:aws:iam::111122223333:role/edge-1_shop_web";
const IDENTITY = "azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B";
const LAMBDA = "aws_lambda_function";

const resources =
  (change: (resources: Resources) => void): Edit =>
  () =>
    changed(change);
/** A resource more, and some of its arguments. */
const more = (type: string, block: Block): Edit => resources(adding([type, block]));
const same: Edit = (artefacts) => artefacts;

/** Arguments of the only resource of a type. */
const set = (type: string, values: Block): Edit =>
  resources((all) => {
    for (const block of Object.values(all[type] ?? {})) Object.assign(block, values);
  });

/** A file more in the stack's folder. */
const file =
  (name: string, text: string): Edit =>
  (artefacts) =>
    new Map([...artefacts, [`stacks/edge-1/${name}`, text]]);

/** Another section of the configuration. */
const section =
  (name: string, value: object): Edit =>
  (artefacts) =>
    new Map(
      [...artefacts].map(([path, text]) => [
        path,
        path.endsWith("cdk.tf.json")
          ? JSON.stringify({ ...(JSON.parse(text) as object), [name]: value })
          : text,
      ]),
    );

const ACCOUNTS = "20-service-accounts.yaml";
/** More text at the end of the manifest of service accounts. */
const manifest =
  (more: string): Edit =>
  (artefacts) =>
    new Map([...artefacts].map(([path, text]) => [path, path.endsWith(ACCOUNTS) ? `${text}${more}` : text]));
const replaced =
  (ending: string, from: string, to: string): Edit =>
  (artefacts) =>
    new Map(
      [...artefacts].map(([path, text]) => [path, path.endsWith(ending) ? text.replace(from, to) : text]),
    );
/** An annotation of a service account. */
const annotation = (line: string): Edit =>
  replaced(ACCOUNTS, "  annotations:\n", `  annotations:\n    ${line}\n`);
/** Labels of a service account. */
const label = (value: string): Edit =>
  replaced(ACCOUNTS, "  annotations:\n", `  labels:\n    team: ${value}\n  annotations:\n`);
/** Arguments of a Terraform provider. */
const provider =
  (name: string, values: object): Edit =>
  (artefacts) => {
    const { provider: written = {} } = JSON.parse(artefacts.get(CONFIGURATION) ?? "") as {
      provider?: Record<string, object[]>;
    };
    const blocks = (written[name] ?? []).map((each) => ({ ...each, ...values }));
    return section("provider", { ...written, [name]: blocks })(artefacts);
  };
const CONFIGURATION = "stacks/edge-1/cdk.tf.json";
const AWS_REGION = { region: "${var.region}" };
const regionOf =
  (name: string): Edit =>
  (artefacts) =>
    section("variable", { region: { default: name } })(provider("aws", AWS_REGION)(artefacts));

const webhook = (timeoutSeconds: number): Edit =>
  manifest(
    `---\n${JSON.stringify({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "x" },
      webhooks: [{ name: "x.example.com", timeoutSeconds, rules: [] }],
    })}\n`,
  );

const custom = (kind: string, spec: object): string =>
  `---\n${JSON.stringify({ apiVersion: "acme.example/v1", kind, metadata: { name: "x", namespace: "shop" }, spec })}\n`;

const azapi = (principal: string): Edit =>
  more("azapi_resource", {
    type: "Microsoft.Authorization/denyAssignments@2022-04-01",
    name: "x",
    body: {
      properties: {
        principals: [principal],
        by: "${azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id}",
      },
    },
  });

const AWS_AUTH = `---
apiVersion: v1
kind: ConfigMap
metadata: { name: aws-auth, namespace: kube-system }
data: { mapRoles: "[{rolearn: arn:aws:iam::999999999999:role/a, groups: [ops]}]" }
`;

type Row = readonly [string, before: Edit, after: Edit, rows: readonly string[], counts?: object];

const ROWS: readonly Row[] = [
  [
    "a new resource that refers to a role",
    same,
    more(LAMBDA, { role: `\${${ROLE}.arn}` }),
    [`${LAMBDA}.more names ${ROLE}`],
  ],
  ["one that writes its ARN", same, more(LAMBDA, { role: ROLE_ARN }), [`${LAMBDA}.more names ${ROLE_ARN}`]],
  [
    "another argument of it",
    more(LAMBDA, { role: ROLE_ARN, handler: "a" }),
    more(LAMBDA, { role: ROLE_ARN, handler: "b" }),
    [`${LAMBDA}.more.handler names ${ROLE_ARN}`],
  ],
  ["one that names none", same, more(LAMBDA, { handler: "b", role: `${ROLE_ARN}2` }), [], { [LAMBDA]: 1 }],
  [
    "what only describes it",
    more(LAMBDA, { role: ROLE_ARN, description: "a", tags: { a: "b" } }),
    more(LAMBDA, { role: ROLE_ARN, description: "b", tags: {} }),
    [],
    { [LAMBDA]: 1 },
  ],
  ["what Terraform alone reads", same, set("aws_iam_role", { depends_on: [], timeouts: {} }), []],
  [
    "an argument of a role that is not looked at",
    same,
    set("aws_iam_role", { further: 1 }),
    [`${ROLE}.further`],
  ],
  ["what is harmless", same, set("aws_iam_role", { tags: { team: "a" } }), []],
  [
    "an argument in a block",
    same,
    resources((all) => {
      for (const block of Object.values(all["google_iam_workload_identity_pool_provider"] ?? {}))
        Object.assign(block["oidc"] as object, { further: 1 });
    }),
    [
      "google_iam_workload_identity_pool_provider.oidc-provider_acme-images_k8s-edge-1_k8s-edge-1_3E0671DA.oidc.further",
    ],
  ],
  [
    "what an identity is attached to",
    same,
    more("azurerm_virtual_machine", { identity: [{ identity_ids: [`\${${IDENTITY}.id}`] }] }),
    [`azurerm_virtual_machine.more names ${IDENTITY}`],
  ],
  ["a kind of azapi that is not read", same, azapi("a"), [`azapi_resource.more names ${IDENTITY}`]],
  ["its body", azapi("a"), azapi("b"), [`azapi_resource.more.body names ${IDENTITY}`]],
  [
    "a policy that a role has attached",
    (artefacts) => attached(artefacts, {}),
    (artefacts) => attached(artefacts, { further: 1 }),
    ["aws_iam_policy.more.further"],
  ],
  [
    "a call of a module with the role",
    same,
    section("module", { x: { source: "./x", role: `\${${ROLE}.name}` } }),
    [`module.x names ${ROLE}`],
  ],
  ["a call of a module without it", same, section("module", { x: { source: "./x" } }), [], { module: 1 }],
  [
    "a value of a call",
    section("module", { x: { source: "./x", role: ROLE_ARN, count: 1 } }),
    section("module", { x: { source: "./x", role: ROLE_ARN, count: 2 } }),
    [`module.x names ${ROLE_ARN}`],
  ],
  [
    "HCL that names the role",
    same,
    file("more.tf", `resource "x" "y" { role = ${ROLE}.arn }`),
    [`more.tf names ${ROLE}`],
  ],
  [
    "a number in HCL",
    file("more.tf", `x = ${ROLE}.arn\ny = 1`),
    file("more.tf", `x = ${ROLE}.arn\ny = 2`),
    [`more.tf names ${ROLE}`],
  ],
  ["HCL that names none", same, file("more.tf", "x = 1"), [], { file: 1 }],
  [
    "a local in a resource that is not read",
    (artefacts) =>
      section("locals", { a: "1" })(more(LAMBDA, { role: ROLE_ARN, code: "${local.a}" })(artefacts)),
    (artefacts) =>
      section("locals", { a: "2" })(more(LAMBDA, { role: ROLE_ARN, code: "${local.a}" })(artefacts)),
    [`${LAMBDA}.more.code names ${ROLE_ARN}`],
  ],
  [
    "an object of a kind that is not read, with the role",
    manifest(custom("Rollout", { role: "x" })),
    manifest(custom("Rollout", { role: ROLE_ARN })),
    [`Rollout shop/x.spec names ${ROLE_ARN}`],
  ],
  [
    "one with a service account",
    same,
    manifest(custom("Rollout", { user: "system:serviceaccount:shop:web" })),
    ["Rollout shop/x names system:serviceaccount:shop:web"],
  ],
  [
    "one that runs as it",
    same,
    manifest(custom("Rollout", { serviceAccountName: "web" })),
    ["Rollout shop/x names system:serviceaccount:shop:web"],
  ],
  [
    "one without either",
    manifest(custom("Rollout", { a: 1 })),
    manifest(custom("Rollout", { a: 2 })),
    [],
    { Rollout: 1 },
  ],
  [
    "an annotation that names an identity",
    annotation("iam.gke.io/gcp-service-account: a@acme.iam.gserviceaccount.com"),
    annotation("iam.gke.io/gcp-service-account: b@acme.iam.gserviceaccount.com"),
    [
      "annotation iam.gke.io/gcp-service-account names a@acme.iam.gserviceaccount.com, b@acme.iam.gserviceaccount.com",
    ],
  ],
  [
    "an annotation that names none",
    annotation("acme.example/version: v1"),
    annotation("acme.example/version: v2"),
    [],
  ],
  ["a label of a service account", label("a"), label("b"), [], { ServiceAccount: 1 }],
  ["a new label", same, label("b"), [], { ServiceAccount: 1 }],
  ["another region of a provider", same, provider("aws", { region: "eu-west-2" }), [], { provider: 1 }],
  ["one from a variable", regionOf("eu-west-1"), regionOf("eu-west-2"), [], { provider: 1 }],
  [
    "another subscription",
    same,
    provider("azurerm", { subscription_id: "0b1f6471-1bf0-4dda-aec3-cb9272f09591" }),
    [],
    { provider: 1 },
  ],
  [
    "whom a provider acts as",
    same,
    provider("google", { impersonate_service_account: "a@b.iam.gserviceaccount.com" }),
    [],
    { provider: 1 },
  ],
  [
    "where a provider sends requests",
    provider("aws", { endpoints: [{ iam: "http://a" }] }),
    provider("aws", { endpoints: [{ iam: "http://b" }] }),
    [`provider.aws.endpoints names ${ROLE}`],
  ],
  ["a provider of nothing here", same, section("provider", { random: [{}] }), [], { provider: 4 }],
  [
    "values of variables",
    file("terraform.tfvars", "a = 1"),
    file("terraform.tfvars", "a = 2"),
    [],
    { file: 1 },
  ],
  [
    "values that name the role",
    same,
    file("prod.tfvars", `a = "${ROLE_ARN}"`),
    [`prod.tfvars names ${ROLE_ARN}`],
  ],
  ["values in JSON", same, file("a.auto.tfvars.json", "{}"), [], { file: 1 }],
  [
    "whom EKS lets into the cluster",
    manifest(AWS_AUTH),
    manifest(AWS_AUTH.replace("ops", "system:masters")),
    ["ConfigMap kube-system/aws-auth.data"],
  ],
  ["a webhook", webhook(1), webhook(2), [], { MutatingWebhookConfiguration: 1 }],
];

/** A policy attached to the role, with arguments of it. */
function attached(_: Artefacts, values: Block): Artefacts {
  return changed(
    adding(
      [
        "aws_iam_policy",
        { name: "more", policy: policy({ Effect: "Allow", Action: "s3:Get*", Resource: "*" }), ...values },
      ],
      [
        "aws_iam_role_policy_attachment",
        { role: `\${${ROLE}.name}`, policy_arn: "${aws_iam_policy.more.arn}" },
      ],
    ),
  );
}

describe("what is not read", () => {
  const rowsOf = ROWS.map(([why, before, after, rows, counts = {}]) => ({
    why,
    before,
    after,
    rows,
    counts,
  }));

  it.each(rowsOf)("$why", ({ before, after, rows, counts }) => {
    const [old, made] = [before(whole), after(whole)];
    for (const comparison of [compared(old, made), compared(made, old)]) {
      const { notCompared } = comparison;
      const changes = comparison.changes.filter(({ reason }) => reason.includes("explain does not read it"));
      expect(changes.map(({ kind }) => kind)).toEqual(rows.map(() => "incomparable"));
      expect(changes.map(({ target, reason }) => target + reason.replace(/^[^;]*(?:; it)?/, ""))).toEqual(
        rows,
      );
      expect(notCompared).toEqual(counts);
    }
  });

  it("is shown by no text of a secret", () => {
    const secret = (text: string): Edit =>
      more("aws_db_instance", { password: text, monitoring_role_arn: ROLE_ARN });
    const comparison = compared(secret("hunter1")(whole), secret("hunter2")(whole));
    expect(comparison.changes.map(({ target }) => target)).toEqual(["aws_db_instance.more.password"]);
    for (const render of [renderCompareJson, renderCompareMarkdown, renderCompareText])
      expect(render(comparison)).not.toMatch(/hunter/);
  });

  it("is found in plans and states too", () => {
    const values = { role: ROLE_ARN, function_name: "f" };
    const trust = {
      Effect: "Allow",
      Principal: { Federated: "arn:aws:iam::111122223333:oidc-provider/a.b" },
      Action: "sts:AssumeRoleWithWebIdentity",
    };
    const role = { name: "edge-1_shop_web", arn: ROLE_ARN, assume_role_policy: policy(trust) };
    const shown = (section: "values" | "planned_values", memory: number): string =>
      folderOf({
        "show.json": JSON.stringify({
          format_version: "1.2",
          [section]: {
            root_module: {
              resources: [
                { address: "aws_iam_role.r", mode: "managed", type: "aws_iam_role", name: "r", values: role },
                {
                  address: `${LAMBDA}.f`,
                  mode: "managed",
                  type: LAMBDA,
                  name: "f",
                  values: { ...values, memory },
                },
              ],
            },
          },
        }),
      });
    for (const section of ["values", "planned_values"] as const) {
      const { changes } = compare([shown(section, 1)], [shown(section, 2)]);
      expect(changes.map(({ target }) => target)).toEqual([`${LAMBDA}.f.memory`]);
    }
  });
});
