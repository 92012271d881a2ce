import { describe, expect, it } from "vitest";
import {
  INGRESS,
  WORKLOAD,
  type Configuration,
  accessArtefacts,
  issuer,
  reasonOf,
  resultOf,
  withTerraform,
} from "../fixtures/explain/access";
import { type Artefacts, statuses } from "../fixtures/explain/artefacts";

const written = accessArtefacts("google");

type Resource = Record<string, unknown>;

/** Every resource of a type, changed in place. */
function each(type: string, change: (values: Resource) => void): (configuration: Configuration) => void {
  return ({ resource }) => {
    const found = Object.values(resource[type] ?? {});
    if (found.length === 0) throw new Error(`no ${type}`);
    found.forEach(change);
  };
}

function changed(...changes: readonly ((configuration: Configuration) => void)[]): Artefacts {
  return withTerraform(written, (configuration) => changes.forEach((change) => change(configuration)));
}

const PROJECT_MEMBER = "google_project_iam_member";
const BUCKET_MEMBER = "google_storage_bucket_iam_member";
const ACCOUNT_MEMBER = "google_service_account_iam_member";
const POOL_PROVIDER = "google_iam_workload_identity_pool_provider";

const onBucket = ({ resource }: Configuration): void => {
  for (const [name, { role, member }] of Object.entries(resource[PROJECT_MEMBER] ?? {}))
    resource[BUCKET_MEMBER] = { ...resource[BUCKET_MEMBER], [`b_${name}`]: { role, member, bucket: "x" } };
  delete resource[PROJECT_MEMBER];
};

const deny = (...permissions: readonly string[]): ((configuration: Configuration) => void) => {
  return ({ resource }) => {
    const rules = [{ deny_rule: [{ denied_principals: ["x"], denied_permissions: permissions }] }];
    resource["google_iam_deny_policy"] = { deny: { name: "deny", rules } };
  };
};

const add = (
  type: string,
  values: (configuration: Configuration) => Resource,
): ((configuration: Configuration) => void) => {
  return (configuration) => {
    configuration.resource[type] = { ...configuration.resource[type], added: values(configuration) };
  };
};

/** What a role's binding on the service account of the ingress operator holds. */
function ingressUser({ resource }: Configuration): Resource {
  const found = Object.values(resource[ACCOUNT_MEMBER] ?? {}).find(({ member }) =>
    String(member).includes("ingress-operator:ingress-operator"),
  );
  if (!found) throw new Error("no binding");
  return found;
}

// cloud.google.com/iam/docs/policies, "Policy evaluation": what is granted elsewhere, denied, disabled or conditional.
describe("what is granted to a component", () => {
  it.each<[string, ...(readonly ((configuration: Configuration) => void)[])]>([
    [
      "on another project",
      each(PROJECT_MEMBER, (values) =>
        Object.assign(values, { project: "other-project", role: "organizations/1/roles/dns" }),
      ),
    ],
    ["on a bucket", onBucket],
    ["under a condition", each(PROJECT_MEMBER, (values) => (values["condition"] = { expression: "a == b" }))],
    [
      "beside a policy without it",
      add("google_project_iam_policy", () => ({
        project: "acme-prod",
        policy_data: JSON.stringify({ bindings: [] }),
      })),
    ],
    [
      "by a role whose permissions are known only after apply",
      each("google_project_iam_custom_role", (values) => (values["permissions"] = "${var.permissions}")),
    ],
    ["less what a deny policy may take", deny("dns.googleapis.com/changes.*")],
  ])("%s cannot be determined", (_, ...changes) => {
    expect(statuses(resultOf(changed(...changes), INGRESS))["permissions-granted"]).toBe("unknown");
  });

  it.each<[string, (configuration: Configuration) => void]>([
    [
      "by a disabled role",
      each("google_project_iam_custom_role", (values) => (values["stage"] = "DISABLED")),
    ],
    [
      "by a role of the project on another",
      each(PROJECT_MEMBER, (values) => (values["project"] = "other-project")),
    ],
    [
      "by a role of the project on a folder",
      ({ resource }) => {
        resource["google_folder_iam_member"] = Object.fromEntries(
          Object.entries(resource[PROJECT_MEMBER] ?? {}).map(([name, values]) => [
            name,
            { ...values, folder: "1" },
          ]),
        );
        delete resource[PROJECT_MEMBER];
      },
    ],
    ["by a deleted role", each("google_project_iam_custom_role", (values) => (values["deleted"] = true))],
    [
      "under a condition that never holds",
      each(PROJECT_MEMBER, (values) => (values["condition"] = { expression: " (false) " })),
    ],
    [
      "under a condition with 13 logical operators",
      each(
        PROJECT_MEMBER,
        (values) => (values["condition"] = { expression: Array(14).fill("a == b").join(" || ") }),
      ),
    ],
  ])("%s does not count", (_, change) => {
    expect(statuses(resultOf(changed(change), INGRESS))["permissions-granted"]).toBe("fail");
  });

  it("counts beside a binding of the role that names it, and beside one of another project", () => {
    const beside = (project: string, named: boolean): Artefacts =>
      changed(({ resource }) => {
        const bindings = Object.entries(resource[PROJECT_MEMBER] ?? {}).map(([name, { role, member }]) => [
          name,
          { project, role, members: named ? [member] : [] },
        ]);
        resource["google_project_iam_binding"] = Object.fromEntries(bindings) as Record<string, Resource>;
      });
    expect(resultOf(beside("acme-prod", true), INGRESS).verdict).toBe("allowed");
    expect(resultOf(beside("other-project", false), INGRESS).verdict).toBe("allowed");
    const contested = resultOf(beside("acme-prod", false), INGRESS);
    expect(reasonOf(contested, "permissions-granted")).toContain("another resource owns the same policy");
  });
});

describe("what is granted to a workload", () => {
  it.each<[string, (configuration: Configuration) => void, string]>([
    ["on another bucket", each(BUCKET_MEMBER, (values) => (values["bucket"] = "other")), "fail"],
    [
      "on its project",
      ({ resource }) => {
        const [{ role, member } = {}] = Object.values(resource[BUCKET_MEMBER] ?? {});
        resource[PROJECT_MEMBER] = { only: { role, member, project: "acme-prod" } };
        delete resource[BUCKET_MEMBER];
      },
      "unknown",
    ],
    [
      "under a condition",
      each(BUCKET_MEMBER, (values) => (values["condition"] = { expression: "request.time < x" })),
      "unknown",
    ],
    [
      "under a condition that never holds",
      each(BUCKET_MEMBER, (values) => (values["condition"] = { expression: "false" })),
      "fail",
    ],
    [
      "under a condition with 12 logical operators",
      each(
        BUCKET_MEMBER,
        (values) => (values["condition"] = { expression: Array(13).fill("a == b").join(" && ") }),
      ),
      "unknown",
    ],
    [
      "under a condition with 13 logical operators, one of which is known only after apply",
      each(
        BUCKET_MEMBER,
        (values) => (values["condition"] = { expression: `\${var.x}${" || a == b".repeat(13)}` }),
      ),
      "unknown",
    ],
    ["less what any deny policy may take", deny("compute.googleapis.com/instances.create"), "unknown"],
  ])("%s is judged", (_, change, status) => {
    expect(statuses(resultOf(changed(change), WORKLOAD))["permissions-granted"]).toBe(status);
  });
});

describe("the service account", () => {
  it.each<[string, boolean | string, string, string]>([
    ["disabled", true, "fail", "is disabled"],
    ["disabled in words", "true", "fail", "is disabled"],
    ["perhaps disabled", "${var.off}", "unknown", "known only after apply"],
    ["enabled", false, "pass", "is declared"],
  ])("%s", (_, disabled, status, says) => {
    const result = resultOf(
      changed(each("google_service_account", (values) => (values["disabled"] = disabled))),
      INGRESS,
    );
    expect([statuses(result)["identity-found"], reasonOf(result, "identity-found")]).toEqual([
      status,
      expect.stringContaining(says),
    ]);
  });

  it.each<[string, (configuration: Configuration) => void, string]>([
    [
      "a deny policy of tokens",
      deny("iam.googleapis.com/serviceAccounts.getAccessToken"),
      "an unjudged deny policy may",
    ],
    ["a deny policy of all of IAM", deny("iam.googleapis.com/*"), "an unjudged deny policy may"],
    [
      "another resource that rules its users",
      add("google_service_account_iam_binding", (configuration) => {
        const { role, service_account_id } = ingressUser(configuration);
        return { role, service_account_id, members: [] };
      }),
      "owns the same policy",
    ],
    [
      "another policy of its own",
      add("google_service_account_iam_policy", (configuration) => ({
        service_account_id: ingressUser(configuration)["service_account_id"],
        policy_data: JSON.stringify({ bindings: [] }),
      })),
      "owns the same policy",
    ],
  ])("may be kept from its users by %s", (_, change, says) => {
    const result = resultOf(changed(change), INGRESS);
    expect([statuses(result)["subject-admitted"], reasonOf(result, "subject-admitted")]).toEqual([
      "unknown",
      expect.stringContaining(says),
    ]);
  });

  it("is not kept from its users by a deny policy of something else", () => {
    const result = resultOf(changed(deny("compute.googleapis.com/*")), INGRESS);
    expect(result.verdict).toBe("allowed");
  });
});

describe("the pool provider", () => {
  const mapped = (more: Readonly<Record<string, string>>): ((configuration: Configuration) => void) =>
    each(POOL_PROVIDER, (values) => {
      values["attribute_mapping"] = { ...(values["attribute_mapping"] as object), ...more };
    });
  // Google's documentation does not say what an attribute does whose expression fails.
  it.each([
    ["fails", "assertion.nope"],
    ["is no CEL", "((("],
  ])("with an attribute of its own whose expression %s leaves the exchange open", (_, expression) => {
    const result = resultOf(changed(mapped({ "attribute.team": expression })), INGRESS);
    expect([statuses(result)["subject-admitted"], reasonOf(result, "subject-admitted")]).toEqual([
      "unknown",
      expect.stringContaining("Google does not document"),
    ]);
  });

  const published = (kids: readonly string[]): ((configuration: Configuration) => void) => {
    return ({ resource }) => {
      resource["google_storage_bucket_object"] = {
        discovery: {
          bucket: "b",
          name: ".well-known/openid-configuration",
          content: JSON.stringify({ issuer, jwks_uri: `${issuer}/keys.json` }),
        },
        keys: {
          bucket: "b",
          name: "keys.json",
          content: JSON.stringify({ keys: kids.map((kid) => ({ kid })) }),
        },
      };
    };
  };
  const handed = (kids: readonly string[]): ((configuration: Configuration) => void) =>
    each(POOL_PROVIDER, (values) => {
      const jwks_json = JSON.stringify({ keys: kids.map((kid) => ({ kid })) });
      values["oidc"] = { ...(values["oidc"] as object), jwks_json };
    });

  it.each<[string, readonly ((configuration: Configuration) => void)[], string, string]>([
    ["no keys", [handed([])], "fail", "are an empty list"],
    ["other keys than are published", [handed(["a"]), published(["b"])], "fail", "the issuer publishes b"],
    ["some of the published keys", [handed(["a"]), published(["a", "b"])], "unknown", "b is published"],
    ["the published keys", [handed(["a", "b"]), published(["b"])], "pass", "trusts"],
  ])("with %s", (_, changes, status, says) => {
    const result = resultOf(changed(...changes), INGRESS);
    const shown = result.checks.find(({ id }) => id === "issuer-trusted")?.evidence.map(({ text }) => text);
    expect(shown?.includes("published keys")).toBe(changes.length > 1 && status !== "pass");
    expect([statuses(result)["issuer-trusted"], reasonOf(result, "issuer-trusted")]).toEqual([
      status,
      expect.stringContaining(says),
    ]);
  });
});
