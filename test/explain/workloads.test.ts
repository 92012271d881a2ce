/*
 * What a pod itself decides: whose token it has, and which audiences its volumes bring.
 */

import { describe, expect, it } from "vitest";
import {
  type CheckResult,
  type ClusterRecord,
  type ExplainResult,
  type ExplainSelection,
  explain,
} from "../../lib/explain";
import { explained, firstFailed, folderOf, statuses, synthesized } from "../fixtures/explain/artefacts";
import { cluster, plain } from "../fixtures/explain/plain";

const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1";
const ROLE = "eks.amazonaws.com/ecr-role-arn";

function pod(spec: object, metadata: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "team", ...metadata },
    spec: { containers: [{ name: "c", image: IMAGE }], ...spec },
  });
}

function ask(files: Readonly<Record<string, string>>, known: ClusterRecord = cluster): ExplainResult {
  const results = explained(files, {}, { cluster: known });
  const [result] = results.filter(({ target }) => target === IMAGE);
  if (!result) throw new Error("no result");
  return result;
}

const check = ({ checks }: ExplainResult, id: string): CheckResult | undefined =>
  checks.find((each) => each.id === id);
const { "app/deployment.yaml": _, ...others } = plain;

describe("the service account named default", () => {
  const annotated = JSON.stringify({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: {
      name: "default",
      namespace: "team",
      annotations: { [ROLE]: "arn:aws:iam::111122223333:role/team/puller" },
    },
  });

  it("is there in every namespace, without annotations", () => {
    const result = ask({ ...plain, "app/deployment.yaml": pod({}) });
    expect(result).toMatchObject({ subject: "team/default", verdict: "denied" });
    expect(check(result, "service-account-present")).toMatchObject({
      status: "pass",
      reason:
        "the service account team/default exists, as every namespace has one of that name; no manifest annotates it",
      evidence: [],
    });
    expect(firstFailed(result)).toBe("annotations-present");
    expect(check(result, "annotations-present")?.reason).toBe(
      `the service account team/default lacks the required annotation ${ROLE}`,
    );
  });

  it("is what a manifest says of it", () => {
    const result = ask({ ...plain, "app/deployment.yaml": `${pod({})}\n---\n${annotated}` });
    expect(result).toMatchObject({ subject: "team/default", verdict: "allowed" });
  });

  it("is there where someone asks about it, too", () => {
    const ask = { serviceAccount: "elsewhere/default", image: IMAGE };
    const [result] = explained(plain, ask, { cluster });
    expect(firstFailed(result ?? { checks: [] })).toBe("annotations-present");
  });

  it("is the only one of which that is known", () => {
    const result = ask({ ...plain, "app/deployment.yaml": pod({ serviceAccountName: "defaults" }) });
    expect(check(result, "service-account-present")?.status).toBe("unknown");
  });
});

describe("a static pod", () => {
  const mirror = { annotations: { "kubernetes.io/config.mirror": "9f86d081" } };

  it.each([
    ["as the API server shows it", mirror],
    ["by the place that it is from", { annotations: { "kubernetes.io/config.source": "file" } }],
  ])("%s has no service account and no token", (_, metadata) => {
    const result = ask({ ...plain, "app/deployment.yaml": pod({}, metadata) });
    expect(result).toMatchObject({ verdict: "denied", as: null });
    expect(firstFailed(result)).toBe("service-account-present");
    expect(check(result, "service-account-present")).toMatchObject({
      reason:
        "Pod team/p is a static pod, which has no service account and gets no token; requireServiceAccount skips the plugin",
      log: expect.stringContaining("Service account name is empty"),
    });
  });

  it("runs the plugin as the node where the entry does not insist on a service account", () => {
    const node = (plain["node/credential-provider.json"] ?? "")
      .replace('"requireServiceAccount":true', '"requireServiceAccount":false')
      .replace(
        `"requiredServiceAccountAnnotationKeys":["${ROLE}"]`,
        '"optionalServiceAccountAnnotationKeys":[]',
      );
    const result = ask({
      ...plain,
      "app/deployment.yaml": pod({}, mirror),
      "node/credential-provider.json": node,
    });
    expect(result).toMatchObject({ verdict: "unknown", as: "node identity" });
    expect(firstFailed(result)).toBe("service-account-present");
  });

  it("from the API is none", () => {
    const metadata = { annotations: { "kubernetes.io/config.source": "api" } };
    const result = ask({ ...plain, "app/deployment.yaml": pod({}, metadata) });
    expect(firstFailed(result)).toBe("annotations-present");
  });
});

// The kubelet (1.36, run with it) requests the token of every service account first; `requireServiceAccount: false` only
// lets pods without one through.
describe("mixed mode in one entry", () => {
  const mixed = (plain["node/credential-provider.json"] ?? "")
    .replace('"requireServiceAccount":true', '"requireServiceAccount":false')
    .replace("requiredServiceAccountAnnotationKeys", "optionalServiceAccountAnnotationKeys");
  const bound = (plain["rbac.yaml"] ?? "").replace(
    /ClusterRoleBinding\n +metadata: \{name: audience\}/,
    "RoleBinding\n    metadata: {name: audience, namespace: team}",
  );
  const judged = (more: Readonly<Record<string, string>>, version: string = "1.35.2"): ExplainResult =>
    ask(
      {
        ...plain,
        "app/deployment.yaml": pod({}, { namespace: "other" }),
        "node/credential-provider.json": mixed,
        ...more,
      },
      { ...cluster, plugins: { ecr: { version } } },
    );

  it("leaves an account without annotation the node's identity where the audience is granted everywhere", () => {
    expect(judged({})).toMatchObject({ subject: "other/default", verdict: "unknown", as: "node identity" });
  });

  it("takes it away in namespaces outside of the grant", () => {
    const result = judged({ "rbac.yaml": bound });
    expect(result).toMatchObject({ subject: "other/default", verdict: "denied", as: null });
    expect(check(result, "otherwise")).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("the pod does not get the node's credentials either"),
      remedy: expect.stringContaining("for the whole cluster, with a ClusterRoleBinding"),
      log: expect.stringContaining('audience "sts.amazonaws.com" not found in pod spec volume'),
    });
  });

  it("takes it away with a plugin too old for tokens as well, of which the kubelet does not know", () => {
    expect(judged({}, "1.33.4")).toMatchObject({ verdict: "unknown", as: "node identity" });
    const result = judged({ "rbac.yaml": bound }, "1.33.4");
    expect(result).toMatchObject({ verdict: "denied", as: null });
    expect(firstFailed(result)).toBe("provider-on-node");
  });

  it("of two entries leaves it everywhere, since the second asks for no token", () => {
    const document = JSON.parse(plain["node/credential-provider.json"] ?? "") as { providers: object[] };
    const [strict] = document.providers;
    const second = { ...strict, name: "ecr-credential-provider-node", tokenAttributes: undefined };
    const two = JSON.stringify({ ...document, providers: [strict, second] });
    const result = judged({ "rbac.yaml": bound, "node/credential-provider.json": two });
    expect(result).toMatchObject({ verdict: "unknown", as: "node identity" });
  });
});

describe("audiences that CSI drivers bring", () => {
  const driver = (name: string, ...audiences: string[]): object => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name },
    spec: { tokenRequests: audiences.map((audience) => ({ audience })) },
  });
  const volume = (name: string, spec: object): object => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec,
  });
  const claim = (name: string, volumeName?: string, namespace = "team"): object => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace },
    spec: volumeName === undefined ? {} : { volumeName },
  });
  const inline = { name: "v", csi: { driver: "secrets.example.com" } };
  const claimed = { name: "v", persistentVolumeClaim: { claimName: "data" } };
  const csi = { csi: { driver: "disk.example.com", volumeHandle: "x" } };
  const STS = "sts.amazonaws.com";

  it.each<[string, object, readonly object[], string]>([
    ["inline, of the audience", inline, [driver("secrets.example.com", "vault", STS)], "pass"],
    ["inline, of another audience", inline, [driver("secrets.example.com", "vault")], "fail"],
    ["inline, without token requests", inline, [driver("secrets.example.com")], "fail"],
    ["inline, whose CSIDriver was not read", inline, [driver("other.example.com", STS)], "unknown"],
    [
      "of a claim",
      claimed,
      [claim("data", "pv"), volume("pv", csi), driver("disk.example.com", STS)],
      "pass",
    ],
    [
      "of a claim, another audience",
      claimed,
      [claim("data", "pv"), volume("pv", csi), driver("disk.example.com")],
      "fail",
    ],
    [
      "of a claim in another namespace",
      claimed,
      [claim("data", "pv", "x"), volume("pv", csi), driver("disk.example.com", STS)],
      "unknown",
    ],
    [
      "of a claim that is not bound here",
      claimed,
      [claim("data"), driver("disk.example.com", STS)],
      "unknown",
    ],
    [
      "of a claim whose volume was not read",
      claimed,
      [claim("data", "pv"), driver("disk.example.com", STS)],
      "unknown",
    ],
    [
      "behind no CSI driver",
      claimed,
      [claim("data", "pv"), volume("pv", { nfs: { server: "s", path: "/" } })],
      "fail",
    ],
    [
      "made with the pod",
      { name: "v", ephemeral: { volumeClaimTemplate: {} } },
      [driver("disk.example.com", STS)],
      "unknown",
    ],
    [
      "a CSIDriver of another group is none",
      inline,
      [{ ...driver("secrets.example.com", STS), apiVersion: "v1" }],
      "unknown",
    ],
  ])("%s", (_, podVolume, objects, status) => {
    const account = (plain["app/deployment.yaml"] ?? "").split("---\n")[0] ?? "";
    const manifests = [account, pod({ serviceAccountName: "puller", volumes: [podVolume] })];
    const result = ask({
      ...others,
      "rbac.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n",
      "app.yaml": [...manifests, ...objects.map((object) => JSON.stringify(object))].join("\n---\n"),
    });
    expect(check(result, "audience-granted")?.status).toBe(status);
  });
});

describe("feature gates of kubelets and API server", () => {
  const TOKENS = "KubeletServiceAccountTokenForCredentialProviders";
  const node = (plain["node/credential-provider.json"] ?? "").replace('"cacheType":"ServiceAccount",', "");
  const files = { ...plain, "node/credential-provider.json": node };
  const old: ClusterRecord = { ...cluster, kubelet: "1.33", apiServer: "1.33" };

  it.each<[string, ClusterRecord, string | undefined]>([
    ["both off", old, "provider-on-node"],
    ["both on", { ...old, featureGates: { [TOKENS]: true } }, undefined],
    [
      "on in the kubelets alone",
      { ...old, kubeletFeatureGates: { [TOKENS]: true } },
      "service-account-readable",
    ],
    ["on in the API server alone", { ...old, apiServerFeatureGates: { [TOKENS]: true } }, "provider-on-node"],
    [
      "on in both, off in the API server",
      { ...old, featureGates: { [TOKENS]: true }, apiServerFeatureGates: { [TOKENS]: false } },
      "service-account-readable",
    ],
  ])("%s", (_, known, failed) => {
    const [result] = explained(files, { serviceAccount: "team/puller", image: IMAGE }, { cluster: known });
    expect(firstFailed(result ?? { checks: [] })).toBe(failed);
  });

  it("of the API server decide whether audiences are restricted", () => {
    const gates = { ServiceAccountNodeAudienceRestriction: false };
    const without = { ...plain, "rbac.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n" };
    const status = (known: ClusterRecord): string | undefined =>
      explained(without, { serviceAccount: "team/puller", image: IMAGE }, { cluster: known })[0]?.checks.find(
        ({ id }) => id === "audience-granted",
      )?.status;
    expect(status(cluster)).toBe("fail");
    expect(status({ ...cluster, apiServerFeatureGates: gates })).toBe("pass");
    expect(status({ ...cluster, kubeletFeatureGates: gates })).toBe("fail");
  });
});

// openshift/api, apps/v1; kubernetes:pkg/apis/core, ephemeral containers are those of `kubectl debug`.
describe("images of", () => {
  const template = { spec: { containers: [{ name: "c", image: IMAGE }], serviceAccountName: "puller" } };
  const config = (apiVersion: string): string =>
    JSON.stringify({
      apiVersion,
      kind: "DeploymentConfig",
      metadata: { name: "d", namespace: "team" },
      spec: { template },
    });
  const asked = (document: string): readonly string[] =>
    explained({ ...plain, "app/more.json": document }, {}, { cluster })
      .filter(({ target }) => target.startsWith("111122223333") && target.endsWith("debug:v1"))
      .map(({ verdict }) => verdict);

  it("a DeploymentConfig", () => {
    expect(asked(config("apps.openshift.io/v1").replace("team/web", "team/debug"))).toEqual(["allowed"]);
    expect(asked(config("other.example/v1").replace("team/web", "team/debug"))).toEqual([]);
  });

  it("ephemeral containers", () => {
    const debugging = { name: "debug", image: IMAGE.replace("team/web", "team/debug") };
    expect(asked(pod({ serviceAccountName: "puller", ephemeralContainers: [debugging] }))).toEqual([
      "allowed",
    ]);
  });
});

it.each([["1.40"], ["junk"], [""]])(
  "a version %s that the caller states is unknown, not an error",
  (version) => {
    const [result] = explained(
      plain,
      { serviceAccount: "team/puller", image: IMAGE },
      { cluster: { ...cluster, kubelet: version, apiServer: version } },
    );
    expect(statuses(result ?? { checks: [] })).toMatchObject({
      "provider-on-node": "unknown",
      "service-account-readable": "unknown",
    });
  },
);

describe("of two clusters that were read, a service account that only one of them has", () => {
  const both = (["three-clouds", "rke2"] as const).map(synthesized);
  const TOOLS = "europe-west1-docker.pkg.dev/acme-images/tools/build";
  const toolsPod = (namespace: string): string =>
    folderOf({
      "pod.json": JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p", namespace },
        spec: { serviceAccountName: "tools", containers: [{ name: "c", image: TOOLS }] },
      }),
    });
  const said = (paths: readonly string[], selection: ExplainSelection): readonly string[] =>
    explain(paths, selection).map(({ stack, subject, verdict }) => `${stack} ${subject} ${verdict}`);

  it.each<[string, ExplainSelection, readonly string[]]>([
    ["is judged there", { serviceAccount: "shop/tools" }, ["edge-1 shop/tools allowed"]],
    [
      "is judged in the one that is named",
      { serviceAccount: "shop/tools", stack: "edge" },
      ["edge shop/tools denied"],
    ],
    [
      "is judged in both where neither has it",
      { serviceAccount: "shop/none" },
      ["edge-1 shop/none denied", "edge shop/none denied"],
    ],
  ])("%s", (_, selection, expected) => {
    expect(said(both.map(folderOf), { image: TOOLS, ...selection })).toEqual(expected);
  });

  it("has its pods, which are written for both, only there", () => {
    const origin = "workload";
    expect(said([...both.map(folderOf), toolsPod("shop")], { origin })).toEqual([
      "edge-1 shop/tools allowed",
    ]);
    expect(said([...both.map(folderOf), toolsPod("other")], { origin })).toEqual([
      "edge-1 other/tools denied",
      "edge other/tools denied",
    ]);
  });
});
