/*
 * No secret of what was read is in any output: every place that Terraform marks as sensitive, every argument that the
 * table of secrets lists, and credentials in Kubernetes objects hold a marker.
 *
 * Source of the shapes: developer.hashicorp.com/terraform/internals/json-format, "Values Representation".
 */

import { describe, expect, it } from "vitest";
import { run } from "../../lib/cli/run";
import { type ExplainResult, Explainer, compare, renderCompareJson, renderJson } from "../../lib/explain";
import { BY_TYPE } from "../../lib/explain/read/sensitive";
import { isRecord } from "../../lib/model/record";
import {
  ALL_JOBS,
  type Artefacts,
  type ExampleName,
  explained,
  folderOf,
  synthesized,
} from "../fixtures/explain/artefacts";
import { cluster, plain, pull } from "../fixtures/explain/plain";
import { sampleNote, sampleOf } from "../support/sample";

const MARKER = "wi-marker";
type Json = Readonly<Record<string, unknown>>;

async function outputs(args: readonly string[]): Promise<string> {
  let written = "";
  const out = (text: string): void => void (written += text);
  await run(args, { out, err: out });
  return written;
}

function linesWith(text: string, word: string): readonly string[] {
  return text.toLowerCase().includes(word.toLowerCase())
    ? text.split("\n").filter((line) => line.toLowerCase().includes(word.toLowerCase()))
    : [];
}

const FORMATS = ["text", "json", "sarif", "junit", "github", "markdown", "mermaid", "html"];

/** What every command prints about two versions of some files, in every format. */
async function everyOutput(old: string, made: string): Promise<string> {
  const commands = [
    ...FORMATS.map((format) => ["explain", "--format", format, made]),
    ...["text", "json"].flatMap((format) => [
      ["reach", "--service-account", "team/puller", "--format", format, made],
      [
        "who-can",
        "--image",
        "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web",
        "--format",
        format,
        made,
      ],
    ]),
    ...["text", "json", "markdown", "html"].map((format) => ["compare", "--format", format, old, made]),
    ["explain", "--verbose", "--audit", made],
    ["explain", "--format", "sarif", "--audit", made],
    ["explain", "--running", made],
  ];
  const printed = [];
  for (const command of commands) printed.push(await outputs(command));
  return printed.join("\n");
}

/** A state with a resource of each type in the table, unmarked. */
function listed(version: string): Json {
  const resources = Object.entries(BY_TYPE).map(([type, names]) => ({
    address: `${type}.x`,
    mode: "managed",
    type,
    name: "x",
    values: {
      name: "x",
      user: "ci",
      ...Object.fromEntries(names.map((name) => [name, `${MARKER}-${version}-${name}`])),
    },
  }));
  return stateOf(resources);
}

function stateOf(resources: readonly object[], outputs: object = {}): Json {
  return { format_version: "1.0", values: { outputs, root_module: { resources } } };
}

/** The same as a configuration, with sensitive variables, outputs and providers. */
function configured(version: string): Json {
  const secret = (name: string): string => `${MARKER}-${version}-${name}`;
  const resource = Object.fromEntries(
    Object.entries(BY_TYPE).map(([type, names]) => [
      type,
      { x: { name: "x", ...Object.fromEntries(names.map((name) => [name, secret(name)])) } },
    ]),
  );
  return {
    provider: {
      aws: { access_key: secret("a"), secret_key: secret("b"), token: secret("c"), region: "eu-west-1" },
    },
    variable: { hidden: { sensitive: true, default: secret("d") } },
    output: { hidden: { sensitive: true, value: secret("e") } },
    resource: {
      ...resource,
      aws_iam_user_policy: {
        variable: { user: "ci", policy: "${var.hidden}" },
        call: { user: "ci", policy: `\${sensitive("${secret("f")}")}` },
        nested: { user: "ci", policy: `\${upper(sensitive("${secret("g")}"))}` },
        condition: { user: "ci", policy: `\${true ? sensitive("${secret("h")}") : ""}` },
        joined: { user: "ci", policy: `x-\${var.hidden}` },
      },
    },
  };
}

function objects(version: string): string {
  const secret = (name: string): string => `${MARKER}-${version}-${name}`;
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  const pod = {
    serviceAccountName: "puller",
    imagePullSecrets: [{ name: "registry" }],
    containers: [
      {
        name: "main",
        image: "nginx",
        command: ["run", "--password", secret("flag"), `--client-secret=${secret("equals")}`],
        env: ["AWS_SECRET_ACCESS_KEY", "AZURE_CLIENT_SECRET", "DB_PASSWORD", "GITHUB_TOKEN"].map((name) => ({
          name,
          value: secret(name),
        })),
      },
    ],
  };
  const metadata = { namespace: "team", name: "web" };
  const cluster = {
    bearerToken: secret("bearer"),
    password: secret("password"),
    tlsClientConfig: { keyData: secret("key") },
    execProviderConfig: {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command: "kubelogin",
      args: ["get-token", "--client-secret", secret("argument")],
      env: { AAD_SERVICE_PRINCIPAL_CLIENT_SECRET: secret("variable") },
    },
  };
  const aws = `[default]\naws_access_key_id = ${secret("id")}\naws_secret_access_key = ${secret("secret")}\n${secret("stray")}\n`;
  const auths = { auths: { "registry.example.com": { auth: encoded(`u:${secret("auth")}`) } } };
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": secret("copy") };
  return [
    { kind: "Deployment", apiVersion: "apps/v1", metadata, spec: { template: { metadata: {}, spec: pod } } },
    { kind: "Secret", stringData: { any: secret("any"), credentials: aws } },
    { kind: "Secret", data: { any: encoded(secret("any")), credentials: encoded(aws) } },
    {
      kind: "Secret",
      stringData: { "service_account.json": JSON.stringify({ private_key: secret("pem") }) },
    },
    {
      kind: "Secret",
      type: "kubernetes.io/dockerconfigjson",
      metadata: { ...metadata, name: "registry" },
      data: { ".dockerconfigjson": encoded(JSON.stringify(auths)) },
    },
    {
      kind: "Secret",
      metadata: { ...metadata, labels: { "argocd.argoproj.io/secret-type": "cluster" } },
      stringData: { server: "https://spoke.example.com", config: JSON.stringify(cluster) },
    },
  ]
    .map((each, place) => ({
      apiVersion: "v1",
      metadata: { namespace: "team", name: `s${place}`, annotations },
      ...each,
    }))
    .map((each) => JSON.stringify(each))
    .join("\n---\n");
}

/** A state of objects that Terraform applies, each with an object of texts that is marked as a whole. */
function applied(version: string): Json {
  const text = `${MARKER}-${version}-applied`;
  const object = (kind: string, more: object, marks: object): object => ({
    address: `kubernetes_manifest.${kind}`,
    mode: "managed",
    type: "kubernetes_manifest",
    name: kind,
    values: {
      manifest: { apiVersion: "v1", kind, metadata: { namespace: "team", name: "hidden" }, ...more },
    },
    sensitive_values: { manifest: marks },
  });
  const annotations = { "eks.amazonaws.com/role-arn": text };
  return stateOf([
    object(
      "ServiceAccount",
      { metadata: { namespace: "team", name: "hidden", annotations } },
      {
        metadata: { annotations: true },
      },
    ),
    object("Secret", { stringData: { role_arn: text, credentials: text } }, { stringData: true }),
  ]);
}

const files = (version: string): Readonly<Record<string, string>> => ({
  ...plain,
  "applied.json": JSON.stringify(applied(version)),
  "iam/secrets.tf.json": JSON.stringify(configured(version)),
  "objects.yaml": objects(version),
  "state.json": JSON.stringify(listed(version)),
});

describe("what is secret by its place", () => {
  it("is in no output of any command and format", async () => {
    const [none, old, made] = [folderOf(plain), folderOf(files("a")), folderOf(files("b"))];
    const printed = [await everyOutput(none, made), await everyOutput(old, made)].join("\n");
    expect(printed.match(/"?secret"? = "<sensitive>"/)).not.toBeNull();
    expect(printed).toMatch(/unknown +team\/hidden acts in aws/);
    expect(linesWith(printed, MARKER)).toEqual([]);
    const encoded = Buffer.from(MARKER).toString("base64").slice(0, 10);
    expect(linesWith(printed, encoded)).toEqual([]);
  });
});

describe("compare", () => {
  const state = (type: string, values: object, marks: object = {}): Readonly<Record<string, string>> => ({
    "state.json": JSON.stringify(
      stateOf([
        { address: `${type}.ci`, mode: "managed", type, name: "ci", values, sensitive_values: marks },
      ]),
    ),
  });
  const policy = (action: string): string =>
    JSON.stringify({ Statement: [{ Effect: "Allow", Action: action, Resource: MARKER }] });

  it.each<[string, string, (version: string) => object, object]>([
    ["an access key of AWS", "aws_iam_access_key", (secret) => ({ user: "ci", secret }), {}],
    [
      "a key for SES",
      "aws_iam_access_key",
      (ses_smtp_password_v4) => ({ user: "ci", ses_smtp_password_v4 }),
      {},
    ],
    [
      "a Google key",
      "google_service_account_key",
      (private_key) => ({ service_account_id: "ci", private_key }),
      {},
    ],
    ["a password in Entra", "azuread_application_password", (value) => ({ application_id: "ci", value }), {}],
    [
      "of a principal",
      "azuread_service_principal_password",
      (value) => ({ service_principal_id: "ci", value }),
      {},
    ],
    [
      "a marked policy",
      "aws_iam_user_policy",
      (action) => ({ user: "ci", policy: policy(action) }),
      { policy: true },
    ],
    [
      "a trust policy that is marked",
      "aws_iam_role",
      (action) => ({
        name: "ci",
        arn: "arn:aws:iam::111122223333:role/ci",
        assume_role_policy: policy(action),
      }),
      { assume_role_policy: true },
    ],
  ])("says that %s changed, and not to what", (_, type, values, marks) => {
    const side = (version: string): string => folderOf(state(type, values(`${MARKER}-${version}`), marks));
    expect(compare([side("a")], [side("a")]).changes).toEqual([]);
    const printed = renderCompareJson(compare([side("a")], [side("b")]));
    expect(printed).toContain("it is sensitive, and has another value");
    expect(printed).not.toContain(MARKER);
  });

  it("names the user of a key, which is no secret", () => {
    const none = folderOf({ "state.json": JSON.stringify(stateOf([])) });
    const key = folderOf(state("aws_iam_access_key", { user: "ci", secret: MARKER }));
    const [change] = compare([none], [key]).changes;
    expect(change?.target).toBe('secret = "<sensitive>", user = "ci"');
  });
});

/** The resources of a configuration as a state, each text of one argument hidden or all. */
function marked(artefacts: Artefacts, isMarked: (type: string, name: string) => boolean): Json {
  const [, text = "{}"] = [...artefacts].find(([path]) => path.endsWith("cdk.tf.json")) ?? [];
  const { resource = {} } = JSON.parse(text) as { resource?: Record<string, Record<string, Json>> };
  return stateOf(
    Object.entries(resource).flatMap(([type, named]) =>
      Object.entries(named).map(([name, block]) => {
        const marks = Object.keys(block).filter((each) => each !== "//" && isMarked(type, each));
        return {
          address: `${type}.${name}`,
          mode: "managed",
          type,
          values: Object.fromEntries(
            Object.entries(block).map(([key, value]) => [
              key,
              marks.includes(key)
                ? withMarker(value)
                : JSON.parse(JSON.stringify(value).replaceAll("${", "$")),
            ]),
          ),
          sensitive_values: Object.fromEntries(marks.map((each) => [each, true])),
        };
      }),
    ),
  );
}

function withMarker(value: unknown): unknown {
  if (typeof value === "string") return `${MARKER}-${value}`;
  if (Array.isArray(value)) return value.map(withMarker);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [`${MARKER}-${key}`, withMarker(each)]),
  );
}

describe.each(ALL_JOBS)("a state of %s", (name) => {
  const artefacts = synthesized(name);
  const state = (isMarked: (type: string, name: string) => boolean): Readonly<Record<string, string>> => {
    const manifests = [...artefacts].filter(([path]) => path.endsWith(".yaml"));
    return {
      ...Object.fromEntries(manifests),
      "state.json": JSON.stringify(marked(artefacts, isMarked)),
    };
  };

  it("in which everything is sensitive is in no output", () => {
    const folder = folderOf(state(() => true));
    const explainer = Explainer.read([folder]);
    const printed = [...renderJson(explainer.all(), { audit: explainer.audit() })].join("");
    const compared = renderCompareJson(compare([folderOf(state(() => false))], [folder]));
    expect(linesWith(printed + compared, MARKER)).toEqual([]);
  });
});

/** The configuration with another text in every place of an argument. */
function changedArgument(artefacts: Artefacts, type: string, key: string, text: string): Artefacts {
  const instead = (value: unknown): unknown => {
    if (typeof value === "string") return text;
    if (Array.isArray(value)) return value.map(instead);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, instead(each)]));
  };
  const changed = ([path, written]: readonly [string, string]): readonly [string, string] => {
    if (!path.endsWith("cdk.tf.json")) return [path, written];
    const json = JSON.parse(written) as Configuration;
    for (const block of Object.values(json.resource?.[type] ?? {}))
      if (Object.hasOwn(block, key)) block[key] = instead(block[key]);
    return [path, JSON.stringify(json)];
  };
  return new Map([...artefacts].map(changed));
}

interface Configuration {
  readonly resource?: Record<string, Record<string, Record<string, unknown>>>;
}

/** Arguments that count as right where they are not known, also where only apply shows them. */
const PRESUMED: readonly string[] = [
  "aws_eks_access_entry.region",
  "aws_eks_access_policy_association.access_scope",
  "aws_eks_access_policy_association.region",
  "azurerm_role_assignment.principal_type",
  "azurerm_role_definition.assignable_scopes",
  "azurerm_storage_blob.name",
  "azurerm_storage_blob.source_content",
];

const OF_TERRAFORM: readonly string[] = ["//", "depends_on", "lifecycle", "provider", "for_each", "count"];

/** Each argument, with the first of the examples that has it. */
function argumentsOf(...names: readonly ExampleName[]): readonly (readonly [string, string, Artefacts])[] {
  const all = names.flatMap((name) => {
    const artefacts = synthesized(name);
    const [, text = "{}"] = [...artefacts].find(([path]) => path.endsWith("cdk.tf.json")) ?? [];
    const { resource = {} } = JSON.parse(text) as Configuration;
    return Object.entries(resource).flatMap(([type, named]) =>
      Object.keys(Object.assign({}, ...Object.values(named)) as object)
        .filter((key) => !OF_TERRAFORM.includes(key))
        .map((key) => [type, key, artefacts] as const),
    );
  });
  return all.filter(([type, key], place) => all.findIndex(([t, k]) => t === type && k === key) === place);
}

const allowed = (results: readonly ExplainResult[]): readonly string[] =>
  results.filter(({ verdict }) => verdict === "allowed").map((each) => `${each.subject} ${each.target}`);

const SAMPLE = 5;
const title = "whatever argument is sensitive, nothing is allowed that its text denies, and no text is shown";
it(`${title}${sampleNote(SAMPLE)}`, () => {
  const all = argumentsOf("three-clouds", "fleet-argocd", "openshift-manual-azure");
  expect(all.length).toBeGreaterThan(60);
  for (const [type, key, artefacts] of sampleOf(all, SAMPLE, ([type, key]) => `${type}.${key}`)) {
    const results = explained(changedArgument(artefacts, type, key, `\${sensitive("${MARKER}")}`));
    expect([type, key, linesWith(JSON.stringify(results, null, 1), MARKER)]).toEqual([type, key, []]);
    if (PRESUMED.includes(`${type}.${key}`) || allowed(results).length === 0) continue;
    const shown = allowed(explained(changedArgument(artefacts, type, key, MARKER)));
    const more = allowed(results).filter((each) => !shown.includes(each));
    expect([type, key, more]).toEqual([type, key, []]);
  }
});

it("a sensitive trust policy is unknown, neither ignored nor quoted", () => {
  const [result] = explained(
    {
      ...plain,
      "iam/roles.tf.json": (plain["iam/roles.tf.json"] ?? "").replace(
        /"assume_role_policy":"(\$\{[^}]*\})"/,
        (_, expression: string) => `"assume_role_policy":"\${sensitive(${expression.slice(2, -1)})}"`,
      ),
    },
    pull,
    { cluster },
  );
  expect(result?.verdict).toBe("unknown");
});
