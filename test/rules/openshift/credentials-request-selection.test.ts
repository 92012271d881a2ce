import { describe, expect, it } from "vitest";
import {
  type CredentialsRequestFilter,
  selectCredentialsRequests,
} from "../../../lib/rules/openshift/credentials-request-selection";
import { payloadRequests, requestClouds, requestReleases } from "../../support/credentials-requests";
import { refusal } from "../../support/refusal";

const API = "cloudcredential.openshift.io/v1";
const KINDS = { aws: "AWSProviderSpec", azure: "AzureProviderSpec", google: "GCPProviderSpec" };

function document(name: string, annotations: object = {}, kind: string = KINDS.aws): object {
  return {
    apiVersion: API,
    kind: "CredentialsRequest",
    metadata: { name, annotations },
    spec: {
      secretRef: { namespace: "edge", name: `${name}-secret` },
      serviceAccountNames: ["operator"],
      providerSpec: { apiVersion: API, kind },
    },
  };
}

const sourced = (
  ...values: readonly unknown[]
): readonly { value: unknown; source: { document: number } }[] =>
  values.map((value, index) => ({ value, source: { document: index + 1 } }));

function select(
  values: readonly unknown[],
  filter: Partial<CredentialsRequestFilter> = {},
): { readonly kept: readonly string[]; readonly skipped: readonly string[] } {
  const { requests, skipped } = selectCredentialsRequests(sourced(...values), { cloud: "aws", ...filter });
  return {
    kept: requests.map(({ name }) => name),
    skipped: skipped.map(({ name, reason, source }) => `${source.document} ${name} ${reason}`),
  };
}

const GATE = "release.openshift.io/feature-gate";
const SET = "release.openshift.io/feature-set";
const CAPABILITY = "capability.openshift.io/name";
const INCLUDE = "include.release.openshift.io/";

describe("requests of another cloud's kind", () => {
  const [own, next, foreign] = [document("a"), document("b"), document("c", {}, KINDS.google)];

  it("are left out and reported where the filter names the cloud", () => {
    expect(select([own, foreign])).toEqual({
      kept: ["a"],
      skipped: ["2 c is a request of kind GCPProviderSpec, for another cloud"],
    });
  });

  it.each([
    ["one of another served cloud", [own, foreign, next], "document 2, CredentialsRequest c", KINDS.google],
    ["a first one", [foreign, own, next], "document 1, CredentialsRequest c", KINDS.google],
    [
      "one of a cloud that is not served",
      [own, document("v", {}, "VSphereProviderSpec")],
      "document 2, CredentialsRequest v",
      "VSphereProviderSpec",
    ],
  ])("are refused by document where it does not: %s", (_why, values, where, kind) => {
    expect(() => selectCredentialsRequests(sourced(...values), {})).toThrowError(
      refusal("openshift-foreign", {
        message: expect.stringContaining(
          `${where} is for another cloud than most of the requests, got "${kind}"`,
        ),
      }),
    );
  });

  it("are refused with the command that extracts one cloud's", () => {
    expect(() => selectCredentialsRequests(sourced(own, next, foreign), {})).toThrowError(
      /`oc adm release extract --credentials-requests --cloud=aws`/,
    );
  });

  it("are none where all are of one cloud", () => {
    expect(selectCredentialsRequests(sourced(own, next), {}).requests).toHaveLength(2);
  });
});

describe("selectCredentialsRequests", () => {
  const other = document("other");

  // Rows follow openshift/library-go, pkg/manifest/manifest.go.
  it.each<[object, Partial<CredentialsRequestFilter>, string | undefined]>([
    [{}, {}, undefined],
    [{ "release.openshift.io/delete": "true" }, {}, "is to be deleted (release.openshift.io/delete)"],
    [{ "release.openshift.io/delete": "false" }, {}, undefined],
    [{ [`${INCLUDE}self-managed-high-availability`]: "true" }, {}, undefined],
    [{ [`${INCLUDE}single-node-developer`]: "true" }, { clusterProfile: "single-node-developer" }, undefined],
    [
      { [`${INCLUDE}hypershift`]: "true" },
      {},
      "is not for the cluster profile self-managed-high-availability (include.release.openshift.io/)",
    ],
    [
      { [`${INCLUDE}self-managed-high-availability`]: "false" },
      {},
      "is not for the cluster profile self-managed-high-availability (include.release.openshift.io/)",
    ],
    [{ "exclude.release.openshift.io/internal-openshift-hosted": "true" }, {}, undefined],
    [
      { "exclude.release.openshift.io/internal-openshift-hosted": "true" },
      { clusterProfile: "internal-openshift-hosted" },
      "is not for the cluster profile internal-openshift-hosted (exclude.release.openshift.io/internal-openshift-hosted)",
    ],
    [{ [SET]: "TechPreviewNoUpgrade" }, {}, "is for the feature set TechPreviewNoUpgrade, not Default"],
    [{ [SET]: "TechPreviewNoUpgrade" }, { featureSet: "TechPreviewNoUpgrade" }, undefined],
    [{ [SET]: "CustomNoUpgrade,TechPreviewNoUpgrade" }, { featureSet: "TechPreviewNoUpgrade" }, undefined],
    [{ [SET]: "CustomNoUpgrade,TechPreviewNoUpgrade" }, { featureSet: "CustomNoUpgrade" }, undefined],
    [
      { [SET]: "CustomNoUpgrade,TechPreviewNoUpgrade" },
      { featureSet: "DevPreviewNoUpgrade" },
      "is for the feature set CustomNoUpgrade,TechPreviewNoUpgrade, not DevPreviewNoUpgrade",
    ],
    [{ [SET]: "Default" }, {}, undefined],
    [{ [SET]: "Soon" }, {}, "is for the unknown feature set Soon, which OpenShift never installs"],
    [
      { [SET]: "Default", [GATE]: "A" },
      { featureGates: "all" },
      "has annotations for both feature set and feature gate, a combination that OpenShift never installs",
    ],
    [{ [GATE]: "A" }, { featureGates: ["A"] }, undefined],
    [{ [GATE]: "A" }, { featureGates: "all" }, undefined],
    [{ [GATE]: "A" }, { featureGates: [] }, "needs the feature gate A, which is not enabled"],
    [{ [GATE]: "A, B" }, { featureGates: ["A"] }, "needs the feature gate B, which is not enabled"],
    [{ [GATE]: "A,B" }, { featureGates: ["B", "A"] }, undefined],
    [{ [GATE]: "-A" }, { featureGates: [] }, undefined],
    [{ [GATE]: "B,-A" }, { featureGates: ["A", "B"] }, "is for clusters without the feature gate A"],
    [{ [GATE]: "" }, {}, undefined],
    [{ [CAPABILITY]: "Storage+CloudCredential" }, {}, undefined],
    [
      { [CAPABILITY]: "Storage+CloudCredential" },
      { capabilities: ["CloudCredential", "Storage"] },
      undefined,
    ],
    [
      { [CAPABILITY]: "Storage+CloudCredential" },
      { capabilities: ["CloudCredential"] },
      "needs the capabilities Storage, which are not enabled",
    ],
    [{ [CAPABILITY]: "" }, { capabilities: [] }, undefined],
  ])("with annotations %j and filter %j: %s", (annotations, filter, reason) => {
    const { kept, skipped } = select([document("one", annotations), other], filter);
    expect(kept).toEqual(reason === undefined ? ["one", "other"] : ["other"]);
    expect(skipped).toEqual(reason === undefined ? [] : [`1 one ${reason}`]);
  });

  it("refuses to guess feature gates, but asks for them only where they decide", () => {
    const gated = document("gated", { [GATE]: "ClusterAPIMachineManagement" });
    expect(() => select([gated, other])).toThrowError(
      refusal("openshift-missing", {
        problem:
          "document 1, CredentialsRequest gated depends on feature gates, but the filter does not say which are enabled",
        value: "ClusterAPIMachineManagement",
      }),
    );
    const deleted = document("gone", { [GATE]: "A", "release.openshift.io/delete": "true" });
    expect(select([deleted, other]).kept).toEqual(["other"]);
  });

  it("looks at nothing but the kind of another cloud's request", () => {
    const nutanix = { ...document("nutanix", {}, "NutanixProviderSpec") } as Record<string, unknown>;
    nutanix["spec"] = { providerSpec: { apiVersion: API, kind: "NutanixProviderSpec", anything: 1 } };
    expect(select([nutanix, other])).toEqual({
      kept: ["other"],
      skipped: ["1 nutanix is a request of kind NutanixProviderSpec, for another cloud"],
    });
  });

  // A manifest that tells the cluster-version operator to delete an object needs only its kind, namespace and name.
  it("leaves out a request without spec that is to be deleted, whatever its cloud was", () => {
    const { spec: _, ...gone } = document("gone", { "release.openshift.io/delete": "true" }) as {
      spec: object;
    };
    const skipped = ["1 gone is to be deleted (release.openshift.io/delete)"];
    expect(select([gone, other])).toEqual({ kept: ["other"], skipped });
    expect(select([gone, other], { cloud: undefined })).toEqual({ kept: ["other"], skipped });
  });

  it("refuses a request without spec that is not to be deleted", () => {
    const { spec: _, ...empty } = document("empty") as { spec: object };
    expect(() => select([empty, other])).toThrowError(
      /^document 1, CredentialsRequest empty: spec has a value/,
    );
  });

  it("names objects of other kinds, and takes lists apart", () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map" } };
    const list = { apiVersion: "v1", kind: "List", items: [other, map] };
    expect(select([list])).toEqual({ kept: ["other"], skipped: ["1 ConfigMap map is of kind ConfigMap"] });
  });

  // openshift/api, config/v1 (FeatureSet) and cloudcredential/v1 with the operator's own provider specs: whole tables.
  it.each(["Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade", "OKD"] as const)(
    "knows the feature set %s, and no others",
    (featureSet) => {
      const mine = document("mine", { [SET]: featureSet });
      expect(select([mine, other], { featureSet }).kept).toEqual(["mine", "other"]);
      expect(() => select([other], { featureSet: `${featureSet}s` as "Default" })).toThrowError(
        refusal("property-invalid", {
          allowed: '"Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade", "OKD"',
        }),
      );
    },
  );

  it("knows these kinds, one of each served cloud and of others", () => {
    expect(() => select([document("bad", {}, "AWSProviderSpecs")])).toThrowError(
      refusal("openshift-unknown: is for a cloud that OpenShift does not support", {
        allowed: [
          ...["AWSProviderSpec", "AzureProviderSpec", "GCPProviderSpec", "AlibabaCloudProviderSpec"],
          ...["IBMCloudPowerVSProviderSpec", "IBMCloudProviderSpec", "KubevirtProviderSpec"],
          ...["NutanixProviderSpec", "OpenStackProviderSpec", "OvirtProviderSpec", "VSphereProviderSpec"],
        ].join(", "),
      }),
    );
    for (const cloud of ["aws", "azure", "google"] as const)
      expect(select([document("own", {}, KINDS[cloud])], { cloud }).kept).toEqual(["own"]);
  });

  it("refuses a provider kind of no cloud, naming the request", () => {
    expect(() => select([other, document("bad", {}, "AWSProviderSpecs")])).toThrowError(
      refusal("openshift-unknown", {
        problem: "document 2, CredentialsRequest bad is for a cloud that OpenShift does not support",
        value: "AWSProviderSpecs",
      }),
    );
  });

  // openshift/library-go, pkg/manifest/manifest.go: a comma list, left out with `-` in front.
  it.each([
    ["5", 5, true],
    ["4,5", 5, true],
    ["5", 4, false],
    ["-5", 4, true],
    ["-5", 5, false],
  ])("takes a request for major version %s into a cluster of %i: %s", (versions, majorVersion, kept) => {
    const bound = document("bound", { "release.openshift.io/major-version": versions });
    expect(select([other, bound], { majorVersion })).toEqual({
      kept: kept ? ["bound", "other"] : ["other"],
      skipped: kept
        ? []
        : [`2 bound is not for OpenShift ${majorVersion} (release.openshift.io/major-version: ${versions})`],
    });
  });

  it("refuses to guess the major version", () => {
    const bound = document("bound", { "release.openshift.io/major-version": "5" });
    expect(() => select([other, bound])).toThrowError(
      refusal("openshift-missing: major versions", { value: "5" }),
    );
  });

  it.each([
    [{ capabilities: "Storage" }, "property-invalid"],
    [{ featureGates: "X" }, "property-invalid"],
    [{ majorVersion: "4" }, "property-invalid"],
    [{ majorVersion: 4.2 }, "openshift-invalid: filter of CredentialsRequests"],
  ])("refuses the filter %j with %s", (filter, code) => {
    expect(() => select([other], filter as unknown as CredentialsRequestFilter)).toThrowError(refusal(code));
  });

  it.each([
    [1, "a number"],
    ["-----BEGIN", "a string"],
    [["hidden"], "a list"],
    [null, "null"],
  ])("says of %j only what it is: it may be a key", (value, type) => {
    expect(() => select([other, value])).toThrowError(
      expect.objectContaining({
        problem: `document 2, CredentialsRequest (without name): document (${type}) has a value that is not valid in a CredentialsRequest`,
        value: undefined,
      }),
    );
  });

  it.each([[{}], [{ kind: "" }]])("refuses %j, which is not an object", (value) => {
    expect(() => select([other, value])).toThrowError(
      refusal("openshift-invalid", {
        problem:
          "document 2, CredentialsRequest (without name): kind has a value that is not valid in a CredentialsRequest",
      }),
    );
  });

  it("refuses two requests of one name, by which all settings know them, naming both", () => {
    const twin = document("other") as { spec: { secretRef: { name: string } } };
    twin.spec.secretRef.name = "third-secret";
    expect(() => select([document("other"), twin])).toThrowError(
      refusal("openshift-conflict", {
        problem: expect.stringMatching(
          /document 1, CredentialsRequest other and document 2, CredentialsRequest other /,
        ) as string,
      }),
    );
  });

  it("refuses two requests for one Secret, naming both", () => {
    const twin = document("twin") as { spec: { secretRef: { name: string } } };
    twin.spec.secretRef.name = "other-secret";
    expect(() => select([other, document("third"), twin])).toThrowError(
      refusal("openshift-conflict", {
        problem:
          "document 1, CredentialsRequest other and document 3, CredentialsRequest twin request the same Secret, so one would overwrite the other",
        value: "edge/other-secret",
      }),
    );
  });

  it("refuses a filter that leaves nothing, and says what it left out", () => {
    expect(() => select([other], { cloud: "azure" })).toThrowError(
      refusal("openshift-missing", {
        problem:
          "no CredentialsRequest applies to the cluster: other is a request of kind AWSProviderSpec, for another cloud",
      }),
    );
  });

  it.each([{ cloud: "gcp" as "google" }, { featureSet: "" as "Default" }])(
    "refuses the filter %j",
    (filter) => {
      expect(() => select([other], filter)).toThrowError(refusal("property-invalid"));
    },
  );

  it.each(requestClouds.flatMap((cloud) => requestReleases.map((release) => [cloud, release] as const)))(
    "keeps all requests of %s %s for a technology preview, and all but the cluster API's without",
    (cloud, release) => {
      const documents = sourced(...payloadRequests(cloud, release));
      const preview = selectCredentialsRequests(documents, {
        cloud,
        featureSet: "TechPreviewNoUpgrade",
        featureGates: "all",
      });
      expect(preview.skipped).toEqual([]);
      const secrets = preview.requests.map(({ secret }) => [secret.namespace, secret.name]);
      expect(secrets).toEqual([...secrets].sort());
      const usual = selectCredentialsRequests(documents, { cloud, featureGates: [] });
      expect(usual.skipped.map(({ name }) => name)).toEqual([
        `openshift-cluster-api-${cloud === "google" ? "gcp" : cloud}`,
      ]);
    },
  );
});
