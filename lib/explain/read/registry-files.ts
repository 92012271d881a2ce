/* Configurations of registries that were read. */

import { at, list } from "../../model/parsed";
import type { RegistryFile } from "./registry-facts";
import { lateTree } from "./late-text";
import type { KubernetesDocument } from "./objects";

/** True for a configuration of zot that trusts issuers of tokens, and for the federation of Quay's robot accounts. */
export function isRegistryFile(value: unknown): boolean {
  return list(at(value, "http", "auth", "bearer", "oidc")).length > 0 || isFederation(value);
}

function isFederation(value: unknown): boolean {
  return at(value, "registry") !== undefined && Array.isArray(at(value, "robots"));
}

/** Quay gives an id to each binding that it has; zot needs a storage. */
function isPart(value: unknown): boolean {
  if (!isFederation(value)) return at(value, "storage") === undefined;
  const bindings = list(at(value, "robots")).flatMap((robot) => list(at(robot, "federation")));
  return bindings.some((each) => at(each, "id") === undefined);
}

export function registryFiles(documents: readonly KubernetesDocument[]): readonly RegistryFile[] {
  return documents
    .filter(({ value }) => isRegistryFile(value))
    .map(({ value, late, source }) => ({
      value: lateTree(value, late),
      isPart: isPart(value),
      source,
    }));
}
