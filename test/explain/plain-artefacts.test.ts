import { describe, expect, it } from "vitest";
import { Explainer } from "../../lib/explain";
import { explained, firstFailed, folderOf, statuses } from "../fixtures/explain/artefacts";
import { cluster, plain } from "../fixtures/explain/plain";

const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const ANNOTATION = "eks.amazonaws.com/ecr-role-arn";
const ROLES = "arn:aws:iam::111122223333:role";
const ask = { serviceAccount: "team/puller", image: `${HOST}/team/web:v1` };

describe("manifests and Terraform of other people", () => {
  it("are followed from the annotation to the policy document", () => {
    const [result] = explained(plain, ask, { cluster });
    expect(result).toMatchObject({
      verdict: "allowed",
      stack: "",
      as: "arn:aws:iam::111122223333:role/team/puller",
    });
  });

  it("leave open what they do not say", () => {
    const [result] = explained(plain, ask);
    expect(result).toMatchObject({ verdict: "unknown" });
    expect(statuses(result ?? { checks: [] })).toMatchObject({
      "provider-on-node": "unknown",
      "service-account-readable": "unknown",
      "audience-granted": "pass",
      "issuer-trusted": "unknown",
    });
  });

  it("are asked about each image of a workload: init containers, containers and image volumes", () => {
    const results = explained(plain, {}, { cluster });
    expect(
      results.map((each) => [each.target.split("/").slice(1).join("/"), each.verdict, firstFailed(each)]),
    ).toEqual([
      ["team/init:v1", "allowed", undefined],
      [`team/web@sha256:${"a".repeat(64)}`, "allowed", undefined],
      ["other/web:v1", "denied", "repository-permitted"],
      ["", "unknown", undefined],
      ["team/loaded", "unknown", undefined],
      ["team/model:v1", "allowed", undefined],
    ]);
    expect(new Set(Object.values(statuses(results[4] ?? { checks: [] })))).toEqual(new Set(["skipped"]));
  });

  it("show where the evidence stands", () => {
    const [result] = explained(plain, { ...ask, image: `${HOST}/other/web` }, { cluster });
    const check = result?.checks.find(({ id }) => id === "repository-permitted");
    expect(check?.evidence).toEqual([
      {
        text: "arn:aws:iam::111122223333:role/team/puller",
        source: {
          file: expect.stringMatching(/iam\/roles\.tf\.json$/),
          path: "resource.aws_iam_role.puller",
        },
      },
    ]);
  });

  it("of another account do not lend a role its policies", () => {
    const other = plain["iam/roles.tf.json"]?.replace("team/*", "other/*") ?? "";
    const main =
      plain["iam/main.tf.json"]
        ?.replaceAll("111122223333", "444455556666")
        .replace("444455556666:repository/team/*", "111122223333:repository/*") ?? "";
    const files = { ...plain, "other/main.tf.json": main, "other/roles.tf.json": other };
    const [result] = explained(files, { ...ask, image: `${HOST}/other/web` }, { cluster });
    expect(firstFailed(result ?? { checks: [] })).toBe("repository-permitted");
  });
});

describe("objects in resources of Terraform", () => {
  const rules = [
    { api_groups: [""], resources: ["sts.amazonaws.com"], verbs: ["request-serviceaccounts-token-audience"] },
  ];
  const role = { metadata: { name: "audience" }, rule: rules };
  const binding = {
    metadata: { name: "audience" },
    role_ref: { api_group: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "audience" },
    subject: { kind: "Group", name: "system:nodes", api_group: "rbac.authorization.k8s.io" },
  };
  const kubernetes_cluster_role_binding_v1 = { x: binding };
  const account = (name: string): object => ({
    metadata: { name: "puller", namespace: "team", annotations: { [ANNOTATION]: `${ROLES}/${name}` } },
  });

  it.each<[title: string, resource: object, verdict: string]>([
    ["RBAC", { kubernetes_cluster_role_v1: { x: role }, kubernetes_cluster_role_binding_v1 }, "unknown"],
    ["a binding", { kubernetes_cluster_role_binding_v1 }, "unknown"],
    ["any manifest", { kubectl_manifest: { x: { yaml_body: "kind: ClusterRole" } } }, "unknown"],
    ["a chart", { helm_release: { x: { name: "token-audience", chart: "./charts/token" } } }, "unknown"],
  ])("%s", (_, resource, verdict) => {
    const files = { ...plain, "rbac.yaml": "", "iam/rbac.tf.json": JSON.stringify({ resource }) };
    expect(explained(files, ask, { cluster })[0]?.verdict).toBe(verdict);
  });

  it.each([
    ["the role that its manifest names", "team/puller", "allowed"],
    ["another role than its manifest names", "team/other", "unknown"],
  ])("a service account with %s", (_, name, verdict) => {
    const resource = { kubernetes_service_account_v1: { x: account(name) } };
    const files = { ...plain, "iam/account.tf.json": JSON.stringify({ resource }) };
    expect(explained(files, ask, { cluster })[0]?.verdict).toBe(verdict);
  });
});

describe("the annotation that Terraform adds to a service account", () => {
  const bare = Object.fromEntries(
    Object.entries(plain).map(([file, text]) => [
      file,
      text.replace(/^ +eks\.amazonaws\.com\/ecr-role-arn: arn.*$/m, "    example.com/team: shop"),
    ]),
  );
  const added = {
    api_version: "v1",
    kind: "ServiceAccount",
    metadata: { name: "puller", namespace: "team" },
    annotations: { [ANNOTATION]: `${ROLES}/team/puller` },
  };
  it.each<[title: string, change: object | undefined, verdict: string]>([
    ["nowhere", undefined, "denied"],
    ["as it is written", {}, "allowed"],
    ["for each of some", { for_each: { a: 1 } }, "unknown"],
    ["by for_each", { for_each: "${var.accounts}", metadata: { name: "${each.key}" } }, "unknown"],
    ["as often as a variable says", { count: "${var.count}" }, "unknown"],
    ["from an expression", { annotations: "${var.annotations}" }, "unknown"],
    ["for each of some, on namespaces", { kind: "Namespace", for_each: { a: 1 } }, "denied"],
  ])("%s", (_, change, verdict) => {
    const kubernetes_annotations = change && { x: { ...added, ...change } };
    const terraform = {
      resource: { kubernetes_annotations },
      variable: { accounts: {}, count: {}, annotations: {} },
    };
    const files = { ...bare, "iam/annotations.tf.json": JSON.stringify(terraform) };
    expect(Object.values(bare)).not.toEqual(Object.values(plain));
    expect(explained(files, ask, { cluster })[0]?.verdict).toBe(verdict);
  });

  it.each([
    [
      "that may be added",
      {
        "iam/annotations.tf.json": JSON.stringify({
          resource: { kubernetes_annotations: { x: { ...added, for_each: { a: 1 } } } },
        }),
      },
      `explain did not read everything that may add the annotation ${ANNOTATION}`,
    ],
    [
      "that is null",
      {
        "app/null.json": JSON.stringify({
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: "default", namespace: "team", annotations: { [ANNOTATION]: null } },
        }),
      },
      `${ANNOTATION} is null, which becomes an empty text or nothing`,
    ],
  ])("of a namespace's default account, %s", (_, files, why) => {
    const [result] = explained(
      { ...bare, ...files },
      { ...ask, serviceAccount: "team/default" },
      { cluster },
    );
    expect(result?.verdict).toBe("unknown");
    expect(result?.checks.find(({ id }) => id === "annotations-present")?.reason).toBe(
      `the required annotation ${ANNOTATION} of the service account team/default is not known: ${why}`,
    );
  });
});

/** Source: kubernetes-sigs/kustomize, api/types/kustomization.go. */
describe("a service account in a kustomization", () => {
  const base = { resources: ["deployment.yaml"] };
  it.each<[title: string, kustomizations: Readonly<Record<string, object>>, status: string]>([
    ["that only takes it", { app: base }, "pass"],
    ["with an image", { app: { ...base, labels: [], images: [{ name: "x", newTag: "v2" }] } }, "pass"],
    ["of its own namespace", { app: { ...base, namespace: "team" } }, "pass"],
    ["of another namespace", { app: { ...base, namespace: "dev" } }, "unknown"],
    ["with a prefix", { app: { ...base, namePrefix: "dev-" } }, "unknown"],
    ["with a prefix for other files", { app: { resources: ["x.yaml"], namePrefix: "dev-" } }, "pass"],
    ["patched", { app: { ...base, patches: [{ target: { kind: "ServiceAccount" } }] } }, "unknown"],
    ["with a patch of others", { app: { ...base, patches: [{ target: { kind: "Deployment" } }] } }, "pass"],
    ["above", { app: base, "": { resources: ["app"], nameSuffix: "-dev" } }, "unknown"],
    [
      "two above",
      { app: base, mid: { resources: ["../app"] }, top: { bases: ["../mid"], nameSuffix: "-dev" } },
      "unknown",
    ],
  ])("%s", (_, kustomizations, status) => {
    const made = Object.entries(kustomizations).map(([folder, value]) => [
      `${folder}/kustomization.yaml`,
      JSON.stringify(value),
    ]);
    const files = { ...plain, ...(Object.fromEntries(made) as Record<string, string>) };
    const [result] = explained(files, ask, { cluster });
    expect(statuses(result ?? { checks: [] })["service-account-present"]).toBe(status);
  });
});

describe("pull secrets", () => {
  const secret = (text: string): string =>
    text.replace(
      "serviceAccountName: puller",
      "serviceAccountName: puller\n      imagePullSecrets: [{name: hub}]",
    );
  const files = { ...plain, "app/deployment.yaml": secret(plain["app/deployment.yaml"] ?? "") };

  it("leave a broken chain of a workload open, and are no success of it", () => {
    const result = explained(files, {}, { cluster })[2];
    expect(result).toMatchObject({ verdict: "unknown", as: "pull secret" });
    expect(result?.checks.at(-1)).toMatchObject({
      id: "otherwise",
      status: "unknown",
      reason: "the pull secrets hub may serve the image",
    });
  });

  const withSecret = (data: string, type = "kubernetes.io/dockerconfigjson"): Record<string, string> => ({
    ...files,
    "app/secret.yaml": JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      type,
      metadata: { name: "hub", namespace: "team" },
      stringData: { ".dockerconfigjson": data },
    }),
  });

  it("that the kubelet cannot decode stop every pull of the pod", () => {
    const results = explained(withSecret('{"auths":{"r.io":{"auth":"!!"}}}'), {}, { cluster });
    expect([results[0]?.verdict, results[0]?.as, results[2]?.verdict]).toEqual(["denied", null, "denied"]);
    expect(results[0]?.checks.at(-1)).toMatchObject({
      id: "otherwise",
      status: "fail",
      reason: expect.stringContaining('the pull secret hub: the auth of the entry "r.io" is not base64'),
    });
  });

  it.each([
    ["SOPS encrypted", "ENC[AES256_GCM,data:x,type:str]"],
    ["Argo CD's Vault plugin fills in", "<path:secret/data/hub#config>"],
    ["Helm fills in", '{{ include "hub.config" . }}'],
  ])("that %s may hold anything", (_, data) => {
    const [result] = explained(withSecret(data), {}, { cluster });
    expect(result?.checks.at(-1)).toMatchObject({
      status: "pass",
      reason: "the pull secrets hub are tried first",
    });
  });

  it.each([
    ["of the image's registry are first", { [HOST]: {} }, "the pull secrets hub are tried first", "unknown"],
    ["of another registry are not tried", { "r.io": {} }, "not needed: every link holds", "denied"],
  ])("%s", (_, auths, reason, broken) => {
    const results = explained(withSecret(JSON.stringify({ auths })), {}, { cluster });
    expect(results[0]).toMatchObject({ verdict: "allowed" });
    expect(results[0]?.checks.at(-1)).toMatchObject({ status: "pass", reason });
    expect(results[2]?.verdict).toBe(broken);
  });

  it("of another type are passed over", () => {
    expect(explained(withSecret("{", "Opaque"), {}, { cluster })[0]?.verdict).toBe("allowed");
  });

  it("do not hide a chain that holds", () => {
    const result = explained(files, {}, { cluster })[0];
    expect(result).toMatchObject({ verdict: "allowed" });
    expect(result?.checks.at(-1)).toMatchObject({
      status: "pass",
      reason: "the pull secrets hub are tried first",
    });
  });
});

describe("volumes of a pod", () => {
  const withoutRbac = (volume: string): Record<string, string> => ({
    ...plain,
    "rbac.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n",
    "app/deployment.yaml": (plain["app/deployment.yaml"] ?? "").replace(
      "volumes: [",
      `volumes: [${volume}, `,
    ),
  });

  it.each([
    [
      "a projected token of the audience",
      "{name: t, projected: {sources: [{serviceAccountToken: {audience: sts.amazonaws.com}}]}}",
      "pass",
    ],
    [
      "another projected token",
      "{name: t, projected: {sources: [{serviceAccountToken: {audience: vault}}]}}",
      "fail",
    ],
    ["a CSI driver", "{name: t, csi: {driver: secrets.example.com}}", "unknown"],
  ])("%s", (_, volume, status) => {
    const [result] = explained(withoutRbac(volume), {}, { cluster });
    expect(statuses(result ?? { checks: [] })["audience-granted"]).toBe(status);
  });
});

describe("service-account-present", () => {
  it.each([
    ["unknown where no service account was read", { "rbac.yaml": plain["rbac.yaml"] ?? "" }, "unknown"],
    [
      "fails where others were",
      {
        "app.yaml": plain["app/deployment.yaml"] ?? "",
        "node/credential-provider.json": plain["node/credential-provider.json"] ?? "",
      },
      "fail",
    ],
  ])("is %s", (_, files, status) => {
    const [result] = explained(
      { "node/credential-provider.json": plain["node/credential-provider.json"] ?? "", ...files },
      { ...ask, serviceAccount: "team/other" },
      { cluster },
    );
    expect(statuses(result ?? { checks: [] })["service-account-present"]).toBe(status);
  });
});

describe("terraform show -json", () => {
  const roles = (values: string): string =>
    JSON.stringify({
      format_version: "1.0",
      [values]: {
        root_module: {
          resources: [],
          child_modules: [
            {
              resources: [
                {
                  address: "module.m.aws_iam_openid_connect_provider.c1",
                  mode: "managed",
                  type: "aws_iam_openid_connect_provider",
                  name: "c1",
                  values: {
                    arn: "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/c1",
                    url: "oidc.example.com/c1",
                    client_id_list: ["sts.amazonaws.com"],
                  },
                },
                {
                  address: "module.m.aws_iam_role.puller",
                  mode: "managed",
                  type: "aws_iam_role",
                  name: "puller",
                  values: {
                    arn: "arn:aws:iam::111122223333:role/team/puller",
                    name: "puller",
                    path: "/team/",
                    assume_role_policy: JSON.stringify({
                      Version: "2012-10-17",
                      Statement: [
                        {
                          Effect: "Allow",
                          Principal: {
                            Federated: "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/c1",
                          },
                          Action: "sts:AssumeRoleWithWebIdentity",
                          Condition: {
                            StringEquals: {
                              "oidc.example.com/c1:aud": "sts.amazonaws.com",
                              "oidc.example.com/c1:sub": "system:serviceaccount:team:puller",
                            },
                          },
                        },
                      ],
                    }),
                  },
                },
                {
                  address: "module.m.aws_iam_role_policy_attachment.p",
                  mode: "managed",
                  type: "aws_iam_role_policy_attachment",
                  name: "p",
                  values: {
                    role: "puller",
                    policy_arn: "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
                  },
                },
              ],
            },
          ],
        },
      },
    });

  it.each(["values", "planned_values"])("is read: %s", (values) => {
    const { "iam/main.tf.json": _, "iam/roles.tf.json": __, ...manifests } = plain;
    const [result] = explained({ ...manifests, "state.json": roles(values) }, ask, { cluster });
    expect(result?.verdict).toBe("allowed");
  });
});

it("lists documents that hold no fact", () => {
  const folder = folderOf({ ...plain, "values.yaml": "replicas: 3\n", "notes.json": "[1]" });
  expect(Explainer.read([folder]).skipped.map(({ source }) => source.file.slice(folder.length + 1))).toEqual([
    "notes.json",
    "values.yaml",
  ]);
});

describe("several ways on the nodes", () => {
  const node = plain["node/credential-provider.json"] ?? "";
  const withoutToken = (name: string): Record<string, unknown> => {
    const document = JSON.parse(node) as { providers: Record<string, unknown>[] };
    const [{ tokenAttributes: _, ...entry } = {}] = document.providers;
    return { ...entry, name };
  };

  it("a second entry without a token is named as the node's identity, and is no success", () => {
    const document = JSON.parse(node) as { providers: unknown[] };
    const mixed = JSON.stringify({
      ...document,
      providers: [withoutToken("ecr-node"), ...document.providers],
    });
    const files = { ...plain, "node/credential-provider.json": mixed };
    const [allowed] = explained(files, ask, { cluster });
    const [denied] = explained(files, { ...ask, image: `${HOST}/other/web` }, { cluster });
    expect(allowed).toMatchObject({ verdict: "allowed", as: "arn:aws:iam::111122223333:role/team/puller" });
    expect(denied).toMatchObject({ verdict: "denied", as: "node identity" });
    expect(firstFailed(denied ?? { checks: [] })).toBe("repository-permitted");
    expect(denied?.checks.at(-1)?.reason).toContain("the entry ecr-node also matches");
  });

  it("an entry without a token, and none with one, leaves open what the nodes may pull: by image and by pod", () => {
    const document = JSON.parse(node) as { providers: unknown[] };
    const only = JSON.stringify({ ...document, providers: [withoutToken("ecr-credential-provider")] });
    const files = { ...plain, "node/credential-provider.json": only };
    const image = `${HOST}/team/init:v1`;
    const [byImage] = explained(files, { ...ask, image }, { cluster });
    const byPod = explained(files, {}, { cluster }).find(({ target }) => target === image);
    for (const result of [byImage, byPod]) {
      expect([result?.verdict, result?.as]).toEqual(["unknown", "node identity"]);
      expect(firstFailed(result ?? { checks: [] })).toBe("provider-on-node");
    }
  });

  it("of two pools the worse counts, since a pod may come to either", () => {
    const old = JSON.stringify({
      ...(JSON.parse(node) as object),
      providers: [withoutToken("ecr-credential-provider")],
    });
    for (const name of ["node/a.json", "node/z.json"]) {
      const [result] = explained({ ...plain, [name]: old }, ask, { cluster });
      expect(result).toMatchObject({ verdict: "denied", as: "node identity" });
      expect(firstFailed(result ?? { checks: [] })).toBe("provider-on-node");
    }
  });
});
