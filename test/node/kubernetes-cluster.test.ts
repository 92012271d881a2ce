import { describe, expect, it } from "vitest";
import { PlainCarrier } from "../../lib/node/carriers/plain";
import { type KubernetesProps, kubernetes } from "../../lib/node/kubernetes-cluster";

const GATE = "KubeletServiceAccountTokenForCredentialProviders";
const props: KubernetesProps = {
  name: "lab",
  version: "1.35",
  issuer: "https://oidc.example.com/lab",
  plugins: { ecr: "1.35.2" },
};

const abilities = (plugin: string, stated: unknown): object => ({
  plugins: { [plugin]: { abilities: stated } },
});

describe("kubernetes", () => {
  it("takes what is stated, and the usual places", () => {
    const cluster = kubernetes({
      ...props,
      version: "v1.35.2",
      plugins: { ecr: "1.35.2", gcp: { version: "36.2.5", abilities: ["custom-pools"] }, acr: {} },
    });
    expect(cluster).toMatchObject({
      name: "lab",
      distribution: "kubernetes",
      kubelet: "1.35",
      apiServer: "1.35",
      stockProviders: {},
      additionalProviders: [],
      pluginDirectory: "/var/lib/kubelet/credential-provider",
      pluginDirectoryWritable: true,
    });
    expect(cluster.plugins).toEqual({
      ecr: { version: "1.35.2" },
      gcp: { version: "36.2.5", abilities: ["custom-pools"] },
      acr: {},
    });
    expect(cluster.configPath(["ecr"])).toBe("/etc/kubernetes/credential-provider-config.yaml");
    expect(cluster.carriers).toEqual([new PlainCarrier()]);
    expect(cluster.recorded).toMatchObject({ kubelet: "1.35", issuer: "https://oidc.example.com/lab" });
  });

  it("takes other places", () => {
    const cluster = kubernetes({
      ...props,
      configPath: "/etc/cp.json",
      pluginDirectory: "/opt/bin",
      pluginDirectoryWritable: false,
      apiServerVersion: "1.36",
    });
    expect([
      cluster.configPath([]),
      cluster.pluginDirectory,
      cluster.pluginDirectoryWritable,
      cluster.apiServer,
    ]).toEqual(["/etc/cp.json", "/opt/bin", false, "1.36"]);
  });

  // KEP-4412: alpha and off in 1.33, beta and on from 1.34.
  it.each(["1.34", "1.35", "1.36", "1.37"])("accepts %s", (version) => {
    expect(kubernetes({ ...props, version }).kubelet).toBe(version);
  });

  it("accepts 1.33 with the gate on", () => {
    expect(kubernetes({ ...props, version: "1.33", featureGates: { [GATE]: true } }).kubelet).toBe("1.33");
  });

  it.each([
    [
      { version: "1.33" },
      "version-unsupported",
      /feature gate .* is off.* allowed: 1\.34, 1\.35, 1\.36, 1\.37;/,
    ],
    [
      { featureGates: { [GATE]: false } },
      "version-unsupported",
      /gate .* is off.* allowed: kubelets with Kube\w+ on;/,
    ],
    [
      { version: "1.32" },
      "version-unsupported",
      /too old for this feature.* allowed: 1\.34, 1\.35, 1\.36, 1\.37;/,
    ],
    [
      { version: "1.32", featureGates: { [GATE]: true } },
      "version-unsupported",
      /allowed: 1\.33, 1\.34, 1\.35,/,
    ],
    [{ version: "1.28" }, "version-unsupported", /too old for this feature/],
    [{ version: "1.38" }, "version-unknown", /allowed: 1\.33, 1\.34, 1\.35, 1\.36, 1\.37;/],
    [{ version: "1" }, "version-invalid", /major\.minor/],
    [{ apiServerVersion: "1.34" }, "cluster-mismatch", /at most 1\.34/],
    [{ apiServerVersion: "1.38" }, "version-unknown", /allowed: 1\.33, 1\.34, 1\.35, 1\.36, 1\.37;/],
    [{ plugins: { "ecr-credential-provider": "1.0" } }, "cluster-unknown", /ecr, acr, gcp/],
    [{ plugins: { ecr: "latest" } }, "version-invalid", /ecr plugin/],
    [abilities("gcp", ["custom-pool"]), "property-invalid", /"custom-pool"; allowed: "custom-pools"/],
    [
      abilities("gcp", "tokens"),
      "property-invalid",
      /plugins\.gcp\.abilities of kubernetes\(\) is "tokens", a string/,
    ],
    [abilities("ecr", ["custom-pools"]), "property-invalid", /plugins\.ecr\.abilities of kubernetes\(\)/],
    [{ featureGates: { [GATE]: "false" } }, "property-invalid", /allowed: true, false/],
    [{ pluginDirectoryWritable: "false" }, "property-invalid", /true, false/],
    [{ configPath: "cp.yaml" }, "cluster-invalid", /CredentialProviderConfig/],
    [{ pluginDirectory: "/opt/../bin" }, "cluster-invalid", /plugins/],
    [{ pluginDirectory: "/opt/bin/" }, "cluster-invalid", /plugins/],
    [{ configPath: "${TfToken[TOKEN.1]}" }, "late-value", /CredentialProviderConfig/],
    [{ name: "Lab" }, "cluster-invalid", /DNS label/],
    [{ issuer: "https://oidc.example.com/lab/" }, "issuer-invalid", /slash/],
  ])("refuses %j with %s", (wrong, code, message) => {
    expect(() => kubernetes({ ...props, ...wrong } as KubernetesProps)).toThrowError(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  // The keys may be uploaded (Google), so that no one has to reach the issuer.
  it("takes an issuer within the cluster", () => {
    const issuer = "https://kubernetes.default.svc.cluster.local";
    expect(kubernetes({ ...props, issuer }).issuer.clusterInternal).toBe(true);
  });

  it("takes a late issuer", () => {
    expect(kubernetes({ ...props, issuer: "${TfToken[TOKEN.1]}" }).issuer.late).toBe(true);
  });
});
