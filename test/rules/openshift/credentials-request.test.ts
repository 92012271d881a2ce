import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../../lib/errors";
import { selectCredentialsRequests } from "../../../lib/rules/openshift/credentials-request-selection";
import { credentialsRequest } from "../../../lib/rules/openshift/credentials-request";
import { payloadRequests, requestClouds, requestReleases } from "../../support/credentials-requests";
import { refusal } from "../../support/refusal";

const API = "cloudcredential.openshift.io/v1";
const source = { file: "requests/05.yaml", document: 2 };
const where = "requests/05.yaml, document 2, CredentialsRequest ingress";

interface Parts {
  readonly top?: object;
  readonly metadata?: object;
  readonly spec?: object;
  readonly provider?: object;
}

function document({ top, metadata, spec, provider }: Parts = {}): object {
  return {
    apiVersion: API,
    kind: "CredentialsRequest",
    metadata: { name: "ingress", namespace: "openshift-cloud-credential-operator", ...metadata },
    spec: {
      secretRef: { namespace: "openshift-ingress-operator", name: "cloud-credentials" },
      serviceAccountNames: ["ingress-operator"],
      providerSpec: {
        apiVersion: API,
        kind: "AWSProviderSpec",
        statementEntries: [{ effect: "Allow", action: ["s3:GetObject"], resource: "*" }],
        ...provider,
      },
      ...spec,
    },
    ...top,
  };
}

describe("credentialsRequest", () => {
  it("reads every part", () => {
    const request = credentialsRequest(
      document({
        top: { status: { provisioned: true, anything: {} } },
        metadata: { annotations: { "capability.openshift.io/name": "Ingress" }, managedFields: [] },
        spec: { serviceAccountNames: ["b", "a.c", "a"], cloudTokenPath: "/var/run/secrets/azure/tokens" },
      }),
      source,
    );
    expect({ ...request, subjects: request.subjects.map(String) }).toEqual({
      name: "ingress",
      annotations: { "capability.openshift.io/name": "Ingress" },
      secret: { namespace: "openshift-ingress-operator", name: "cloud-credentials" },
      subjects: [
        "system:serviceaccount:openshift-ingress-operator:a",
        "system:serviceaccount:openshift-ingress-operator:a.c",
        "system:serviceaccount:openshift-ingress-operator:b",
      ],
      cloudTokenPath: "/var/run/secrets/azure/tokens",
      providerKind: "AWSProviderSpec",
      providerSpec: { statementEntries: [{ effect: "Allow", action: ["s3:GetObject"], resource: "*" }] },
      source,
    });
  });

  const everyOne = requestClouds.flatMap((cloud) =>
    requestReleases.map((release) => [cloud, release] as const),
  );

  it.each(everyOne)("reads every payload request of %s in release %s", (cloud, release) => {
    const documents = payloadRequests(cloud, release);
    expect(documents.length).toBeGreaterThanOrEqual(7);
    for (const each of documents) {
      const request = credentialsRequest(each, {});
      expect(request.subjects.length).toBeGreaterThan(0);
      expect(request.subjects.every(({ namespace }) => namespace === request.secret.namespace)).toBe(true);
    }
  });

  it.each<[string, Parts, string, unknown]>([
    ["apiVersion", { top: { apiVersion: "v1" } }, "apiVersion", "v1"],
    ["spec missing", { top: { spec: undefined } }, "spec", undefined],
    [
      "annotation of another type",
      { metadata: { annotations: { a: true } } },
      'metadata.annotations["a"]',
      true,
    ],
    ["annotations a list", { metadata: { annotations: [] } }, "metadata.annotations", []],
    ["secretRef missing", { spec: { secretRef: undefined } }, "spec.secretRef", undefined],
    ["secretRef without name", { spec: { secretRef: { namespace: "a" } } }, "spec.secretRef.name", undefined],
    [
      "secretRef with a wrong namespace",
      { spec: { secretRef: { namespace: "A", name: "a" } } },
      "spec.secretRef.namespace",
      "A",
    ],
    ["relative token path", { spec: { cloudTokenPath: "var/token" } }, "spec.cloudTokenPath", "var/token"],
    ["unclean token path", { spec: { cloudTokenPath: "/var/../t" } }, "spec.cloudTokenPath", "/var/../t"],
    ["token path ends with /", { spec: { cloudTokenPath: "/var/" } }, "spec.cloudTokenPath", "/var/"],
    ["token path of another type", { spec: { cloudTokenPath: 1 } }, "spec.cloudTokenPath", 1],
    ["no provider part", { spec: { providerSpec: null } }, "spec.providerSpec", null],
    ["provider apiVersion", { provider: { apiVersion: "v1" } }, "spec.providerSpec.apiVersion", "v1"],
    ["provider kind", { provider: { kind: 1 } }, "spec.providerSpec.kind", 1],
  ])("refuses %s", (_, parts, path, value) => {
    const title =
      path === "apiVersion" ? "requests/05.yaml, document 2, CredentialsRequest (without name)" : where;
    expect(() => credentialsRequest(document(parts), source)).toThrowError(
      refusal("openshift-invalid", {
        message: expect.stringContaining(
          `${title}: ${path} has a value that is not valid in a CredentialsRequest`,
        ) as string,
        value,
      }),
    );
  });

  it("names the file where the request has no name", () => {
    expect(() => credentialsRequest(document({ metadata: { name: undefined } }), source)).toThrowError(
      expect.objectContaining({
        message: expect.stringContaining(
          "requests/05.yaml, document 2, CredentialsRequest (without name): metadata.name has a value that is not valid in a CredentialsRequest",
        ) as string,
      }),
    );
  });

  it.each<[string, Parts, string]>([
    ["top", { top: { data: {} } }, "data"],
    ["spec", { spec: { serviceAccountName: "a" } }, "spec.serviceAccountName"],
    ["secretRef", { spec: { secretRef: { namespace: "a", name: "b", key: "c" } } }, "spec.secretRef.key"],
    ["AWS", { provider: { statementEntry: [] } }, "spec.providerSpec.statementEntry"],
    // There is no field of that name; the data actions of Azure stand in dataPermissions.
    [
      "Azure",
      { spec: { providerSpec: { apiVersion: API, kind: "AzureProviderSpec", dataActions: [] } } },
      "spec.providerSpec.dataActions",
    ],
    [
      "Google",
      { spec: { providerSpec: { apiVersion: API, kind: "GCPProviderSpec", roles: [] } } },
      "spec.providerSpec.roles",
    ],
  ])("refuses an unknown field of %s with its path", (_, parts, path) => {
    expect(() => credentialsRequest(document(parts), source)).toThrowError(
      refusal("openshift-unknown", {
        message: expect.stringContaining(
          `${where}: ${path} is an unknown field, and what it requests would be lost`,
        ) as string,
      }),
    );
  });

  it.each([
    [undefined, "is missing"],
    [null, "is missing"],
    ["ingress-operator", "is not a list"],
    [[], "is empty"],
    [["a", "a"], "names a service account twice"],
    [["a", "A b"], "has an entry that is not a name"],
    [["a", 1], "has an entry that is not a name"],
    [["a", undefined], "has an empty entry"],
  ])("refuses the service accounts %j", (serviceAccountNames, reason) => {
    expect(() => credentialsRequest(document({ spec: { serviceAccountNames } }), source)).toThrowError(
      refusal("openshift-invalid", {
        message: expect.stringContaining(`${where}: spec.serviceAccountNames ${reason}`) as string,
      }),
    );
  });

  it("refuses late names, which would become names of cloud objects", () => {
    const secretRef = { namespace: "a", name: "${TfToken[TOKEN.1]}" };
    expect(() => credentialsRequest(document({ spec: { secretRef } }), source)).toThrowError(
      refusal("late-value"),
    );
  });

  it("refuses whatever else stands in a place with an error of its own", () => {
    const places = [
      "apiVersion",
      "kind",
      "metadata",
      "spec",
      "metadata.name",
      "metadata.annotations",
      "spec.secretRef",
      "spec.secretRef.name",
      "spec.serviceAccountNames",
      "spec.cloudTokenPath",
      "spec.providerSpec",
      "spec.providerSpec.kind",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue(), (place, value) => {
        const changed = JSON.parse(JSON.stringify(document())) as Record<string, unknown>;
        const keys = place.split(".");
        const parent = keys.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, changed);
        parent[keys.at(-1) ?? ""] = value;
        try {
          selectCredentialsRequests([{ value: changed, source }], { cloud: "aws" });
        } catch (error) {
          expect(isWorkloadIdentityError(error)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
