/*
 * Which components and workloads are explained, and what is said of them as a whole. Single checks are in ../checks.
 */

import { describe, expect, it } from "vitest";
import { type ExplainResult, explain } from "../../../lib/explain";
import { INGRESS, WORKLOAD, accessArtefacts, resultOf } from "../../fixtures/explain/access";
import { edited, explained, folderOf, statuses } from "../../fixtures/explain/artefacts";
import { cluster, plain } from "../../fixtures/explain/plain";
import { payloadRequests } from "../../support/credentials-requests";

describe.each(["aws", "azure", "google"] as const)("%s", (cloud) => {
  const artefacts = accessArtefacts(cloud);

  it("allows every service account of components and workload, each link by itself", () => {
    const results = explained(artefacts);
    expect(results.map(({ job, subject, verdict }) => [job, subject, verdict])).toEqual([
      ["component", "openshift-image-registry/cluster-image-registry-operator", "allowed"],
      ["component", "openshift-image-registry/registry", "allowed"],
      ["component", INGRESS, "allowed"],
      ["workload", WORKLOAD, "allowed"],
    ]);
    for (const result of results)
      for (const { id, status, reason } of result.checks)
        // No pod of the workload was read, and Azure's need a label.
        if (cloud === "azure" && id === "pods-configured")
          expect([status, reason]).toEqual(["skipped", expect.stringContaining("no pod of it was read")]);
        else expect([id, status]).toEqual([id, "pass"]);
  });

  it("names Secret and cloud as target, and the identity", () => {
    const [first, , , workload] = explained(artefacts);
    expect(first?.target).toBe("openshift-image-registry/installer-cloud-credentials");
    expect(workload?.target).toBe(cloud);
    for (const result of [first, workload]) expect(result?.as).not.toBeNull();
  });

  it("shows what is granted as evidence", () => {
    const permission = resultOf(artefacts, INGRESS).checks.find(({ id }) => id === "permissions-granted");
    expect(permission?.evidence.length).toBeGreaterThan(1);
  });

  it("takes service account and stack as filters, and asks no one else", () => {
    const subjects = explained(artefacts, { serviceAccount: WORKLOAD }).map(({ subject }) => subject);
    expect(subjects).toEqual([WORKLOAD]);
    expect(explained(artefacts, { serviceAccount: "shop/other" })).toEqual([]);
    expect(explained(artefacts, { stack: "fixture" })).toHaveLength(4);
    const unknown = expect.objectContaining({ code: "explain-unknown" }) as Error;
    expect(() => explained(artefacts, { stack: "other" })).toThrowError(unknown);
  });

  it("says nothing of components where an image is asked about", () => {
    const results = explained(artefacts, { image: "r.example.com/a", serviceAccount: INGRESS });
    expect(results.map(({ job }) => job)).toEqual(["image-pull"]);
  });

  it("allows every request of the newest payload", () => {
    const results = explained(accessArtefacts(cloud, payloadRequests(cloud, "HEAD")));
    expect(results.length).toBeGreaterThan(8);
    expect(results.filter(({ verdict }) => verdict !== "allowed")).toEqual([]);
  });
});

const request = (more: object, kind = "AWSProviderSpec", name = "openshift-cluster-api-aws"): object => ({
  apiVersion: "cloudcredential.openshift.io/v1",
  kind: "CredentialsRequest",
  metadata: { name },
  spec: {
    secretRef: { namespace: "openshift-cluster-api", name: "capa-manager-bootstrap-credentials" },
    serviceAccountNames: ["cluster-capi-operator"],
    providerSpec: {
      apiVersion: "cloudcredential.openshift.io/v1",
      kind,
      statementEntries: [{ effect: "Allow", action: ["ec2:RunInstances"], resource: "*" }],
    },
    ...more,
  },
});

it("requests of other clouds and of other Secrets beside the stack are not this cluster's", () => {
  const others = [
    request({ serviceAccountNames: ["x"] }, "GCPProviderSpec"),
    request({ secretRef: { namespace: "openshift-cluster-api", name: "other" } }),
  ].map((each) => JSON.stringify(each));
  const folders = [
    folderOf(accessArtefacts("aws", [request({})])),
    folderOf({ "requests.yaml": others.join("\n---\n") }),
  ];
  const components = explain(folders).filter(({ job }) => job === "component");
  expect(components.map(({ subject }) => subject)).toEqual(["openshift-cluster-api/cluster-capi-operator"]);
});

describe("other people's manifests", () => {
  const secret = (name: string, stringData: Readonly<Record<string, string>>): string =>
    JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { namespace: "ns", name }, stringData });
  const GUID = "11111111-2222-4333-8444-555555555555";

  it("without requests tell of the Secrets that lead to a token, of no one by name, and of no path", () => {
    const text = [
      secret("azure", {
        azure_client_id: GUID,
        azure_tenant_id: GUID,
        azure_region: "westeurope",
        azure_subscription_id: GUID,
        azure_federated_token_file: "/var/run/secrets/azure/tokens/azure-identity-token",
      }),
      secret("other", { aws_access_key_id: "x", aws_secret_access_key: "y" }),
    ].join("\n---\n");
    const results = explain([folderOf({ "a.yaml": text })]);
    expect(results.map(({ subject, target, verdict }) => [subject, target, verdict])).toEqual([
      ["ns/*", "ns/azure", "unknown"],
    ]);
    const [result] = results;
    expect(result && statuses(result)).toMatchObject({
      "secret-well-formed": "pass",
      "issuer-configured": "unknown",
      "subject-admitted": "unknown",
    });
  });

  it("let an annotated service account act in a cloud, judged by Terraform as written by hand", () => {
    const annotated = edited(new Map(Object.entries(plain)), [
      ["deployment.yaml", "eks.amazonaws.com/ecr-role-arn", "eks.amazonaws.com/role-arn"],
    ]);
    const asked = (more: object): ExplainResult | undefined =>
      explained(annotated, { serviceAccount: "team/puller" }, { cluster: { ...cluster, ...more } }).find(
        ({ job }) => job === "workload",
      );
    expect(asked({ podIdentityWebhooks: ["aws"] })).toMatchObject({
      target: "aws",
      verdict: "allowed",
      as: "arn:aws:iam::111122223333:role/team/puller",
    });
    // Nothing says that the pods get a token.
    const open = asked({});
    expect([open?.verdict, open && statuses(open)["pods-configured"]]).toEqual(["unknown", "unknown"]);
  });

  it("withdrawn requests ask for nothing", () => {
    const metadata = { name: "old", annotations: { "release.openshift.io/delete": "true" } };
    const withdrawn = JSON.stringify({ ...request({}), metadata });
    expect(explain([folderOf({ "a.json": withdrawn })])).toEqual([]);
  });
});
