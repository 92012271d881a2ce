/*
 * Objects that Terraform applies, in a plan: the verdict is that of the same objects in a configuration, and a file
 * beside it that says otherwise is a contradiction, never the answer.
 *
 * Sources: developer.hashicorp.com/terraform/internals/json-format, "Plan Representation"; hashicorp/
 * terraform-provider-kubernetes, docs/resources/manifest.md.
 */

import { expect, it } from "vitest";
import { type ExplainResult, explain } from "../../lib/explain";
import { question } from "../fixtures/explain/admission";
import { filesIn } from "../fixtures/explain/read";

const ROLE = "eks.amazonaws.com/ecr-role-arn";
const ARN = "arn:aws:iam::111122223333:role/team/puller";
const { artefacts, cluster, serviceAccount, image } = question;

type Annotations = Readonly<Record<string, string>>;
const account = (annotations: Annotations | undefined, name = "puller"): object => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name, namespace: "team", ...(annotations && { annotations }) },
});
const WRITTEN = account({ [ROLE]: ARN });

/** The arguments that the provider's schema adds to each resource in a plan. */
const COMPUTED = { computed_fields: null, field_manager: [], timeouts: [], wait: [], wait_for: null };

/** `terraform show -json` of a plan with the manifest; `late` says which parts only apply shows. */
const planned = (manifest: object | undefined, late: object | true = {}, key = ""): object => {
  const address = `kubernetes_manifest.puller${key}`;
  const named = { mode: "managed", type: "kubernetes_manifest", name: "puller", address };
  const values = { manifest, object: manifest, ...COMPUTED };
  const expressions = { manifest: {} };
  const configured = { ...named, address: "kubernetes_manifest.puller", expressions };
  return {
    format_version: "1.2",
    planned_values: { root_module: { resources: [{ ...named, values }] } },
    resource_changes: [
      {
        ...named,
        change: { actions: ["create"], after: values, after_unknown: { manifest: late, object: true } },
      },
    ],
    configuration: {
      root_module: { resources: [{ ...configured, provider_config_key: "kubernetes", schema_version: 1 }] },
    },
  };
};
const configured = (manifest: object): object => ({
  resource: { kubernetes_manifest: { puller: { manifest } } },
});

/** The pull with a document of Terraform's, beside the file of the service account or without it. */
function pull(path: string, document: object, file?: object): ExplainResult {
  const deployment = artefacts.get("app/deployment.yaml")?.replace(/^[^]*?---\n/, "") ?? "";
  const folder = filesIn({
    ...Object.fromEntries(artefacts),
    "app/deployment.yaml": deployment,
    [path]: document,
    ...(file && { "app/account.json": file }),
  });
  const [result] = explain([folder], { serviceAccount, image }, { cluster });
  if (result === undefined) throw new Error("nothing is said");
  return result;
}
/** The verdict, and the first link that is open with its reason. */
const openOf = ({ verdict, checks }: ExplainResult): string => {
  const open = checks.find(({ status }) => status === "fail" || status === "unknown");
  return open === undefined ? verdict : `${verdict}: ${open.id}: ${open.reason}`;
};
const OTHER = account({ [ROLE]: `${ARN}-x` });

it.each<[string, object, string]>([
  ["with its role", WRITTEN, "allowed"],
  [
    "with a role that is not there",
    OTHER,
    `unknown: issuer-trusted: the IAM role ${ARN}-x is not among what was read; the nearest is team/puller`,
  ],
  [
    "without annotation",
    account(undefined),
    `denied: annotations-present: the service account team/puller lacks the required annotation ${ROLE}`,
  ],
  [
    "under another name",
    account({ [ROLE]: ARN }, "wob"),
    "denied: service-account-present: the service account team/puller is in none of the manifests",
  ],
])("a service account %s is judged alike in plan and configuration", (_, manifest, expected) => {
  const results = [pull("tf/plan.json", planned(manifest)), pull("tf/main.tf.json", configured(manifest))];
  expect(results.map(openOf)).toEqual([expected, expected]);
});

it.each<[string, object, string]>([
  ["of one of several resources", planned(WRITTEN, {}, '["puller"]'), "allowed"],
  [
    "whose role only apply shows",
    planned(account({}), { metadata: { annotations: { [ROLE]: true } } }),
    "unknown: annotations-present: ",
  ],
  [
    "of which another annotation is late",
    planned(WRITTEN, { metadata: { annotations: { "example.com/id": true } } }),
    "allowed",
  ],
  [
    "of which all annotations are late",
    planned(account(undefined), { metadata: { annotations: true } }),
    "unknown: ",
  ],
  ["that is late as a whole", planned(undefined, true), "unknown: "],
])("a service account of a plan %s", (_, plan, expected) => {
  expect(openOf(pull("tf/plan.json", plan)).slice(0, expected.length)).toBe(expected);
});

const CONTESTED = "unknown: annotations-present: documents of team/puller contradict each other";
it.each<[string, object, file: object, string]>([
  ["of the same text", WRITTEN, WRITTEN, "allowed"],
  ["that the plan changes", OTHER, WRITTEN, CONTESTED],
  ["whose annotation the plan lacks", account({}), WRITTEN, CONTESTED],
  ["that the plan corrects", WRITTEN, OTHER, CONTESTED],
])("a plan beside a file %s says what the configuration says there", (_, manifest, file, expected) => {
  const results = [
    pull("tf/plan.json", planned(manifest), file),
    pull("tf/main.tf.json", configured(manifest), file),
  ];
  expect(results.map((each) => openOf(each).slice(0, expected.length))).toEqual([expected, expected]);
});
