/*
 * The hash of a kubelet's CredentialProviderConfig, which kubelets expose as a metric's label from 1.34 on, and
 * Prometheus rules that compare it.
 *
 * Source: kubernetes/kubernetes, pkg/credentialprovider/plugin/metrics.go (kubelet_credential_provider_config_info,
 * pull request 133016) and config.go (each file is preceded by its length in eight bytes, big-endian).
 */

import { createHash } from "node:crypto";
import { fail } from "../../errors";
import { nodeFileInvalid } from "../../model/problems";

const LENGTH_BYTES = 8;

/**
 * The `hash` label of the kubelet's metric `kubelet_credential_provider_config_info` (1.34 and newer), to compare nodes
 * with the written file: `sha256:` and the SHA-256 over each file's length (8 bytes, big-endian) and bytes.
 *
 * `files` are the contents, as UTF-8, in the kubelet's order (sorted by path), or the contents of the only file.
 * Source: `readCredentialProviderConfig` in kubernetes:pkg/credentialprovider/plugin/config.go.
 */
export function credentialProviderConfigHash(files: readonly string[]): string {
  if (!Array.isArray(files))
    return fail("node-invalid", nodeFileInvalid(files, "the contents are not a list of strings"));
  const hash = createHash("sha256");
  for (const file of files as readonly unknown[]) {
    if (typeof file !== "string")
      return fail("node-invalid", nodeFileInvalid(file, "the content is not a string"));
    const bytes = Buffer.from(file, "utf8");
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeBigUInt64BE(BigInt(bytes.length));
    hash.update(length).update(bytes);
  }
  return `sha256:${hash.digest("hex")}`;
}

const METRIC = "kubelet_credential_provider_config_info";

/** Groups of Prometheus rules: for kubelets with another configuration, and for kubelets without one. */
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
          "The kubelet on {{ $labels.instance }} runs with a CredentialProviderConfig that differs from the one that was rolled out: either it was not restarted, or something else writes the file.",
        ),
        alert(
          "KubeletCredentialProviderConfigMissing",
          `kubelet_running_pods unless on (instance) ${METRIC}`,
          "The kubelet on {{ $labels.instance }} runs without a CredentialProviderConfig, so pods pull without the identity of their service account.",
        ),
      ],
    },
  ];
}
