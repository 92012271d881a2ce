import { describe, expect, it } from "vitest";
import { crioCredentialProvider } from "../../../lib/rules/openshift/node-files";
import { openShiftRelease } from "../../../lib/rules/openshift/versions";
import { refusal } from "../../support/refusal";

const release = openShiftRelease("4.22");
const taken = ["*.dkr.ecr.*.amazonaws.com"];

describe("crioCredentialProvider", () => {
  // pkg/controller/container-runtime-config/helpers.go, updateCredentialProviderConfig.
  it("is the operator's own entry", () => {
    expect(crioCredentialProvider(["quay.io/team", "*.example.com:5000"], release, taken)).toEqual({
      name: "crio-credential-provider",
      matchImages: ["*.example.com:5000", "quay.io/team"],
      defaultCacheDuration: "1s",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      tokenAttributes: {
        serviceAccountTokenAudience: "https://kubernetes.default.svc",
        cacheType: "Token",
        requireServiceAccount: false,
      },
    });
  });

  // Pattern and limits: openshift/api, config/v1 CRIOCredentialProviderConfig.
  it.each([
    [[], /no entry, or too many/],
    [Array.from({ length: 51 }, (_, index) => `r${index}.example.com`), /no entry, or too many/],
    [["*"], /every image/],
    [["quay.io", "quay.io"], /an entry twice/],
    [["https://quay.io"], /the operator refuses/],
    [["Quay.io"], /the operator refuses/],
    [["q*y.io"], /the operator refuses/],
    [["quay.io/a:latest"], /the operator refuses/],
    [[""], /the operator refuses/],
    [[`quay.io/${"a".repeat(510)}`], /the operator refuses/],
    [["111122223333.dkr.ecr.eu-west-1.amazonaws.com"], /overlaps with \*\.dkr\.ecr/],
    [["*.dkr.ecr.eu-west-1.amazonaws.com/team"], /overlaps with/],
  ])("refuses %j", (matchImages, reason) => {
    expect(() => crioCredentialProvider(matchImages, release, taken)).toThrowError(
      refusal("openshift-invalid", { message: expect.stringMatching(reason) }),
    );
  });

  it("accepts a host that shares only a part with a taken pattern", () => {
    expect(crioCredentialProvider(["mirror.amazonaws.com"], release, taken)["matchImages"]).toEqual([
      "mirror.amazonaws.com",
    ]);
  });

  it("is refused before 4.22", () => {
    expect(() => crioCredentialProvider(["quay.io"], openShiftRelease("4.21"), [])).toThrowError(
      refusal("openshift-unsupported: crio credential provider", { value: "4.21" }),
    );
  });
});
