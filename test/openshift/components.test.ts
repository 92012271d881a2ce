import { App, Chart, Testing } from "cdk8s";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Issuer } from "../../lib/model/issuer";
import {
  ServiceAccountIssuer,
  UpgradeableTo,
  credentialsRequests,
  credentialsRequestsOf,
} from "../../lib/openshift";
import { payloadRequests } from "../support/credentials-requests";
import { refusal } from "../support/refusal";

const ISSUER = "https://mycluster-oidc.s3.us-east-2.amazonaws.com";

describe("ServiceAccountIssuer", () => {
  // openshift/cloud-credential-operator, pkg/cmd/provisioning: the manifest that ccoctl writes has no other field.
  it("is ccoctl's manifest, in a chart with a namespace too", () => {
    const chart = new Chart(new App(), "chart", { namespace: "default" });
    new ServiceAccountIssuer(chart, "issuer", { issuer: ISSUER });
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: "config.openshift.io/v1",
        kind: "Authentication",
        metadata: { name: "cluster" },
        spec: { serviceAccountIssuer: ISSUER },
      },
    ]);
  });

  it.each(["${TfToken[TOKEN.1]}", Issuer.exactly("https://a.z6.web.core.windows.net/")])(
    "takes %s as it is",
    (issuer) => {
      const chart = Testing.chart();
      new ServiceAccountIssuer(chart, "issuer", { issuer });
      const url = typeof issuer === "string" ? issuer : issuer.url;
      expect(Testing.synth(chart)).toMatchObject([{ spec: { serviceAccountIssuer: url } }]);
    },
  );

  it.each([
    ["http://a.example", "issuer-invalid"],
    [`${ISSUER}/`, "issuer-invalid"],
  ])("refuses %s", (issuer, code) => {
    expect(() => new ServiceAccountIssuer(Testing.chart(), "issuer", { issuer })).toThrowError(refusal(code));
  });
});

describe("UpgradeableTo", () => {
  it.each([
    ["4.23", undefined, "4.23.0"],
    ["v4.23.1", "4.22.9", "4.23.1"],
    ["5.0.0-rc.1", "4.23", "5.0.0"],
  ])("annotates %s", (version, clusterVersion, value) => {
    const chart = new Chart(new App(), "chart", { namespace: "default" });
    new UpgradeableTo(chart, "gate", {
      version,
      ...(clusterVersion === undefined ? {} : { clusterVersion }),
    });
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: "operator.openshift.io/v1",
        kind: "CloudCredential",
        metadata: { name: "cluster", annotations: { "cloudcredential.openshift.io/upgradeable-to": value } },
      },
    ]);
  });

  it.each([
    ["4.22", "4.22.3", "openshift-invalid: not newer in major.minor than"],
    ["4.22.9", "4.22.3", "openshift-invalid: not newer in major.minor than"],
    ["4.9", "4.22", "openshift-invalid: not newer in major.minor than"],
    ["next", undefined, "version-invalid"],
    ["4.23", "now", "version-invalid"],
    ["${TfToken[TOKEN.1]}", undefined, "late-value"],
  ])("refuses %s over %s", (version, clusterVersion, code) => {
    const props = { version, ...(clusterVersion === undefined ? {} : { clusterVersion }) };
    expect(() => new UpgradeableTo(Testing.chart(), "gate", props)).toThrowError(refusal(code));
  });
});

describe("credentialsRequests", () => {
  const documents = payloadRequests("aws", "4.22");
  const filter = { cloud: "aws", featureGates: [] } as const;

  it("gives the same from a folder and from objects, but for where it was read", () => {
    const folder = mkdtempSync(join(tmpdir(), "requests-"));
    try {
      const whole = documents.map((document) => `---\n${JSON.stringify(document)}\n`).join("");
      writeFileSync(join(folder, "all.yaml"), whole);
      const read = credentialsRequests(folder, filter);
      const given = credentialsRequestsOf(documents, filter);
      expect(read.requests).toEqual(
        given.requests.map((request) => ({
          ...request,
          source: { file: join(folder, "all.yaml"), document: request.source.document },
        })),
      );
      expect(read.requests).toHaveLength(6);
      expect(read.skipped.map(({ name, reason }) => `${name} ${reason}`)).toEqual([
        "openshift-cluster-api-aws needs the feature gate ClusterAPIMachineManagement, which is not enabled",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("names the caller's object by its number", () => {
    const [first, second] = documents;
    expect(() => credentialsRequestsOf([first, { ...second, spec: {} }], filter)).toThrowError(
      /^document 2, CredentialsRequest .+: spec\.providerSpec has a value that is not/,
    );
  });
});
