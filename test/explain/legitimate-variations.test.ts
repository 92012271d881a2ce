/*
 * The examples written otherwise: as other tools print them, with what teams add to them, and beside what explain does
 * not read. None of it changes what happens, so no verdict may change. The other half of the closed world, whose
 * attacks are in `coverage/attacks.test.ts`.
 */

import { expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { type Json, list, record } from "../../lib/model/parsed";
import {
  type Artefacts,
  EXAMPLES,
  type ExampleName,
  explained,
  synthesized,
} from "../fixtures/explain/artefacts";

type Variation = (files: Artefacts) => Artefacts;

const verdicts = (files: Artefacts): readonly string[] =>
  explained(files)
    .map(({ job, subject, target, verdict }) => [job, subject, target, verdict].join(" "))
    .sort();

/** Changes the documents of files by what they hold. */
const changed =
  (ending: RegExp, change: (text: string, path: string) => string): Variation =>
  (files) =>
    new Map([...files].map(([path, text]) => [path, ending.test(path) ? change(text, path) : text]));

/** Changes each Terraform configuration. */
const terraform = (change: (document: Json) => Json): Variation =>
  changed(/cdk\.tf\.json$/, (text) => JSON.stringify(change(record(JSON.parse(text))), null, 2));

/** Changes each resource. */
const resources = (change: (values: Json, type: string, name: string) => Json): Variation =>
  terraform((document) => ({ ...document, resource: eachResource(document["resource"], change) }));

function eachResource(section: unknown, change: (values: Json, type: string, name: string) => Json): Json {
  return Object.fromEntries(
    Object.entries(record(section)).map(([type, named]) => [
      type,
      Object.fromEntries(
        Object.entries(record(named)).map(([name, values]) => [name, change(record(values), type, name)]),
      ),
    ]),
  );
}

/** Resources beside those of each configuration, by type. */
const beside = (added: Readonly<Record<string, Json>>, sections: Json = {}): Variation =>
  terraform((document) => {
    const before = record(document["resource"]);
    const after = Object.entries(added).map(([type, values]) => [
      type,
      { ...record(before[type]), beside_it: values },
    ]);
    return { ...document, ...sections, resource: { ...before, ...Object.fromEntries(after) } };
  });

/** Changes each policy that is written as JSON. */
const policies = (change: (policy: Json) => Json): Variation =>
  resources((values) =>
    mapTexts(values, (text) => {
      if (!text.startsWith("{") || !text.includes('"Statement"')) return text;
      return JSON.stringify(change(record(JSON.parse(text))));
    }),
  );

function mapTexts(value: unknown, change: (text: string) => string): Json {
  const inner = (each: unknown): unknown =>
    typeof each === "string"
      ? change(each)
      : Array.isArray(each)
        ? each.map(inner)
        : typeof each === "object" && each !== null
          ? Object.fromEntries(Object.entries(each).map(([key, value]) => [key, inner(value)]))
          : each;
  return record(inner(value));
}

const statements = (change: (statement: Json) => Json): Variation =>
  policies((policy) => ({
    ...policy,
    Statement: list(policy["Statement"]).map((each) => change(record(each))),
  }));

const MANIFEST = /manifests\/.*\.yaml$/;

/** Changes each Kubernetes object. */
const objects = (change: (object: Json) => Json): Variation =>
  changed(MANIFEST, (text) =>
    parseAllDocuments(text)
      .map((document) => stringify(change(record(document.toJS()))))
      .join("---\n"),
  );

const metadata = (change: (metadata: Json) => Json): Variation =>
  objects((object) => ({ ...object, metadata: change(record(object["metadata"])) }));

/** Another file among the manifests, which the stack lists. */
const manifests =
  (...added: readonly Json[]): Variation =>
  (files) => {
    const [place = "", text = "{}"] =
      [...files].find(([path]) => path.endsWith("workload-identity.json")) ?? [];
    const recorded = JSON.parse(text) as { manifests?: readonly unknown[] };
    const file = "manifests/90-others.yaml";
    const listed = {
      ...recorded,
      manifests: [...(recorded.manifests ?? []), { file, appliesTo: "cluster" }],
    };
    const path = place.replace(/[^/]*$/, file);
    const objects = added.map((each) => stringify(each)).join("---\n");
    return new Map([...files, [place, JSON.stringify(listed)], [path, objects]]);
  };

const of = (apiVersion: string, kind: string, name: string, values: Json, namespace?: string): Json => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...values,
});

const reversed = (value: Json): Json => Object.fromEntries(Object.entries(value).reverse());

const SERVER = {
  uid: "0f6f6a3c-8f2b-4c8e-9f0a-2b6f5a0d9c11",
  resourceVersion: "48211",
  creationTimestamp: "2026-03-01T10:00:00Z",
  generation: 2,
  managedFields: [
    { manager: "kubectl", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} },
  ],
};

const LOCAL = "a_local";

const VARIATIONS: Readonly<Record<string, Variation>> = {
  // Terraform
  "policies with single values as lists": statements((each) => ({
    ...each,
    Action: list(each["Action"]).length > 0 ? each["Action"] : [each["Action"]],
  })),
  "policies in another order": policies((policy) => ({
    ...reversed(policy),
    Statement: [...list(policy["Statement"])].reverse(),
  })),
  "statements with ids": policies((policy) => ({
    ...policy,
    Statement: list(policy["Statement"]).map((each, place) => ({ Sid: `Written${place}`, ...record(each) })),
  })),
  "policies on several lines": resources((values) =>
    mapTexts(values, (text) =>
      text.startsWith("{") && text.includes('"Statement"') ? JSON.stringify(JSON.parse(text), null, 2) : text,
    ),
  ),
  "policies by jsonencode": resources((values) =>
    mapTexts(values, (text) =>
      text.startsWith("{") && text.includes('"Statement"') && !text.includes("${")
        ? `\${jsonencode(${text})}`
        : text,
    ),
  ),
  "names from locals": terraform((document) => {
    const locals: Record<string, unknown> = { ...record(document["locals"]) };
    const resource = eachResource(document["resource"], (values, type, id) => {
      const { name } = values;
      if (typeof name !== "string" || name.includes("${")) return values;
      const local = `${LOCAL}_${type}_${id}`;
      locals[local] = name;
      return { ...values, name: `\${local.${local}}` };
    });
    return { ...document, locals, resource };
  }),
  "names from variables with defaults": terraform((document) => {
    const variable: Record<string, unknown> = { ...record(document["variable"]) };
    const resource = eachResource(document["resource"], (values, type, id) => {
      const { name } = values;
      if (typeof name !== "string" || name.includes("${")) return values;
      variable[`${type}_${id}`] = { type: "string", default: name };
      return { ...values, name: `\${var.${type}_${id}}` };
    });
    return { ...document, variable, resource };
  }),
  "aliases of providers": terraform((document) => ({
    ...document,
    provider: Object.fromEntries(
      Object.entries(record(document["provider"])).map(([name, all]) => [
        name,
        list(all).length === 1 ? list(all).map((each) => ({ ...record(each), alias: "main" })) : all,
      ]),
    ),
    resource: eachResource(document["resource"], (values, type) => {
      const [name = ""] = type.split("_");
      const isOne = list(record(document["provider"])[name]).length === 1;
      return values["provider"] !== undefined || !isOne ? values : { ...values, provider: `${name}.main` };
    }),
  })),
  "default tags": terraform((document) => {
    const { aws } = record(document["provider"]) as { aws?: readonly Json[] };
    const tagged = aws?.map((each) => ({
      ...each,
      default_tags: [{ tags: { team: "platform" } }],
      max_retries: 5,
    }));
    return aws ? { ...document, provider: { ...record(document["provider"]), aws: tagged } } : document;
  }),
  "tags and lifecycles": resources((values, type) => ({
    ...values,
    ...(type.startsWith("aws_iam_role") && !/attachment|_policy$|policies/.test(type)
      ? { tags: { team: "shop" } }
      : {}),
    lifecycle: { ...record(values["lifecycle"]), prevent_destroy: true },
  })),
  dependencies: resources((values) => ({ ...values, depends_on: ["aws_vpc.main"] })),
  "arguments in another order": resources((values) => reversed(values)),
  "arguments that are null": resources((values) => ({
    ...values,
    timeouts: null,
    tags: null,
    description: null,
    ...values,
  })),
  "moved, import, removed and check blocks": terraform((document) => ({
    ...document,
    moved: [{ from: "aws_iam_role.before", to: "aws_iam_role.after" }],
    import: [{ to: "aws_vpc.main", id: "vpc-1" }],
    check: { health: { assert: { condition: true, error_message: "no" } } },
  })),
  "a network beside it": beside({
    aws_vpc: { cidr_block: "10.0.0.0/16" },
    aws_security_group: { name: "web", vpc_id: "${aws_vpc.beside_it.id}" },
    azurerm_virtual_network: { name: "vnet", address_space: ["10.0.0.0/16"] },
    google_compute_network: { name: "vpc" },
  }),
  "stores, queues and keys beside it": beside({
    aws_s3_bucket: { bucket: "reports-of-the-shop" },
    aws_sqs_queue: { name: "orders" },
    aws_kms_key: { description: "of the shop" },
    azurerm_storage_account: { name: "reports" },
    azurerm_key_vault: { name: "vault" },
    google_storage_bucket: { name: "reports-of-the-shop", location: "EU" },
    google_pubsub_topic: { name: "orders" },
  }),
  "identities of others beside it": beside({
    aws_iam_role: {
      name: "lambda-of-others",
      assume_role_policy: JSON.stringify({
        Version: "2012-10-17",
        Statement: [
          { Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" },
        ],
      }),
      tags: { team: "others" },
    },
    aws_iam_user: { name: "of-others" },
    aws_iam_group: { name: "of-others" },
    azurerm_user_assigned_identity: {
      name: "of-others",
      resource_group_name: "others",
      location: "westeurope",
    },
    google_service_account: { account_id: "of-others" },
  }),
  "other providers beside it": beside({
    random_id: { byte_length: 4 },
    time_sleep: { create_duration: "30s" },
    null_resource: { triggers: { a: "b" } },
    tls_private_key: { algorithm: "RSA" },
    helm_release: {
      name: "ingress",
      chart: "ingress-nginx",
      repository: "https://kubernetes.github.io/ingress-nginx",
    },
    kubernetes_namespace: { metadata: { name: "monitoring" } },
    datadog_monitor: { name: "errors", type: "metric alert" },
    github_repository: { name: "shop" },
    cloudflare_record: { name: "www", type: "CNAME" },
  }),
  "a module of a network": terraform((document) => ({
    ...document,
    module: {
      vpc: { source: "terraform-aws-modules/vpc/aws", version: "~> 5", name: "main", cidr: "10.0.0.0/16" },
    },
  })),
  "variables, outputs and a backend of others": terraform((document) => ({
    ...document,
    variable: { ...record(document["variable"]), image_tag: { type: "string" } },
    output: { ...record(document["output"]), vpc: { value: "${aws_vpc.main.id}" } },
    terraform: { ...record(document["terraform"]), required_version: ">= 1.5" },
  })),
  "data sources of others": terraform((document) => ({
    ...document,
    data: {
      ...record(document["data"]),
      aws_availability_zones: { all: { state: "available" } },
      aws_ami: { latest: { most_recent: true, owners: ["amazon"] } },
      google_compute_zones: { all: {} },
    },
  })),

  // Manifests
  "manifests as JSON": changed(MANIFEST, (text) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: parseAllDocuments(text).map((document) => document.toJS() as Json),
    }),
  ),
  "manifests as a List": changed(MANIFEST, (text) =>
    stringify({
      apiVersion: "v1",
      kind: "List",
      metadata: { resourceVersion: "" },
      items: parseAllDocuments(text).map((document) => document.toJS() as Json),
    }),
  ),
  "manifests without comments": objects((object) => object),
  "keys in another order": objects((object) => reversed(object)),
  "keys in the order of the alphabet": changed(MANIFEST, (text) =>
    parseAllDocuments(text)
      .map((document) => stringify(document.toJS(), { sortMapEntries: true }))
      .join("---\n"),
  ),
  "what an API server adds": objects((object) =>
    // Two manifests have a part of a profile each.
    object["kind"] === "ClusterProfile"
      ? object
      : { ...object, metadata: { ...record(object["metadata"]), ...SERVER } },
  ),
  "what kubectl apply records": objects((object) => {
    const before = record(object["metadata"]);
    const last = { "kubectl.kubernetes.io/last-applied-configuration": `${JSON.stringify(object)}\n` };
    return { ...object, metadata: { ...before, annotations: { ...record(before["annotations"]), ...last } } };
  }),
  "labels of Helm": metadata((before) => ({
    ...before,
    labels: {
      ...record(before["labels"]),
      "app.kubernetes.io/managed-by": "Helm",
      "helm.sh/chart": "shop-1.2.3",
    },
    annotations: {
      ...record(before["annotations"]),
      "meta.helm.sh/release-name": "shop",
      "meta.helm.sh/release-namespace": "shop",
    },
  })),
  "labels and waves of Argo CD": metadata((before) => ({
    ...before,
    labels: { ...record(before["labels"]), "argocd.argoproj.io/instance": "shop" },
    annotations: {
      ...record(before["annotations"]),
      "argocd.argoproj.io/sync-wave": "1",
      "argocd.argoproj.io/tracking-id": "shop:v1/ServiceAccount:shop/web",
    },
  })),
  "objects of others beside them": manifests(
    of("v1", "Namespace", "monitoring", {}),
    of("v1", "ConfigMap", "settings", { data: { level: "info" } }, "monitoring"),
    of("v1", "Service", "web", { spec: { ports: [{ port: 80 }] } }, "monitoring"),
    of("networking.k8s.io/v1", "Ingress", "web", { spec: { rules: [] } }, "monitoring"),
    of("networking.k8s.io/v1", "NetworkPolicy", "deny", { spec: { podSelector: {} } }, "monitoring"),
    of("policy/v1", "PodDisruptionBudget", "web", { spec: { minAvailable: 1 } }, "monitoring"),
    of("autoscaling/v2", "HorizontalPodAutoscaler", "web", { spec: { maxReplicas: 3 } }, "monitoring"),
    of("v1", "LimitRange", "limits", { spec: { limits: [] } }, "monitoring"),
    of("v1", "ResourceQuota", "quota", { spec: { hard: { pods: "20" } } }, "monitoring"),
    of("v1", "PersistentVolumeClaim", "data", { spec: { accessModes: ["ReadWriteOnce"] } }, "monitoring"),
    of("monitoring.coreos.com/v1", "ServiceMonitor", "web", { spec: { selector: {} } }, "monitoring"),
    of("cert-manager.io/v1", "Certificate", "web", { spec: { secretName: "web-tls" } }, "monitoring"),
    of("storage.k8s.io/v1", "StorageClass", "fast", { provisioner: "ebs.csi.aws.com" }),
    of("scheduling.k8s.io/v1", "PriorityClass", "high", { value: 1000 }),
  ),
  "roles of others beside them": manifests(
    of("v1", "ServiceAccount", "prometheus", {}, "monitoring"),
    of(
      "rbac.authorization.k8s.io/v1",
      "Role",
      "read",
      { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
      "monitoring",
    ),
    of(
      "rbac.authorization.k8s.io/v1",
      "RoleBinding",
      "read",
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "read" },
        subjects: [{ kind: "ServiceAccount", name: "prometheus", namespace: "monitoring" }],
      },
      "monitoring",
    ),
  ),
  "a kustomization beside them": manifests({
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: ["10-service-accounts.yaml"],
  }),
  "quoted texts": changed(MANIFEST, (text) =>
    parseAllDocuments(text)
      .map((document) => stringify(document.toJS(), { defaultStringType: "QUOTE_DOUBLE" }))
      .join("---\n"),
  ),
  "flow style": changed(MANIFEST, (text) =>
    parseAllDocuments(text)
      .map((document) => stringify(document.toJS(), { collectionStyle: "flow" }))
      .join("---\n"),
  ),
};

/** How many variations are tried at once; those beside one another in the list are not, as they may undo each other. */
const AT_ONCE = 6;
const rows = Object.entries(VARIATIONS);
const steps = Math.ceil(rows.length / AT_ONCE);
const groups = Array.from({ length: steps }, (_, step) => rows.filter((_, place) => place % steps === step));

test.each(Object.keys(EXAMPLES) as ExampleName[])("%s has the same verdicts with all of them", (name) => {
  const files = synthesized(name);
  const before = verdicts(files).join("\n");
  for (const group of groups) {
    const after = verdicts(group.reduce((varied, [, vary]) => vary(varied), files)).join("\n");
    if (after === before) continue;
    // Which of them it was, or that only some together do it.
    const alone = group.filter(([, vary]) => verdicts(vary(files)).join("\n") !== before);
    expect((alone.length > 0 ? alone : group).map(([what]) => what)).toEqual([]);
  }
});
