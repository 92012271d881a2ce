/*
 * What Terraform delivers as a text: files that `rendered` returns, in locals, outputs and the contents of objects. If
 * such a copy differs from the stack's own file, what reaches the cluster is not what the file says.
 */

import { TerraformOutput } from "cdktf";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { explain } from "../../../lib/explain";
import type { ICluster } from "../../../lib/model/cluster";
import type { INodeCarrier } from "../../../lib/model/node-carrier";
import { PlainCarrier, butane, ignition, k3s, kubeadmConfigTemplate, rke2 } from "../../../lib/node";
import { Manifests } from "../../../lib/synth";
import {
  type Artefacts,
  type ExampleName,
  explained,
  filesOf,
  delivered,
} from "../../fixtures/explain/artefacts";
import {
  fromAcr,
  fromEcr,
  makers,
  openShiftCluster,
  plainCluster,
  synthesizedPulls,
} from "../../support/image-pulls";

type Stack = {
  locals: Record<string, string>;
  output: Record<string, { value: string }>;
  resource: Record<string, Record<string, Record<string, unknown>>>;
};

const STACK = /cdk\.tf\.json$/;

function changed(name: ExampleName, change: (stack: Stack) => void): Artefacts {
  return new Map(
    [...delivered(name)].map(([path, text]): [string, string] => {
      if (!STACK.test(path)) return [path, text];
      const stack = JSON.parse(text) as Stack;
      change(stack);
      return [path, JSON.stringify(stack)];
    }),
  );
}

const verdicts = (files: Artefacts, account: string): ReadonlySet<string> =>
  new Set(explained(files, { serviceAccount: account }).map(({ verdict }) => verdict));

const ACCOUNTS = "manifests_20_service_accounts_yaml";
const AUDIENCE = "manifests_10_token_audience_yaml";
const NODES = "nodes_rke2_yaml";

function inText(local: string, from: string, to: string): (stack: Stack) => void {
  return ({ locals }) => {
    const text = locals[local] ?? "";
    if (!text.includes(from)) throw new Error(`no ${from} in ${local}`);
    locals[local] = text.replaceAll(from, to);
  };
}

/** The text that an expression of cdktf names, changed, in its place. */
function inPlace(
  put: (stack: Stack, text: string) => void,
  local: string,
  from: string,
  to: string,
): (stack: Stack) => void {
  return (stack) => {
    const before = stack.locals[local] ?? "";
    if (!before.includes(from)) throw new Error(`no ${from} in ${local}`);
    put(stack, before.replaceAll(from, to));
  };
}

const resource =
  (type: string, argument: string) =>
  (stack: Stack, text: string): void => {
    stack.resource[type] = { ...stack.resource[type], delivered: { name: "x", [argument]: text } };
  };
const output = (stack: Stack, text: string): void => {
  stack.output = { ...stack.output, delivered: { value: text } };
};

const ARN = "role/edge-1_shop_web";
const CLIENT = "azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id";

describe("a pull is not allowed if a rendered copy", () => {
  it.each<[string, ExampleName, (stack: Stack) => void]>([
    ["names another role", "three-clouds", inText(ACCOUNTS, ARN, "role/other")],
    ["names another identity", "three-clouds", inText(ACCOUNTS, CLIENT, "azurerm_other.x.client_id")],
    [
      "names the identity literally",
      "three-clouds",
      inText(ACCOUNTS, `\${jsonencode("\${${CLIENT}}")}`, "a"),
    ],
    ["lacks the service account", "three-clouds", inText(ACCOUNTS, "name: web", "name: webb")],
    ["has another audience", "three-clouds", inText(AUDIENCE, "sts.amazonaws.com", "sts.example.com")],
    ["lacks a binding", "three-clouds", inText(AUDIENCE, "kind: ClusterRole\n", "kind: ClusterRoll\n")],
    ["is not YAML", "three-clouds", inText(ACCOUNTS, "metadata:", "{")],
    [
      "is a list",
      "three-clouds",
      ({ locals }) => {
        Object.assign(locals, { [ACCOUNTS]: [locals[ACCOUNTS]] });
      },
    ],
    [
      "configures nodes otherwise",
      "rke2",
      inText(NODES, "requireServiceAccount: true", "requireServiceAccount: 1"),
    ],
    ["has another first line", "rke2", inText(NODES, "#cloud-config", "#cloud-confi")],
    ...(
      [
        ["local_file", "content"],
        ["aws_s3_object", "content"],
        ["google_storage_bucket_object", "content"],
        ["azurerm_storage_blob", "source_content"],
        ["github_repository_file", "content"],
        ["kubectl_manifest", "yaml_body"],
      ] as const
    ).map(([type, argument]): [string, ExampleName, (stack: Stack) => void] => [
      `in ${type} names another role`,
      "three-clouds",
      inPlace(resource(type, argument), ACCOUNTS, ARN, "role/other"),
    ]),
    ["in an output names another role", "three-clouds", inPlace(output, ACCOUNTS, ARN, "role/other")],
    [
      "in a server's user data is other",
      "rke2",
      inPlace(resource("hcloud_server", "user_data"), NODES, "tokenAttributes", "token"),
    ],
    ["in an output configures nodes otherwise", "rke2", inPlace(output, NODES, "tokenAttributes", "token")],
  ])("%s", (_, name, change) => {
    const account = "shop/web";
    expect(verdicts(delivered(name), account)).toEqual(new Set(["allowed"]));
    expect([...verdicts(changed(name, change), account)].filter((each) => each !== "allowed")).not.toEqual(
      [],
    );
  });
});

describe("a pull stays allowed with", () => {
  const same = (put: (stack: Stack, text: string) => void, local: string): ((stack: Stack) => void) =>
    inPlace(put, local, "e", "e");

  it.each<[string, ExampleName, (stack: Stack) => void]>([
    ["the same text in a file", "three-clouds", same(resource("local_file", "content"), ACCOUNTS)],
    ["the same text in an output", "rke2", same(output, NODES)],
    [
      "a reference to it",
      "three-clouds",
      (stack) => resource("local_file", "content")(stack, `\${local.${AUDIENCE}}`),
    ],
    [
      "manifests of other programs",
      "three-clouds",
      (stack) =>
        resource("local_file", "content")(
          stack,
          "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x}\n",
        ),
    ],
    [
      "a file that is no manifest",
      "three-clouds",
      (stack) => resource("local_file", "content")(stack, "kind: {"),
    ],
  ])("%s", (_, name, change) => {
    expect(verdicts(changed(name, change), "shop/web")).toEqual(new Set(["allowed"]));
  });
});

describe("copies that are equal", () => {
  const carriers: Readonly<Record<string, INodeCarrier<Construct>>> = {
    RKE2: rke2(),
    Ignition: k3s({ by: ignition() }),
    Butane: rke2({ by: butane({ variant: "flatcar" }) }),
    "Cluster API": kubeadmConfigTemplate({ name: "w", namespace: "n" }),

    "plain data": new PlainCarrier(),
  };
  const clusters: Readonly<Record<string, () => ICluster<Construct>>> = {
    ...Object.fromEntries(
      Object.entries(carriers).map(([name, carrier]) => [
        name,
        () => plainCluster({ carriers: [carrier], plugins: { ecr: "1.35.2", acr: "1.36.5" } }),
      ]),
    ),
    OpenShift: () => openShiftCluster(),
  };

  it.each(Object.entries(clusters))("change nothing, late values included: %s", (_, cluster) => {
    const written = (files: readonly string[]): string =>
      synthesizedPulls((stack) => {
        for (const [nth, file] of files.entries())
          new TerraformOutput(stack, `file-${nth}`, { value: Manifests.of(stack).rendered(file) });
        return {
          cluster: cluster(),
          identities: [makers.aws(), makers.azure()],
          pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] }],
        };
      }).outdir;
    const plain = written([]);
    const paths = [...filesOf(plain).keys()].map((path) => path.replace(/^stacks\/prod\//, ""));
    const files = paths.filter((path) => /^(?:manifests|nodes)\//.test(path));
    expect(files.length).toBeGreaterThan(2);
    const checks = (folder: string): unknown =>
      explain([folder]).map((each) => each.checks.map(({ id, status, reason }) => [id, status, reason]));
    expect(checks(written(files))).toEqual(checks(plain));
  });
});
