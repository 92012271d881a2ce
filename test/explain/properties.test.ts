import fc from "fast-check";
import { describe, expect, it } from "vitest";
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

const pathOf = (artefacts: Artefacts, ending: string): string =>
  [...artefacts.keys()].find((path) => path.endsWith(ending)) ?? "";

describe.each(examples)("%s", (_, artefacts) => {
  const terraform = pathOf(artefacts, "cdk.tf.json");
  const { resource } = JSON.parse(artefacts.get(terraform) ?? "{}") as {
    resource: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  // The pool itself says nothing that its provider does not.
  const resources = Object.entries(resource)
    .filter(([type]) => type !== "google_iam_workload_identity_pool")
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
});
