import { expect, it } from "vitest";
import {
  credentialProviderAlerts,
  credentialProviderConfigHash,
} from "../../../lib/rules/kubelet/config-hash";
import { refusal } from "../../support/refusal";

const json =
  '{"apiVersion":"kubelet.config.k8s.io/v1","kind":"CredentialProviderConfig","providers":[{"name":"a"}]}\n';
const yaml =
  'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n- name: "é"\n';

// Outcomes of readCredentialProviderConfig of Kubernetes 1.36.3: a directory with a.json and b.yaml, and one file.
it.each([
  [[json, yaml], "sha256:2a594efec92274fc0de5e6b501b21d53fbbbf96d80d37e54f1efd38fc79955f9"],
  [[yaml], "sha256:78fcb37597421663f9acc5e0ae40343a4dddbb7e2d8dbf8bb0081fd7fd63f667"],
])("is the kubelet's hash", (files, hash) => {
  expect(credentialProviderConfigHash(files)).toBe(hash);
});

it("tells files from one file with both contents", () => {
  expect(credentialProviderConfigHash(["a", "b"])).not.toBe(credentialProviderConfigHash(["ab"]));
});

it.each([[undefined], ["text"], [[null]], [[1]]])("refuses %j, which is not a list of strings", (files) => {
  expect(() => credentialProviderConfigHash(files as never)).toThrowError(refusal("node-invalid") as Error);
});

it("alerts name every expected hash, whatever their order", () => {
  const rules = credentialProviderAlerts(["sha256:b", "sha256:a"]);
  expect(rules).toEqual(credentialProviderAlerts(["sha256:a", "sha256:b"]));
  expect(JSON.stringify(rules)).toContain(
    'kubelet_credential_provider_config_info{hash!~\\"sha256:a|sha256:b\\"}',
  );
});
