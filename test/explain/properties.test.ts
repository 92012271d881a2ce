import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Artefacts, explained, synthesized } from "../fixtures/explain/artefacts";

const examples = (["three-clouds", "openshift-aws", "aro-hcp"] as const).map(
  (name) => [name, synthesized(name)] as const,
);

/** A JSON document without what stands at a path. */
function without(text: string, path: readonly string[]): string {
  const document = JSON.parse(text) as Record<string, unknown>;
  const parent = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((inner, key) => inner[key] as typeof inner, document);
  delete parent[path.at(-1) ?? ""];
  return JSON.stringify(document);
}

function replaced(artefacts: Artefacts, path: string, text: string): Artefacts {
  return new Map([...artefacts, [path, text]]);
}

/** What links are made of, inside of documents: what stands at these keys is taken out piece by piece. */
const LINKS: readonly string[] = [
  "annotations",
  "rules",
  "subjects",
  "verbs",
  "resources",
  "roleRef",
  "files",
  "kubeletFlags",
];

/** The API server fills it in. Source: kubernetes:pkg/apis/rbac/v1/defaults.go. */
const FILLED_IN = "apiGroup";

/** Resources of the kinds that matter, of other owners. */
const UNRELATED: Readonly<Record<string, (name: string) => object>> = {
  aws_ecr_repository_policy: (name) => ({
    repository: name,
    policy: '{"Statement":[{"Effect":"Deny","Principal":"*","Action":"ecr:*"}]}',
  }),
  aws_iam_openid_connect_provider: (name) => ({ url: `https://${name}.example`, client_id_list: ["x"] }),
  aws_iam_role: (name) => ({ name, assume_role_policy: '{"Statement":[]}' }),
  aws_iam_role_policy: (name) => ({
    role: name,
    policy: '{"Statement":[{"Effect":"Deny","Action":"*","Resource":"*"}]}',
  }),
  aws_s3_bucket: (name) => ({ bucket: name }),
  azurerm_container_registry: (name) => ({ name: name.replace("_", "") }),
  azurerm_federated_identity_credential: (name) => ({
    parent_id: `/other/${name}`,
    issuer: "https://other.example",
    subject: "system:serviceaccount:other:other",
    audience: ["other"],
  }),
  azurerm_user_assigned_identity: (name) => ({ name, resource_group_name: "other" }),
  google_artifact_registry_repository_iam_member: (name) => ({
    project: "other",
    location: "europe-west1",
    repository: name,
    role: "roles/artifactregistry.reader",
    member: "allUsers",
  }),
  google_iam_workload_identity_pool_provider: (name) => ({
    workload_identity_pool_id: name,
    workload_identity_pool_provider_id: name,
  }),
};

type Part = readonly [what: string, path: string, text: string];

/** The file again and again, each time without one annotation, rule, subject, verb, resource, file or flag. */
function parts(path: string, text: string): readonly Part[] {
  if (!/\/(?:manifests|nodes)\//.test(path)) return [];
  const documents = parseAllDocuments(text).map((document) => document.toJS() as unknown);
  return documents.flatMap((document, index) =>
    paths(document).map((keys): Part => {
      const rest = documents.map((each, place) => (place === index ? taken(each, keys) : each));
      const whole = rest.map((each) => JSON.stringify(each)).join("\n---\n");
      return [`${keys.join(".")} in document ${index} of ${path.split("/").at(-1)}`, path, whole];
    }),
  );
}

function paths(value: unknown, keys: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...keys, key];
    const isLink = LINKS.includes(keys.at(-1) ?? "") && key !== FILLED_IN;
    return [...(isLink ? [here] : []), ...paths(inner, here)];
  });
}

function taken(value: unknown, [key = "", ...rest]: readonly string[]): unknown {
  if (Array.isArray(value))
    return rest.length === 0
      ? value.filter((_, index) => String(index) !== key)
      : value.map((item: unknown, index) => (String(index) === key ? taken(item, rest) : item));
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, inner]) =>
      name !== key ? [[name, inner]] : rest.length === 0 ? [] : [[name, taken(inner, rest)]],
    ),
  );
}

const pathOf = (artefacts: Artefacts, ending: string): string =>
  [...artefacts.keys()].find((path) => path.endsWith(ending)) ?? "";

describe.each(examples)("%s", (_, artefacts) => {
  const terraform = pathOf(artefacts, "cdk.tf.json");
  const { resource } = JSON.parse(artefacts.get(terraform) ?? "{}") as {
    resource: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  // The pool itself says nothing that its provider does not, and the objects of a bucket nothing that the files do not.
  const resources = Object.entries(resource)
    .filter(([type]) => !["aws_s3_object", "google_iam_workload_identity_pool"].includes(type))
    .flatMap(([type, named]) => Object.keys(named).map((name) => [type, name] as const));
  const documents = [...artefacts].flatMap(([path, text]) =>
    path.includes("/manifests/") ? text.split(/^---\n/m).map((document) => [path, document] as const) : [],
  );
  const verdicts = (changed: Artefacts): readonly string[] =>
    explained(changed).map(({ verdict }) => verdict);

  it.each(resources)("is no longer allowed everywhere without %s %s", (type, name) => {
    const text = without(artefacts.get(terraform) ?? "", ["resource", type, name]);
    expect(verdicts(replaced(artefacts, terraform, text))).not.toEqual(verdicts(artefacts));
  });

  it.each(documents)("is no longer allowed everywhere without a document of %s", (path, document) => {
    const text = (artefacts.get(path) ?? "").replace(document, "{}\n");
    expect(verdicts(replaced(artefacts, path, text))).not.toEqual(verdicts(artefacts));
  });

  const smaller = [...artefacts].flatMap(([path, text]) => parts(path, text));

  it("has parts to remove", () => {
    expect(smaller.length).toBeGreaterThan(5);
  });

  it.each(smaller)("is no longer allowed everywhere without %s", (_, path, text) => {
    expect(verdicts(artefacts)).not.toContain("denied");
    const after = verdicts(replaced(artefacts, path, text));
    expect(after).not.toEqual(verdicts(artefacts));
    expect(after.filter((verdict) => verdict !== "allowed")).not.toEqual([]);
  });

  it("is the same with unrelated objects", () => {
    const before = explained(artefacts);
    const objects = fc.array(
      fc.record({
        apiVersion: fc.constantFrom("v1", "apps/v1", "rbac.authorization.k8s.io/v1", "example.com/v1"),
        kind: fc.constantFrom("ConfigMap", "Secret", "ServiceAccount", "Role", "Widget"),
        metadata: fc.record({
          name: fc.string({ unit: "grapheme-ascii" }).map((name) => `other-${name}`),
          namespace: fc.constantFrom("other", "kube-system"),
        }),
        rules: fc.constant([{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]),
        data: fc.object({ maxDepth: 2 }),
      }),
      { maxLength: 4 },
    );
    const path = pathOf(artefacts, "20-service-accounts.yaml");
    fc.assert(
      fc.property(objects, (added) => {
        const text = [artefacts.get(path) ?? "", ...added.map((object) => JSON.stringify(object))].join(
          "\n---\n",
        );
        const after = explained(replaced(artefacts, path, text));
        expect(after.map(({ subject, target, verdict, as }) => [subject, target, verdict, as])).toEqual(
          before.map(({ subject, target, verdict, as }) => [subject, target, verdict, as]),
        );
      }),
      { numRuns: 25 },
    );
  });

  it("is the same with unrelated resources, providers and files of nodes", () => {
    const before = explained(artefacts);
    const name = fc.stringMatching(/^other_[a-z0-9]{1,8}$/);
    const unrelated = fc.dictionary(
      fc.constantFrom(...Object.keys(UNRELATED)),
      fc.dictionary(name, fc.constant(null), { minKeys: 1, maxKeys: 2 }),
    );
    fc.assert(
      fc.property(unrelated, name, (added, other) => {
        const document = JSON.parse(artefacts.get(terraform) ?? "{}") as {
          resource: Record<string, Record<string, unknown>>;
        };
        for (const [type, named] of Object.entries(added))
          for (const each of Object.keys(named))
            document.resource[type] = { ...document.resource[type], [each]: UNRELATED[type]?.(each) };
        const changed = new Map([
          ...artefacts,
          [terraform, JSON.stringify(document)],
          [`stacks/${other}/cdk.tf.json`, JSON.stringify({ resource: { null_resource: { a: {} } } })],
        ] as const);
        const stacks = new Set(before.map(({ stack }) => stack));
        const after = explained(changed).filter(({ stack }) => stacks.has(stack));
        expect(after.map(({ subject, target, verdict, as }) => [subject, target, verdict, as])).toEqual(
          before.map(({ subject, target, verdict, as }) => [subject, target, verdict, as]),
        );
      }),
      { numRuns: 25 },
    );
  });
});
