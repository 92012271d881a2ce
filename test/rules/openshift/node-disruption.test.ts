import { describe, expect, it } from "vitest";
import { kubeletRestart, unlistedPaths } from "../../../lib/rules/openshift/node-files";
import { openShiftRelease } from "../../../lib/rules/openshift/versions";

const DIRECTORY = "/etc/kubernetes/credential-providers";
const CONFIG = `${DIRECTORY}/acr-credential-provider.yaml`;
const AZURE = "/etc/kubernetes/acr-azure.json";
const DROP_IN = "/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf";

describe("unlistedPaths", () => {
  // pkg/apihelpers/apihelpers.go of release-4.21 has no entry for the directory, of release-4.22 and newer it has.
  it.each([
    ["4.21", [CONFIG], [DIRECTORY]],
    ["4.21", [CONFIG, AZURE], [AZURE, DIRECTORY]],
    ["4.21", [CONFIG, `${DIRECTORY}/acr-azure.json`], [DIRECTORY]],
    ["4.22", [CONFIG], []],
    ["4.22", [CONFIG, AZURE], [AZURE]],
    ["4.22", [CONFIG, DROP_IN], []],
    ["4.22", [`${DIRECTORY}-mine/x`], [`${DIRECTORY}-mine/x`]],
    ["5.0", [CONFIG], []],
  ])("%s, %j: %j", (version, paths, expected) => {
    expect(unlistedPaths(paths, openShiftRelease(version))).toEqual(expected);
  });
});

describe("kubeletRestart", () => {
  it("has the restart block that its type requires", () => {
    expect(kubeletRestart(AZURE)).toEqual({
      path: AZURE,
      actions: [{ type: "Restart", restart: { serviceName: "kubelet.service" } }],
    });
  });
});
