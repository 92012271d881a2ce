import { record } from "./access";
import { plainText } from "./terraform-values";

/** Flag with the file or directory of CredentialProviderConfigs. */
export const CONFIG_FLAG = "image-credential-provider-config";
/** Flag with the directory of the plugins. */
export const BIN_FLAG = "image-credential-provider-bin-dir";

/** Kubelet flags as they were written beside files. */
export interface NodeFlags {
  /** The flags without dashes; `undefined` where they do not say which file is read. */
  readonly flags: Readonly<Record<string, string>> | undefined;
  /**
   * Why it is not known what a flag is set to.
   *
   * @defaultValue - it is
   */
  readonly doubt?: string;
}

/** Flags that say which file is read; without one of them the others are not complete. */
const OF_FILES: readonly string[] = [CONFIG_FLAG, BIN_FLAG];
/** Flags that decide about credential providers. */
const JUDGED: readonly string[] = [...OF_FILES, "feature-gates", "config"];

/** Reads flags; each is a text, a number or a switch, and what a list or a mapping would become is not known. */
export function nodeFlags(written: unknown): NodeFlags {
  if (Array.isArray(written)) return { flags: undefined, doubt: "kubeletFlags is a list, no mapping" };
  const rows = Object.entries(record(written)).map(
    ([name, value]) => [name.replace(/^--/, ""), plainText(value)] as const,
  );
  const flags = Object.fromEntries(rows.filter((row): row is [string, string] => row[1] !== undefined));
  const [odd] = rows.find(([name, value]) => value === undefined && JUDGED.includes(name)) ?? [];
  if (odd === undefined) return { flags };
  const doubt = `the value of kubeletFlags.${odd} is no text`;
  return { flags: OF_FILES.includes(odd) ? undefined : flags, doubt };
}
