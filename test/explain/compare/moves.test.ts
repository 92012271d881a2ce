/*
 * Resources that only moved: with another address, a key in place of an index, in another module, or in another order, they
 * let whom do what they did. Source: developer.hashicorp.com/terraform/language/modules/develop/refactoring, and
 * developer.hashicorp.com/terraform/internals/json-format for `previous_address`.
 */

import { describe, expect, it } from "vitest";
import { compare, comparePlan } from "../../../lib/explain";
import { folderOf, synthesized } from "../../fixtures/explain/artefacts";

const ISSUER = "https://oidc.acme.example/edge-1";
const HOST = ISSUER.slice("https://".length);
const ACCOUNT = "111122223333";
const ARN = `arn:aws:iam::${ACCOUNT}`;
const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const GROUP = `${SUBSCRIPTION}/resourceGroups/edge`;
const POOL = "projects/123456789012/locations/global/workloadIdentityPools/edge";

type Late = Readonly<Partial<Record<string, string>>>;

/** A resource for one service account, with its arguments and attributes after the apply. */
interface Declared {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The arguments that a first plan does not know, with what they refer to: `aws_iam_role.arn`. */
  readonly late?: Late | undefined;
}

const policy = (...Statement: readonly object[]): string =>
  JSON.stringify({ Version: "2012-10-17", Statement });
const reads = (name: string): string =>
  policy({ Effect: "Allow", Action: "s3:GetObject", Resource: `arn:aws:s3:::${name}/*` });
const subjectOf = (name: string): string => `system:serviceaccount:shop:${name}`;
const emailOf = (name: string): string => `${name}-sa@acme-prod.iam.gserviceaccount.com`;
const uuidOf = (name: string, first: number): string =>
  `${first}d7b2f6a-0a41-4a53-8f5e-c2d9f1a3e${NAMES[name]}`;
const NAMES: Readonly<Record<string, number>> = { web: 721, api: 722, job: 723 };

const CLOUDS: Readonly<Record<string, (name: string) => readonly Declared[]>> = {
  AWS: (name) => [
    {
      type: "aws_iam_role",
      values: {
        arn: `${ARN}:role/${name}`,
        name,
        path: "/",
        assume_role_policy: policy({
          Effect: "Allow",
          Action: "sts:AssumeRoleWithWebIdentity",
          Principal: { Federated: `${ARN}:oidc-provider/${HOST}` },
          Condition: {
            StringEquals: { [`${HOST}:aud`]: "sts.amazonaws.com", [`${HOST}:sub`]: subjectOf(name) },
          },
        }),
      },
    },
    {
      type: "aws_iam_role_policy",
      values: { name: "own", role: name, policy: reads(name) },
      late: { role: "aws_iam_role.id" },
    },
    {
      type: "aws_iam_policy",
      values: { arn: `${ARN}:policy/${name}`, name, path: "/", policy: reads(`${name}-logs`) },
    },
    {
      type: "aws_iam_role_policy_attachment",
      values: { role: name, policy_arn: `${ARN}:policy/${name}` },
      late: { role: "aws_iam_role.name", policy_arn: "aws_iam_policy.arn" },
    },
  ],
  Azure: (name) => {
    const id = `${GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
    return [
      {
        type: "azurerm_user_assigned_identity",
        values: {
          id,
          name,
          resource_group_name: "edge",
          location: "westeurope",
          client_id: uuidOf(name, 1),
          principal_id: uuidOf(name, 2),
          tenant_id: uuidOf("web", 3),
        },
      },
      {
        type: "azurerm_federated_identity_credential",
        values: {
          id: `${id}/federatedIdentityCredentials/pods`,
          name: "pods",
          resource_group_name: "edge",
          parent_id: id,
          issuer: ISSUER,
          subject: subjectOf(name),
          audience: ["api://AzureADTokenExchange"],
        },
        late: { parent_id: "azurerm_user_assigned_identity.id" },
      },
      {
        type: "azurerm_role_assignment",
        values: {
          id: `${GROUP}/providers/Microsoft.Authorization/roleAssignments/${uuidOf(name, 4)}`,
          name: uuidOf(name, 4),
          scope: GROUP,
          role_definition_name: "Reader",
          principal_id: uuidOf(name, 2),
        },
        late: { name: "", principal_id: "azurerm_user_assigned_identity.principal_id" },
      },
    ];
  },
  "Google Cloud": (name) => [
    {
      type: "google_service_account",
      values: {
        project: "acme-prod",
        account_id: `${name}-sa`,
        email: emailOf(name),
        name: `projects/acme-prod/serviceAccounts/${emailOf(name)}`,
        member: `serviceAccount:${emailOf(name)}`,
      },
    },
    {
      type: "google_service_account_iam_member",
      values: {
        service_account_id: `projects/acme-prod/serviceAccounts/${emailOf(name)}`,
        role: "roles/iam.workloadIdentityUser",
        member: `principal://iam.googleapis.com/${POOL}/subject/${subjectOf(name)}`,
      },
    },
    {
      type: "google_project_iam_member",
      values: {
        project: "acme-prod",
        role: "roles/storage.objectViewer",
        member: `serviceAccount:${emailOf(name)}`,
      },
    },
  ],
};

/** What admits the tokens of the cluster; one for all. */
const SHARED: Readonly<Record<string, readonly Declared[]>> = {
  AWS: [
    {
      type: "aws_iam_openid_connect_provider",
      values: { arn: `${ARN}:oidc-provider/${HOST}`, url: HOST, client_id_list: ["sts.amazonaws.com"] },
    },
  ],
  Azure: [],
  "Google Cloud": [
    {
      type: "google_iam_workload_identity_pool",
      values: { project: "acme-prod", workload_identity_pool_id: "edge", name: POOL },
    },
    {
      type: "google_iam_workload_identity_pool_provider",
      values: {
        project: "acme-prod",
        workload_identity_pool_id: "edge",
        workload_identity_pool_provider_id: "edge",
        attribute_mapping: { "google.subject": "assertion.sub" },
        oidc: [{ issuer_uri: ISSUER, allowed_audiences: ["edge"] }],
      },
      late: { workload_identity_pool_id: "google_iam_workload_identity_pool.workload_identity_pool_id" },
    },
  ],
};

/** Where the resources of a service account are: the module, the name in Terraform, and the key. */
interface Place {
  readonly module?: string;
  readonly name: string;
  readonly key?: string;
}

type Placed = readonly (readonly [service: string, place: Place])[];

const each = (place: (service: string) => Place): Placed =>
  Object.keys(NAMES).map((service) => [service, place(service)]);
const OLD = each((name) => ({ name }));
const INDEXED = each((service) => ({ name: "all", key: `[${Object.keys(NAMES).indexOf(service)}]` }));
const KEYED = each((service) => ({ name: "all", key: `["${service}"]` }));
const IN_MODULE = each((module) => ({ module, name: "this" }));

const MOVES: readonly (readonly [what: string, old: Placed, made: Placed])[] = [
  ["other names", OLD, each((name) => ({ name: `${name}-2` }))],
  ["one block for all", OLD, INDEXED],
  ["keys in place of indexes", INDEXED, KEYED],
  ["other keys", KEYED, each((service) => ({ name: "all", key: `["shop/${service}.x"]` }))],
  ["into modules", OLD, IN_MODULE],
  ["other modules", IN_MODULE, each((service) => ({ module: `${service}_2`, name: "main" }))],
  ["one module for all", IN_MODULE, each((service) => ({ module: `all["${service}"]`, name: "this" }))],
  ["other indexes", INDEXED, [...INDEXED].map(([, place], at) => [Object.keys(NAMES)[2 - at] ?? "", place])],
  ["indexes of a module", INDEXED, each((service) => ({ module: `all[${NAMES[service]}]`, name: "this" }))],
  ["another order", OLD, [...OLD].reverse()],
];

const addressOf = (type: string, { module, name, key = "" }: Place): string =>
  `${module === undefined ? "" : `module.${module}.`}${type}.${name}${key}`;

type Resources = readonly (readonly [Declared, Place])[];

/** What a cloud has for each service account, and for all. */
const resourcesOf = (cloud: string, placed: Placed): Resources => [
  ...(SHARED[cloud] ?? []).map((declared) => [declared, { name: "edge" }] as const),
  ...placed.flatMap(([service, place]) =>
    (CLOUDS[cloud]?.(service) ?? []).map((declared) => [declared, place] as const),
  ),
];

function rootModule(all: Resources, isLate: boolean): object {
  const modules = new Map<string, object[]>();
  for (const [{ type, values, late = {} }, place] of all) {
    const resource = {
      address: addressOf(type, place),
      mode: "managed",
      type,
      name: place.name,
      provider_name: `registry.terraform.io/hashicorp/${type.split("_")[0] ?? ""}`,
      values: isLate ? plannedOf(type, values, late) : values,
    };
    const { module = "" } = place;
    modules.set(module, [...(modules.get(module) ?? []), resource]);
  }
  const child_modules = [...modules].flatMap(([module, resources]) =>
    module === "" ? [] : [{ address: `module.${module}`, resources }],
  );
  return { resources: modules.get("") ?? [], child_modules };
}

/** Attributes that only an apply tells. */
const COMPUTED = /^(?:arn|id|email|client_id|principal_id|tenant_id)$/;

function plannedOf(type: string, values: Declared["values"], late: object): object {
  const isAccount = type === "google_service_account";
  const isKnown = ([name]: readonly [string, unknown]): boolean =>
    !(name in late) && !COMPUTED.test(name) && !(isAccount && /^(?:name|member)$/.test(name));
  return Object.fromEntries(Object.entries(values).filter(isKnown));
}

/** What a plan says of its configuration: references are within the module. */
function configuration(all: Resources): object {
  const modules = new Map<string, Map<string, object>>();
  for (const [{ type, values, late = {} }, { module = "", name }] of all) {
    const resource = {
      address: `${type}.${name}`,
      mode: "managed",
      type,
      name,
      provider_config_key: type.split("_")[0],
      expressions: Object.fromEntries([
        ...Object.keys(plannedOf(type, values, late)).map((argument) => [argument, {}]),
        ...Object.entries(late).map(([argument, target = ""]) => [argument, referring(target, name)]),
      ]),
    };
    const called = module.replace(/\[.*/, "");
    const resources = modules.get(called) ?? new Map<string, object>();
    modules.set(called, resources.set(resource.address, resource));
  }
  const listed = (name: string): readonly object[] => [...(modules.get(name)?.values() ?? [])];
  const calls = [...modules.keys()].filter((name) => name !== "");
  const module_calls = Object.fromEntries(
    calls.map((name) => [name, { source: `./${name}`, module: { resources: listed(name) } }]),
  );
  return {
    provider_config: {
      aws: { name: "aws", expressions: { region: { constant_value: "eu-west-1" } } },
      azurerm: { name: "azurerm" },
      google: { name: "google" },
    },
    root_module: { resources: listed(""), module_calls },
  };
}

function referring(to: string, name: string): object {
  if (to === "") return {};
  const [target = "", attribute = ""] = to.split(".");
  return { references: [`${target}.${name}.${attribute}`, `${target}.${name}`] };
}

const stateOf = (all: Resources): object => ({
  format_version: "1.0",
  values: { root_module: rootModule(all, false) },
});

/** A plan that moves everything. */
const planOf = (old: Resources, made: Resources): object => {
  const before = new Map(old.map(([{ type, values }, place]) => [JSON.stringify([type, values]), place]));
  return {
    format_version: "1.2",
    planned_values: { root_module: rootModule(made, false) },
    prior_state: stateOf(old),
    resource_changes: made.map(([{ type, values }, place]) => {
      const from = addressOf(type, before.get(JSON.stringify([type, values])) ?? place);
      const address = addressOf(type, place);
      const moved = from === address ? {} : { previous_address: from };
      return { address, ...moved, change: { actions: ["no-op"], after_unknown: {} } };
    }),
    configuration: configuration(made),
  };
};

/** The plan of a first apply. */
const firstPlanOf = (all: Resources): object => ({
  format_version: "1.2",
  planned_values: { root_module: rootModule(all, true) },
  resource_changes: all.map(([{ type, late = {} }, place]) => ({
    address: addressOf(type, place),
    change: {
      actions: ["create"],
      after_unknown: Object.fromEntries(["id", ...Object.keys(late)].map((name) => [name, true])),
    },
  })),
  configuration: configuration(all),
});

const MANIFESTS = Object.keys(NAMES)
  .map(
    (name) => `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  namespace: shop
  annotations:
    eks.amazonaws.com/role-arn: ${ARN}:role/${name}
    azure.workload.identity/client-id: ${uuidOf(name, 1)}
    iam.gke.io/gcp-service-account: ${emailOf(name)}
`,
  )
  .join("---\n");
const sideOf = (document: object): string =>
  folderOf({ "terraform.json": JSON.stringify(document), "accounts.yaml": MANIFESTS });
const brief = ({ changes }: ReturnType<typeof compare>): readonly string[] =>
  changes.map(({ kind, job, subject, target, reason }) => [kind, job, subject, target, reason].join(" | "));

const rowsOf = (
  moves: typeof MOVES,
): readonly (readonly [cloud: string, what: string, old: Resources, made: Resources])[] =>
  Object.keys(CLOUDS).flatMap((cloud) =>
    moves.map(
      ([what, old, made]) => [cloud, what, resourcesOf(cloud, old), resourcesOf(cloud, made)] as const,
    ),
  );
const ROWS = rowsOf(MOVES);
/** A plan shows `count.index` and `each.key` instead of the instance that they choose. */
const isOfOne = (placed: Placed): boolean => placed.every(([, { key }]) => key === undefined);
const FIRST = rowsOf(MOVES.filter(([, old, made]) => isOfOne(old) && isOfOne(made)));

/** A resource without a name, which is not read and names an identity. */
const keyOf = (description: string): Declared => ({
  type: "aws_kms_key",
  values: {
    description,
    policy: policy({ Effect: "Allow", Principal: { AWS: `${ARN}:role/web` }, Action: "kms:Decrypt" }),
  },
});
const withKeys = (name: string): Resources => [
  ...resourcesOf("AWS", OLD),
  ...["a", "b"].map((key) => [keyOf(key), { name, key: `["${key}"]` }] as const),
];

describe("what only moved says nothing", () => {
  it.each(ROWS)("in two states: %s, %s", (_, __, old, made) => {
    expect(brief(compare([sideOf(stateOf(old))], [sideOf(stateOf(made))]))).toEqual([]);
  });

  it.each(ROWS)("in a plan: %s, %s", (_, __, old, made) => {
    expect(brief(comparePlan([sideOf(planOf(old, made))]))).toEqual([]);
  });

  it.each(FIRST)("in two first plans: %s, %s", (_, __, old, made) => {
    expect(brief(compare([sideOf(firstPlanOf(old))], [sideOf(firstPlanOf(made))]))).toEqual([]);
  });
});

it.each(ROWS)("a move hides no change beside it: %s, %s", (_, __, old, made) => {
  const plan = JSON.stringify(planOf(old, made));
  const [planned = "", before = ""] = plan.split('"prior_state"');
  const admitting = [planned.replaceAll("serviceaccount:shop:web", "serviceaccount:shop:other"), before];
  const { changes } = comparePlan([sideOf(JSON.parse(admitting.join('"prior_state"')) as object)]);
  expect(changes.map(({ subject }) => subject).join()).toMatch(/shop[/:]other/);
});

describe("a resource without a name", () => {
  it("moved where a plan says so, and not where two states have it at two addresses", () => {
    const [old, made] = [withKeys("old"), withKeys("made")];
    expect(brief(comparePlan([sideOf(planOf(old, made))]))).toEqual([]);
    expect(compare([sideOf(stateOf(old))], [sideOf(stateOf(made))]).changes).toHaveLength(4);
  });

  const TRUST = resourcesOf("AWS", OLD)[1]?.[0].values["assume_role_policy"];
  const configured = (name: string, moved: readonly object[] = [], key = ""): object => ({
    resource: {
      aws_iam_role: {
        web: { for_each: { [key || "web"]: "" }, name: "web", assume_role_policy: TRUST },
      },
      aws_kms_key: { [name]: { policy: `\${aws_iam_role.web["${key || "web"}"].arn}` } },
    },
    moved,
  });
  const move = (from: string, to: string): object => ({
    from: `aws_kms_key.${from}`,
    to: `aws_kms_key.${to}`,
  });
  it.each<[string, object, number]>([
    ["no block", configured("made"), 2],
    ["a block", configured("made", [move("old", "made")]), 0],
    ["blocks in a row", configured("made", [move("old", "then"), move("then", "made")]), 0],
    ["blocks in a circle", configured("made", [move("then", "made"), move("made", "then")]), 2],
    [
      "a block, and an identity that it names with another key",
      configured("made", [move("old", "made")], "a.b"),
      0,
    ],
  ])("moved where a configuration says so: %s", (_, made, count) => {
    const folder = (document: object): string => folderOf({ "main.tf.json": JSON.stringify(document) });
    expect(compare([folder(configured("old"))], [folder(made)]).changes).toHaveLength(count);
  });

  it.each([false, true])(
    "is a distribution, on whose domain an issuer rests; with a block: %s",
    (isMoved) => {
      const old = synthesized("openshift-manual-aws");
      const [, name = ""] = /aws_cloudfront_distribution\.([\w-]+)/.exec([...old.values()].join("\n")) ?? [];
      const made = [...old].map(([path, text]): [string, string] => {
        const renamed = text.replaceAll(name, `new_${name}`);
        if (!isMoved || !path.endsWith("cdk.tf.json")) return [path, renamed];
        const [from, to] = [name, `new_${name}`].map((each) => `aws_cloudfront_distribution.${each}`);
        return [path, renamed.replace("{", `{"moved":[${JSON.stringify({ from, to })}],`)];
      });
      const { changes } = compare([folderOf(old)], [folderOf(new Map(made))]);
      expect(changes.length > 0).toBe(!isMoved);
    },
  );
});
