/*
 * What several documents say of one object, and what late values in manifests are.
 */

import { describe, expect, it } from "vitest";
import { type Known, Reference, known, match, same, shown, textOf, whyText } from "../../../lib/model/known";
import { fieldOf, isTreeObject, sameTree, treeAt, treeOf } from "../../../lib/model/tree";
import { lateName } from "../../../lib/explain/read/late-text";
import { findRbacGrant } from "../../../lib/rules/rbac/evaluate";
import type { ClusterArtefacts } from "../../../lib/explain/read/clusters";
import { type FileContents, clusterOf, factsOf } from "../../fixtures/explain/read";

const account = (annotations: object | undefined, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { namespace: "shop", name: "web", ...(annotations && { annotations }) },
  ...more,
});
const live = (annotations: object): object => ({
  ...account(undefined),
  metadata: { namespace: "shop", name: "web", uid: "1", annotations },
});
const told = (value: Known<string | undefined> | undefined): string =>
  value === undefined
    ? "absent"
    : match(
        value,
        (text) => text ?? "absent",
        (why) => `${why.kind}: ${whyText(why)}`,
      );

describe("an annotation in several documents", () => {
  it.each<[string, readonly object[], string]>([
    ["one", [account({ a: "x" })], "x"],
    ["twice the same", [account({ a: "x" }), account({ a: "x" })], "x"],
    ["two values", [account({ a: "x" }), account({ a: "y" })], "contested: "],
    ["one without it", [account({ a: "x" }), account(undefined)], "contested: "],
    ["one null", [account({ a: "x" }), account({ a: null })], "contested: "],
    ["null alone", [account({ a: null })], "unread: a is null"],
    ["a whole one without it", [account({ a: "x" }), account(undefined, { secrets: [] })], "x"],
    ["none", [account({}), account({})], "absent"],
    ["a manifest over what the cluster shows", [account({ a: "x" }), live({ a: "y" })], "x"],
    ["what the cluster shows alone", [account({}), live({ a: "y" })], "contested: "],
    [
      "one of two manifests, over the cluster's",
      [account({}), account({ a: "x" }), live({ a: "y" })],
      "contested: ",
    ],
    [
      "a manifest between, over the cluster's",
      [live({ a: "y" }), account({}), account({ a: "x" })],
      "contested: ",
    ],
  ])("%s", (_, documents, expected) => {
    const fact = clusterOf({ "m.json": documents }).serviceAccounts.get("shop/web");
    expect(told(fact?.annotations.get("a"))).toMatch(new RegExp(`^${expected}`));
    expect(fact?.documents).toHaveLength(documents.length > 1 ? documents.length : 0);
  });

  // Server-side apply removes what the same field manager stated before and no other annotations. Source:
  // kubernetes.io/docs/reference/using-api/server-side-apply; hashicorp/terraform-provider-kubernetes, annotations.md.
  const added = (annotations: object, field_manager?: string): object => ({
    api_version: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "shop", name: "web" },
    annotations,
    field_manager,
  });
  it.each<[string, manifests: readonly object[], annotations: readonly object[], string]>([
    ["beside the account", [account(undefined)], [added({ a: "x" }, "own")], "x"],
    ["by the account's field manager", [account(undefined)], [added({ a: "x" })], "contested"],
    ["beside one of another manager", [], [added({ a: "x" }, "own"), added({ b: "y" }, "other")], "x"],
    ["beside one of the same manager", [], [added({ a: "x" }, "own"), added({ b: "y" }, "own")], "contested"],
    ["beside one of the same manager", [], [added({ a: "x" }), added({ b: "y" }, "Terraform")], "contested"],
    [
      "beside one of a late manager",
      [],
      [added({ a: "x" }, "own"), added({ b: "y" }, "${var.x}")],
      "contested",
    ],
    ["with another value than the account's", [account({ a: "y" })], [added({ a: "x" }, "own")], "contested"],
    ["without the account's", [account({ a: "x" })], [added({ b: "y" })], "contested"],
  ])("that Terraform adds, %s", (_, manifests, annotations, expected) => {
    const byName = (all: readonly object[]): object =>
      Object.fromEntries(all.map((each, place) => [`x${place}`, each]));
    const resource = {
      kubernetes_manifest: byName(manifests.map((manifest) => ({ manifest }))),
      kubernetes_annotations: byName(annotations),
    };
    const fact = clusterOf({ "main.tf.json": { resource, variable: { x: {} } } }).serviceAccounts.get(
      "shop/web",
    );
    expect(told(fact?.annotations.get("a"))).toMatch(new RegExp(`^${expected}`));
  });

  it("names the documents", () => {
    const fact = clusterOf({
      "a.json": [account({ a: "x" })],
      "b.json": [account({ a: "y" })],
    }).serviceAccounts.get("shop/web");
    expect(told(fact?.annotations.get("a"))).toMatch(
      /the annotation a of shop\/web \(.*a\.json items\[0\], .*b\.json items\[0\]\)/,
    );
  });

  it("a patch is seen", () => {
    const fact = clusterOf({ "m.json": [account({ a: "x" }, { $patch: "delete" })] }).serviceAccounts.get(
      "shop/web",
    );
    expect(fact?.patch?.path).toBe("items[0]");
  });
});

describe("a Secret in several documents", () => {
  const secret = (stringData: object, more: object = {}): object => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "shop", name: "pull" },
    stringData,
    ...more,
  });
  it.each<[string, readonly object[], string, string]>([
    ["one", [secret({ server: "x" })], "x", "Opaque"],
    ["encoded and plain", [secret({ server: "x" }), secret({}, { data: { server: "eA==" } })], "x", "Opaque"],
    [
      "two values",
      [secret({ server: "x" }), secret({ server: "y" }), secret({ server: "x" })],
      "contested: ",
      "Opaque",
    ],
    ["one without it", [secret({ server: "x" }), secret({ config: "y" })], "contested: ", "Opaque"],
    ["two types", [secret({ server: "x" }), secret({ server: "x" }, { type: "b" })], "x", "contested: "],
  ])("%s", (_, documents, value, type) => {
    const fact = clusterOf({ "m.json": documents }).secrets.get("shop/pull");
    expect(told(fact?.value("server"))).toMatch(new RegExp(`^${value}`));
    expect(told(fact?.type)).toMatch(new RegExp(`^${type}`));
    expect(told(fact?.value("none"))).toBe("absent");
    // What is contested may be secret.
    expect(told(fact?.value("server"))).not.toMatch(/\(x|\by\b/);
  });
});

it("issuers, profiles and lists that documents contradict each other about are not known", () => {
  const authentication = (issuer: string): object => ({
    apiVersion: "config.openshift.io/v1",
    kind: "Authentication",
    metadata: { name: "cluster" },
    spec: { serviceAccountIssuer: issuer },
  });
  const profile = (version: string): object => ({
    apiVersion: "multicluster.x-k8s.io/v1alpha1",
    kind: "ClusterProfile",
    metadata: { namespace: "fleet", name: "one" },
    status: { version: { kubernetes: version } },
    spec: undefined,
  });
  const list = (name: string): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "fleet", name: "list" },
    data: { "clusterprofile-provider-file.json": JSON.stringify({ providers: [{ name, execConfig: {} }] }) },
  });
  const read = (...objects: readonly object[]): readonly string[] => {
    const { issuer, fleet } = clusterOf({ "m.json": objects }, { issuer: "https://recorded.example" });
    const status = fleet.profiles[0]?.status?.value ?? known("none");
    return [
      told(issuer),
      match(
        status,
        () => "known",
        (why) => why.kind,
      ),
      match(
        fleet.lists[0]?.providers ?? known([]),
        (all) => String(all.length),
        (why) => why.kind,
      ),
    ];
  };
  expect(read(profile("1"), profile("1"), list("a"), list("a"))).toEqual([
    "https://recorded.example",
    "known",
    "1",
  ]);
  expect(
    read(authentication("https://a"), authentication(""), profile("1"), profile("2"), list("a"), list("b")),
  ).toEqual([expect.stringContaining("contested: "), "contested", "contested"]);
  expect(read(authentication(""))[0]).toBe("https://recorded.example");
  expect(read(authentication("https://a"))[0]).toBe("https://a");
});

/** A stack with one reference, and placeholders for it. */
function stackWith(
  objects: readonly object[],
  nodes: object | undefined,
  placeholders: object,
): FileContents {
  return {
    "manifest.json": { stacks: { prod: { workingDirectory: "stacks/prod" } } },
    "stacks/prod/cdk.tf.json": {
      resource: { azurerm_id: { x: { name: "n" } }, asked: { it: { id: "${azurerm_id.x.client_id}" } } },
    },
    "stacks/prod/manifests/a.yaml": objects.map((each) => JSON.stringify(each)).join("\n---\n"),
    ...(nodes && { "stacks/prod/nodes/a.yaml": JSON.stringify(nodes) }),
    "stacks/prod/workload-identity.json": {
      version: 2,
      stack: "prod",
      clusters: [{ issuer: "https://@late(azurerm_id.x.client_id)@" }],
      manifests: [{ file: "manifests/a.yaml", appliesTo: "cluster" }],
      nodes: nodes ? [{ file: "nodes/a.yaml" }] : [],
      placeholders,
    },
  };
}

const LATE = "@late(azurerm_id.x.client_id)@";
const HASH = "@late(base64.0123456789abcdef)@";
const URL = "@late(data-url.0123456789abcdef)@";
const output = { output: "o", path: ["o"], expression: "${azurerm_id.x.client_id}" };
const CONFIG = `apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n  - name: acr\n    matchImages: ["*.azurecr.io"]\n    tokenAttributes:\n      serviceAccountTokenAudience: "api://${LATE}"\n      requireServiceAccount: true\n    args: [a, ${JSON.stringify(LATE)}]\n`;

describe("late values of a stack's manifests", () => {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "shop", name: "s" },
    data: { config: HASH, server: "YQ==" },
  };
  const flags = {
    "image-credential-provider-config": "/c.yaml",
    "image-credential-provider-bin-dir": "/bin",
  };
  const files = stackWith(
    [account({ a: LATE, b: `x-${LATE}`, c: "@late(none.such)@", d: HASH, e: `${HASH}.` }), secret],
    { files: [{ path: "/c.yaml", content: CONFIG }], kubeletFlags: flags },
    {
      [LATE]: output,
      [HASH]: { encoding: "base64", text: `{"client": "${LATE}"}` },
      [URL]: { encoding: "data-url", text: URL },
    },
  );
  interface Read {
    readonly cluster: ClusterArtefacts | undefined;
    readonly reference: Known<string>;
    readonly annotation: (name: string) => Known<string>;
  }
  function read(): Read {
    const { clusters, terraform } = factsOf(files);
    const [cluster] = clusters;
    const [asked] = terraform.ofType("asked");
    return {
      cluster,
      reference: asked?.stated("id") ?? known("none"),
      annotation: (name) => cluster?.serviceAccounts.get("shop/web")?.annotations.get(name) ?? known("none"),
    };
  }

  it("are the references of the configuration", () => {
    const { annotation, reference, cluster } = read();
    expect(same(annotation("a"), reference)).toBe("yes");
    expect(told(annotation("b"))).toBe("apply: x-<azurerm_id.x.client_id>");
    expect(told(cluster?.cluster.issuer)).toBe("apply: https://<azurerm_id.x.client_id>");
  });
  it("that nothing explains are values of their own", () => {
    const { annotation } = read();
    expect(told(annotation("c"))).toBe("apply: <@late(none.such)@>");
    expect(same(annotation("c"), annotation("a"))).toBe("unknown");
    expect(told(annotation("e"))).toBe(`apply: <${HASH}>.`);
  });
  it("that stand encoded are read before they are", () => {
    const { annotation, cluster } = read();
    expect(told(annotation("d"))).toBe('apply: {"client": "<azurerm_id.x.client_id>"}');
    expect(told(cluster?.secrets.get("shop/s")?.value("config"))).toBe(
      'apply: {"client": "<azurerm_id.x.client_id>"}',
    );
    expect(told(cluster?.secrets.get("shop/s")?.value("server"))).toBe("a");
  });
  it("in files of nodes stand in trees", () => {
    const { cluster, reference } = read();
    const [entry] = cluster?.nodes[0]?.entries ?? [];
    expect(entry?.name).toBe("acr");
    expect(entry?.args.map(shown)).toEqual(["a", "<azurerm_id.x.client_id>"]);
    expect(same(entry?.args[1] ?? known(""), reference)).toBe("yes");
    expect(told(entry?.tokenAttributes?.audience)).toBe("apply: api://<azurerm_id.x.client_id>");
  });
});

it("late values of plain manifests are those of the one configuration that has them", () => {
  const configuration = {
    resource: { azurerm_id: { x: {} }, asked: { it: { id: "${azurerm_id.x.client_id}" } } },
  };
  const files = { "a/main.tf.json": configuration, "m.json": [account({ a: LATE })] };
  const one = factsOf(files);
  const value = one.clusters[0]?.serviceAccounts.get("shop/web")?.annotations.get("a") ?? known("none");
  expect(same(value, one.terraform.ofType("asked")[0]?.stated("id") ?? known("none"))).toBe("yes");
  const two = factsOf({ ...files, "b/main.tf.json": configuration });
  expect(told(two.clusters[0]?.serviceAccounts.get("shop/web")?.annotations.get("a"))).toBe(
    `apply: <${LATE}>`,
  );
});

it("RBAC with late values grants what names the same value, and perhaps anything else", () => {
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "r" },
    rules: [
      { verbs: ["request-serviceaccounts-token-audience"], apiGroups: [""], resources: [`api://${LATE}`] },
    ],
  };
  const binding = {
    ...role,
    kind: "ClusterRoleBinding",
    rules: undefined,
    roleRef: { kind: "ClusterRole", name: "r" },
    subjects: [{ kind: "Group", name: "system:nodes" }],
  };
  const { clusters, terraform } = factsOf(stackWith([role, binding], undefined, { [LATE]: output }));
  const [cluster] = clusters;
  const [asked] = terraform.ofType("asked");
  const grant = (audience: Known<string>): boolean =>
    cluster !== undefined &&
    findRbacGrant(cluster.rbac, {
      user: "n",
      groups: ["system:nodes"],
      verb: "request-serviceaccounts-token-audience",
      apiGroup: "",
      resource: lateName(audience),
      name: "web",
      namespace: "shop",
    }) !== undefined;
  const late = match(asked?.stated("id") ?? known(""), known, (why) =>
    why.kind === "apply" ? textOf(["api://", ...why.parts]) : known(""),
  );
  expect([grant(late), grant(textOf(["api://", new Reference("other")])), grant(known("api://x"))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(cluster?.rbacPerhaps).toHaveLength(1);
});

it("trees are equal where their leaves are", () => {
  const reference = textOf([new Reference("a.b.c")]);
  const tree = (leaf: unknown): ReturnType<typeof treeOf> => treeOf({ a: [leaf, 1] });
  expect(sameTree(tree(reference), tree(reference))).toBe("yes");
  expect(sameTree(tree(reference), tree("x"))).toBe("unknown");
  expect(sameTree(tree("x"), tree("y"))).toBe("no");
  expect(sameTree(tree("x"), treeOf({ a: ["x"] }))).toBe("no");
  const found = treeAt(tree("x"), "a", 0);
  expect(match(found, (value) => value, whyText)).toBe("x");
  expect(
    isTreeObject({} as never) && match(fieldOf(treeAt(tree("x")) as never, "b"), (value) => value, whyText),
  ).toBeUndefined();
});

it("gates of Kueue are seen", () => {
  const kueue = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "kueue-system", name: "c" },
    data: {
      "controller_manager_config.yaml":
        "featureGates:\n  MultiKueue: true\nmultiKueue:\n  clusterProfile:\n    credentialsProviders:\n      - name: a\n",
    },
  };
  const { fleet } = clusterOf({ "m.json": [kueue] });
  const [list] = fleet.lists;
  expect(list?.form).toBe("kueue");
  expect(
    match(
      treeAt(list?.configuration ?? known(null), "featureGates", "MultiKueue"),
      (value) => value,
      whyText,
    ),
  ).toBe(true);
});
