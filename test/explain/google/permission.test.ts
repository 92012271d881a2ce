/*
 * Downloads from Artifact Registry: grants, what takes them away, and what is not known of them.
 */

import { describe, expect, it } from "vitest";
import {
  BASE,
  MEMBER,
  READER,
  TF,
  WITHOUT_GRANT,
  declared,
  puller,
  pulls,
} from "../../fixtures/explain/google";
import type { PullRights } from "../../../lib/explain/cloud";
import type { Edit } from "../../fixtures/explain/artefacts";

const HOST = "europe-west1-docker.pkg.dev/acme-images";
const TOOLS = `${HOST}/tools/build`;
const BEFORE = "projects/acme-images/locations/europe-west1/repositories/";
const ON_TOOLS = { project: "acme-images", location: "europe-west1", repository: "tools" };
const ON_PROJECT = { project: "acme-images", role: READER, member: MEMBER };
const PROJECT_MEMBER = "google_project_iam_member";
const REPOSITORY = "google_artifact_registry_repository";
const when = (expression: string): object => ({ condition: { title: "t", expression } });
const alone = (...edits: readonly Edit[]): readonly Edit[] => [WITHOUT_GRANT, ...edits];
const onProject = (more: object = {}): readonly Edit[] => [
  WITHOUT_GRANT,
  declared(PROJECT_MEMBER, { ...ON_PROJECT, ...more }),
];

type Row = readonly [why: string, edits: readonly Edit[], image: string, status: string, says: string];

const EXAMPLE = "for example acme-images/europe-west1/";

function says(edits: readonly Edit[], image: string, status: string, words: string): void {
  const { reason, evidence, ...answer } = pulls(edits, image);
  expect([answer.status, [reason, ...evidence.map(({ text }) => text)].join("; ")]).toEqual([
    status,
    expect.stringContaining(words),
  ]);
}

describe("what almost fits is named", () => {
  const onTools = (more: object): Edit =>
    declared(`${REPOSITORY}_iam_member`, { ...ON_TOOLS, role: READER, member: MEMBER, ...more });
  const NEAR = MEMBER.replace("shop:tools", "shop:tool");

  it.each<Row>([
    [
      "a role without the permission",
      alone(onTools({ role: "roles/artifactregistry.reporter" })),
      TOOLS,
      "fail",
      "europe-west1/tools; it has roles/artifactregistry.reporter there, without artifactregistry.repositories.downloadArtifacts",
    ],
    [
      "the role on another repository",
      alone(onTools({ repository: "base" })),
      TOOLS,
      "fail",
      `europe-west1/tools; it has ${READER} on artifact registry repository base`,
    ],
    [
      "the role under a condition that is not met",
      alone(onTools(when("1 == 2"))),
      TOOLS,
      "fail",
      `europe-west1/tools; it has ${READER} on artifact registry repository tools under a condition`,
    ],
    ["another member", alone(onTools({ member: NEAR })), TOOLS, "fail", `tools; it is granted to ${NEAR}`],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

describe("a declared pattern is a question about every repository that it covers", () => {
  it.each<Row>([
    ["of the granted repository", [], `${HOST}/tools/*`, "pass", "is granted"],
    ["of its images' beginnings", [], `${HOST}/tools/b*`, "pass", "is granted"],
    ["of all repositories", [], `${HOST}/*`, "fail", EXAMPLE],
    ["of repositories that begin alike", [], `${HOST}/tool*`, "fail", `${EXAMPLE}tool`],
    ["with a star before more", [], `${HOST}/t*s/build`, "fail", "nothing grants"],
    ["of all projects", [], "europe-west1-docker.pkg.dev/*", "unknown", "does not name an Artifact Registry"],
    ["granted on the project", onProject(), `${HOST}/*`, "pass", "is granted"],
    ["of another project", onProject(), "europe-west1-docker.pkg.dev/other/*", "fail", "nothing grants"],
    [
      "under a condition that all meet",
      onProject(when(`resource.name.startsWith("${BEFORE}team-")`)),
      `${HOST}/team-*`,
      "pass",
      "is granted",
    ],
    [
      "under a condition that one does not meet",
      onProject(when(`resource.name.startsWith("${BEFORE}team-a")`)),
      `${HOST}/team-*/web`,
      "fail",
      `${EXAMPLE}team-`,
    ],
    [
      "under a condition on the end",
      onProject(when('resource.name.endsWith("-images")')),
      `${HOST}/*-images/web`,
      "fail",
      "nothing grants",
    ],
    [
      "under a condition with times",
      onProject(when("request.time < timestamp('2040-01-01T00:00:00Z')")),
      `${HOST}/*`,
      "unknown",
      "cannot be judged",
    ],
    [
      "granted one by one and by a condition for the others",
      [declared(PROJECT_MEMBER, { ...ON_PROJECT, ...when(`resource.name != "${BEFORE}tools"`) })],
      `${HOST}/*`,
      "pass",
      "is granted",
    ],
    [
      "one of which holds no images",
      [
        ...onProject(),
        declared(REPOSITORY, {
          project: "acme-images",
          location: "europe-west1",
          repository_id: "tools-npm",
          format: "NPM",
        }),
      ],
      `${HOST}/tools*`,
      "unknown",
      "the argument format",
    ],
    ["below a gcr.io host", onProject(), "gcr.io/acme-images/*", "pass", "is granted"],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

describe("a condition on the grant of one repository", () => {
  it.each<Row>([
    ["that is met", onProject(when(`resource.name == "${BEFORE}tools"`)), TOOLS, "pass", "is granted"],
    ["that is not met", onProject(when(`resource.name == "${BEFORE}base"`)), TOOLS, "fail", "nothing grants"],
    [
      "that is not met whenever it is",
      onProject(when(`resource.name == "${BEFORE}base" && request.time < timestamp('2040-01-01T00:00:00Z')`)),
      TOOLS,
      "fail",
      "nothing grants",
    ],
    ["elsewhere", onProject(when('resource.service == "x.googleapis.com"')), TOOLS, "fail", "nothing"],
    ["late", onProject(when(`resource.name == "${BEFORE}\${var.r}"`)), TOOLS, "unknown", "cannot be"],
    [
      "with a reference that does not matter",
      onProject(when('resource.name.endsWith("/tools") || resource.name == "${var.repository}"')),
      TOOLS,
      "pass",
      "is granted",
    ],
    // docs.cloud.google.com/iam/docs/conditions-overview, "Conditions in allow policies": Google refuses these.
    ["of a basic role", onProject({ role: "roles/owner", ...when("true") }), TOOLS, "fail", "nothing"],
    ["for everybody", onProject({ member: "allUsers", ...when("true") }), TOOLS, "fail", "nothing"],
    [
      "with too many operators, which Google refuses",
      onProject(when(Array(14).fill(`resource.name == "${BEFORE}tools"`).join(" || "))),
      TOOLS,
      "fail",
      "nothing grants",
    ],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

describe("what is refused, and grants nothing", () => {
  it.each<Row>([
    ["a grant without a role", onProject({ role: undefined }), TOOLS, "fail", "nothing grants"],
    ["a grant without a member", onProject({ member: undefined }), TOOLS, "fail", "nothing grants"],
    ["a role that is none", onProject({ role: "artifactregistry.reader" }), TOOLS, "fail", "nothing grants"],
    ["everyone on a project", onProject({ member: "allUsers" }), TOOLS, "fail", "nothing grants"],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

// developer.hashicorp.com/terraform/language/expressions/strings, "Escape Sequences".
describe("what Terraform escapes is read as it hands it over, once", () => {
  const BINDING = "google_project_iam_binding";
  const MET = when('"%%{" == "%" + "{"');
  const { role, member, project } = ON_PROJECT;
  const members = [member];
  const policy = { bindings: [{ role, members, ...MET }] };
  it.each<Row>([
    ["a member", onProject(MET), TOOLS, "pass", "is granted"],
    ["a binding", alone(declared(BINDING, { project, role, members, ...MET })), TOOLS, "pass", "is granted"],
    [
      "a policy",
      [
        WITHOUT_GRANT,
        declared("google_project_iam_policy", {
          project: "acme-images",
          policy_data: JSON.stringify(policy),
        }),
      ],
      TOOLS,
      "pass",
      "is granted",
    ],
    [
      "a policy document",
      [
        WITHOUT_GRANT,
        declared("google_iam_policy", { d: { binding: [{ role, members, ...MET }] } }, "data"),
        declared("google_project_iam_policy", {
          project,
          policy_data: "${data.google_iam_policy.d.policy_data}",
        }),
      ],
      TOOLS,
      "pass",
      "is granted",
    ],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

describe("what a module is handed", () => {
  const OF = "acme-images";
  const module = (args: object): Edit => declared("m", { source: "./m", ...args }, "module");
  it.each<Row>([
    ["the repository", [module({ repository: "tools" })], TOOLS, "unknown", "is granted on"],
    [
      "the repository by reference",
      [
        declared(REPOSITORY, { project: "acme-images", location: "europe-west1", repository_id: "tools" }),
        module({ id: `\${${REPOSITORY}.more.name}` }),
      ],
      TOOLS,
      "unknown",
      "module",
    ],
    ["the project, without a grant", alone(module({ project: OF })), TOOLS, "unknown", "module"],
    ["the project, granted", [...onProject(), module({ project_id: OF })], TOOLS, "unknown", "module"],
    ["the project, for the repository's grant", [module({ project: OF })], TOOLS, "pass", "is granted"],
    ["something else", alone(module({ project: `${OF}-2` })), TOOLS, "fail", "nothing grants"],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

describe("what is not known", () => {
  const without = [WITHOUT_GRANT] as const;
  const provider: Edit = [TF, '"google": [', '"google": [{"alias": "bare"}, '];
  it.each<Row>([
    [
      "a grant of a provider whose project nothing states",
      [
        ...without,
        provider,
        declared(PROJECT_MEMBER, { provider: "google.bare", role: READER, member: MEMBER }),
      ],
      TOOLS,
      "unknown",
      "cannot be judged",
    ],
    ["a late role", onProject({ role: "${var.role}" }), TOOLS, "unknown", "cannot be judged"],
    ["a grant that count decides", onProject({ count: "${var.many}" }), TOOLS, "unknown", "cannot be judged"],
    [
      "a member of a list known only after apply",
      [...without, declared("google_project_iam_binding", { ...ON_PROJECT, members: "${var.members}" })],
      TOOLS,
      "unknown",
      "cannot be judged",
    ],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

describe("resources that own policies", () => {
  const binding = (members: readonly string[], more: object = {}): Edit =>
    declared(`${REPOSITORY}_iam_binding`, { ...ON_TOOLS, role: READER, members, ...more });
  it.each<Row>([
    [
      "a binding per role, made for each of some literals",
      [binding(["user:a@example.com"], { role: "${each.value}", for_each: [READER, "roles/viewer"] })],
      TOOLS,
      "unknown",
      "applied last wins",
    ],
    [
      "a binding for each of other roles",
      [binding(["user:a@example.com"], { role: "${each.value}", for_each: ["roles/viewer"] })],
      TOOLS,
      "pass",
      "is granted",
    ],
    [
      "bindings for each of some roles, with the member",
      [WITHOUT_GRANT, binding([MEMBER], { role: "${each.value}", for_each: [READER, "roles/viewer"] })],
      TOOLS,
      "pass",
      "is granted",
    ],
    ["a removal", [declared("google_project_iam_member_remove", ON_PROJECT)], TOOLS, "pass", "is granted"],
    [
      "a member that is removed from the policy of the grant",
      [...onProject(), declared("google_project_iam_member_remove", ON_PROJECT)],
      TOOLS,
      "unknown",
      "applied last wins",
    ],
    [
      "a policy that Google refuses for a condition",
      [
        declared(`${REPOSITORY}_iam_policy`, {
          ...ON_TOOLS,
          policy_data: JSON.stringify({
            bindings: [{ role: "roles/viewer", members: ["user:a@example.com"], ...when("false") }],
          }),
        }),
      ],
      TOOLS,
      "pass",
      "is granted",
    ],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

describe("deny policies", () => {
  const DOWNLOADS = "artifactregistry.googleapis.com/repositories.downloadArtifacts";
  const PARENT = "cloudresourcemanager.googleapis.com%2Fprojects%2Facme-images";
  const OTHER_PROJECT = PARENT.replace("acme-images", "other");
  const deny = (rule: object, more: object = {}): Edit =>
    declared("google_iam_deny_policy", {
      parent: PARENT,
      rules: [{ deny_rule: [{ denied_permissions: [DOWNLOADS], denied_principals: [MEMBER], ...rule }] }],
      ...more,
    });
  it.each<Row>([
    ["of the principal", [deny({})], TOOLS, "unknown", "deny policy may take it away"],
    [
      "of an odd principal",
      [deny({ denied_principals: [`${MEMBER}-other`] })],
      TOOLS,
      "unknown",
      "deny policy",
    ],
    ["where nothing is granted", [WITHOUT_GRANT, deny({})], TOOLS, "fail", "nothing grants"],
    ["of another project", [deny({}, { parent: OTHER_PROJECT })], TOOLS, "unknown", "deny policy"],
    [
      "of a folder",
      [deny({}, { parent: "cloudresourcemanager.googleapis.com%2Ffolders%2F1" })],
      TOOLS,
      "unknown",
      "deny policy",
    ],
    ["of all repositories of a pattern", [deny({})], `${HOST}/tools/*`, "unknown", "deny policy"],
  ])("%s", (_why, edits, image, status, words) => says(edits, image, status, words));
});

it("gives one object of rights to all that have the same grants", () => {
  const everyone: Edit = [TF, MEMBER, `principalSet://${BASE}/*`];
  const { cloud, question, identity } = puller([everyone]);
  const named = (name: string): PullRights =>
    cloud.pulls.puller({ ...question, token: { ...question.token, name } }).rights;
  expect(named("other")).toBe(identity.rights);
  expect(identity.rights.reach()).toEqual([{ pattern: `${HOST}/tools/*`, comparable: true }]);
  const single = puller([]);
  const other = { ...single.question, token: { ...single.question.token, name: "other" } };
  expect(single.cloud.pulls.puller(other).rights).not.toBe(single.identity.rights);
});
