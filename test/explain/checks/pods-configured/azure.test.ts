/*
 * Pods of a workload beside what Azure's pod identity webhook does. Source: Azure/azure-workload-identity,
 * pkg/webhook/webhook.go, `addEnvironmentVariables`.
 */

import { describe, expect, it } from "vitest";
import { ClosedWorld } from "../../../../lib/explain/coverage/closed-world";
import { azureReader } from "../../../../lib/explain/azure/reader";
import type { AccountQuestion } from "../../../../lib/explain/cloud";
import type { ClusterFacts } from "../../../../lib/explain/read/cluster-record";
import { unwritten } from "../../../../lib/explain/read/service-accounts";
import { Terraform } from "../../../../lib/explain/read/terraform";
import { PublishedIssuers } from "../../../../lib/explain/shared/issuers";
import { type Known, known, unread } from "../../../../lib/model/known";
import { treeOf } from "../../../../lib/model/tree";
import { factsOf } from "../../../fixtures/explain/read";

const CLIENT = "11111111-2222-4333-8444-555555555555";
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const OTHER = "99999999-2222-4333-8444-555555555555";
const OWN = "/var/run/secrets/own/token";

interface Pod {
  readonly env?: Readonly<Record<string, unknown>>;
  readonly audience?: string;
  readonly label?: Known<string>;
  readonly init?: object;
  readonly skip?: string;
}

const whole = {
  AZURE_CLIENT_ID: CLIENT,
  AZURE_TENANT_ID: TENANT,
  AZURE_FEDERATED_TOKEN_FILE: OWN,
  AZURE_AUTHORITY_HOST: "https://login.microsoftonline.com/",
};

function answer(
  { env = {}, audience, label = known("true"), init, skip = "" }: Pod,
  more: Partial<AccountQuestion> = {},
): string {
  const terraform = new Terraform([]);
  const world = new ClosedWorld(terraform);
  const { access } = azureReader.read(terraform, new PublishedIssuers([], world), world);
  const token = { serviceAccountToken: { path: "token", audience } };
  const spec = {
    ...(init && { initContainers: [init] }),
    containers: [
      {
        name: "main",
        env: Object.entries(env).map(([name, value]) =>
          value === undefined ? { name, valueFrom: {} } : { name, value },
        ),
        volumeMounts: [{ name: "t", mountPath: "/var/run/secrets/own" }],
      },
    ],
    volumes: audience === undefined ? [] : [{ name: "t", projected: { sources: [token] } }],
  };
  const reading = access.account({
    account: {
      ...unwritten("shop/web"),
      annotations: new Map([
        ["azure.workload.identity/client-id", known(CLIENT)],
        ["azure.workload.identity/tenant-id", known(TENANT)],
      ]),
    },
    pods: [
      {
        title: "Pod shop/web",
        labels: new Map([["azure.workload.identity/use", label]]),
        annotations: new Map([["azure.workload.identity/skip-containers", known(skip)]]),
        spec: treeOf(spec),
        source: { file: "pod.yaml", path: "" },
      },
    ],
    fragment: undefined,
    files: [],
    declared: false,
    program: new Map(),
    cluster: { podIdentityWebhooks: ["azure"] },
    webhooks: new Map(),
    ...more,
  });
  return reading?.pods.status ?? "nothing";
}

const hub = (
  webhooks: readonly string[] | undefined,
  issuer = "https://oidc.example",
): Partial<AccountQuestion> => {
  const fleet: ClusterFacts["fleet"] = {
    title: "hub",
    configMap: "",
    onPath: [],
    kind: "other",
    needsHealthy: false,
    isDistroless: false,
    gateByFlag: false,
    pluginPaths: new Map(),
    workloads: [],
    reader: undefined,
    webhooks,
    spokes: [],
    statusWriters: [],
  };
  return { cluster: { fleet, issuer: known(issuer) } };
};
/** A cluster whose issuer is that of an AKS cluster with these arguments. */
const aks =
  (values: object, kind = "resource") =>
  (): Partial<AccountQuestion> => {
    const { terraform } = factsOf({
      "cdk.tf.json": { [kind]: { azurerm_kubernetes_cluster: { c: values } } },
    });
    const [cluster] = terraform.ofType("azurerm_kubernetes_cluster");
    return { cluster: { issuer: cluster?.attribute("oidc_issuer_url") ?? known("") } };
  };
const AUDIENCE = "api://AzureADTokenExchange";
const bare = known("false");

describe("a pod", () => {
  it.each<[string, Pod, string, (Partial<AccountQuestion> | (() => Partial<AccountQuestion>))?]>([
    ["with the label", {}, "pass"],
    ["without the label", { label: bare }, "fail"],
    ["with a label known only after apply", { label: unread("x") }, "unknown"],
    ["with all of it, and no label", { env: whole, audience: AUDIENCE, label: bare }, "pass"],
    ["with all of it, where the webhook does not run", { env: whole, audience: AUDIENCE }, "pass", hub([])],
    ["with the label, where the webhook does not run", {}, "fail", hub([])],
    ["with the label, where nothing says whether it runs", {}, "unknown", hub(undefined)],
    ["with the label, of a cluster without a record", {}, "unknown", { cluster: {} }],
    ["with the label, where only another runs", {}, "unknown", { cluster: { podIdentityWebhooks: ["aws"] } }],
    [
      "with all of it, of a cluster without a record",
      { env: whole, audience: AUDIENCE },
      "pass",
      { cluster: {} },
    ],
    ["that was not read, where the webhook runs", {}, "skipped", { pods: [] }],
    ["that was not read, of a cluster without a record", {}, "unknown", { pods: [], cluster: {} }],
    ["with the label, on AKS", {}, "pass", hub(undefined, "https://eastus.oic.prod-aks.azure.com/a/b/")],
    ["with the label, on an early AKS", {}, "pass", hub(undefined, "https://oidc.prod-aks.azure.com/a/")],
    // registry.terraform.io, azurerm_kubernetes_cluster, `workload_identity_enabled`: off by default.
    ["with the label, on AKS with the webhook", {}, "pass", aks({ workload_identity_enabled: true })],
    ["with the label, on AKS without the webhook", {}, "unknown", aks({ oidc_issuer_enabled: true })],
    ["with the label, on AKS of another stack", {}, "pass", aks({ name: "c" }, "data")],
    ["with all of it, on AKS without the webhook", { env: whole, audience: AUDIENCE }, "pass", aks({})],
    // azure.github.io/azure-workload-identity, "Service Account Labels and Annotations": semicolons between names.
    ["whose containers are all skipped", { skip: "side;main" }, "fail"],
    [
      "with all of it, whose containers are skipped",
      { env: whole, audience: AUDIENCE, skip: "main" },
      "pass",
    ],
    ["of which another container is skipped", { skip: "side" }, "pass"],
    [
      "with its cloud's Entra",
      { env: { AZURE_AUTHORITY_HOST: "https://login.microsoftonline.com" } },
      "pass",
    ],
    [
      "with another cloud's Entra",
      { env: { AZURE_AUTHORITY_HOST: "https://login.chinacloudapi.cn/" } },
      "unknown",
    ],
    ["with an Entra of another object", { env: { AZURE_AUTHORITY_HOST: undefined } }, "unknown"],
    ["with a token of another audience", { env: whole, audience: "x", label: bare }, "fail"],
    [
      "with a variable less",
      { env: { ...whole, AZURE_AUTHORITY_HOST: "" }, audience: AUDIENCE, label: bare },
      "fail",
    ],
    [
      "with a variable of another object",
      { env: { ...whole, AZURE_TENANT_ID: undefined }, audience: AUDIENCE, label: bare },
      "unknown",
    ],
    ["with another client id", { env: { AZURE_CLIENT_ID: OTHER } }, "fail"],
    ["with a client id of another object", { env: { AZURE_CLIENT_ID: undefined } }, "unknown"],
    ["with another tenant", { env: { AZURE_TENANT_ID: OTHER } }, "fail"],
    ["with a client secret", { env: { AZURE_CLIENT_SECRET: "x" } }, "fail"],
    ["with a client secret of another object", { env: { AZURE_CLIENT_SECRET: undefined } }, "unknown"],
    ["with a path where no token is", { env: { AZURE_FEDERATED_TOKEN_FILE: "/x" } }, "fail"],
    [
      "with a token of another audience, and the label",
      { env: { AZURE_FEDERATED_TOKEN_FILE: OWN }, audience: "x" },
      "unknown",
    ],
    [
      "whose program has another tenant",
      {},
      "fail",
      { program: new Map([["AZURE_TENANT_ID", known(OTHER)]]) },
    ],
    [
      "whose program has another client id, which is judged elsewhere",
      {},
      "pass",
      { program: new Map([["AZURE_CLIENT_ID", known(OTHER)]]) },
    ],
    [
      "in doubt, where the webhook certainly does not run",
      { env: { AZURE_TENANT_ID: undefined } },
      "fail",
      hub([]),
    ],
    [
      "whose init container has none of it",
      { env: whole, audience: AUDIENCE, label: bare, init: { name: "i" } },
      "fail",
    ],
  ])("%s", (_, pod, status, more) => {
    expect(answer(pod, typeof more === "function" ? more() : more)).toBe(status);
  });
});
