import { describe, expect, it } from "vitest";
import {
  type HostedOpenShiftProps,
  type OpenShiftProps,
  hostedOpenShift,
  openShift,
} from "../../lib/openshift";
import { refusal } from "../support/refusal";

const standalone: OpenShiftProps = {
  name: "prod-eu",
  version: "4.22",
  platform: "aws",
  issuer: "https://d111.cloudfront.net",
  pools: ["worker"],
};
const hosted: HostedOpenShiftProps = {
  name: "prod-eu",
  version: "4.22",
  platform: "azure",
  issuer: "https://eu.oic.aro.azure.com/t/u",
  nodePools: ["np"],
};

describe("openShift", () => {
  it("knows the facts of its release and platform", () => {
    const cluster = openShift(standalone);
    expect(cluster).toMatchObject({
      name: "prod-eu",
      distribution: "openshift",
      kubelet: "1.35",
      apiServer: "1.35",
      pluginDirectory: "/usr/libexec/kubelet-image-credential-provider-plugins",
      pluginDirectoryWritable: false,
      additionalProviders: [],
    });
    expect(Object.keys(cluster.stockProviders)).toEqual(["ecr"]);
    expect(cluster.carriers).toHaveLength(1);
    expect(cluster.recorded).toMatchObject({
      distribution: "openshift",
      issuer: "https://d111.cloudfront.net",
      openShift: { version: "4.22", platform: "aws", pools: ["worker"] },
    });
  });

  // One file per platform, whatever the plugins: all binaries are in every image.
  it.each([
    ["aws", ["ecr"], "ecr-credential-provider.yaml"],
    ["aws", ["acr"], "ecr-credential-provider.yaml"],
    ["azure", ["acr", "ecr"], "acr-credential-provider.yaml"],
    ["nutanix", ["ecr"], "generic-credential-provider.yaml"],
  ] as const)("on %s %j stands in %s", (platform, plugins, file) => {
    expect(openShift({ ...standalone, platform }).configPath(plugins)).toBe(
      `/etc/kubernetes/credential-providers/${file}`,
    );
  });

  it("brings the crio entry when asked", () => {
    const cluster = openShift({ ...standalone, crioCredentialProvider: { matchImages: ["quay.io"] } });
    expect(cluster.additionalProviders.map(({ name }) => name)).toEqual(["crio-credential-provider"]);
  });

  it.each([
    [
      { version: "4.20" },
      "version-unsupported: its kubelet 1.33 has the feature gate of service account tokens for image pulls off, and refuses `cacheType`",
    ],
    [{ version: "4.99" }, "version-unknown"],
    [{ platform: "gcp" }, "openshift-unsupported: cannot pull with service account tokens"],
    [{ platform: "moon" }, "openshift-unknown: OpenShift platform is unknown"],
    [{ pools: [] }, "openshift-missing: is named"],
    [{ name: "prod_eu" }, "cluster-invalid"],
    [{ issuer: "http://example.com" }, "issuer-invalid"],
    [{ issuer: "https://example.com/" }, "issuer-invalid"],
    // spec.serviceAccountIssuer of Authentication/cluster when it is empty.
    [{ issuer: "https://kubernetes.default.svc" }, "issuer-unsupported"],
    [{ machineConfigName: "01-<pool>-kubelet" }, "openshift-invalid: name of a MachineConfig"],
    [
      { machineConfigName: "50-x", crioCredentialProvider: { matchImages: ["quay.io"] } },
      "openshift-invalid: sorts before",
    ],
    [
      { version: "4.21", crioCredentialProvider: { matchImages: ["quay.io"] } },
      "openshift-unsupported: crio credential provider",
    ],
    [
      { crioCredentialProvider: { matchImages: ["1.dkr.ecr.eu-west-1.amazonaws.com"] } },
      "openshift-invalid: matchImages of the crio",
    ],
  ])("refuses %j with %s", (wrong, code) => {
    expect(() => openShift({ ...standalone, ...wrong } as OpenShiftProps)).toThrowError(refusal(code));
  });
});

describe("hostedOpenShift", () => {
  it("knows both sides", () => {
    const cluster = hostedOpenShift({ ...hosted, version: "4.21", controlPlaneVersion: "4.22" });
    expect(cluster).toMatchObject({
      distribution: "openshift-hosted",
      kubelet: "1.34",
      apiServer: "1.35",
      additionalProviders: [],
      pluginDirectoryWritable: false,
    });
    expect(cluster.plugins["acr"]).toEqual({ version: "1.35.0" });
    expect(cluster.configPath(["acr"])).toBe(
      "/etc/kubernetes/credential-providers/acr-credential-provider.yaml",
    );
    expect(cluster.carriers).toHaveLength(1);
    expect(cluster.recorded).toMatchObject({
      openShift: { version: "4.21", controlPlaneVersion: "4.22", platform: "azure", nodePools: ["np"] },
    });
  });

  it.each([
    [{ version: "4.20" }, "version-unsupported"],
    [{ version: "4.21", controlPlaneVersion: "4.20" }, "version-unsupported"],
    [{ version: "4.22", controlPlaneVersion: "4.21" }, "openshift-mismatch: NodePools are newer"],
    [{ platform: "kubevirt" }, "openshift-unsupported: cannot pull with service account tokens"],
    [{ platform: "gcp" }, "openshift-unsupported: cannot pull with service account tokens"],
    [{ nodePools: [] }, "openshift-missing: is named"],
    [{ issuer: "https://kubernetes.default.svc.cluster.local" }, "issuer-unsupported"],
    [{ namespace: "No" }, "identities-invalid"],
    [{ managedBy: "rosa" }, "openshift-unsupported: customers of ROSA"],
    [{ managedBy: "aro" }, "openshift-unsupported: customers of ARO"],
  ])("refuses %j with %s", (wrong, code) => {
    expect(() => hostedOpenShift({ ...hosted, ...wrong } as HostedOpenShiftProps)).toThrowError(
      refusal(code),
    );
  });
});
