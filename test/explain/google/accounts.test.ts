/*
 * Who may act as a Google service account, and what it is granted: grants that are not plain, denials and modules.
 */

import { describe, expect, it } from "vitest";
import type { Answer } from "../../../lib/explain/answer";
import { known, orElse } from "../../../lib/model/known";
import { isTreeObject, treeOf } from "../../../lib/model/tree";
import { type Configuration, INGRESS, accessArtefacts, withTerraform } from "../../fixtures/explain/access";
import { googleCloud } from "../../fixtures/explain/google";

type Change = (configuration: Configuration) => void;

const written = accessArtefacts("google");
const USERS = "google_service_account_iam_member";
const [NAMESPACE = "", NAME = ""] = INGRESS.split("/");

/** The resources of the ingress operator, changed in place. */
const users =
  (values: object): Change =>
  ({ resource }) =>
    Object.values(resource[USERS] ?? {})
      .filter(({ member }) => String(member).includes(`${NAMESPACE}:${NAME}`))
      .forEach((each) => Object.assign(each, values));

const declared =
  (type: string, values: object): Change =>
  ({ resource }) => {
    resource[type] = { ...resource[type], more: { ...values } };
  };

const DENY = "google_iam_deny_policy";
const deny = (permission: string, principal: string): Change =>
  declared(DENY, {
    parent: "cloudresourcemanager.googleapis.com/projects/acme-prod",
    rules: [{ deny_rule: [{ denied_permissions: [permission], denied_principals: [principal] }] }],
  });

interface Judged {
  readonly found: Answer;
  readonly subject: Answer;
  readonly permissions: Answer;
  readonly email: string;
}

function judged(changes: readonly Change[], rights: object | undefined): Judged {
  const files = withTerraform(written, (configuration) => changes.forEach((change) => change(configuration)));
  const { cloud, cluster } = googleCloud(files);
  const secret = [...cluster.secrets.values()].find(({ key }) => key.startsWith(`${NAMESPACE}/`));
  const identity = secret && cloud.access.secret(secret, undefined, cluster.secrets).identity;
  if (!identity) throw new Error("no identity");
  const token = { issuer: cluster.issuer, audience: known("openshift"), namespace: NAMESPACE, name: NAME };
  const asked = orElse(treeOf(rights), () => undefined);
  return {
    email: identity.label,
    found: identity.found,
    subject: identity.trust(token).subject,
    permissions: identity.permissions(isTreeObject(asked) ? { rights: asked, places: [] } : undefined, token),
  };
}

describe("what almost fits is named", () => {
  const renamed =
    (change: (member: string) => string): Change =>
    (configuration) =>
      Object.values(configuration.resource[USERS] ?? {})
        .filter(({ member }) => String(member).includes(`${NAMESPACE}:${NAME}`))
        .forEach((each) => users({ member: change(String(each["member"])) })(configuration));
  const inNamespace = (namespace: string): Change =>
    renamed((member) => member.replace(NAMESPACE, namespace));
  const SUBJECT = `/subject/system:serviceaccount:${NAMESPACE}:${NAME}`;

  it.each<[string, Change, string]>([
    [
      "a member of another namespace",
      inNamespace(`${NAMESPACE}s`),
      `; the nearest is principal://.*${SUBJECT.replace(":ingress", "s:ingress")}`,
    ],
    [
      "a member in other letter case",
      inNamespace(NAMESPACE.toUpperCase()),
      ", which differs only in letter case",
    ],
    [
      "a member of the name that cdk8s would make",
      renamed((member) => `${member}-c8c7fda7`),
      "-c8c7fda7 differs only in its generated end: cdk8s .*",
    ],
    ["no member like it", users({ member: "user:a@acme.example" }), `${SUBJECT} act as it`],
  ])("%s", (_, change, words) => {
    const { subject } = judged([change], undefined);
    expect(subject.status).toBe("fail");
    expect(subject.reason).toMatch(new RegExp(`${words}$`));
  });

  it("a service account that was not read", () => {
    const accounts: Change = ({ resource }) =>
      Object.values(resource["google_service_account"] ?? {}).forEach((each) =>
        Object.assign(each, { account_id: `${String(each["account_id"])}x` }),
      );
    const { found, email } = judged([accounts], undefined);
    expect([found.status, found.reason]).toEqual([
      "unknown",
      `the service account ${email} is not among what was read; the nearest is ${email.replace("@", "x@")}`,
    ]);
  });
});

describe("acting as it", () => {
  const CUSTOM = "google_project_iam_custom_role";
  it.each<[string, readonly Change[], string, string]>([
    ["by its usual role", [], "pass", "act as it"],
    ["by a role known only after apply", [users({ role: "${var.role}" })], "unknown", "cannot be determined"],
    ["by another role", [users({ role: "roles/iam.serviceAccountViewer" })], "fail", "does not let"],
    [
      "by a custom role with the permission",
      [
        declared(CUSTOM, {
          role_id: "acting",
          project: "acme-prod",
          permissions: ["iam.serviceAccounts.getAccessToken"],
        }),
        users({ role: "projects/acme-prod/roles/acting" }),
      ],
      "pass",
      "act as it",
    ],
    [
      "under a condition",
      [users({ condition: { title: "t", expression: "request.time < timestamp('2040-01-01T00:00:00Z')" } })],
      "unknown",
      "cannot be determined",
    ],
    [
      "under one that is never met",
      [users({ condition: { title: "t", expression: "1 == 2" } })],
      "fail",
      "does not let",
    ],
    ["by a late member", [users({ member: "${var.member}" })], "unknown", "cannot be determined"],
    [
      "denied to everybody",
      [deny("iam.googleapis.com/serviceAccounts.getAccessToken", "principalSet://goog/public:all")],
      "unknown",
      "an unjudged deny policy may take it away",
    ],
  ])("%s", (_why, changes, status, words) => {
    const { subject } = judged(changes, undefined);
    expect([subject.status, subject.reason]).toEqual([status, expect.stringContaining(words)]);
  });
});

describe("what it is granted", () => {
  const GROUP = { project: "acme-prod", role: "roles/dns.admin", member: "group:dns@example.com" };
  const granted = (more: object = {}): readonly Change[] => [
    declared("google_project_iam_member", { ...GROUP, ...more }),
  ];
  const BUCKET_MEMBER = "google_storage_bucket_iam_member";
  const READER = "roles/storage.objectViewer";
  const ofBucket = { roleBindings: [{ role: READER, bucket: "b" }] };
  const asked = { predefinedRoles: ["roles/dns.admin"] };
  it.each<[string, readonly Change[], object, string, string]>([
    ["nothing of what is asked for", [], asked, "fail", "roles/dns.admin"],
    ["something to a group", granted(), asked, "unknown", "or is a set whose members"],
    // cloud.google.com/iam/docs/principal-identifiers, "All service accounts in a project, folder, or organization".
    [
      "something to all service accounts of a folder, of which it may be one",
      granted({
        member: "principalSet://cloudresourcemanager.googleapis.com/folders/1/type/ServiceAccount",
      }),
      asked,
      "unknown",
      "or is a set whose members",
    ],
    // cloud.google.com/storage/docs/access-control/iam, "Convenience values".
    [
      "something to the editors of a bucket's project, of which it may be one",
      [declared(BUCKET_MEMBER, { bucket: "b", role: READER, member: "projectEditor:acme-prod" })],
      ofBucket,
      "unknown",
      "or is a set whose members",
    ],
    [
      "what everyone with an account has",
      [declared(BUCKET_MEMBER, { bucket: "b", role: READER, member: "allAuthenticatedUsers" })],
      ofBucket,
      "pass",
      "roles are granted",
    ],
    [
      "on a bucket, which may be in a project that denies it",
      [
        declared(BUCKET_MEMBER, { bucket: "b", role: READER, member: "allAuthenticatedUsers" }),
        declared(DENY, {
          parent: "cloudresourcemanager.googleapis.com/projects/other",
          rules: [
            {
              deny_rule: [
                {
                  denied_permissions: ["storage.googleapis.com/*"],
                  denied_principals: ["principalSet://goog/public:all"],
                },
              ],
            },
          ],
        }),
      ],
      ofBucket,
      "unknown",
      "may take it away",
    ],
    // REST reference of projects.setIamPolicy.
    [
      "what Google lets no project grant to everyone",
      granted({ member: "allAuthenticatedUsers" }),
      asked,
      "fail",
      "roles/dns.admin",
    ],
    ["a role that is none", granted({ role: "dns.admin" }), asked, "fail", "roles/dns.admin"],
    ["a role to a member that is missing", granted({ member: undefined }), asked, "fail", "roles/dns.admin"],
  ])("%s", (_why, changes, rights, status, words) => {
    const { permissions } = judged(changes, rights);
    expect([permissions.status, permissions.reason]).toEqual([status, expect.stringContaining(words)]);
  });

  it("leaves open what a module makes that is handed the service account", () => {
    const { email } = judged([], undefined);
    const module: Change = (configuration) => {
      Object.assign(configuration, { module: { m: { source: "./m", account: email } } });
    };
    const { permissions, subject } = judged([module], asked);
    expect([permissions.status, permissions.reason]).toEqual(["unknown", expect.stringContaining("module")]);
    expect(subject.status).toBe("unknown");
  });
});
