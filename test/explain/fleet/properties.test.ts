/*
 * Every part that a controller's way into a spoke rests on is needed: without it, or with another text in its place,
 * someone is no longer allowed. What no one rests on changes nothing.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { Explainer, explain } from "../../../lib/explain";
import { type Artefacts, heldFolder, synthesized } from "../../fixtures/explain/artefacts";

type Change = readonly [what: string, artefacts: Artefacts];
type Path = readonly string[];

/** What identities are put into, and what brings no right of its own. */
const SURROUNDINGS: readonly string[] = ["google_iam_workload_identity_pool", "google_project_service"];

const terraformPath = (artefacts: Artefacts): string =>
  [...artefacts.keys()].find((path) => path.endsWith("cdk.tf.json")) ?? "";

function without(value: unknown, [key = "", ...rest]: Path): unknown {
  if (Array.isArray(value))
    return rest.length === 0
      ? value.filter((_, index) => String(index) !== key)
      : value.map((item: unknown, index) => (String(index) === key ? without(item, rest) : item));
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, inner]) =>
      name !== key ? [[name, inner]] : rest.length === 0 ? [] : [[name, without(inner, rest)]],
    ),
  );
}

function resourceChanges(artefacts: Artefacts): readonly Change[] {
  const path = terraformPath(artefacts);
  const document = JSON.parse(artefacts.get(path) ?? "") as {
    readonly resource: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  return Object.entries(document.resource)
    .filter(([type]) => !SURROUNDINGS.includes(type))
    .flatMap(([type, named]) =>
      Object.keys(named).map((name): Change => {
        const text = JSON.stringify(without(document, ["resource", type, name]));
        return [`${type} ${name}`, new Map([...artefacts, [path, text]])];
      }),
    );
}

/** Texts inside of resources that the way rests on. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  aws_eks_access_entry: ["cluster_name", "principal_arn", "kubernetes_groups"],
  aws_eks_access_policy_association: ["cluster_name", "principal_arn"],
  aws_iam_openid_connect_provider: ["url", "client_id_list"],
  aws_iam_role: ["assume_role_policy"],
  azurerm_federated_identity_credential: ["audience", "issuer", "subject", "parent_id"],
  azurerm_role_assignment: ["principal_id", "role_definition_name", "scope"],
  google_iam_workload_identity_pool_provider: ["oidc", "attribute_mapping"],
  google_project_iam_member: ["member", "project", "role"],
  google_service_account_iam_member: ["member", "role", "service_account_id"],
};

function argumentChanges(artefacts: Artefacts): readonly Change[] {
  const path = terraformPath(artefacts);
  const { resource } = JSON.parse(artefacts.get(path) ?? "") as {
    readonly resource: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  };
  return Object.entries(resource).flatMap(([type, named]) =>
    Object.entries(named).flatMap(([name, values]) =>
      (ARGUMENTS[type] ?? [])
        .filter((argument) => argument in values)
        .map((argument): Change => {
          const document = JSON.parse(artefacts.get(path) ?? "") as { resource: typeof resource };
          const others = JSON.parse(JSON.stringify(values[argument]), (_, each: unknown) =>
            typeof each === "string" ? (each.startsWith("{") ? "{}" : `other${each}`) : each,
          ) as unknown;
          const changed = { ...document.resource[type]?.[name], [argument]: others };
          const next = {
            ...document,
            resource: { ...document.resource, [type]: { ...document.resource[type], [name]: changed } },
          };
          return [`${type} ${name} ${argument}`, new Map([...artefacts, [path, JSON.stringify(next)]])];
        }),
    ),
  );
}

/** Parts that no way rests on, with the reason. */
const NOT_JUDGED: readonly (readonly [part: RegExp, reason: string])[] = [
  [
    / (?:spec\.displayName|.*\.message|.*\.interactiveMode|files\.0\.mode|kubeletFlags) /,
    "for people and for appliers",
  ],
  [/ .*\.readOnly /, "what is mounted is there, whether or not it may be written"],
  [/ .*\.expirationSeconds /, "there is a default"],
  [/ spec\.template\.metadata\.annotations/, "rolls the pods"],
  [/Deployment spec\.template\.metadata of (?:2|7) /, "holds that annotation alone"],
  [/^MultiKueueCluster/, "names the profile; the way in is the profile's"],
  [/^ClusterProfile (?:spec|metadata\.labels)/, "main object and status repeat each other"],
  [/tenant-id /, "the webhook has a tenant of its own"],
  [/^(?:Deployment|StatefulSet|ClusterRoleBinding) apiVersion /, "refused when it is applied"],
  [/^(?:RoleBinding|ClusterRoleBinding) metadata(?:\.name)? /, "refused when it is applied"],
  [/^ConfigMap metadata\.name of 4 /, "refused when it is applied"],
  [/\.apiGroup /, "the API server fills it in"],
  [/^RoleBinding subjects\.0\.namespace /, "refused when it is applied"],
  [/configMap\.items(?:\.0)? /, "without items all keys are there"],
];

function paths(value: unknown, keys: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...keys, key], ...paths(inner, [...keys, key])]);
}

function manifestChanges(artefacts: Artefacts): readonly Change[] {
  return [...artefacts]
    .filter(([path]) => /\/(?:manifests|spokes)\//.test(path))
    .flatMap(([path, text]) => {
      const documents = parseAllDocuments(text).map((document) => document.toJS() as unknown);
      return documents.flatMap((document, index) => {
        const kind = String((document as { kind?: unknown }).kind ?? "files");
        const rewritten = (next: unknown): Artefacts =>
          new Map([
            ...artefacts,
            [path, documents.map((each, at) => JSON.stringify(at === index ? next : each)).join("\n---\n")],
          ]);
        const parts = paths(document)
          .map((each): Change => [
            `${kind} ${each.join(".")} of ${index} in ${path}`,
            rewritten(without(document, each)),
          ])
          .filter(([what]) => !NOT_JUDGED.some(([part]) => part.test(what)));
        return kind === "MultiKueueCluster"
          ? []
          : [[`${kind} ${index} of ${path}`, rewritten({})] as const, ...parts];
      });
    });
}

/** Whether every result is allowed; the first that is not ends the search. */
function letsEverybodyIn(artefacts: Artefacts): boolean {
  let isAsked = false;
  for (const { verdict } of Explainer.read([heldFolder(artefacts)]).all()) {
    if (verdict !== "allowed") return false;
    isAsked = true;
  }
  expect(isAsked).toBe(true);
  return true;
}

describe.each(["fleet-argocd", "fleet-multikueue"] as const)("%s", (name) => {
  const artefacts = synthesized(name);
  const changes = [
    ...resourceChanges(artefacts),
    ...argumentChanges(artefacts),
    ...manifestChanges(artefacts),
  ];

  it("has parts, and lets everybody in with all of them", () => {
    expect(changes.length).toBeGreaterThan(100);
    expect(letsEverybodyIn(artefacts)).toBe(true);
  });

  it.each(changes)("does not let everybody in without %s", (_, next) => {
    expect(letsEverybodyIn(next)).toBe(false);
  });

  it("is the same with unrelated objects and resources", () => {
    const before = shown(artefacts);
    const id = fc.stringMatching(/^other-[a-z0-9]{1,8}$/);
    const terraform = terraformPath(artefacts);
    const path = [...artefacts.keys()].find((each) => each.endsWith("65-fleet-controller.yaml")) ?? "";
    fc.assert(
      fc.property(unrelatedObjects(id), unrelatedResources(id), (objects, resources) => {
        const document = JSON.parse(artefacts.get(terraform) ?? "{}") as { resource: Record<string, object> };
        for (const [type, named] of Object.entries(resources))
          document.resource[type] = { ...document.resource[type], ...named };
        const text = [artefacts.get(path) ?? "", ...objects.map((each) => JSON.stringify(each))].join(
          "\n---\n",
        );
        const next = new Map([...artefacts, [path, text], [terraform, JSON.stringify(document)]]);
        expect(shown(next)).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });
});

function shown(artefacts: Artefacts): unknown {
  return explain([heldFolder(artefacts)])
    .filter(({ job }) => job === "fleet-access")
    .map(({ subject, target, verdict, as, warnings }) => [subject, target, verdict, as, warnings?.length]);
}

/** Objects of no one, and such as look like parts of a fleet elsewhere. */
function unrelatedObjects(id: fc.Arbitrary<string>): fc.Arbitrary<readonly object[]> {
  return fc.array(
    fc.record({
      apiVersion: fc.constantFrom("v1", "apps/v1", "rbac.authorization.k8s.io/v1", "kueue.x-k8s.io/v1beta2"),
      kind: fc.constantFrom(
        "ClusterRoleBinding",
        "ConfigMap",
        "Deployment",
        "MultiKueueCluster",
        "Role",
        "Secret",
        "ServiceAccount",
      ),
      metadata: fc.record({ name: id, namespace: fc.constantFrom("argocd", "kueue-system", "other") }),
      data: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
      roleRef: fc.record({ kind: fc.constant("ClusterRole"), name: id }),
      subjects: fc.array(fc.record({ kind: fc.constantFrom("User", "Group"), name: id }), { maxLength: 2 }),
      spec: fc.object({ maxDepth: 2 }),
    }),
    { maxLength: 4 },
  );
}

function unrelatedResources(id: fc.Arbitrary<string>): fc.Arbitrary<Readonly<Record<string, object>>> {
  const values = fc.record({
    name: id,
    cluster_name: id,
    principal_arn: id.map((name) => `arn:aws:iam::999999999999:role/${name}`),
    policy_arn: fc.constant("arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"),
    principal_id: id,
    role: fc.constant("roles/container.admin"),
    role_definition_name: fc.constant("Azure Kubernetes Service RBAC Reader"),
    scope: id,
    member: id.map((name) => `serviceAccount:${name}@other.iam.gserviceaccount.com`),
    project: id,
  });
  return fc.dictionary(
    fc.constantFrom(
      "aws_eks_access_entry",
      "aws_eks_access_policy_association",
      "aws_iam_role",
      "azurerm_role_assignment",
      "google_project_iam_member",
      "null_resource",
    ),
    fc.dictionary(id, values, { maxKeys: 2 }),
  );
}
