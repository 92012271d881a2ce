/* Configurations of registries that were read. */

import { at, list } from "../../model/parsed";
import type { RegistryFile } from "./registry-facts";
import { lateTree } from "./late-text";
import type { KubernetesDocument } from "./objects";

/** True for a configuration of zot that trusts issuers of tokens. */
export function isRegistryFile(value: unknown): boolean {
  return list(at(value, "http", "auth", "bearer", "oidc")).length > 0;
}

export function registryFiles(documents: readonly KubernetesDocument[]): readonly RegistryFile[] {
  return documents
    .filter(({ value }) => isRegistryFile(value))
    .map(({ value, late, source }) => ({
      value: lateTree(value, late),
      isPart: at(value, "storage") === undefined,
      source,
    }));
}
