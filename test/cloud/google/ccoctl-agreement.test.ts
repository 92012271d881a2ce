/*
 * The same inputs as a recorded run of ccoctl (openshift/cloud-credential-operator, b187fee, `gcp create-all`), and
 * its cloud API calls and Secrets as facts in test/fixtures/ccoctl/google.json. Every difference is on the list.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Testing, type TerraformStack } from "cdktf";
import { beforeAll, describe, expect, it } from "vitest";
import { IssuerBucket, componentServiceAccounts } from "../../../lib/cloud/google";
import type { ComponentsDeclaration } from "../../../lib/model/components";
import { Issuer } from "../../../lib/model/issuer";
import { googleRequests } from "../../fixtures/google/requests";
import { testStack } from "../../fixtures/google/synth";

type Facts = Readonly<Record<string, unknown>>;

interface Golden {
  readonly input: {
    readonly name: string;
    readonly project: string;
    readonly projectNumber: string;
    readonly region: string;
    readonly publicKey: string;
  };
  readonly pool: Facts;
  readonly provider: Facts & {
    readonly oidc: { readonly issuerUri: string; readonly allowedAudiences: readonly string[] };
  };
  readonly uploadedKeys: Facts;
  readonly bucket: Facts & { readonly name: string; readonly location: string };
  readonly documents: Readonly<Record<string, Facts>>;
  readonly components: readonly {
    readonly request: string;
    readonly accountId: string;
    readonly displayName: string;
    readonly description: string;
    readonly role: Facts & { readonly id: string };
    readonly projectRoles: readonly string[];
    readonly users: readonly { readonly role: string; readonly members: readonly string[] }[];
    readonly secret: Facts & { readonly key: string; readonly file: unknown };
  }[];
}

interface Written {
  readonly import: readonly { readonly to: string; readonly id: string }[];
  readonly resource: Readonly<Record<string, Readonly<Record<string, Facts>>>>;
}

const golden = JSON.parse(
  readFileSync(resolve(__dirname, "../../fixtures/ccoctl/google.json"), "utf8"),
) as Golden;
const { input } = golden;
const keys = [{ publicKey: input.publicKey, use: "current" as const }];
const POOL = `projects/${input.project}/locations/global/workloadIdentityPools/${input.name}`;

/** Every intended difference: properties that ccoctl's objects do not have, or have otherwise. */
const DIFFERENCES: readonly (readonly [type: string, path: readonly string[], reason: string])[] = [
  [
    "google_iam_workload_identity_pool_provider",
    ["attribute_condition"],
    "ccoctl's pool provider admits every service account of the issuer; ours only the components'",
  ],
  [
    "google_iam_workload_identity_pool_provider",
    ["attribute_mapping", "attribute.namespace"],
    "for conditions and audit logs; google.subject is mapped the same",
  ],
  [
    "google_iam_workload_identity_pool_provider",
    ["attribute_mapping", "attribute.service_account_name"],
    "for conditions and audit logs; google.subject is mapped the same",
  ],
  [
    "google_iam_workload_identity_pool_provider",
    ["oidc", "jwks_json"],
    "as ccoctl's pool-jwk-file mode writes it, but without blanks and in another order of members",
  ],
  [
    "google_storage_bucket",
    ["public_access_prevention"],
    "`inherited`, what a bucket has when nothing is stated",
  ],
  ["google_storage_bucket_object", ["content_type"], "JSON is served as JSON; ccoctl leaves text/plain"],
  [
    "google_storage_bucket_object",
    ["cache_control"],
    "five minutes; Cloud Storage's own hour would hold back a rotated key",
  ],
  ["google_storage_bucket_object", ["content", "claims_supported"], "a set; ccoctl names `sub` twice"],
];

let written: Written;
let declaration: ComponentsDeclaration;

function declareEverything(stack: TerraformStack): ComponentsDeclaration {
  new IssuerBucket(stack, "issuer", {
    bucket: golden.bucket.name,
    project: input.project,
    location: input.region,
    keys,
    adopt: true,
  });
  return componentServiceAccounts({
    project: input.project,
    projectNumber: input.projectNumber,
    keys,
    accountIds: Object.fromEntries(golden.components.map((c) => [c.request, c.accountId])),
    adopt: true,
  }).declare(stack, {
    clusterName: input.name,
    issuer: Issuer.of(golden.provider.oidc.issuerUri),
    requests: googleRequests("HEAD"),
  });
}

beforeAll(() => {
  const stack = testStack();
  declaration = declareEverything(stack);
  written = JSON.parse(Testing.synth(stack)) as Written;
});

/** A copy without one property; the same where it has none. */
function without(facts: Facts, [first = "", ...rest]: readonly string[]): Facts {
  if (!(first in facts)) return facts;
  const { [first]: value, ...others } = facts;
  return rest.length === 0 ? others : { ...others, [first]: without(value as Facts, rest) };
}

/** The resources of a type, documents parsed, without Terraform's own order of work. */
const raw = (type: string): readonly Facts[] =>
  Object.values(written.resource[type] ?? {}).map(({ depends_on: _, content, ...facts }) =>
    content === undefined ? facts : { ...facts, content: JSON.parse(String(content)) as unknown },
  );

/** The same without what is on the list of differences. */
const all = (type: string): readonly Facts[] =>
  raw(type).map((facts) =>
    DIFFERENCES.filter(([of]) => of === type).reduce((left, [, path]) => without(left, path), facts),
  );
const only = (type: string): Facts => {
  const [first, ...others] = all(type);
  if (!first || others.length > 0) throw new Error(`not one ${type}`);
  return first;
};
const emailOf = (accountId: string): string => `${accountId}@${input.project}.iam.gserviceaccount.com`;

describe("what ccoctl does on Google Cloud, declared", () => {
  it.each(DIFFERENCES)("differs in %s %j: %s", (type, path) => {
    expect(raw(type).map((facts) => without(facts, path))).not.toEqual(raw(type));
  });

  it("has the same pool", () => {
    expect(only("google_iam_workload_identity_pool")).toEqual({
      project: input.project,
      workload_identity_pool_id: golden.pool["name"],
      display_name: golden.pool["displayName"],
      description: golden.pool["description"],
    });
  });

  it("has the same pool provider, and the listed additions", () => {
    expect(only("google_iam_workload_identity_pool_provider")).toEqual({
      project: input.project,
      workload_identity_pool_id: expect.stringContaining("google_iam_workload_identity_pool."),
      workload_identity_pool_provider_id: golden.provider["name"],
      display_name: golden.provider["displayName"],
      description: golden.provider["description"],
      attribute_mapping: golden.provider["attributeMapping"],
      oidc: {
        issuer_uri: golden.provider.oidc.issuerUri,
        allowed_audiences: golden.provider.oidc.allowedAudiences,
      },
      lifecycle: { prevent_destroy: true },
    });
  });

  it("uploads the same keys, and admits exactly the components", () => {
    const [{ oidc, attribute_condition } = {}] = raw("google_iam_workload_identity_pool_provider");
    expect(JSON.parse(String((oidc as Facts)["jwks_json"]))).toEqual(golden.uploadedKeys);
    const subjects = golden.components
      .flatMap(({ users }) => users.flatMap(({ members }) => members))
      .map((member) => `'${member.split("/subject/")[1]}'`);
    expect(attribute_condition).toBe(`assertion.sub in [${subjects.sort().join(", ")}]`);
  });

  it("has the same service accounts", () => {
    const expected = golden.components.map(({ accountId, displayName, description }) => ({
      project: input.project,
      account_id: accountId,
      display_name: displayName,
      description,
    }));
    expect(all("google_service_account")).toHaveLength(expected.length);
    expect(all("google_service_account")).toEqual(expect.arrayContaining(expected));
  });

  it("has the same custom roles", () => {
    const roles = all("google_project_iam_custom_role");
    const expected = golden.components.map(({ role }) => ({
      project: input.project,
      role_id: role.id,
      title: role["title"],
      description: role["description"],
      permissions: role["permissions"],
    }));
    expect(roles).toHaveLength(expected.length);
    expect(roles).toEqual(expect.arrayContaining(expected));
    // The provider's default.
    expect(golden.components.map(({ role }) => role["stage"])).toEqual(expected.map(() => "GA"));
  });

  it("grants the same roles on the project", () => {
    const ours = all("google_project_iam_member").map(({ project, role, member }) => ({
      project,
      role,
      member,
    }));
    const expected = golden.components.flatMap(({ accountId, projectRoles }) =>
      projectRoles.map((role) => ({
        project: input.project,
        role,
        member: `serviceAccount:${emailOf(accountId)}`,
      })),
    );
    expect(ours).toHaveLength(expected.length);
    expect(ours).toEqual(expect.arrayContaining(expected));
  });

  it("lets the same Kubernetes service accounts act as them", () => {
    const ours = all("google_service_account_iam_member");
    const expected = golden.components.flatMap(({ accountId, users }) =>
      users.flatMap(({ role, members }) =>
        members.map((member) => ({
          service_account_id: `projects/${input.project}/serviceAccounts/${emailOf(accountId)}`,
          role,
          member,
        })),
      ),
    );
    expect(ours).toHaveLength(expected.length);
    expect(ours).toEqual(expect.arrayContaining(expected));
  });

  it("writes the same Secrets", () => {
    const ours = declaration.grants.map(({ secret: { namespace, name, data = {}, stringData } }) => {
      expect(stringData).toBeUndefined();
      const [[key, text] = [], ...others] = Object.entries(data);
      expect(others).toEqual([]);
      const file = Buffer.from(String(text), "base64").toString("utf8");
      return { namespace, name, type: "Opaque", key, file: JSON.parse(file) as unknown };
    });
    const expected = golden.components.map(({ secret }) => secret);
    expect(ours).toHaveLength(expected.length);
    expect(ours).toEqual(expect.arrayContaining(expected));
  });

  it("keeps the order of the members in the credential file", () => {
    const { data = {} } = declaration.grants[0]?.secret ?? {};
    const text = Buffer.from(String(data["service_account.json"]), "base64").toString("utf8");
    expect(Object.keys(JSON.parse(text) as object)).toEqual(
      Object.keys(golden.components[0]?.secret.file as object),
    );
  });

  it("has the same bucket, readers and documents", () => {
    expect(only("google_storage_bucket")).toEqual({
      name: golden.bucket.name,
      project: input.project,
      location: golden.bucket.location.toUpperCase(),
      uniform_bucket_level_access: golden.bucket["uniform"],
      lifecycle: { prevent_destroy: true },
    });
    const { bucket, role, member } = only("google_storage_bucket_iam_member");
    expect(bucket).toBe(golden.bucket.name);
    expect([{ role, members: [member] }]).toEqual(golden.bucket["bindings"]);
    const expected = Object.entries(golden.documents).map(([name, content]) => ({
      bucket: golden.bucket.name,
      name,
      content: without(content, ["claims_supported"]),
    }));
    expect(all("google_storage_bucket_object")).toEqual(expected);
    const [discovery] = raw("google_storage_bucket_object");
    expect(new Set((discovery?.["content"] as Facts)["claims_supported"] as string[])).toEqual(
      new Set(golden.documents[".well-known/openid-configuration"]?.["claims_supported"] as string[]),
    );
  });

  it("imports everything that ccoctl made but the bindings, under the ids that Terraform's import takes", () => {
    const sa = (accountId: string): string =>
      `projects/${input.project}/serviceAccounts/${emailOf(accountId)}`;
    const expected = [
      POOL,
      `${POOL}/providers/${input.name}`,
      `${input.project}/${golden.bucket.name}`,
      ...golden.components.flatMap(({ accountId, role }) => [
        sa(accountId),
        `projects/${input.project}/roles/${role.id}`,
      ]),
    ];
    expect(written.import.map(({ id }) => id).sort()).toEqual(expected.sort());
  });

  // To import a binding that is not there fails the plan; to add one that is there changes nothing.
  it("makes nothing that is not imported, besides documents and bindings", () => {
    const imported = new Set(written.import.map(({ to }) => to));
    const made = Object.entries(written.resource).flatMap(([type, named]) =>
      Object.keys(named).map((name) => `${type}.${name}`),
    );
    const others = made.filter((address) => !imported.has(address)).map((address) => address.split(".")[0]);
    expect([...new Set(others)].sort()).toEqual([
      "google_project_iam_member",
      "google_service_account_iam_member",
      "google_storage_bucket_iam_member",
      "google_storage_bucket_object",
    ]);
  });

  it("differs in the token path of a request that states one, which ccoctl leaves out of the file", () => {
    const [first, ...others] = googleRequests("HEAD");
    if (!first) throw new Error("no request");
    expect([first, ...others].filter(({ cloudTokenPath }) => cloudTokenPath !== undefined)).toEqual([]);
    const { grants } = componentServiceAccounts({
      project: input.project,
      projectNumber: input.projectNumber,
    }).declare(testStack(), {
      clusterName: input.name,
      issuer: Issuer.of(golden.provider.oidc.issuerUri),
      requests: [{ ...first, cloudTokenPath: "/var/run/secrets/own/token" }],
    });
    const text = Buffer.from(String(grants[0]?.secret.data?.["service_account.json"]), "base64").toString();
    expect(JSON.parse(text)).toMatchObject({ credential_source: { file: "/var/run/secrets/own/token" } });
  });
});
