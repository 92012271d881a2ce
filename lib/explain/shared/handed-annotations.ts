/*
 * What the kubelet hands a plugin of a service account's annotations: those whose keys the entry lists.
 * Source: kubernetes:pkg/credentialprovider/plugin/plugin.go, `serviceAccountAnnotations`.
 */

import type { Known } from "../../model/known";
import type { PullQuestion } from "../cloud";
import type { ProviderEntry } from "../read/node-configuration";

/** The annotation keys that an entry lists. */
export function listedKeys({ tokenAttributes }: ProviderEntry): readonly string[] {
  const { requiredKeys = [], optionalKeys = [] } = tokenAttributes ?? {};
  return [...requiredKeys, ...optionalKeys];
}

/** An annotation as the plugin gets it; `undefined` if it is absent, or the entry does not list its key. */
export function handedOver({ entry, account }: PullQuestion, key: string): Known<string> | undefined {
  return listedKeys(entry).includes(key) ? account.annotations.get(key) : undefined;
}

export function notListed(key: string): string {
  return `the entry does not list ${key} among its annotation keys, so the kubelet does not pass it to the plugin`;
}

/** What to do about a key that the entry does not list. */
export const LIST_IT = "list the key in requiredServiceAccountAnnotationKeys";
