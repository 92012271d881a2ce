import { ApiObject, Chart } from "cdk8s";
import { describe, expect, it } from "vitest";
import { ClusterInventory, SpokeCluster, type SpokeClusterProps, StatusWriter } from "../../lib/fleet";
import { isRecord } from "../../lib/model/record";
import { validateClusterProfile } from "../../lib/rules/fleet/cluster-profile-schema";
import { statusWriterIssues } from "../../lib/rules/fleet/access-checks";
import { readRbac } from "../../lib/rules/rbac/evaluate";
import { ACCESS, CA, LATE, hub } from "../fixtures/fleet/spokes";
import { refusal, refusedBy } from "../support/refusal";

const main = {
  apiVersion: "multicluster.x-k8s.io/v1alpha1",
  kind: "ClusterProfile",
  metadata: {
    name: "spoke-a",
    namespace: "kueue-system",
    labels: { "x-k8s.io/cluster-manager": "platform-iac" },
  },
  spec: { displayName: "spoke-a", clusterManager: { name: "platform-iac" } },
};

describe("SpokeCluster", () => {
  it("writes the main object without status, and the status into the other chart", () => {
    const { inventory, profiles, statuses } = hub();
    const spoke = new SpokeCluster(inventory, "spoke-a", { access: ACCESS.aws });
    const cluster = { server: "https://spoke.example.com", "certificate-authority-data": CA };
    const status = { accessProviders: [{ name: "aws-spoke-a", cluster }] };
    expect(profiles.toJson()).toEqual([main]);
    expect(statuses.toJson()).toEqual([{ ...main, status }]);
    expect(spoke.statusDocument).toEqual({ ...main, status });
    expect(ApiObject.of(spoke)).toBe(spoke.resource);
    expect(inventory.statusCommand).toBe(
      "kubectl apply --server-side --subresource=status --field-manager=platform-iac",
    );
  });

  it("says all that a profile can, and nothing of it is dropped or rejected under either version", () => {
    for (const apiVersion of ["v1alpha1", "v1alpha2"] as const) {
      const { profiles, statuses } = hub();
      const inventory = new ClusterInventory(profiles, "second", {
        namespace: "fleet",
        clusterManager: "platform-iac",
        statusScope: statuses,
        apiVersion,
      });
      const spoke = new SpokeCluster(inventory, "a", {
        access: {
          ...ACCESS.kubernetes,
          endpoint: { server: "https://a.example/path", publicCertificate: true },
        },
        name: "spoke.a",
        displayName: "Spoke A",
        providerName: "own",
        labels: { "multicluster.x-k8s.io/inventory-member-id": "a" },
        kubernetesVersion: "v1.35.2",
        properties: { "topology.kubernetes.io/zone": "b", "topology.kubernetes.io/region": "a" },
        controlPlaneHealthySince: "2026-11-20T00:00:00Z",
        tlsServerName: "kubernetes",
        proxyUrl: "socks5://proxy:1080",
      });
      for (const document of [...profiles.toJson(), ...statuses.toJson()] as unknown[])
        expect(validateClusterProfile(document, apiVersion)).toEqual({ dropped: [], rejected: [] });
      expect(spoke.statusDocument["status"]).toEqual({
        version: { kubernetes: "v1.35.2" },
        properties: [
          { name: "topology.kubernetes.io/region", value: "a" },
          { name: "topology.kubernetes.io/zone", value: "b" },
        ],
        conditions: [
          {
            type: "ControlPlaneHealthy",
            status: "True",
            reason: "Declared",
            message: "declared by infrastructure code, not observed",
            lastTransitionTime: "2026-11-20T00:00:00Z",
          },
        ],
        accessProviders: [
          {
            name: "own",
            cluster: {
              server: "https://a.example/path",
              "tls-server-name": "kubernetes",
              "proxy-url": "socks5://proxy:1080",
            },
          },
        ],
      });
      expect(spoke.warnings).toEqual(["spoke.a: access library 0.1.3 and older ignores tls-server-name"]);
    }
  });

  it("passes late address and certificates through", () => {
    const { inventory, statuses } = hub();
    const endpoint = { server: `https://${LATE}`, certificateAuthorityData: LATE };
    new SpokeCluster(inventory, "spoke-a", { access: { ...ACCESS.google, endpoint } });
    expect(statuses.toJson()[0].status.accessProviders[0].cluster).toEqual({
      server: `https://${LATE}`,
      "certificate-authority-data": LATE,
    });
  });

  it("changes no other object", () => {
    const written = (count: number): readonly string[] => {
      const { inventory, profiles, statuses } = hub();
      for (let index = 0; index < count; index++)
        new SpokeCluster(inventory, `spoke-${index}`, { access: ACCESS.aws });
      return [...profiles.toJson(), ...statuses.toJson()]
        .map((document: unknown) => JSON.stringify(document))
        .sort();
    };
    const [few, more] = [written(20), written(21)];
    expect(more).toHaveLength(42);
    expect(more.filter((document) => !few.includes(document))).toHaveLength(2);
  });

  const at = (endpoint: object): Partial<SpokeClusterProps> => ({
    access: { ...ACCESS.aws, endpoint: endpoint as typeof ACCESS.aws.endpoint },
  });
  const server = "https://a.example";

  it.each(
    refusedBy<Partial<SpokeClusterProps>>({
      "fleet-invalid: name of a ClusterProfile": { "a bad name": { name: "Spoke" } },
      "late-value": { "a late name": { name: LATE } },
      "fleet-invalid: server of a spoke": {
        http: at({ server: "http://a.example", certificateAuthorityData: CA }),
        "GKE's endpoint as it is": at({ server: "203.0.113.5", certificateAuthorityData: CA }),
      },
      "fleet-missing: no certificate authority": { "no CA": at({ server }) },
      "fleet-invalid: certificate authority of a spoke": {
        "a CA that is no PEM": at({ server, certificateAuthorityData: "QUJD" }),
        "a CA beside a public certificate": at({ ...ACCESS.aws.endpoint, publicCertificate: true }),
      },
      "fleet-unsafe: secret material": { "a proxy with password": { proxyUrl: "http://u:p@proxy" } },
      "fleet-invalid: time of a condition": { "a date": { controlPlaneHealthySince: "2026-11-20" } },
      "fleet-invalid: of a spoke has an empty or too long name or value": {
        "an empty property": { properties: { a: "" } },
      },
      "version-invalid": { "a version that is none": { kubernetesVersion: "latest" } },
      // The label is the manager's name; another value would be lost.
      "fleet-mismatch: the label x-k8s.io/cluster-manager": {
        "another manager's label": { labels: { "x-k8s.io/cluster-manager": "other" } },
      },
      "property-missing": {
        "no access": { access: undefined as never },
        "access without endpoint": { access: { cloud: "aws", parameters: {} } as never },
      },
      "fleet-invalid: proxy of a spoke": { "a proxy with a user": { proxyUrl: "http://user@proxy:8080" } },
      "kubernetes-invalid": { "a bad label": { labels: { a: "b c" } } },
      "fleet-unsupported: argocd-k8s-auth aws without": {
        "Argo CD's name for AWS": { providerName: "argo-cd-builtin-aws" },
      },
      "fleet-invalid: name of an access provider": { "an empty provider": { providerName: "" } },
      "fleet-invalid: the API server rejects": {
        "a long name in the certificate": { tlsServerName: "a".repeat(254) },
      },
    }),
  )("refuses %s", (_, over, code) => {
    const make = (): unknown => new SpokeCluster(hub().inventory, "spoke-a", { access: ACCESS.aws, ...over });
    expect(make).toThrowError(refusal(code));
  });

  it("refuses a second spoke of one name", () => {
    const { inventory } = hub();
    new SpokeCluster(inventory, "spoke-a", { access: ACCESS.aws });
    expect(() => new SpokeCluster(inventory, "b", { access: ACCESS.aws, name: "spoke-a" })).toThrowError(
      refusal("fleet-conflict: ClusterProfile is already declared", { value: "kueue-system/spoke-a" }),
    );
  });
});

describe("ClusterInventory", () => {
  it.each<[string, object, string]>([
    ["another program's name", { clusterManager: "KubeFleet" }, "fleet-foreign: the cluster manager is a"],
    ["a name that is no label", { clusterManager: "a b" }, "fleet-invalid: name of the cluster manager"],
    ["a late name", { clusterManager: LATE }, "late-value"],
    ["a bad namespace", { namespace: "A" }, "identities-invalid"],
    ["another version", { apiVersion: "v1beta1" }, "property-invalid"],
  ])("refuses %s", (_, over, code) => {
    const props = { namespace: "fleet", clusterManager: "platform-iac", ...over };
    expect(() => new ClusterInventory(hub().rest, "x", props)).toThrowError(refusal(code));
  });

  it("refuses the status in the chart of the profiles", () => {
    const { rest } = hub();
    const props = { namespace: "fleet", clusterManager: "platform-iac", statusScope: rest };
    expect(() => new ClusterInventory(rest, "x", props)).toThrowError(
      refusal("fleet-unused: written together with its main object"),
    );
  });
});

describe("StatusWriter", () => {
  const written = (over: object = {}, access: SpokeClusterProps["access"] = ACCESS.aws) => {
    const { inventory, profiles, rest } = hub();
    const spoke = new SpokeCluster(inventory, "spoke-a", { access });
    const writer = new StatusWriter(rest, "writer", { spoke, kubectlVersion: "1.35.2", ...over });
    return { spoke, writer, rest, profiles };
  };

  it("runs kubectl with rights for this one status", () => {
    const { writer, rest, spoke } = written();
    const objects: unknown[] = rest.toJson();
    expect(objects.map((each) => isRecord(each) && each["kind"])).toEqual([
      "ServiceAccount",
      "Role",
      "RoleBinding",
      "ConfigMap",
      "Job",
    ]);
    const object = { apiGroups: ["multicluster.x-k8s.io"], resourceNames: ["spoke-a"] };
    expect(writer.role.toJson().rules).toEqual([
      { ...object, resources: ["clusterprofiles"], verbs: ["get"] },
      { ...object, resources: ["clusterprofiles/status"], verbs: ["get", "patch"] },
    ]);
    const issues = (name: string): readonly unknown[] =>
      statusWriterIssues(readRbac(objects), writer.subject, { namespace: "kueue-system", name });
    expect(issues("spoke-a")).toEqual([]);
    expect(issues("spoke-b")).toHaveLength(2);
    const job = writer.resource.toJson();
    expect(job.metadata.name).toMatch(/^spoke-a-status-[0-9a-f]{8}$/);
    expect(job.spec.template.spec).toMatchObject({
      serviceAccountName: "spoke-a-status",
      containers: [
        {
          image: "registry.k8s.io/kubectl:v1.35.2",
          args: [
            "apply",
            "--server-side",
            "--subresource=status",
            "--field-manager=platform-iac",
            "--filename=/status/cluster-profile.json",
          ],
        },
      ],
      volumes: [{ name: "status", configMap: { name: "spoke-a-status" } }],
    });
    expect(JSON.parse(writer.configMap.toJson().data["cluster-profile.json"])).toEqual(spoke.statusDocument);
  });

  it("is named after its content, but never after a late value", () => {
    const other = { ...ACCESS.aws, endpoint: { ...ACCESS.aws.endpoint, server: "https://other.example" } };
    const late = { ...ACCESS.aws, endpoint: { ...ACCESS.aws.endpoint, server: LATE } };
    const name = (access: SpokeClusterProps["access"]): string => written({}, access).writer.resource.name;
    expect(name(other)).not.toBe(name(ACCESS.aws));
    const later = { ...late, endpoint: { ...late.endpoint, server: "${TfToken[TOKEN.2]}" } };
    expect(name(late)).toMatch(/^spoke-a-status-[0-9a-f]{8}$/);
    expect(name(late)).toBe(name(later));
    expect(name(late)).not.toBe(name(ACCESS.aws));
    const image = { image: "example.com/kubectl:1" };
    expect(written(image, late).writer.resource.name).not.toBe(name(late));
    expect(written(image).writer.resource.name).not.toBe(name(ACCESS.aws));
    expect(written({}, late).writer.configMap.toJson().data["cluster-profile.json"]).toContain(
      `"server":"${LATE}"`,
    );
  });

  it("takes an image, annotations and a user", () => {
    const annotations = { "argocd.argoproj.io/hook": "PostSync" };
    const { writer } = written({ image: "example.com/kubectl:1", annotations, runAsUser: 1000 });
    const job = writer.resource.toJson();
    expect(job.metadata.annotations).toEqual(annotations);
    expect(job.spec.template.spec.containers[0].image).toBe("example.com/kubectl:1");
    expect(job.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  });

  // The published image states no user, and would run as root.
  it.each([
    [undefined, { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: "RuntimeDefault" } }],
    [false, { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }],
  ])("never runs as root with the user %s", (runAsUser, context) => {
    const { resource } = written({ runAsUser }).writer;
    expect(resource.toJson().spec.template.spec.securityContext).toEqual(context);
  });

  it.each([0, -1, 1.5, "1000", null, true])("has no user %j", (runAsUser) => {
    expect(() => written({ runAsUser })).toThrowError(refusal("property-invalid"));
  });

  // kubernetes/kubernetes PR 127634.
  it("needs kubectl 1.32", () => {
    expect(() => written({ kubectlVersion: "1.31.9" })).toThrowError(
      refusal("fleet-unsupported: is too old"),
    );
  });

  it("is its own for every spoke", () => {
    const { inventory, rest } = hub();
    for (const name of ["spoke-a", "spoke-b"]) {
      const spoke = new SpokeCluster(inventory, name, { access: ACCESS.aws });
      new StatusWriter(rest, name, { spoke, kubectlVersion: "1.35.2" });
    }
    const names = rest.node
      .findAll()
      .filter(ApiObject.isApiObject)
      .map(({ kind, name }) => `${kind} ${name}`);
    expect(new Set(names).size).toBe(10);
    expect(Chart.isChart(rest)).toBe(true);
  });
});
