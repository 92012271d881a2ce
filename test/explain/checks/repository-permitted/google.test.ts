/*
 * Grants of Artifact Registry. Conditions, patterns, modules and deny policies are in
 * test/explain/google/permission.test.ts.
 */

import { type Row, checks } from "../../../fixtures/explain/checks";
import { gke } from "../../../fixtures/explain/gke";
import { POOL, resources, terraform, tools } from "../../../fixtures/explain/three-clouds";

const ID = "repository-permitted";
const SUB = "system:serviceaccount:shop:tools";
const MEMBER = `principal://${POOL}/subject/${SUB}`;
const READER = "roles/artifactregistry.reader";
const NOTHING = "nothing grants the principal a download";
const OPEN = "cannot be judged";
const POOL_NAME =
  "iam.googleapis.com/${google_iam_workload_identity_pool.workload-identity-pool_acme-images_k8s-edge-1_CB62CA17.name}";
const TOOLS = { project: "acme-images", location: "europe-west1", repository: "tools" };
const declared = (type: string, values: object) => resources(type, { more: values });
const member = (text: string) => terraform(MEMBER, text);
const mapped = (mapping: string) =>
  terraform('"google.subject": "assertion.sub"', `${mapping}, "google.subject": "assertion.sub"`);
const otherPool = declared("google_iam_workload_identity_pool", {
  project: "other",
  workload_identity_pool_id: "k8s-edge-1",
});
const TEAM = `"attribute.team": "assertion.sub.extract('account:{team}:')"`;
const LATE = '"attribute.team": "assertion.jti"';
const team = (name: string, of = POOL) => member(`principalSet://${of}/attribute.team/${name}`);

// cloud.google.com/iam/docs/principal-identifiers.
checks(ID, "members", tools, [
  ["the principal", [], "pass", `${READER} is granted`],
  [
    "of another repository",
    [],
    "fail",
    NOTHING,
    {
      image: "europe-west1-docker.pkg.dev/acme-images/base/build",
      log: 'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
    },
  ],
  ["of another project's number", member(MEMBER.replace("123456789012", "210987654321")), "fail", NOTHING],
  [
    "of a project's number known only after apply",
    member(MEMBER.replace("123456789012", "${data.google_project.p.number}")),
    "unknown",
    OPEN,
  ],
  ["of the pool's name by reference", member(`principal://${POOL_NAME}/subject/${SUB}`), "pass"],
  ["everybody of the pool", member(`principalSet://${POOL}/*`), "pass"],
  ["everybody of the pool by reference", member(`principalSet://${POOL_NAME}/*`), "pass"],
  [
    "another subject of the pool by reference",
    member(`principal://${POOL_NAME}/subject/${SUB}-other`),
    "fail",
    NOTHING,
  ],
  [
    "of another pool of the same id by reference",
    [
      otherPool,
      member(`principal://iam.googleapis.com/\${google_iam_workload_identity_pool.more.name}/subject/${SUB}`),
    ],
    "unknown",
    OPEN,
  ],
  ["one known only after apply", member("${local.member}"), "unknown", OPEN],
  ["everybody", member("allUsers"), "pass"],
  ["everybody authenticated", member("allAuthenticatedUsers"), "unknown", OPEN],
  ["a namespace", member(`principalSet://${POOL}/attribute.namespace/shop`), "pass"],
  ["an attribute that someone else maps", [mapped(TEAM), team("shop")], "pass"],
  ["an attribute of another value", [mapped(TEAM), team("prod")], "fail", NOTHING],
  ["an attribute that is not known", [mapped(LATE), team("a")], "unknown", OPEN],
  [
    "an attribute that is not known, of the pool by reference",
    [mapped(LATE), team("a", POOL_NAME)],
    "unknown",
    OPEN,
  ],
  ["an attribute that is not mapped", team("a"), "fail", NOTHING],
  [
    "a group",
    [mapped(`"google.groups": "assertion.sub.split(':')"`), member(`principalSet://${POOL}/group/shop`)],
    "pass",
  ],
  ["principalSet for a subject", member(MEMBER.replace("principal:", "principalSet:")), "fail", NOTHING],
  [
    "a service account of Google that it may impersonate",
    member("serviceAccount:puller@acme-images.iam.gserviceaccount.com"),
    "fail",
    NOTHING,
  ],
]);

const GKE = "https://container.googleapis.com/v1/projects/acme-images/locations/europe-west1/clusters/c1";
const PROJECT_POOL = POOL.replace("k8s-edge-1", "acme-images.svc.id.goog");
const set = `principalSet://${PROJECT_POOL}`;
const one = `principal://${PROJECT_POOL}`;
const managed = (text?: string) => [
  ...gke(GKE),
  ...(text === undefined ? [] : [terraform(`${one}/subject/ns/shop/sa/tools`, text)]),
];

checks(ID, "members of the pool of GKE", tools, [
  ["the service account", managed(), "pass", "is granted"],
  ["a namespace", managed(`${set}/namespace/shop`), "pass"],
  ["another namespace", managed(`${set}/namespace/prod`), "fail"],
  ["the cluster", managed(`${set}/kubernetes.cluster/${GKE}`), "pass"],
  ["another cluster", managed(`${set}/kubernetes.cluster/${GKE}0`), "fail"],
  ["the whole pool", managed(`${set}/*`), "pass"],
  ["a service account's UID", managed(`${one}/kubernetes.serviceaccount.uid/8f3a`), "unknown"],
  [
    "the service account's former name",
    managed("serviceAccount:acme-images.svc.id.goog[shop/tools]"),
    "unknown",
  ],
  ["another one's former name", managed("serviceAccount:acme-images.svc.id.goog[shop/web]"), "fail"],
  ["the subject of a custom pool", managed(`${one}/subject/${SUB}`), "fail"],
]);

const DOWNLOAD = "artifactregistry.repositories.downloadArtifacts";
const role = (name: string) => terraform(READER, name);
const custom = (values: object) => [
  declared("google_project_iam_custom_role", { role_id: "puller", project: "acme-images", ...values }),
  role("${google_project_iam_custom_role.more.id}"),
];

checks(ID, "roles", tools, [
  ["a basic role", role("roles/viewer"), "unknown", OPEN],
  // Cloud Build pulls what it builds on: cloud.google.com/build/docs/iam-roles-permissions.
  ["a role of a service that downloads", role("roles/cloudbuild.builds.builder"), "unknown", OPEN],
  ["a task of the registry", role("roles/artifactregistry.containerRegistryMigrationAdmin"), "unknown", OPEN],
  ["a role without images", role("roles/storage.objectViewer"), "fail", NOTHING],
  ["a role that is none of the registry's", role("roles/artifactRegistry.reader"), "fail", NOTHING],
  ["a custom role", custom({ permissions: [DOWNLOAD] }), "pass", "roles/puller is granted"],
  [
    "a custom role without it",
    custom({ permissions: ["artifactregistry.repositories.get"] }),
    "fail",
    NOTHING,
  ],
  ["a disabled custom role", custom({ permissions: [DOWNLOAD], stage: "DISABLED" }), "fail", NOTHING],
  ["a custom role known only after apply", custom({ permissions: "${var.permissions}" }), "unknown", OPEN],
  // cloud.google.com/iam/docs/roles-overview: a project's custom role is granted only within the project.
  [
    "a custom role of another project",
    custom({ project: "other", permissions: [DOWNLOAD] }),
    "fail",
    NOTHING,
  ],
  ["a custom role that is not read", role("projects/acme-images/roles/puller"), "unknown", OPEN],
  ["a custom role of a project by its number", role("projects/123456789012/roles/puller"), "unknown", OPEN],
]);

const repository = (values: object) =>
  declared("google_artifact_registry_repository", {
    project: "acme-images",
    location: "europe-west1",
    repository_id: "tools",
    format: "DOCKER",
    ...values,
  });
const virtual = (upstream: string) =>
  repository({
    virtual_repository_config: [{ upstream_policies: [{ id: "a", repository: upstream, priority: 1 }] }],
  });
const remote = (uri: string) => repository({ remote_repository_config: [{ common_repository: [{ uri }] }] });
const upstream = (project: string): string => `projects/${project}/locations/europe-west1/repositories/base`;

// cloud.google.com/artifact-registry/docs/repositories/virtual-repo: its service agent reads the upstream repositories.
checks(ID, "repositories", tools, [
  ["a virtual one of the project", virtual(upstream("acme-images")), "unknown", "argument"],
  [
    "a remote one of Docker Hub",
    repository({ remote_repository_config: [{ docker_repository: [{ public_repository: "DOCKER_HUB" }] }] }),
    "pass",
  ],
  ["a remote one of another project", remote(upstream("other")), "unknown", "argument"],
  ["of another format", repository({ format: "NPM" }), "unknown", "argument"],
  ["of its format, in other letters", repository({ format: "docker" }), "pass"],
  ["of another format, in another project", repository({ project: "other", format: "NPM" }), "pass"],
]);

const PERIMETER = "google_access_context_manager_service_perimeter";
const SERVICE = "artifactregistry.googleapis.com";
const OF_PERIMETER = "service perimeter";
const deny = (permission: string) =>
  declared("google_iam_deny_policy", { rules: [{ deny_rule: { denied_permissions: [permission] } }] });

// cloud.google.com/vpc-service-controls/docs/service-perimeters;
// cloud.google.com/iam/docs/principal-access-boundary-policies: a binding puts the policy into effect.
checks(ID, "what may take it away", tools, [
  [
    "a perimeter",
    declared(PERIMETER, { status: { restricted_services: [SERVICE] } }),
    "unknown",
    OF_PERIMETER,
  ],
  ["a late perimeter", declared(PERIMETER, { status: "${var.status}" }), "unknown", OF_PERIMETER],
  [
    "a perimeter of another service",
    declared(PERIMETER, { status: { restricted_services: ["storage.googleapis.com"] } }),
    "unknown",
    OF_PERIMETER,
  ],
  ["a dry run", declared(PERIMETER, { spec: { restricted_services: [SERVICE] } }), "unknown", OF_PERIMETER],
  [
    "several perimeters",
    declared(`${PERIMETER}s`, {
      service_perimeters: [{ name: "a", status: [{ restricted_services: [SERVICE] }] }],
    }),
    "unknown",
    OF_PERIMETER,
  ],
  [
    "a member of a perimeter",
    declared(`${PERIMETER}_resource`, { resource: "projects/123456789012" }),
    "unknown",
    OF_PERIMETER,
  ],
  ...["projects", "folders", "organizations"].map((level): Row => [
    `a boundary of ${level}`,
    declared(`google_iam_${level}_policy_binding`, {
      policy: "organizations/1/locations/global/principalAccessBoundaryPolicies/p",
    }),
    "unknown",
    "principal access boundary policy",
  ]),
  ["a deny policy", deny(`${SERVICE}/repositories.downloadArtifacts`), "unknown", "deny policy"],
  ["a deny policy on something else", deny("iam.googleapis.com/roles.create"), "unknown", "deny policy"],
]);

const withoutGrant = terraform('"google_artifact_registry_repository_iam_member": {', '"google_other": {');
const onTools = (kind: string, values: object) =>
  declared(`google_artifact_registry_repository_iam_${kind}`, { ...TOOLS, ...values });
const binding = (values: object = {}) =>
  onTools("binding", { role: READER, members: ["user:a@example.com"], ...values });
const policy = (...bindings: readonly object[]) =>
  onTools("policy", { policy_data: JSON.stringify({ bindings }) });
const LAST = "whichever was applied last wins";
const granted = (type: string, values: object) => [
  withoutGrant,
  declared(type, { role: READER, member: MEMBER, ...values }),
];

// Notes of google_artifact_registry_repository_iam: "authoritative for a given role", "replaces any existing policy".
checks(ID, "grants", tools, [
  [
    "a policy known only after apply",
    [withoutGrant, onTools("policy", { policy_data: "${local.p}" })],
    "unknown",
    "a policy",
  ],
  ["beside a binding of the role without the member", binding(), "unknown", LAST],
  ["beside such a binding, the project by its number", binding({ project: "42" }), "unknown", LAST],
  ["beside a binding of the role with the member", binding({ members: [MEMBER] }), "pass"],
  ["beside a binding of another role", binding({ role: "roles/artifactregistry.writer" }), "pass"],
  ["beside a binding of another repository", binding({ repository: "others" }), "pass"],
  ["beside a policy without the member", policy(), "unknown", LAST],
  ["beside a policy with the member", policy({ role: READER, members: [MEMBER] }), "pass"],
  [
    "beside a binding of the project without the member",
    declared("google_project_iam_binding", {
      project: "acme-images",
      role: READER,
      members: ["user:a@example.com"],
    }),
    "pass",
  ],
  ["on the project", granted("google_project_iam_member", { project: "acme-images" }), "pass"],
  ["on the project, by number", granted("google_project_iam_member", { project: "42" }), "unknown", OPEN],
  ["on another project", granted("google_project_iam_member", { project: "other" }), "fail", NOTHING],
  ["on a folder", granted("google_folder_iam_member", { folder: "folders/1" }), "unknown", OPEN],
  [
    "under a condition that is not judged",
    terraform(`"role": "${READER}"`, `"condition": {"expression": "request.time < x"}, "role": "${READER}"`),
    "unknown",
    OPEN,
  ],
]);
