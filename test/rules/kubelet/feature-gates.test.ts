import { describe, expect, it } from "vitest";
import {
  type FeatureGate,
  featureGateDefault,
  featureGateOn,
  featureGateWarnings,
  isAtLeast,
  isFeatureGate,
  knownKubernetesMinors,
  knownMinor,
} from "../../../lib/rules/kubelet/feature-gates";

describe("featureGateWarnings", () => {
  it("name the known gate that is nearly the same", () => {
    const gates = {
      KubeletServiceAccountTokenForCredentialProvider: true,
      ServiceAccountTokenNodeBinding: true,
      ImageVolumes: true,
      ImageVolumeWithDigest: true,
      PodCertificateRequest: true,
      AllBeta: false,
    };
    expect(featureGateWarnings(gates)).toEqual([
      expect.stringContaining(
        "feature gate KubeletServiceAccountTokenForCredentialProvider is not known, but KubeletServiceAccountTokenForCredentialProviders is",
      ),
      expect.stringContaining("feature gate ImageVolumes is not known, but ImageVolume is"),
    ]);
  });
});

describe("isFeatureGate", () => {
  // kubernetes:pkg/features, and apiserver, client-go and component-base below staging/src/k8s.io, 1.31 to 1.36.
  it.each([
    ["MemoryQoS", undefined, true],
    ["MemoryQoS", "1.36", true],
    ["AllAlpha", "1.31", true],
    ["AppArmor", undefined, true],
    ["AppArmor", "1.32", true],
    ["AppArmor", "1.33", false],
    ["PodsAPI", "1.35", false],
    ["PodsAPI", "1.36", true],
    ["SidecarContainers", "1.36", true],
    ["SidecarContainers", "1.37", false],
    ["DefaultPodSysctls", "1.36", false],
    ["DefaultPodSysctls", "1.37", true],
    ["LegacySidecarContainers", "1.33", true],
    ["LegacySidecarContainers", "1.34", false],
    ["KubeletServiceAccountTokenForCredentialProviders", "1.32", false],
    ["ClientsAllowCBOR", "1.35", true],
    ["ImpersonationNodeAllocation", undefined, false],
    ["CloudControllerManagers", undefined, false],
  ])("%s in %s: %s", (gate, minor, is) => {
    expect(isFeatureGate(gate, minor)).toBe(is);
  });

  it("has all gates with a default, but those that are gone", () => {
    const differ = knownKubernetesMinors.flatMap((minor) =>
      GATES.filter(
        (gate) => isFeatureGate(gate, minor) !== (featureGateDefault(gate, minor) !== undefined),
      ).map((gate) => `${gate} ${minor}`),
    );
    expect(differ).toEqual(["PreventStaticPodAPIReferences 1.37"]);
  });
});

const GATES: readonly FeatureGate[] = [
  "ExternalServiceAccountTokenSigner",
  "KubeletEnsureSecretPulledImages",
  "KubeletServiceAccountTokenForCredentialProviders",
  "PodCertificateRequest",
  "PreventStaticPodAPIReferences",
  "ServiceAccountNodeAudienceRestriction",
  "ServiceAccountTokenJTI",
  "ServiceAccountTokenPodNodeInfo",
  "TokenRequestServiceAccountUIDValidation",
];

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
    ["PodCertificateRequest", "1.37", true],
    ["ServiceAccountTokenJTI", "1.31", true],
    ["ExternalServiceAccountTokenSigner", "1.33", false],
    ["ExternalServiceAccountTokenSigner", "1.34", true],
    ["TokenRequestServiceAccountUIDValidation", "1.34", true],
    ["PreventStaticPodAPIReferences", "1.33", undefined],
    ["ServiceAccountTokenPodNodeInfo", "1.31", true],
  ] as const)("%s in %s: %s", (gate, version, expected) => {
    expect(featureGateDefault(gate, version)).toBe(expected);
  });

  // The same by minor, each in its newest patch level: from which on a gate is there, and from which on it is on.
  it.each<[FeatureGate, string | undefined, string | undefined]>([
    ["ExternalServiceAccountTokenSigner", "1.32", "1.34"],
    ["KubeletEnsureSecretPulledImages", "1.33", "1.35"],
    ["KubeletServiceAccountTokenForCredentialProviders", "1.33", "1.34"],
    ["PodCertificateRequest", "1.34", "1.37"],
    ["PreventStaticPodAPIReferences", "1.34", "1.34"],
    ["ServiceAccountNodeAudienceRestriction", "1.32", "1.33"],
    ["ServiceAccountTokenJTI", "1.31", "1.31"],
    ["ServiceAccountTokenPodNodeInfo", "1.31", "1.31"],
    ["TokenRequestServiceAccountUIDValidation", "1.34", "1.34"],
  ])("%s is there from %s on, and on from %s on", (gate, there, on) => {
    const expected = knownKubernetesMinors.map((minor) =>
      there === undefined || minor < there ? undefined : on !== undefined && minor >= on,
    );
    expect(knownKubernetesMinors.map((minor) => featureGateDefault(gate, minor))).toEqual(expected);
  });

  // component-base, featuregate/feature_gate.go: AllAlpha and AllBeta set what is off or on by default in that stage.
  it.each<[FeatureGate, string, string | undefined]>([
    ["ExternalServiceAccountTokenSigner", "1.33", "AllAlpha"],
    ["ExternalServiceAccountTokenSigner", "1.34", "AllBeta"],
    ["KubeletEnsureSecretPulledImages", "1.34", "AllAlpha"],
    ["KubeletServiceAccountTokenForCredentialProviders", "1.33", "AllAlpha"],
    ["KubeletServiceAccountTokenForCredentialProviders", "1.36", "AllBeta"],
    ["PodCertificateRequest", "1.36", undefined],
    ["ServiceAccountNodeAudienceRestriction", "1.32", undefined],
    ["ServiceAccountNodeAudienceRestriction", "1.36", undefined],
    ["PreventStaticPodAPIReferences", "1.36", "AllBeta"],
    ["TokenRequestServiceAccountUIDValidation", "1.36", "AllBeta"],
  ])("%s in %s is set by %s", (gate, version, stage) => {
    const usual = featureGateDefault(gate, version);
    const setting = ["AllAlpha", "AllBeta"].filter(
      (each) => featureGateOn(gate, version, { [each]: !usual }) !== usual,
    );
    expect(setting).toEqual(stage === undefined ? [] : [stage]);
    expect(featureGateOn(gate, version, { [gate]: !usual })).toBe(!usual);
  });

  it("keeps on what a gate did that a version no longer has", () => {
    const off = { PreventStaticPodAPIReferences: false, AllBeta: false };
    expect(["1.36", "1.37"].map((each) => featureGateOn("PreventStaticPodAPIReferences", each, off))).toEqual(
      [false, true],
    );
  });

  it("refuses versions whose gates are not known", () => {
    expect(() => featureGateDefault("PodCertificateRequest", "1.38")).toThrowError(
      expect.objectContaining({ code: "version-unknown" }) as Error,
    );
  });
});

it("knows the minors that the rules were compared with, and no other", () => {
  expect(knownKubernetesMinors).toEqual(["1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"]);
  expect(knownMinor("the kubelet", "v1.36.4+k3s1")).toBe("1.36");
  expect(() => knownMinor("the kubelet", "1.30")).toThrowError(
    'the rules of the kubelet, got "1.30"; allowed: 1.31, 1.32, 1.33, 1.34, 1.35, 1.36, 1.37',
  );
});

it("compares minors as numbers", () => {
  expect([isAtLeast("1.34", "1.34"), isAtLeast("1.33", "1.34"), isAtLeast("1.100", "1.34")]).toEqual([
    true,
    false,
    true,
  ]);
});
