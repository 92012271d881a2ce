import { describe, expect, it } from "vitest";
import { credentialsRequestsDiff } from "../../../lib/rules/openshift/two-releases";
import { payloadRequests, requestClouds, requestReleases } from "../../support/credentials-requests";
import { refusal } from "../../support/refusal";

const API = "cloudcredential.openshift.io/v1";

function request(name: string, provider: object, spec: object = {}, annotations: object = {}): object {
  return {
    apiVersion: API,
    kind: "CredentialsRequest",
    metadata: { name, annotations },
    spec: {
      secretRef: { namespace: "a", name: "b" },
      serviceAccountNames: ["one"],
      providerSpec: { apiVersion: API, ...provider },
      ...spec,
    },
  };
}

const statement = (action: readonly string[], more: object = {}): object => ({
  effect: "Allow",
  action,
  resource: "*",
  ...more,
});
const aws = (...statementEntries: readonly object[]): object => ({
  kind: "AWSProviderSpec",
  statementEntries,
});

const sourced = (
  ...values: readonly unknown[]
): readonly { value: unknown; source: { document: number } }[] =>
  values.map((value, index) => ({ value, source: { document: index + 1 } }));

function changes(before: object, after: object): readonly unknown[] {
  const diff = credentialsRequestsDiff(sourced(before), sourced(after));
  expect([diff.added, diff.removed]).toEqual([[], []]);
  return diff.changed.flatMap((changed) => changed.changes);
}

const ALLOW = 'providerSpec.statementEntries{"effect":"Allow","resource":"*"}.action';
const CONDITION = { policyCondition: { Bool: { "kms:GrantIsForAWSResource": true } } };

describe("credentialsRequestsDiff", () => {
  it.each<[string, object, object, readonly unknown[]]>([
    ["the same", aws(statement(["b", "a"])), aws(statement(["a", "b"])), []],
    [
      "no condition for an empty one",
      aws(statement(["a"], { policyCondition: {} })),
      aws(statement(["a"])),
      [],
    ],
    [
      "values of a condition in another order",
      aws(statement(["a"], { policyCondition: { StringEquals: { k: ["x", "y"] } } })),
      aws(statement(["a"], { policyCondition: { StringEquals: { k: ["y", "x"] } } })),
      [],
    ],
    ["one statement, split in two", aws(statement(["a", "b"])), aws(statement(["b"]), statement(["a"])), []],
    [
      "actions",
      aws(statement(["a", "b"])),
      aws(statement(["b", "d", "c"])),
      [{ path: ALLOW, added: ["c", "d"], removed: ["a"] }],
    ],
    [
      "a statement with a condition",
      aws(statement(["a"])),
      aws(statement(["a"]), statement(["kms:CreateGrant"], CONDITION)),
      [
        {
          path: 'providerSpec.statementEntries{"effect":"Allow","policyCondition":{"Bool":{"kms:GrantIsForAWSResource":true}},"resource":"*"}.action',
          added: ["kms:CreateGrant"],
          removed: [],
        },
      ],
    ],
    [
      "a resource",
      aws(statement(["a"])),
      aws(statement(["a"], { resource: "arn" })),
      [
        { path: ALLOW, added: [], removed: ["a"] },
        {
          path: 'providerSpec.statementEntries{"effect":"Allow","resource":"arn"}.action',
          added: ["a"],
          removed: [],
        },
      ],
    ],
    [
      "Azure's permissions and roles",
      {
        kind: "AzureProviderSpec",
        permissions: ["x/read", "x/read"],
        dataPermissions: ["d"],
        roleBindings: [{ role: "Contributor" }],
      },
      { kind: "AzureProviderSpec", permissions: ["x/read", "y/read"], roleBindings: [{ role: "Reader" }] },
      [
        { path: "providerSpec.dataPermissions", added: [], removed: ["d"] },
        { path: "providerSpec.permissions", added: ["y/read"], removed: [] },
        {
          path: "providerSpec.roleBindings",
          added: ['{"role":"Reader"}'],
          removed: ['{"role":"Contributor"}'],
        },
      ],
    ],
    [
      "Google's permissions, roles and switch",
      {
        kind: "GCPProviderSpec",
        permissions: ["a.b.c"],
        predefinedRoles: ["roles/a"],
        skipServiceCheck: false,
      },
      {
        kind: "GCPProviderSpec",
        permissions: ["a.b.d"],
        predefinedRoles: ["roles/a"],
        skipServiceCheck: true,
      },
      [
        { path: "providerSpec.permissions", added: ["a.b.d"], removed: ["a.b.c"] },
        { path: "providerSpec.skipServiceCheck", added: ["true"], removed: ["false"] },
      ],
    ],
  ])("compares %s", (_, before, after, expected) => {
    expect(changes(request("r", before), request("r", after))).toEqual(expected);
  });

  it("compares what stands beside the provider part", () => {
    const before = request("r", aws(), {}, { "release.openshift.io/feature-gate": "A" });
    const after = request("r", aws(), {
      serviceAccountNames: ["two", "one"],
      secretRef: { namespace: "a", name: "c" },
      cloudTokenPath: "/var/t",
    });
    expect(changes(before, after)).toEqual([
      { path: 'annotations["release.openshift.io/feature-gate"]', added: [], removed: ["A"] },
      { path: "cloudTokenPath", added: ["/var/t"], removed: [] },
      { path: "secretRef.name", added: ["c"], removed: ["b"] },
      { path: "serviceAccountNames", added: ["two"], removed: [] },
    ]);
  });

  it("names requests that only one release has, by kind and name, and passes over other kinds", () => {
    const map = { apiVersion: "v1", kind: "ConfigMap" };
    const diff = credentialsRequestsDiff(
      sourced(request("r", aws()), map),
      sourced(request("r", { kind: "GCPProviderSpec", permissions: ["p"] })),
    );
    expect(diff.changed).toEqual([]);
    expect(diff.removed).toMatchObject([{ name: "r", providerKind: "AWSProviderSpec" }]);
    expect(diff.added[0]?.changes).toContainEqual({
      path: "providerSpec.permissions",
      added: ["p"],
      removed: [],
    });
  });

  it("refuses a release that has a request twice", () => {
    const twice = sourced(request("r", aws()), request("r", aws()));
    expect(() => credentialsRequestsDiff(twice, [])).toThrowError(
      refusal("openshift-conflict", {
        problem:
          "document 1, CredentialsRequest r and document 2, CredentialsRequest r are requests with the same name for the same cloud",
      }),
    );
  });

  it("swaps added and removed when the releases are swapped, for every pair that follows each other", () => {
    const pairs = requestClouds.flatMap((cloud) =>
      requestReleases
        .slice(1)
        .map((release, index) => [cloud, requestReleases[index] ?? "", release] as const),
    );
    expect(pairs).toHaveLength(30);
    for (const [cloud, older, newer] of pairs) {
      const [a, b] = [older, newer].map((release) => sourced(...payloadRequests(cloud, release)));
      const [up, down] = [
        credentialsRequestsDiff(a ?? [], b ?? []),
        credentialsRequestsDiff(b ?? [], a ?? []),
      ];
      const turned = down.changed.map((request) => ({
        ...request,
        changes: request.changes.map(({ path, added, removed }) => ({
          path,
          added: removed,
          removed: added,
        })),
      }));
      expect(up.changed).toEqual(turned);
    }
  });

  it("finds the service account that azure-disk got in 4.20", () => {
    const [before, after] = ["4.19", "4.20"].map((release) => sourced(...payloadRequests("azure", release)));
    const { changed } = credentialsRequestsDiff(before ?? [], after ?? []);
    const disk = changed.find(({ name }) => name === "azure-disk-csi-driver-operator");
    expect(disk?.changes).toContainEqual({
      path: "serviceAccountNames",
      added: ["azure-disk-csi-driver-node-sa"],
      removed: [],
    });
  });
});

it.each([[undefined], [null], [{}], [[null]], [new Array<unknown>(1)]])(
  "refuses %j, which is not a list of documents",
  (documents) => {
    expect(() => credentialsRequestsDiff([], documents as never)).toThrowError(
      refusal("openshift-invalid: not passed as a list") as Error,
    );
  },
);
