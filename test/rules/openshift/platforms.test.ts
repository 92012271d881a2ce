import { describe, expect, it } from "vitest";
import {
  type OpenShiftPlatform,
  PLUGIN_DIRECTORY,
  openShiftPlatforms,
  openShiftVersions,
  platformNodes,
  openShiftRelease,
} from "../../../lib/rules/openshift/versions";
import { refusal } from "../../support/refusal";

const [v421, v422] = [openShiftRelease("4.21"), openShiftRelease("4.22")];

describe("platformNodes", () => {
  // pkg/controller/template/render.go (credentialProviderConfigFlag) and
  // pkg/controller/container-runtime-config (genericCredProviderConfigPath) of openshift/machine-config-operator.
  it.each([
    ["aws", "ecr-credential-provider.yaml", "unit"],
    ["azure", "acr-credential-provider.yaml", "unit"],
    ["vsphere", "generic-credential-provider.yaml", "drop-in"],
    ["baremetal", "generic-credential-provider.yaml", "drop-in"],
    ["nutanix", "generic-credential-provider.yaml", "drop-in"],
    ["openstack", "generic-credential-provider.yaml", "drop-in"],
  ] as const)("%s reads %s, flags by %s", (platform, file, flags) => {
    expect(platformNodes(platform, v422)).toMatchObject({
      configPath: `/etc/kubernetes/credential-providers/${file}`,
      flags,
    });
  });

  // templates/common/aws/files/etc-kubernetes-credential-providers-ecr-credential-provider.yaml
  it("keeps the operator's entry on AWS", () => {
    expect(platformNodes("aws", v421).stockProviders).toEqual({
      ecr: {
        name: "ecr-credential-provider",
        matchImages: [
          "*.dkr.ecr.*.amazonaws.com",
          "*.dkr.ecr.*.amazonaws.com.cn",
          "*.dkr.ecr-fips.*.amazonaws.com",
          "*.dkr.ecr.us-iso-east-1.c2s.ic.gov",
          "*.dkr.ecr.us-isob-east-1.sc2s.sgov.gov",
        ],
        args: [],
        defaultCacheDuration: "12h",
      },
    });
  });

  // templates/common/azure/files/etc-kubernetes-credential-providers-acr-credential-provider.yaml
  it("keeps the operator's entry on Azure", () => {
    expect(platformNodes("azure", v421).stockProviders).toEqual({
      acr: {
        name: "acr-credential-provider",
        matchImages: ["*.azurecr.io", "*.azurecr.cn", "*.azurecr.de", "*.azurecr.us"],
        args: ["/etc/kubernetes/cloud.conf"],
        defaultCacheDuration: "10m",
      },
    });
  });

  // Each release branch was read; a release that changes one gets a row of the table.
  it.each(openShiftVersions)("keeps the same entries on %s", (version) => {
    const of = (platform: OpenShiftPlatform): unknown =>
      platformNodes(platform, openShiftRelease(version)).stockProviders;
    expect([of("aws"), of("azure")]).toEqual([
      platformNodes("aws", v421).stockProviders,
      platformNodes("azure", v421).stockProviders,
    ]);
  });

  // templates/worker/01-worker-kubelet/_base/units/kubelet.service.yaml: no variable that splits into two flags.
  describe("with the kubelet's command line", () => {
    const command =
      "/usr/local/bin/kubenswrapper \\\n    /usr/bin/kubelet \\\n      --config=/etc/kubernetes/kubelet.conf --v=${KUBELET_LOG_LEVEL}";

    it.each(["none", "external", "ibmcloud", "powervs", "kubevirt"] as const)("serves %s", (platform) => {
      expect(platformNodes(platform, v422, command)).toEqual({
        configPath: "/etc/kubernetes/credential-providers/generic-credential-provider.yaml",
        flags: "command",
        kubeletCommand:
          "/usr/local/bin/kubenswrapper /usr/bin/kubelet --config=/etc/kubernetes/kubelet.conf --v=${KUBELET_LOG_LEVEL}",
        stockProviders: {},
      });
    });

    it.each([
      ["aws", v422, command, "openshift-unused", "none, external, ibmcloud, powervs, kubevirt"],
      ["vsphere", v422, command, "openshift-unused", "none, external, ibmcloud, powervs, kubevirt"],
      ["none", v421, command, "openshift-unsupported", "4.22 and newer"],
      [
        "none",
        v422,
        "kubelet --v=2",
        "openshift-invalid",
        expect.stringContaining("the kubelet's absolute path"),
      ],
      ["none", v422, "/usr/bin/hyperkube run", "openshift-invalid", expect.stringContaining("ExecStart=")],
      [
        "none",
        v422,
        "/usr/bin/kubelet\nRestart=no",
        "openshift-invalid",
        expect.stringContaining("ExecStart="),
      ],
      [
        "none",
        v422,
        "/usr/bin/kubelet --image-credential-provider-config=/x",
        "openshift-invalid",
        expect.stringContaining("without --image-credential-provider-"),
      ],
    ] as const)("refuses %s %#", (platform, release, text, code, allowed) => {
      expect(() => platformNodes(platform, release, text)).toThrowError(refusal(code, { allowed }));
    });
  });

  it.each([
    ["gcp", v422, /does not use service account tokens/],
    ["vsphere", v421, /before 4\.22/],
    ["baremetal", v421, /before 4\.22/],
    ["nutanix", v421, /before 4\.22/],
    ["openstack", v421, /before 4\.22/],
    ["none", v422, /does not accept the credential provider flags/],
    ["external", v422, /does not accept the credential provider flags/],
    ["ibmcloud", v422, /does not accept the credential provider flags/],
    ["powervs", v422, /does not accept the credential provider flags/],
    ["kubevirt", v422, /does not accept the credential provider flags/],
  ] as const)("refuses %s with the reason", (platform, release, reason) => {
    expect(() => platformNodes(platform, release)).toThrowError(
      refusal("openshift-unsupported", {
        message: expect.stringMatching(reason),
        allowed: release === v421 ? "aws, azure" : "aws, azure, vsphere, baremetal, nutanix, openstack",
      }),
    );
  });

  // openshift/api, config/v1 (PlatformType), without those that were removed.
  it("knows these platforms, and no other", () => {
    expect(openShiftPlatforms).toEqual([
      ...["aws", "azure", "gcp", "vsphere", "baremetal", "nutanix", "openstack"],
      ...["none", "external", "ibmcloud", "powervs", "kubevirt"],
    ]);
    expect(PLUGIN_DIRECTORY).toBe("/usr/libexec/kubelet-image-credential-provider-plugins");
    for (const platform of ["vsphere", "baremetal", "nutanix", "openstack"] as const)
      expect(platformNodes(platform, v422).stockProviders).toEqual({});
  });

  it.each(["AWS", "ovirt", "constructor", "__proto__"])("refuses the unknown platform %s", (platform) => {
    expect(() => platformNodes(platform as OpenShiftPlatform, v422)).toThrowError(
      refusal("openshift-unknown: OpenShift platform is unknown", { allowed: openShiftPlatforms.join(", ") }),
    );
  });
});
