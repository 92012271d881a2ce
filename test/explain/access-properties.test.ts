/*
 * Every part that a component's or a workload's access rests on is needed: without it, or with another text in its
 * place, someone is no longer allowed. What no one rests on changes nothing.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { TERRAFORM, accessArtefacts } from "../fixtures/explain/access";
import { type Artefacts, explained } from "../fixtures/explain/artefacts";

/** Types that no chain asks about: what identities are put into. */
const SURROUNDINGS: readonly string[] = ["azurerm_resource_group", "google_iam_workload_identity_pool"];

/** For people, or for how Terraform goes about it. */
const WORDS: readonly string[] = [
  "//",
  "depends_on",
  "description",
  "display_name",
  "location",
  "principal_type",
  "scope",
  "stage",
  "tags",
  "title",
  "Version",
];

/** Arguments that repeat in another form what a link is judged by. */
const NOT_JUDGED: Readonly<Record<string, string>> = {
  "aws_iam_role_policy.name": "the name of an inline policy says nothing",
  "azurerm_federated_identity_credential.name": "credentials are found by what they say",
  "azurerm_federated_identity_credential.resource_group_name": "the identity's id has it as well",
  "azurerm_role_definition.name": "assignments name the role by its id",
  "azurerm_user_assigned_identity.name": "Secrets name the identity by its client id",
  "azurerm_user_assigned_identity.resource_group_name": "Secrets name the identity by its client id",
  "google_iam_workload_identity_pool_provider.attribute.namespace": "no grant here is by attribute",
  "google_iam_workload_identity_pool_provider.attribute.service_account_name":
    "no grant here is by attribute",
  "google_iam_workload_identity_pool_provider.jwks_json": "keys are not judged",
  "google_iam_workload_identity_pool_provider.project": "pools are told apart by their ids",
  "google_project_iam_member.project": "which project a component works in, no request says",
};

/** Manifests that serve no chain by themselves. */
const OTHERS = "azure-ad-pod-identity-webhook-config";

type Change = readonly [what: string, artefacts: Artefacts];

const verdicts = (artefacts: Artefacts): readonly string[] =>
  explained(artefacts).map(({ verdict }) => verdict);

function leaves(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return typeof value === "string" ? [path] : [];
  return Object.entries(value).flatMap(([key, inner]) =>
    WORDS.includes(key) ? [] : leaves(inner, [...path, key]),
  );
}

/** The value with another text at a path. */
function changed(value: unknown, [key = "", ...rest]: readonly string[]): unknown {
  const inner = (each: unknown): unknown =>
    rest.length > 0 ? changed(each, rest) : typeof each === "string" ? other(each) : each;
  return Array.isArray(value)
    ? value.map((each, index) => (String(index) === key ? inner(each) : each))
    : Object.fromEntries(
        Object.entries(value as object).map(([name, each]) => [name, name === key ? inner(each) : each]),
      );
}

/** In a policy or a credential file, each text of its own is changed elsewhere. */
function other(text: string): string {
  return text.startsWith("{") ? "{}" : `x${text}`;
}

function terraformChanges(artefacts: Artefacts): readonly Change[] {
  const document = JSON.parse(artefacts.get(TERRAFORM) ?? "") as {
    readonly resource: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  return Object.entries(document.resource)
    .filter(([type]) => !SURROUNDINGS.includes(type))
    .flatMap(([type, named]) =>
      Object.entries(named).flatMap(([name, values]) =>
        leaves(values)
          .filter((path) => !path.some((key) => Object.hasOwn(NOT_JUDGED, `${type}.${key}`)))
          .map((path): Change => {
            const next = changed(document, ["resource", type, name, ...path]);
            return [
              `${type} ${name} ${path.join(".")}`,
              new Map([...artefacts, [TERRAFORM, JSON.stringify(next)]]),
            ];
          }),
      ),
    );
}

/** The texts inside of policies: actions, resources, conditions. */
function policyChanges(artefacts: Artefacts): readonly Change[] {
  const text = artefacts.get(TERRAFORM) ?? "";
  const parts = new Set(
    [
      ...text.matchAll(
        /\\"((?:[a-z0-9]+:[A-Za-z*]+|system:serviceaccount:[a-z:-]+|openshift|sts\.amazonaws\.com|[^"\\]+:(?:aud|sub)))\\"/g,
      ),
    ].map(([, part = ""]) => part),
  );
  return [...parts].map((part): Change => [
    `${part} in policies`,
    new Map([...artefacts, [TERRAFORM, text.replaceAll(`\\"${part}\\"`, `\\"x${part}\\"`)]]),
  ]);
}

function manifestChanges(artefacts: Artefacts): readonly Change[] {
  return [...artefacts]
    .filter(([path]) => path.includes("/manifests/") && !path.includes(OTHERS))
    .flatMap(([path, text]) => {
      const documents = parseAllDocuments(text).map((document) => document.toJS() as unknown);
      return documents.flatMap((document, index) => {
        const rewritten = (next: unknown): Artefacts =>
          new Map([
            ...artefacts,
            [
              path,
              documents.map((each, place) => JSON.stringify(place === index ? next : each)).join("\n---\n"),
            ],
          ]);
        return [
          [`document ${index} of ${path}`, rewritten({})] as const,
          ...leaves(document).map((leaf): Change => [
            `${leaf.join(".")} in document ${index} of ${path}`,
            rewritten(changed(document, leaf)),
          ]),
        ];
      });
    });
}

/** What the webhook or an SDK does not read, or reads as well as before. */
const NOT_READ = /^type in|stringData\.azure_region|tenant-id|azure_tenant_id in|azure_subscription_id in/;

describe.each(["aws", "azure", "google"] as const)("%s", (cloud) => {
  const artefacts = accessArtefacts(cloud);
  const changes = [
    ...terraformChanges(artefacts),
    ...policyChanges(artefacts),
    ...manifestChanges(artefacts).filter(([what]) => !NOT_READ.test(what)),
  ];

  it("has parts, and allows everybody with all of them", () => {
    expect(changes.length).toBeGreaterThan(30);
    expect(new Set(verdicts(artefacts))).toEqual(new Set(["allowed"]));
  });

  it.each(changes)("does not allow everybody with another %s", (_, next) => {
    expect(verdicts(next)).not.toEqual(verdicts(artefacts));
  });

  it("is the same with unrelated objects and resources", () => {
    const name = fc.stringMatching(/^other-[a-z0-9]{1,8}$/);
    const objects = fc.array(
      fc.record({
        apiVersion: fc.constantFrom("v1", "config.openshift.io/v1", "cloudcredential.openshift.io/v1"),
        kind: fc.constantFrom(
          "Authentication",
          "ConfigMap",
          "CredentialsRequest",
          "Secret",
          "ServiceAccount",
        ),
        metadata: fc.record({ name, namespace: fc.constantFrom("other", "shop", "kube-system") }),
        data: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
        stringData: fc.object({ maxDepth: 1 }),
        spec: fc.object({ maxDepth: 2 }),
      }),
      { maxLength: 4 },
    );
    const resources = fc.dictionary(
      fc.constantFrom(
        "aws_iam_role",
        "azurerm_role_definition",
        "azurerm_user_assigned_identity",
        "google_project_iam_custom_role",
        "google_service_account",
      ),
      fc.dictionary(name, fc.record({ name, account_id: name, role_id: name, project: name }), {
        maxKeys: 2,
      }),
    );
    const path = "stacks/fixture/manifests/20-service-accounts.yaml";
    const shown = (next: Artefacts): unknown =>
      explained(next).map(({ job, subject, target, verdict, as }) => [job, subject, target, verdict, as]);
    const before = shown(artefacts);
    fc.assert(
      fc.property(objects, resources, (added, more) => {
        const document = JSON.parse(artefacts.get(TERRAFORM) ?? "") as { resource: Record<string, object> };
        for (const [type, named] of Object.entries(more))
          document.resource[type] = { ...document.resource[type], ...named };
        const text = [artefacts.get(path) ?? "", ...added.map((object) => JSON.stringify(object))].join(
          "\n---\n",
        );
        expect(shown(new Map([...artefacts, [path, text], [TERRAFORM, JSON.stringify(document)]]))).toEqual(
          before,
        );
      }),
      { numRuns: 25 },
    );
  });
});
