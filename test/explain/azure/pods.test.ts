/*
 * Pods of a workload beside what Azure's pod identity webhook does. Source: Azure/azure-workload-identity,
 * pkg/webhook/webhook.go, `addEnvironmentVariables`.
 */

import { describe, expect, it } from "vitest";
import { azureReader } from "../../../lib/explain/azure/reader";
import type { AccountQuestion } from "../../../lib/explain/cloud";
import type { ClusterFacts } from "../../../lib/explain/read/cluster-record";
import { unwritten } from "../../../lib/explain/read/service-accounts";
import { Terraform } from "../../../lib/explain/read/terraform";
import { PublishedIssuers } from "../../../lib/explain/shared/issuers";
import { type Known, known, unread } from "../../../lib/model/known";
import { treeOf } from "../../../lib/model/tree";

const CLIENT = "11111111-2222-4333-8444-555555555555";
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const OTHER = "99999999-2222-4333-8444-555555555555";
const OWN = "/var/run/secrets/own/token";

interface Pod {
  readonly env?: Readonly<Record<string, unknown>>;
  readonly audience?: string;
  readonly label?: Known<string>;
  readonly init?: object;
}

const whole = {
  AZURE_CLIENT_ID: CLIENT,
  AZURE_TENANT_ID: TENANT,
  AZURE_FEDERATED_TOKEN_FILE: OWN,
  AZURE_AUTHORITY_HOST: "https://login.microsoftonline.com/",
};

function answer(
  { env = {}, audience, label = known("true"), init }: Pod,
  more: Partial<AccountQuestion> = {},
): string {
  const { access } = azureReader.read(new Terraform([]), new PublishedIssuers([]));
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
        spec: treeOf(spec),
        source: { file: "pod.yaml", path: "" },
      },
    ],
    fragment: undefined,
    files: [],
    declared: false,
    program: new Map(),
    cluster: {},
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
const AUDIENCE = "api://AzureADTokenExchange";
const bare = known("false");

describe("a pod", () => {
  it.each<[string, Pod, string, Partial<AccountQuestion>?]>([
    ["with the label", {}, "pass"],
    ["without the label", { label: bare }, "fail"],
    ["with a label known only after apply", { label: unread("x") }, "unknown"],
    ["with all of it, and no label", { env: whole, audience: AUDIENCE, label: bare }, "pass"],
    ["with all of it, where the webhook does not run", { env: whole, audience: AUDIENCE }, "pass", hub([])],
    ["with the label, where the webhook does not run", {}, "fail", hub([])],
    ["with the label, where nothing says whether it runs", {}, "unknown", hub(undefined)],
    ["with the label, on AKS", {}, "pass", hub(undefined, "https://eastus.oic.prod-aks.azure.com/a/b/")],
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
    expect(answer(pod, more)).toBe(status);
  });
});
