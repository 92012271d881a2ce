/*
 * The hash of its CredentialProviderConfig that a kubelet shows as the label of a metric, since 1.34, and Prometheus rules
 * that compare it.
 *
 * Source: kubernetes/kubernetes, pkg/credentialprovider/plugin/metrics.go (kubelet_credential_provider_config_info, pull
 * request 133016) and config.go (before each file, its length in eight bytes, the highest first).
 */

import { createHash } from "node:crypto";

const LENGTH_BYTES = 8;

/** `sha256:…` for the contents of the files that the kubelet reads, in the order of their names. */
export function credentialProviderConfigHash(contents: readonly string[]): string {
  const hash = createHash("sha256");
  for (const content of contents) {
    const bytes = Buffer.from(content, "utf8");
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeBigUInt64BE(BigInt(bytes.length));
    hash.update(length).update(bytes);
  }
  return `sha256:${hash.digest("hex")}`;
}

const METRIC = "kubelet_credential_provider_config_info";

/** Groups of rules as Prometheus reads them: a kubelet with another configuration, and one with none. */
export function credentialProviderAlerts(hashes: readonly string[]): readonly object[] {
  const expected = [...hashes].sort().join("|");
  const alert = (name: string, expr: string, summary: string): object => ({
    alert: name,
    expr,
    for: "30m",
    labels: { severity: "warning" },
    annotations: { summary },
  });
  return [
    {
      name: "kubelet-credential-provider-config",
      rules: [
        alert(
          "KubeletCredentialProviderConfigDiffers",
          `${METRIC}{hash!~"${expected}"}`,
          "The kubelet on {{ $labels.instance }} runs with another CredentialProviderConfig than the one that was written: it was not restarted, or something else writes the file.",
        ),
        alert(
          "KubeletCredentialProviderConfigMissing",
          `kubelet_running_pods unless on (instance) ${METRIC}`,
          "The kubelet on {{ $labels.instance }} runs without a CredentialProviderConfig, so that its pods pull without the identity of their service account.",
        ),
      ],
    },
  ];
}
