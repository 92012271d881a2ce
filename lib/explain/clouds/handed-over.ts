import type { ServiceAccountFact } from "../facts/kubernetes-facts";
import type { ProviderEntry } from "../facts/node-configuration";

/**
 * An annotation as the kubelet hands it to the plugin: only keys that the entry lists; `undefined` otherwise.
 *
 * Source: kubernetes:pkg/credentialprovider/plugin/plugin.go, `serviceAccountAnnotations`.
 */
export function handedOver(
  { tokenAttributes }: ProviderEntry,
  account: ServiceAccountFact,
  key: string,
): string | undefined {
  if (!tokenAttributes) return undefined;
  const listed = tokenAttributes.requiredKeys.includes(key) || tokenAttributes.optionalKeys.includes(key);
  return listed ? account.annotations.get(key) : undefined;
}
