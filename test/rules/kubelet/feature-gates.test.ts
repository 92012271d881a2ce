import { describe, expect, it } from "vitest";
import {
  featureGateDefault,
  isAtLeast,
  knownKubernetesMinors,
  knownMinor,
} from "../../../lib/rules/kubelet/feature-gates";

describe("featureGateDefault", () => {
  // kubernetes:pkg/features/kube_features.go; 1.32.0 to 1.32.2: kubernetes issue 129935.
  it.each([
    ["KubeletServiceAccountTokenForCredentialProviders", "1.32", undefined],
    ["KubeletServiceAccountTokenForCredentialProviders", "1.33", false],
    ["KubeletServiceAccountTokenForCredentialProviders", "1.34", true],
    ["KubeletServiceAccountTokenForCredentialProviders", "v1.36.2", true],
    ["ServiceAccountNodeAudienceRestriction", "1.31", undefined],
    ["ServiceAccountNodeAudienceRestriction", "1.32.0", true],
    ["ServiceAccountNodeAudienceRestriction", "1.32.1", true],
    ["ServiceAccountNodeAudienceRestriction", "1.32.2", false],
    ["ServiceAccountNodeAudienceRestriction", "1.32", false],
    ["ServiceAccountNodeAudienceRestriction", "1.33.0", true],
    ["KubeletEnsureSecretPulledImages", "1.34", false],
    ["KubeletEnsureSecretPulledImages", "1.35", true],
    ["PodCertificateRequest", "1.33", undefined],
    ["PodCertificateRequest", "1.36", false],
    ["ServiceAccountTokenJTI", "1.31", true],
    ["ExternalServiceAccountTokenSigner", "1.33", false],
    ["ExternalServiceAccountTokenSigner", "1.34", true],
    ["TokenRequestServiceAccountUIDValidation", "1.34", true],
    ["PreventStaticPodAPIReferences", "1.33", undefined],
    ["ServiceAccountTokenPodNodeInfo", "1.31", true],
  ] as const)("%s in %s: %s", (gate, version, expected) => {
    expect(featureGateDefault(gate, version)).toBe(expected);
  });

  it("refuses versions whose gates are not known", () => {
    expect(() => featureGateDefault("PodCertificateRequest", "1.37")).toThrowError(
      expect.objectContaining({ code: "version-unknown" }) as Error,
    );
  });
});

it("knows the minors that the rules were compared with, and no other", () => {
  expect(knownKubernetesMinors).toEqual(["1.31", "1.32", "1.33", "1.34", "1.35", "1.36"]);
  expect(knownMinor("the kubelet", "v1.36.4+k3s1")).toBe("1.36");
  expect(() => knownMinor("the kubelet", "1.30")).toThrowError(
    'the rules of the kubelet are not known to this release of the library, got "1.30"; allowed: 1.31, 1.32, 1.33, 1.34, 1.35, 1.36',
  );
});

it("compares minors as numbers", () => {
  expect([isAtLeast("1.34", "1.34"), isAtLeast("1.33", "1.34"), isAtLeast("1.100", "1.34")]).toEqual([
    true,
    false,
    true,
  ]);
});
