import { describe, expect, it } from "vitest";
import { pluginCan } from "../../../lib/rules/plugins";
import { openShiftRelease, openShiftVersions } from "../../../lib/rules/openshift/versions";

describe("openShiftRelease", () => {
  // Kubernetes minors: openshift/kubernetes release branches. Plugins: cmd/ecr-credential-provider/main.go of
  // openshift/cloud-provider-aws (error text, host patterns), pkg/credentialprovider of openshift/cloud-provider-azure.
  // Policies and drop-in: openshift/machine-config-operator, pkg/apihelpers/apihelpers.go of each branch.
  it.each([
    ["4.21", "1.34", "1.34.0", "1.35.0", false],
    ["4.22", "1.35", "1.35.1", "1.36.0", true],
    ["4.23", "1.36", "1.36.0", "1.36.0", true],
    ["5.0", "1.36", "1.36.0", "1.36.0", true],
  ])("%s has Kubernetes %s, ecr %s, acr %s, operator support %s", (version, kubernetes, ecr, acr, newer) => {
    const release = openShiftRelease(version);
    expect(release).toMatchObject({
      version,
      kubernetes,
      onPremisesFlags: newer,
      crioCredentialProvider: newer,
    });
    expect(release.plugins).toMatchObject({ ecr: { version: ecr }, acr: { version: acr } });
    expect(release.plugins["gcp"]?.unusable).toMatch(/does not use service account tokens/);
    expect(release.restartPaths).toEqual(
      newer
        ? [
            "/etc/kubernetes/credential-providers",
            "/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf",
          ]
        : [],
    );
  });

  // Read in the same branches: the suffix amazonaws.eu in the host pattern, from release-4.22 on.
  it.each([
    ["4.21", "no"],
    ["4.22", "yes"],
    ["4.23", "yes"],
  ])("%s knows hosts of the European Sovereign Cloud: %s", (version, outcome) => {
    expect(pluginCan("ecr", openShiftRelease(version).plugins["ecr"] ?? {}, "eusc-hosts").outcome).toBe(
      outcome,
    );
  });

  it("takes a patch level", () => {
    expect(openShiftRelease("4.22.7").version).toBe("4.22");
  });

  it("lists what is known, oldest first", () => {
    expect(openShiftVersions).toEqual(["4.21", "4.22", "4.23", "5.0"]);
  });

  it.each([
    [
      "4.20",
      "version-unsupported",
      /kubelet 1\.33 has the feature gate of service account tokens for image pulls off/,
    ],
    ["4.19", "version-unsupported", /older than 1\.33/],
    ["4.2", "version-unsupported", /older than 1\.33/],
    ["3.11", "version-unsupported", /older than 1\.33/],
    ["4.24", "version-unknown", /4\.21, 4\.22, 4\.23, 5\.0/],
    ["5.1", "version-unknown", /newer release of the library/],
    ["next", "version-invalid", /major\.minor/],
    ["", "version-invalid", /major\.minor/],
    ["${TfToken[TOKEN.1]}", "late-value", /literal/],
  ])("refuses %j with %s", (version, code, message) => {
    expect(() => openShiftRelease(version)).toThrowError(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
