/*
 * Shapes of Terraform that a verifier can overlook, each a small change of an example whose pulls are all allowed: what
 * an expression makes, what a plan does not know yet, and what appears twice.
 */

import { describe, expect, it } from "vitest";
import type { ClusterRecord } from "../../lib/explain";
import { type Artefacts, explained, synthesized } from "../fixtures/explain/artefacts";

type Values = Record<string, unknown>;
type Configuration = Record<"resource" | "data", Record<string, Record<string, Values>>> & {
  provider: Values;
};

const artefacts = synthesized("three-clouds");
const CONFIGURATION = [...artefacts.keys()].find((path) => path.endsWith("cdk.tf.json")) ?? "";
const FACTS = CONFIGURATION.replace("cdk.tf.json", "workload-identity.json");
const AWS = {
  serviceAccount: "shop/web",
  image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web",
};
const AZURE = { serviceAccount: "shop/web", image: "acmeshop.azurecr.io/models/llm" };
const GOOGLE = {
  serviceAccount: "shop/tools",
  image: "europe-west1-docker.pkg.dev/acme-images/tools/build",
};
const DENY = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Deny", Action: "*", Resource: "*" }],
});
const PULLS = {
  actions: ["ecr:GetAuthorizationToken", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
  resources: ["*"],
};
const PROJECT = "cloudresourcemanager.googleapis.com%2Fprojects%2Facme-images";
const DOWNLOADS = "artifactregistry.googleapis.com/repositories.downloadArtifacts";
const LOGIN = "unknown login-permitted";
const REPOSITORY = "unknown repository-permitted";
const ISSUER = "unknown issuer-trusted";
const AUDIENCE = "unknown audience-accepted";
const SUBJECT = "unknown subject-admitted";
const made = (content: object): object => ({ for_each: ["x"], content });

function configuration(): Configuration {
  const written = JSON.parse(artefacts.get(CONFIGURATION) ?? "{}") as Omit<Configuration, "data">;
  return { ...written, data: {} };
}

/** The one resource of the type whose name is like that. */
function one({ resource }: Configuration, type: string, like = ""): Values {
  const [, found] = Object.entries(resource[type] ?? {}).find(([name]) => name.includes(like)) ?? [];
  if (!found) throw new Error(`no ${type}`);
  return found;
}

const role = (all: Configuration): Values => one(all, "aws_iam_role", "shop_web");
const policy = (all: Configuration): Values => one(all, "aws_iam_role_policy", "shop_web");
const poolProvider = (all: Configuration): Values => one(all, "google_iam_workload_identity_pool_provider");
const pool = (all: Configuration): Values => one(all, "google_iam_workload_identity_pool");
const member = (all: Configuration): Values => one(all, "google_artifact_registry_repository_iam_member");
const credential = (all: Configuration): Values => one(all, "azurerm_federated_identity_credential");
const assignment = (all: Configuration): Values => one(all, "azurerm_role_assignment");
const document = (all: Configuration, body: object, statement: object = {}): void => {
  all.data["aws_iam_policy_document"] = { p: { statement: [{ ...PULLS, ...statement }], ...body } };
  policy(all)["policy"] = "${data.aws_iam_policy_document.p.json}";
};

type Change = (all: Configuration) => void;
const set =
  (of: (all: Configuration) => Values, key: string, value: unknown): Change =>
  (all) =>
    void (of(all)[key] = value);
type Row = readonly [why: string, asked: typeof AWS, change: Change, expected: string];

/** The verdict, and the first check that does not pass. */
function judged(files: Artefacts, asked: typeof AWS, cluster?: ClusterRecord): string {
  const [result] = explained(files, asked, cluster ? { cluster } : {});
  const check = result?.checks.find(({ status }) => status !== "pass" && status !== "skipped");
  return [result?.verdict, check?.id].filter(Boolean).join(" ");
}

describe("in a configuration", () => {
  it.each<Row>([
    ["as it is, AWS", AWS, () => undefined, "allowed"],
    ["as it is, Azure", AZURE, () => undefined, "allowed"],
    ["as it is, Google", GOOGLE, () => undefined, "allowed"],
    ["a policy document", AWS, (all) => document(all, {}), "allowed"],
    ["a `dynamic` statement", AWS, (all) => document(all, { dynamic: { statement: made({}) } }), LOGIN],
    ["a `dynamic` condition", AWS, (all) => document(all, {}, { dynamic: { condition: made({}) } }), LOGIN],
    [
      "values of a condition by expression, in a denial",
      AWS,
      (all) =>
        document(all, {
          statement: [
            PULLS,
            {
              effect: "Deny",
              ...PULLS,
              condition: { test: "StringEquals", variable: "aws:RequestedRegion", values: "${var.v}" },
            },
          ],
        }),
      LOGIN,
    ],
    [
      "an inline policy that `dynamic` makes",
      AWS,
      set(role, "dynamic", { inline_policy: made({ name: "x", policy: DENY }) }),
      LOGIN,
    ],
    ["inline policies by expression", AWS, (all) => void (role(all)["inline_policy"] = "${var.p}"), LOGIN],
    ["an inline policy without text", AWS, set(role, "inline_policy", [{ name: "x" }]), LOGIN],
    // aws_iam_role in the provider's documentation: one empty block removes all inline policies of others.
    ["an empty block, which takes away what stands beside it", AWS, set(role, "inline_policy", [{}]), LOGIN],
    ["no block, which says nothing", AWS, (all) => void (role(all)["inline_policy"] = []), "allowed"],
    ["attached policies by expression", AWS, set(role, "managed_policy_arns", "${var.a}"), LOGIN],
    [
      "roles of an attachment by expression",
      AWS,
      (all) => {
        all.resource["aws_iam_policy"] = { d: { name: "d", policy: DENY } };
        all.resource["aws_iam_policy_attachment"] = {
          d: { roles: "${var.r}", policy_arn: "${aws_iam_policy.d.arn}" },
        };
      },
      LOGIN,
    ],
    [
      "audiences of the OIDC provider by expression",
      AWS,
      (all) => void (one(all, "aws_iam_openid_connect_provider")["client_id_list"] = [null]),
      AUDIENCE,
    ],
    [
      "a key twice in a policy",
      AWS,
      (all) =>
        void (policy(all)["policy"] = String(policy(all)["policy"]).replace(
          '"Effect":"Allow"',
          '"Effect":"Deny","Effect":"Allow"',
        )),
      LOGIN,
    ],
    [
      "a key twice in a trust policy",
      AWS,
      (all) =>
        void (role(all)["assume_role_policy"] = String(role(all)["assume_role_policy"]).replace(
          '"Effect":"Allow"',
          '"Effect":"Deny","Effect":"Allow"',
        )),
      // AWS does not say which of the two counts, so that nothing of the policy is known.
      ISSUER,
    ],
    [
      "a second role of that name, with another trust policy",
      AWS,
      (all) =>
        void (all.resource["aws_iam_role"] = {
          ...all.resource["aws_iam_role"],
          z: { ...role(all), assume_role_policy: "{}" },
        }),
      ISSUER,
    ],
    ["an audience by expression", AZURE, (all) => void (credential(all)["audience"] = "${var.a}"), AUDIENCE],
    [
      "credentials of no one knows whom",
      AZURE,
      (all) =>
        void (credential(all)["parent_id"] = credential(all)["user_assigned_identity_id"] = "${module.m.id}"),
      ISSUER,
    ],
    ["a role assignment for no one knows whom", AZURE, set(assignment, "principal_id", "${var.p}"), LOGIN],
    [
      "a `dynamic` condition",
      GOOGLE,
      set(member, "dynamic", { condition: made({ expression: "false" }) }),
      REPOSITORY,
    ],
    ["a switch by expression", GOOGLE, (all) => void (poolProvider(all)["disabled"] = "${var.d}"), ISSUER],
    ["the pool's switch by expression", GOOGLE, (all) => void (pool(all)["disabled"] = "${var.d}"), ISSUER],
    ["the pool's switch as text", GOOGLE, (all) => void (pool(all)["disabled"] = "false"), "allowed"],
    [
      "a condition that is not a string",
      GOOGLE,
      set(poolProvider, "attribute_condition", false),
      "denied subject-admitted",
    ],
    ["the block oidc by expression", GOOGLE, (all) => void (poolProvider(all)["oidc"] = "${var.o}"), ISSUER],
    [
      "a pool provider of another project than its pool",
      GOOGLE,
      set(poolProvider, "project", "other"),
      ISSUER,
    ],
    [
      "a principal access boundary policy",
      GOOGLE,
      (all) =>
        void (all.resource["google_iam_principal_access_boundary_policy"] = {
          p: { organization: "123", location: "global", principal_access_boundary_policy_id: "p" },
        }),
      REPOSITORY,
    ],
    ...["id", "name", "repository_id"].map((attribute): [string, typeof GOOGLE, Change, string] => [
      `the repository by ${attribute}`,
      GOOGLE,
      (all) => {
        const { project, location, repository } = member(all);
        all.resource["google_artifact_registry_repository"] = {
          r: { project, location, repository_id: repository, format: "DOCKER" },
        };
        member(all)["repository"] = `\${google_artifact_registry_repository.r.${attribute}}`;
      },
      "allowed",
    ]),
  ])("%s", (_, asked, change, expected) => {
    const all = configuration();
    change(all);
    expect(judged(new Map([...artefacts, [CONFIGURATION, JSON.stringify(all)]]), asked)).toBe(expected);
  });
});

interface PlannedResource {
  readonly address: string;
  readonly mode: string;
  readonly type: string;
  readonly values: Values;
  readonly unknown: Values;
  readonly expressions: Values;
  readonly provider: string;
}

/** What a plan of the configuration says of a resource: a reference as a whole is known only after apply. */
function planned([type, name, written]: readonly [string, string, Values]): PlannedResource {
  const entries = Object.entries(written).filter(([key]) => !["//", "depends_on", "provider"].includes(key));
  const isLate = ([, value]: readonly [string, unknown]): boolean => /^\$\{[^}]+\}$/.test(String(value));
  const referred = (value: unknown): readonly string[] => {
    const reference = String(value).slice(2, -1);
    return [reference, reference.split(".").slice(0, 2).join(".")];
  };
  return {
    address: `${type}.${name}`,
    mode: "managed",
    type,
    values: Object.fromEntries(entries.filter((entry) => !isLate(entry))),
    unknown: Object.fromEntries(entries.filter(isLate).map(([key]) => [key, true])),
    expressions: Object.fromEntries(
      entries.map((entry) => [entry[0], isLate(entry) ? { references: referred(entry[1]) } : {}]),
    ),
    provider: String(written["provider"] ?? type.split("_")[0]),
  };
}

type PlanChange = (
  find: (type: string, like?: string) => PlannedResource,
) => readonly PlannedResource[] | void;

function plan(change: PlanChange): string {
  const all = configuration();
  const resources = Object.entries(all.resource).flatMap(([type, names]) =>
    Object.entries(names).map(([name, written]) => planned([type, name, written])),
  );
  const more = change((type, like = "") => {
    const found = resources.find((each) => each.type === type && each.address.includes(like));
    if (!found) throw new Error(`no ${type}`);
    return found;
  });
  const every = [...resources, ...(more ?? [])];
  const providers = Object.entries(all.provider).flatMap(([name, blocks]) =>
    (blocks as Values[]).map(({ alias, ...rest }) => [
      alias === undefined ? name : `${name}.${String(alias)}`,
      {
        name,
        expressions: Object.fromEntries(
          Object.entries(rest).map(([key, value]) => [key, { constant_value: value }]),
        ),
      },
    ]),
  );
  return JSON.stringify({
    format_version: "1.2",
    planned_values: { root_module: { resources: every } },
    resource_changes: every.map(({ address, unknown }) => ({ address, change: { after_unknown: unknown } })),
    configuration: {
      provider_config: Object.fromEntries(providers) as Values,
      root_module: {
        resources: every.map(({ address, expressions, provider }) => ({
          address,
          expressions,
          provider_config_key: provider,
        })),
      },
    },
  });
}

/** Makes an argument one that is known only after apply. */
function forget({ values, unknown, expressions }: PlannedResource, key: string): void {
  delete values[key];
  unknown[key] = true;
  expressions[key] = { references: ["var.x"] };
}

function added(
  type: string,
  values: Values,
  unknown: Values,
  references: Values = {},
): readonly PlannedResource[] {
  const expressions = Object.fromEntries(
    [...Object.keys(values), ...Object.keys(unknown)].map((key) => [
      key,
      { references: references[key] ?? ["var.x"] },
    ]),
  );
  return [
    {
      address: `${type}.more`,
      mode: "managed",
      type,
      values,
      unknown,
      expressions,
      provider: type.split("_")[0] ?? "",
    },
  ];
}

/** What only apply tells of an argument of a resource. */
const without =
  (key: string, type: string, like?: string): PlanChange =>
  (find) =>
    forget(find(type, like), key);

describe("in a plan", () => {
  const PROVIDER = "google_iam_workload_identity_pool_provider";
  const { clusters } = JSON.parse(artefacts.get(FACTS) ?? "{}") as { clusters: readonly ClusterRecord[] };

  it.each<readonly [string, typeof AWS, PlanChange, string]>([
    ["as it is, AWS", AWS, () => undefined, "allowed"],
    ["as it is, Google", GOOGLE, () => undefined, "allowed"],
    [
      "what only providers compute",
      AWS,
      (find) =>
        void Object.assign(find("aws_iam_role", "shop_web").unknown, {
          inline_policy: true,
          managed_policy_arns: true,
          arn: true,
          id: true,
        }),
      "allowed",
    ],
    ["a boundary", AWS, without("permissions_boundary", "aws_iam_role", "shop_web"), LOGIN],
    ["attached policies", AWS, without("managed_policy_arns", "aws_iam_role", "shop_web"), LOGIN],
    [
      "the text of an inline policy",
      AWS,
      (find) => {
        const { values, unknown } = find("aws_iam_role", "shop_web");
        values["inline_policy"] = [{ name: "x" }];
        unknown["inline_policy"] = [{ policy: true }];
      },
      LOGIN,
    ],
    [
      "the repository of a policy that denies",
      AWS,
      () =>
        added(
          "aws_ecr_repository_policy",
          {
            policy: JSON.stringify({
              Version: "2012-10-17",
              Statement: [{ Effect: "Deny", Principal: "*", Action: "ecr:*" }],
            }),
          },
          { repository: true },
        ),
      REPOSITORY,
    ],
    [
      "which of two policies is attached",
      AWS,
      () => [
        ...added(
          "aws_iam_policy",
          { name: "ok", policy: '{"Version":"2012-10-17","Statement":[]}' },
          { arn: true },
        ),
        ...added(
          "aws_iam_role_policy_attachment",
          { role: "edge-1_shop_web" },
          { policy_arn: true },
          {
            policy_arn: [
              "aws_iam_policy.more.arn",
              "aws_iam_policy.more",
              "aws_iam_policy.other.arn",
              "aws_iam_policy.other",
            ],
          },
        ),
      ],
      LOGIN,
    ],
    [
      "some audiences of the OIDC provider",
      AWS,
      (find) => {
        const { values, unknown } = find("aws_iam_openid_connect_provider");
        values["client_id_list"] = [null];
        unknown["client_id_list"] = [true];
      },
      AUDIENCE,
    ],
    ["the attribute condition", GOOGLE, without("attribute_condition", PROVIDER), SUBJECT],
    ["the mapping", GOOGLE, without("attribute_mapping", PROVIDER), SUBJECT],
    ["the switch", GOOGLE, without("disabled", PROVIDER), ISSUER],
    ["the pool's switch", GOOGLE, without("disabled", "google_iam_workload_identity_pool"), ISSUER],
    [
      "the audiences",
      GOOGLE,
      (find) => {
        const { values, unknown } = find(PROVIDER);
        values["oidc"] = [{ ...(values["oidc"] as Values), allowed_audiences: undefined }];
        unknown["oidc"] = [{ allowed_audiences: true }];
      },
      AUDIENCE,
    ],
    [
      "the condition of a grant",
      GOOGLE,
      without("condition", "google_artifact_registry_repository_iam_member"),
      REPOSITORY,
    ],
    [
      "a deny policy of downloads",
      GOOGLE,
      () =>
        added(
          "google_iam_deny_policy",
          { parent: PROJECT, name: "d", rules: [{ deny_rule: [{ denied_permissions: [DOWNLOADS] }] }] },
          {},
        ),
      REPOSITORY,
    ],
  ])("%s", (_, asked, change, expected) => {
    const files = new Map(
      [...artefacts]
        .filter(([path]) => /manifests|nodes/.test(path))
        .map(([path, text]) => [path.split("/").slice(-2).join("/"), text]),
    );
    expect(judged(new Map([...files, ["plan.json", plan(change)]]), asked, clusters[0])).toBe(expected);
  });
});
