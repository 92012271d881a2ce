/*
 * Pools, conditions and grants that other people wrote, on the artefacts of an example with a few edits each.
 */

import { describe, expect, it } from "vitest";
import { type Edit, edited, explained, synthesized } from "../../fixtures/explain/artefacts";

const TF = "cdk.tf.json";
const RESOURCE = '"resource": {';
const IMAGE = "europe-west1-docker.pkg.dev/acme-images/tools/build";
const BASE = "iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1";
const MEMBER = `principal://${BASE}/subject/system:serviceaccount:shop:tools`;
const CONDITION = "assertion.sub in ['system:serviceaccount:shop:tools']";
const GRANT = '"google_artifact_registry_repository_iam_member": {';
const SUBJECT = '"google.subject": "assertion.sub"';
const artefacts = synthesized("three-clouds");

/** A resource, as an edit. */
const declared = (type: string, body: object): Edit => [
  TF,
  RESOURCE,
  `"resource": {${JSON.stringify({ [type]: { more: body } }).slice(1, -1)},`,
];
const condition = (expression: string): Edit => [TF, CONDITION, expression];
const mapped = (mapping: string): Edit => [TF, SUBJECT, mapping];
const member = (text: string): Edit => [TF, MEMBER, text];
/** The example's own grant, out of the way. */
const WITHOUT_GRANT: Edit = [TF, GRANT, '"google_other": {'];
const READER = "roles/artifactregistry.reader";
const SUB = "system:serviceaccount:shop:tools";
const POOL_NAME =
  "${google_iam_workload_identity_pool.workload-identity-pool_acme-images_k8s-edge-1_CB62CA17.name}";
/** Texts with numbers from 0 on, between commas. */
const numbered = (count: number, text: (number: number) => string): string =>
  Array.from({ length: count }, (_, number) => text(number)).join(", ");
const CUSTOM_ROLE = "google_project_iam_custom_role";
const DOWNLOAD = "artifactregistry.repositories.downloadArtifacts";
const PERIMETER = "google_access_context_manager_service_perimeter";
const REGISTRY = "artifactregistry.googleapis.com";
const virtual = (repository: string): object => ({
  virtual_repository_config: [{ upstream_policies: [{ id: "a", repository, priority: 1 }] }],
});
const remote = (uri: string): object => ({
  remote_repository_config: [{ common_repository: [{ uri }] }],
});

function check(id: string, edits: readonly Edit[]): unknown {
  const [result] = explained(edited(artefacts, edits), { serviceAccount: "shop/tools", image: IMAGE });
  return result?.checks.find((each) => each.id === id);
}

type Row = readonly [why: string, edits: readonly Edit[], status: string, reason: string];

function says(id: string, edits: readonly Edit[], status: string, reason: string): void {
  expect(check(id, edits)).toMatchObject({ status, reason: expect.stringContaining(reason) });
}

describe("issuer-trusted", () => {
  const pool =
    '"google_iam_workload_identity_pool": {\n      "workload-identity-pool_acme-images_k8s-edge-1_CB62CA17": {';

  it.each<Row>([
    ["the pool is switched off", [[TF, pool, `${pool}"disabled": true,`]], "fail", "the pool is disabled"],
    ["the pool is deleted", [[TF, pool, `${pool}"state": "DELETED",`]], "fail", "the pool is deleted"],
    // Provider documentation, `mode`: in TRUST_DOMAIN no pool provider can be created.
    [
      "the pool is of another mode",
      [[TF, pool, `${pool}"mode": "TRUST_DOMAIN",`]],
      "unknown",
      "in a pool with the mode TRUST_DOMAIN",
    ],
    ["the pool is of its usual mode", [[TF, pool, `${pool}"mode": "FEDERATION_ONLY",`]], "pass", "trusts"],
    [
      "the pool's mode is not known",
      [[TF, pool, `${pool}"mode": "\${var.mode}",`]],
      "unknown",
      "in a pool with the mode not known",
    ],
    // REST reference of projects.locations.workloadIdentityPools.providers, `attributeMapping` and `allowedAudiences`.
    [
      "more custom attributes than Google takes",
      [mapped(`${numbered(49, (n) => `"attribute.a${n}": "assertion.sub"`)}, ${SUBJECT}`)],
      "fail",
      "more than 50 custom attributes",
    ],
    [
      "as many custom attributes as Google takes",
      [mapped(`${numbered(48, (n) => `"attribute.a${n}": "assertion.sub"`)}, ${SUBJECT}`)],
      "pass",
      "trusts",
    ],
    [
      "more audiences than Google takes",
      [[TF, '"allowed_audiences": [', `"allowed_audiences": [${numbered(10, (n) => `"a${n}"`)},`]],
      "fail",
      "or 10 allowed audiences",
    ],
    [
      "another project's pool of the same name is switched off",
      [
        [
          TF,
          '"google_iam_workload_identity_pool": {',
          '"google_iam_workload_identity_pool": {"other": {"project": "other", "workload_identity_pool_id": "k8s-edge-1", "disabled": true},',
        ],
      ],
      "pass",
      "trusts",
    ],
    [
      "the pool provider is deleted",
      [[TF, '"attribute_condition"', '"state": "DELETED",\n        "attribute_condition"']],
      "fail",
      "the pool provider is deleted",
    ],
    [
      "the pool provider takes credentials of AWS",
      [[TF, '"oidc": {', '"aws": {"account_id": "111122223333"},\n        "other": {']],
      "fail",
      "accepts no OpenID Connect tokens",
    ],
  ])("%s", (_why, edits, status, reason) => {
    says("issuer-trusted", edits, status, reason);
  });
});

describe("audience-accepted", () => {
  const audiences = `"allowed_audiences": [
            "https://${BASE}/providers/k8s-edge-1"
          ]`;

  it.each<Row>([
    ["without https:, named", [[TF, `"https://${BASE}`, `"//${BASE}`]], "fail", "accepts //iam"],
    ["none named", [[TF, audiences, '"x": []']], "pass", "accepts"],
    [
      "none named, the token is for the name without https:",
      [
        [TF, audiences, '"x": []'],
        [
          "all-nodes.yaml",
          `serviceAccountTokenAudience: https://${BASE}`,
          `serviceAccountTokenAudience: //${BASE}`,
        ],
        ["10-token-audience.yaml", `- https://${BASE}`, `- //${BASE}`],
      ],
      "pass",
      "accepts //iam",
    ],
    [
      "none named, the token is for another provider of the pool",
      [
        [TF, audiences, '"x": []'],
        [
          "all-nodes.yaml",
          `serviceAccountTokenAudience: https://${BASE}/providers/k8s-edge-1`,
          `serviceAccountTokenAudience: https://${BASE}/providers/other`,
        ],
        [
          "10-token-audience.yaml",
          `- https://${BASE}/providers/k8s-edge-1`,
          `- https://${BASE}/providers/other`,
        ],
      ],
      "fail",
      "the token is for",
    ],
    [
      "a list known only after apply",
      [[TF, audiences, '"allowed_audiences": "${var.a}"']],
      "unknown",
      "only after apply",
    ],
  ])("%s", (_why, edits, status, reason) => {
    says("audience-accepted", edits, status, reason);
  });
});

describe("subject-admitted", () => {
  it.each<Row>([
    [
      "a prefix",
      [condition("assertion.sub.startsWith('system:serviceaccount:shop:')")],
      "pass",
      "admits system:serviceaccount:shop:tools",
    ],
    [
      "another namespace's prefix",
      [condition("assertion.sub.startsWith('system:serviceaccount:prod:') && assertion.sub != ''")],
      "fail",
      "does not admit",
    ],
    [
      "extract()",
      [condition("assertion.sub.extract('system:serviceaccount:{ns}:') in ['shop', 'prod']")],
      "pass",
      "admits",
    ],
    [
      "matches()",
      [condition("assertion.sub.matches('^system:serviceaccount:shop:[a-z]+')")],
      "pass",
      "admits",
    ],
    ["a mapped attribute", [condition("attribute.namespace == 'shop'")], "pass", "admits"],
    [
      "the mapped subject",
      [condition("google.subject == 'system:serviceaccount:shop:web'")],
      "fail",
      "not admit",
    ],
    ["the audience", [condition("'sts.amazonaws.com' in assertion.aud")], "fail", "does not admit"],
    ["a claim that the token lacks", [condition("assertion.repository == 'a/b'")], "fail", "fails: "],
    [
      "a claim that only the token tells",
      [condition("assertion['kubernetes.io']['pod']['name'].startsWith('tools-')")],
      "unknown",
      "only the token tells",
    ],
    [
      "a function that is not read",
      [condition("assertion.sub.replace('a', 'b') == 'x'")],
      "unknown",
      "replace",
    ],
    ["no expression", [condition("assertion.sub ==")], "unknown", "parsed"],
    [
      "a reference in a literal",
      [condition("assertion.sub == '${google_other.x.name}'")],
      "unknown",
      "known only after apply",
    ],
    ["no google.subject", [mapped('"attribute.sub": "assertion.sub"')], "fail", "nothing is mapped"],
    ["a subject without a value", [mapped('"google.subject": "assertion.email"')], "fail", "has no value"],
    [
      "a subject that cannot be determined",
      [mapped('"google.subject": "assertion.jti"')],
      "unknown",
      "is not known",
    ],
    [
      "the UID as subject",
      [mapped(`"google.subject": "assertion['kubernetes.io']['serviceaccount']['uid']"`)],
      "pass",
      "admits",
    ],
  ])("%s", (_why, edits, status, reason) => {
    says("subject-admitted", edits, status, reason);
  });
});

describe("repository-permitted", () => {
  const repository = { project: "acme-images", location: "europe-west1", repository: "tools" };
  const binding = { role: READER, members: [MEMBER] };

  it.each<Row>([
    ["everybody of the pool", [member(`principalSet://${BASE}/*`)], "pass", "is granted"],
    [
      "a project's number known only after apply",
      [member(MEMBER.replace("123456789012", "${data.google_project.p.number}"))],
      "unknown",
      "cannot be judged",
    ],
    [
      "the pool's name by reference",
      [member(`principal://iam.googleapis.com/${POOL_NAME}/subject/${SUB}`)],
      "pass",
      "is granted",
    ],
    [
      "everybody of the pool by reference",
      [member(`principalSet://iam.googleapis.com/${POOL_NAME}/*`)],
      "pass",
      "is granted",
    ],
    [
      "an attribute that cannot be determined, of the pool by reference",
      [
        mapped(`"attribute.team": "assertion.jti", ${SUBJECT}`),
        member(`principalSet://iam.googleapis.com/${POOL_NAME}/attribute.team/a`),
      ],
      "unknown",
      "cannot be judged",
    ],
    [
      "another subject of the pool by reference",
      [member(`principal://iam.googleapis.com/${POOL_NAME}/subject/${SUB}-other`)],
      "fail",
      "nothing grants",
    ],
    [
      "another pool of the same id by reference",
      [
        declared("google_iam_workload_identity_pool", {
          project: "other",
          workload_identity_pool_id: "k8s-edge-1",
        }),
        member(
          `principal://iam.googleapis.com/\${google_iam_workload_identity_pool.more.name}/subject/${SUB}`,
        ),
      ],
      "unknown",
      "cannot be judged",
    ],
    ["a member known only after apply", [member("${local.member}")], "unknown", "cannot be judged"],
    ["everybody", [member("allUsers")], "pass", "is granted"],
    ["everybody authenticated", [member("allAuthenticatedUsers")], "unknown", "cannot be judged"],
    [
      "an attribute that someone else maps",
      [
        mapped(`"attribute.team": "assertion.sub.extract('account:{team}:')", ${SUBJECT}`),
        member(`principalSet://${BASE}/attribute.team/shop`),
      ],
      "pass",
      "is granted",
    ],
    [
      "an attribute of another value",
      [
        mapped(`"attribute.team": "assertion.sub.extract('account:{team}:')", ${SUBJECT}`),
        member(`principalSet://${BASE}/attribute.team/prod`),
      ],
      "fail",
      "nothing grants",
    ],
    [
      "an attribute that cannot be determined",
      [
        mapped(`"attribute.team": "assertion.jti", ${SUBJECT}`),
        member(`principalSet://${BASE}/attribute.team/a`),
      ],
      "unknown",
      "cannot be judged",
    ],
    [
      "an attribute that is not mapped",
      [member(`principalSet://${BASE}/attribute.team/a`)],
      "fail",
      "nothing grants",
    ],
    [
      "a group",
      [
        mapped(`"google.groups": "assertion.sub.split(':')", ${SUBJECT}`),
        member(`principalSet://${BASE}/group/shop`),
      ],
      "pass",
      "is granted",
    ],
    [
      "principalSet for a subject",
      [member(MEMBER.replace("principal:", "principalSet:"))],
      "fail",
      "nothing grants",
    ],
    [
      "a service account of Google that it may impersonate",
      [member("serviceAccount:puller@acme-images.iam.gserviceaccount.com")],
      "fail",
      "nothing grants",
    ],
    [
      "a condition that always holds",
      [[TF, `"role": "${READER}"`, `"condition": {"expression": "true"}, "role": "${READER}"`]],
      "pass",
      "is granted",
    ],
    ["a basic role", [[TF, READER, "roles/viewer"]], "unknown", "cannot be judged"],
    // Cloud Build pulls what it builds on: cloud.google.com/build/docs/iam-roles-permissions.
    [
      "a role of a service that downloads",
      [[TF, READER, "roles/cloudbuild.builds.builder"]],
      "unknown",
      "cannot be judged",
    ],
    [
      "a task of the registry",
      [[TF, READER, "roles/artifactregistry.containerRegistryMigrationAdmin"]],
      "unknown",
      "cannot be judged",
    ],
    ["a role without images", [[TF, READER, "roles/storage.objectViewer"]], "fail", "nothing grants"],
    [
      "a role that is none of the registry's",
      [[TF, READER, "roles/artifactRegistry.reader"]],
      "fail",
      "nothing grants",
    ],
    ...[
      [{ permissions: [DOWNLOAD] }, "pass", "roles/puller is granted"],
      [{ permissions: ["artifactregistry.repositories.get"] }, "fail", "nothing grants"],
      [{ permissions: [DOWNLOAD], stage: "DISABLED" }, "fail", "nothing grants"],
      [{ permissions: "${var.permissions}" }, "unknown", "cannot be judged"],
    ].map(([role, status, reason]): Row => [
      `a custom role: ${JSON.stringify(role)}`,
      [
        declared(CUSTOM_ROLE, { role_id: "puller", project: "acme-images", ...(role as object) }),
        [TF, READER, `\${${CUSTOM_ROLE}.more.id}`],
      ],
      status as string,
      reason as string,
    ]),
    // cloud.google.com/iam/docs/roles-overview: a project's custom role is granted only within the project.
    [
      "a custom role of another project",
      [
        declared(CUSTOM_ROLE, { role_id: "puller", project: "other", permissions: [DOWNLOAD] }),
        [TF, READER, `\${${CUSTOM_ROLE}.more.id}`],
      ],
      "fail",
      "nothing grants",
    ],
    [
      "a custom role of a project by its number",
      [[TF, READER, "projects/123456789012/roles/puller"]],
      "unknown",
      "cannot be judged",
    ],
    // cloud.google.com/artifact-registry/docs/repositories/virtual-repo: its service agent reads the upstream repositories.
    ...[
      [virtual("projects/acme-images/locations/europe-west1/repositories/base"), "pass", "is granted"],
      [virtual("projects/other/locations/europe-west1/repositories/base"), "unknown", "of another project"],
      [virtual("${var.upstream}"), "unknown", "of another project"],
      [{ virtual_repository_config: "${var.config}" }, "unknown", "of another project"],
      [remote("https://registry-1.docker.io"), "pass", "is granted"],
      [remote("projects/other/locations/europe-west1/repositories/base"), "unknown", "of another project"],
    ].map(([body, status, reason]): Row => [
      `a declared repository with an upstream: ${JSON.stringify(body)}`,
      [
        declared("google_artifact_registry_repository", {
          project: "acme-images",
          location: "europe-west1",
          repository_id: "tools",
          format: "DOCKER",
          ...(body as object),
        }),
      ],
      status as string,
      reason as string,
    ]),
    // REST reference of projects.locations.repositories, `Format`.
    ...[
      [{}, "NPM", "unknown", "its format is NPM"],
      [{}, "docker", "pass", "is granted"],
      [{}, "${var.format}", "unknown", "its format"],
      [{}, "BOX", "unknown", "is not known"],
      [{ project: "other" }, "NPM", "pass", "is granted"],
    ].map(([other, format, status, reason]): Row => [
      `a declared repository of the format ${String(format)} ${JSON.stringify(other)}`,
      [
        declared("google_artifact_registry_repository", {
          project: "acme-images",
          location: "europe-west1",
          repository_id: "tools",
          format,
          ...(other as object),
        }),
      ],
      status as string,
      reason as string,
    ]),
    // Service perimeters: cloud.google.com/vpc-service-controls/docs/service-perimeters.
    ...[
      [PERIMETER, { status: { restricted_services: [REGISTRY] } }, "unknown", "service perimeter"],
      [PERIMETER, { status: "${var.status}" }, "unknown", "service perimeter"],
      [
        PERIMETER,
        { status: { restricted_services: ["storage.googleapis.com"] } },
        "unknown",
        "service perimeter",
      ],
      [PERIMETER, { spec: { restricted_services: [REGISTRY] } }, "unknown", "service perimeter"],
      [
        `${PERIMETER}s`,
        { service_perimeters: [{ name: "a", status: [{ restricted_services: [REGISTRY] }] }] },
        "unknown",
        "service perimeter",
      ],
      [`${PERIMETER}_resource`, { resource: "projects/123456789012" }, "unknown", "service perimeter"],
      // cloud.google.com/iam/docs/principal-access-boundary-policies: a binding puts the policy into effect.
      ...["projects", "folders", "organizations"].map((level) => [
        `google_iam_${level}_policy_binding`,
        { policy: "organizations/1/locations/global/principalAccessBoundaryPolicies/p" },
        "unknown",
        "principal access boundary policy",
      ]),
    ].map(([type, body, status, reason]): Row => [
      `${String(type)} ${JSON.stringify(body)}`,
      [declared(type as string, body as object)],
      status as string,
      reason as string,
    ]),
    [
      "a binding",
      [
        WITHOUT_GRANT,
        declared("google_artifact_registry_repository_iam_binding", { ...repository, ...binding }),
      ],
      "pass",
      "is granted",
    ],
    [
      "a policy of a data source",
      [
        WITHOUT_GRANT,
        declared("google_artifact_registry_repository_iam_policy", {
          ...repository,
          policy_data: "${data.google_iam_policy.p.policy_data}",
        }),
        [
          TF,
          RESOURCE,
          `"data": {"google_iam_policy": {"p": {"binding": [${JSON.stringify(binding)}]}}},\n  ${RESOURCE}`,
        ],
      ],
      "pass",
      "is granted",
    ],
    [
      "a policy as text",
      [
        WITHOUT_GRANT,
        declared("google_artifact_registry_repository_iam_policy", {
          ...repository,
          policy_data: JSON.stringify({ bindings: [binding] }),
        }),
      ],
      "pass",
      "is granted",
    ],
    [
      "a policy known only after apply",
      [
        WITHOUT_GRANT,
        declared("google_artifact_registry_repository_iam_policy", {
          ...repository,
          policy_data: "${local.policy}",
        }),
      ],
      "unknown",
      "a policy",
    ],
    // Notes of google_artifact_registry_repository_iam: "authoritative for a given role", "replaces any existing policy".
    [
      "a member beside a binding of the role without it",
      [
        declared("google_artifact_registry_repository_iam_binding", {
          ...repository,
          role: READER,
          members: ["user:a@example.com"],
        }),
      ],
      "unknown",
      "whichever was applied last wins",
    ],
    [
      "a member beside a binding of the role without it, the project by its number",
      [
        declared("google_artifact_registry_repository_iam_binding", {
          ...repository,
          project: "42",
          role: READER,
          members: ["user:a@example.com"],
        }),
      ],
      "unknown",
      "whichever was applied last wins",
    ],
    [
      "a member beside a binding of the role with it",
      [declared("google_artifact_registry_repository_iam_binding", { ...repository, ...binding })],
      "pass",
      "is granted",
    ],
    [
      "a member beside a binding of another role",
      [
        declared("google_artifact_registry_repository_iam_binding", {
          ...repository,
          role: "roles/artifactregistry.writer",
          members: ["user:a@example.com"],
        }),
      ],
      "pass",
      "is granted",
    ],
    [
      "a member beside a binding of another repository",
      [
        declared("google_artifact_registry_repository_iam_binding", {
          ...repository,
          repository: "others",
          role: READER,
          members: ["user:a@example.com"],
        }),
      ],
      "pass",
      "is granted",
    ],
    [
      "a member beside a policy without it",
      [
        declared("google_artifact_registry_repository_iam_policy", {
          ...repository,
          policy_data: JSON.stringify({ bindings: [] }),
        }),
      ],
      "unknown",
      "whichever was applied last wins",
    ],
    [
      "a member beside a policy with it",
      [
        declared("google_artifact_registry_repository_iam_policy", {
          ...repository,
          policy_data: JSON.stringify({ bindings: [binding] }),
        }),
      ],
      "pass",
      "is granted",
    ],
    [
      "a member beside a binding of the project without it",
      [
        declared("google_project_iam_binding", {
          project: "acme-images",
          role: READER,
          members: ["user:a@example.com"],
        }),
      ],
      "pass",
      "is granted",
    ],
    [
      "a grant on the project, by number",
      [WITHOUT_GRANT, declared("google_project_iam_member", { project: "42", role: READER, member: MEMBER })],
      "unknown",
      "cannot be judged",
    ],
    [
      "a grant on another project",
      [
        WITHOUT_GRANT,
        declared("google_project_iam_member", { project: "other", role: READER, member: MEMBER }),
      ],
      "fail",
      "nothing grants",
    ],
    [
      "a grant on a folder",
      [
        WITHOUT_GRANT,
        declared("google_folder_iam_member", { folder: "folders/1", role: READER, member: MEMBER }),
      ],
      "unknown",
      "cannot be judged",
    ],
    [
      "a deny policy",
      [
        declared("google_iam_deny_policy", {
          rules: [
            {
              deny_rule: {
                denied_permissions: ["artifactregistry.googleapis.com/repositories.downloadArtifacts"],
              },
            },
          ],
        }),
      ],
      "unknown",
      "deny policy",
    ],
    [
      "a deny policy on something else",
      [
        declared("google_iam_deny_policy", {
          rules: [{ deny_rule: { denied_permissions: ["iam.googleapis.com/roles.create"] } }],
        }),
      ],
      "pass",
      "is granted",
    ],
  ])("%s", (_why, edits, status, reason) => {
    says("repository-permitted", edits, status, reason);
  });
});

describe("the pool of GKE", () => {
  const STS = `--sts-audience=//${BASE}/providers/k8s-edge-1`;
  const cluster = "https://container.googleapis.com/v1/projects/p/locations/europe-west1/clusters/c1";
  const pool = "acme-images.svc.id.goog";
  const managed: readonly Edit[] = [
    ["all-nodes.yaml", STS, `--identity-provider=${cluster}\n            - --project-id=acme-images`],
    [
      "all-nodes.yaml",
      `serviceAccountTokenAudience: https://${BASE}/providers/k8s-edge-1`,
      `serviceAccountTokenAudience: ${pool}`,
    ],
    ["10-token-audience.yaml", `- https://${BASE}/providers/k8s-edge-1`, `- ${pool}`],
    ["workload-identity.json", '"issuer": "https://oidc.acme.example/edge-1"', `"issuer": "${cluster}"`],
  ];
  const set = `principalSet://${BASE.replace("k8s-edge-1", pool)}`;

  it.each([
    ["a namespace", `${set}/namespace/shop`, "pass"],
    ["another namespace", `${set}/namespace/prod`, "fail"],
    ["the cluster", `${set}/kubernetes.cluster/${cluster}`, "pass"],
    ["another cluster", `${set}/kubernetes.cluster/${cluster}0`, "fail"],
    ["the whole pool", `${set}/*`, "pass"],
    ["a service account's UID", `${set.replace("Set", "")}/kubernetes.serviceaccount.uid/8f3a`, "unknown"],
    ["the service account's former name", `serviceAccount:${pool}[shop/tools]`, "unknown"],
    ["another one's former name", `serviceAccount:${pool}[shop/web]`, "fail"],
    [
      "the subject of a custom pool",
      `${set.replace("Set", "")}/subject/system:serviceaccount:shop:tools`,
      "fail",
    ],
  ])("%s", (_why, to, status) => {
    expect(check("repository-permitted", [...managed, member(to)])).toMatchObject({ status });
  });
});
