import { expect, it } from "vitest";
import { nodeNeedsServiceAccountGet } from "../../../lib/rules/kubelet/feature-gates";
import { refusal } from "../../support/refusal";

const TOKENS = "KubeletServiceAccountTokenForCredentialProviders";

// authorizeServiceAccount in plugin/pkg/auth/authorizer/node/node_authorizer.go: 1.32 has no such case, 1.33 asks
// the token gate, 1.34 to 1.36 that gate or PodCertificateRequest.
it.each([
  ["1.32", {}, true],
  ["1.32", { [TOKENS]: true }, true],
  ["1.33", {}, true],
  ["1.33", { [TOKENS]: true }, false],
  ["1.33", { PodCertificateRequest: true }, true],
  ["1.34", {}, false],
  ["1.34", { [TOKENS]: false }, true],
  ["1.35.1", { [TOKENS]: false, PodCertificateRequest: true }, false],
  ["1.33", { AllAlpha: true }, false],
  ["1.34", { AllBeta: false }, true],
  ["1.35", { AllBeta: false, [TOKENS]: true }, false],
  ["1.35", { [TOKENS]: false, AllAlpha: true }, true],
  ["1.36", {}, false],
  ["1.37", { [TOKENS]: false }, false],
])("kube-apiserver %s with %j: %s", (version, gates, expected) => {
  expect(nodeNeedsServiceAccountGet(version, gates)).toBe(expected);
});

it("refuses an unknown minor", () => {
  expect(() => nodeNeedsServiceAccountGet("1.38")).toThrowError(refusal("version-unknown") as Error);
});
