import { createHash } from "node:crypto";
import { fail } from "../../errors";

const LENGTH_BYTES = 8;

/**
 * The `hash` label of the kubelet's metric `kubelet_credential_provider_config_info` (1.34 and newer), for comparing
 * nodes with what was written: `sha256:` and SHA-256 over each file's length (8 bytes, big-endian) and bytes.
 *
 * `files` are the contents, as UTF-8, in the kubelet's order: sorted by path; or the one file.
 * Throws `node-file-invalid` for what is no list of texts.
 * Source: `readCredentialProviderConfig` in kubernetes:pkg/credentialprovider/plugin/config.go.
 */
export function credentialProviderConfigHash(files: readonly string[]): string {
  if (!Array.isArray(files)) return fail("node-file-invalid", files, "contents are no list of texts");
  const hash = createHash("sha256");
  for (const file of files as readonly unknown[]) {
    if (typeof file !== "string") return fail("node-file-invalid", file, "content is no text");
    const bytes = Buffer.from(file, "utf8");
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeBigUInt64BE(BigInt(bytes.length));
    hash.update(length).update(bytes);
  }
  return `sha256:${hash.digest("hex")}`;
}
