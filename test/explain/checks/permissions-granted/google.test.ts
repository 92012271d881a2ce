/*
 * What is granted elsewhere, denied, disabled or conditional: cloud.google.com/iam/docs/policies, "Policy evaluation".
 * Further grants are in test/explain/google/accounts.test.ts.
 */

import { INGRESS, WORKLOAD, accessArtefacts } from "../../../fixtures/explain/access";
import { type Damage, checks } from "../../../fixtures/explain/checks";
import { type Change, added, argument, configured, without } from "../../../fixtures/explain/configuration";
import { record, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "permissions-granted";
const PROJECT_MEMBER = "google_project_iam_member";
const BUCKET_MEMBER = "google_storage_bucket_iam_member";
const ROLE = "google_project_iam_custom_role";
const artefacts = accessArtefacts("google");
const of = (type: string, values: object): Damage => configured(argument(type, values));
const when = (type: string, expression: string): Damage =>
  of(type, { condition: { title: "t", expression } });
const none = configured(without(PROJECT_MEMBER), without(BUCKET_MEMBER));
const deny = (permission: string): Damage =>
  configured(
    added("google_iam_deny_policy", {
      name: "deny",
      rules: [{ deny_rule: [{ denied_principals: ["x"], denied_permissions: [permission] }] }],
    }),
  );
const operators = (count: number, word: string): string =>
  Array(count + 1)
    .fill("a == b")
    .join(word);
/** Every grant on the project, as another resource. */
const instead = (type: string, values: object): Change => {
  return ({ resource }) => {
    const moved = Object.entries(resource[PROJECT_MEMBER] ?? {}).map(([name, { role, member }]) => [
      `moved_${name}`,
      { role, member, ...values },
    ]);
    resource[type] = { ...resource[type], ...(Object.fromEntries(moved) as object) };
    delete resource[PROJECT_MEMBER];
  };
};
/** Bindings of every role that is granted on the project, in a project, of the same member or of none. */
const bindings = (project: string, isNamed: boolean): Damage =>
  configured(({ resource }) => {
    const all = Object.entries(resource[PROJECT_MEMBER] ?? {}).map(([name, { role, member }]) => [
      name,
      { project, role, members: isNamed ? [member] : [] },
    ]);
    resource["google_project_iam_binding"] = Object.fromEntries(all) as Record<
      string,
      Record<string, unknown>
    >;
  });

checks(ID, "a component", { artefacts, serviceAccount: INGRESS }, [
  ["as written", [], "pass"],
  ["none", none, "fail"],
  [
    "one is missing",
    terraform('"dns.changes.create"', '"dns.changes.creates"'),
    "fail",
    "the request includes dns.changes.create",
  ],
  [
    "on another project",
    of(PROJECT_MEMBER, { project: "other-project", role: "organizations/1/roles/dns" }),
    "unknown",
  ],
  ["on a bucket", configured(instead(BUCKET_MEMBER, { bucket: "x" })), "unknown"],
  ["under a condition", when(PROJECT_MEMBER, "a == b"), "unknown"],
  ["under a condition that never holds", when(PROJECT_MEMBER, " (false) "), "fail"],
  ["under a condition with 13 logical operators", when(PROJECT_MEMBER, operators(13, " || ")), "fail"],
  [
    "beside a policy without it",
    configured(
      added("google_project_iam_policy", {
        project: "acme-prod",
        policy_data: JSON.stringify({ bindings: [] }),
      }),
    ),
    "unknown",
  ],
  ["beside a binding of the role that names it", bindings("acme-prod", true), "pass"],
  ["beside a binding of another project", bindings("other-project", false), "pass"],
  [
    "beside a binding of the role that does not",
    bindings("acme-prod", false),
    "unknown",
    "another resource owns the same policy",
  ],
  ["by a role whose permissions are late", of(ROLE, { permissions: "${var.permissions}" }), "unknown"],
  ["by a disabled role", of(ROLE, { stage: "DISABLED" }), "fail"],
  ["by a deleted role", of(ROLE, { deleted: true }), "fail"],
  ["by a role of the project on another", of(PROJECT_MEMBER, { project: "other-project" }), "fail"],
  [
    "by a role of the project on a folder",
    configured(instead("google_folder_iam_member", { folder: "1" })),
    "fail",
  ],
  ["less what a deny policy takes", deny("dns.googleapis.com/changes.create"), "unknown"],
]);

checks(ID, "a workload", { artefacts, serviceAccount: WORKLOAD }, [
  ["as written", [], "pass"],
  ["none", none, "fail"],
  ["that no one recorded, which are whatever is granted", record('"workloads"', '"others"'), "pass"],
  ["on another bucket", of(BUCKET_MEMBER, { bucket: "other" }), "fail"],
  [
    "on its project",
    configured(({ resource }) => {
      const [{ role, member } = {}] = Object.values(resource[BUCKET_MEMBER] ?? {});
      resource[PROJECT_MEMBER] = { only: { role, member, project: "acme-prod" } };
      delete resource[BUCKET_MEMBER];
    }),
    "unknown",
  ],
  ["under a condition", when(BUCKET_MEMBER, "request.time < x"), "unknown"],
  ["under a condition that never holds", when(BUCKET_MEMBER, "false"), "fail"],
  ["under a condition with 12 logical operators", when(BUCKET_MEMBER, operators(12, " && ")), "unknown"],
  [
    "under a condition with 13 logical operators, one of which is late",
    when(BUCKET_MEMBER, `\${var.x}${" || a == b".repeat(13)}`),
    "unknown",
  ],
]);
