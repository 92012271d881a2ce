import { describe, expect, it } from "vitest";
import { filesWithFlags } from "../../../lib/rules/openshift/node-files";
import { platformNodes, openShiftRelease } from "../../../lib/rules/openshift/versions";

const release = openShiftRelease("4.22");
const [aws, vsphere] = [platformNodes("aws", release), platformNodes("vsphere", release)];
const BIN = "/usr/libexec/kubelet-image-credential-provider-plugins";
const flags = (config: string, bin = BIN) => ({
  "image-credential-provider-bin-dir": bin,
  "image-credential-provider-config": config,
});

describe("filesWithFlags", () => {
  it("adds nothing where the operator's unit has the flags", () => {
    const files = [{ path: aws.configPath, mode: 0o644, content: "a" }];
    expect(filesWithFlags({ files, kubeletFlags: flags(aws.configPath) }, aws)).toEqual(files);
  });

  // Variable and path: generateDropinUnitCredProviderConfig of openshift/machine-config-operator.
  it("sets the unit's variable on-premises", () => {
    const files = [{ path: vsphere.configPath, mode: 0o644, content: "a" }];
    expect(filesWithFlags({ files, kubeletFlags: flags(vsphere.configPath) }, vsphere)).toEqual([
      ...files,
      {
        path: "/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf",
        mode: 0o644,
        content:
          "[Service]\n" +
          'Environment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=' +
          `--image-credential-provider-bin-dir=${BIN} ` +
          '--image-credential-provider-config=/etc/kubernetes/credential-providers/generic-credential-provider.yaml"\n',
      },
    ]);
  });

  it.each([
    [flags("/etc/elsewhere.yaml"), "image-credential-provider-config"],
    [flags(aws.configPath, "/opt/plugins"), "image-credential-provider-bin-dir"],
    [{ "node-labels": "a=b" }, "node-labels"],
    [{ constructor: "x" }, "constructor"],
  ])("refuses %j", (kubeletFlags, flag) => {
    expect(() => filesWithFlags({ files: [], kubeletFlags }, aws)).toThrowError(
      expect.objectContaining({ code: "openshift-unsupported", message: expect.stringContaining(flag) }),
    );
  });
});
