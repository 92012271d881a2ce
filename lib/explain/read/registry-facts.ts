/* What is stated of registries that decide by the token, and their own configurations that were read. */

import type { CredentialProviderEnv } from "../../model/image-credential-provider";
import type { Known } from "../../model/known";
import { at, list } from "../../model/parsed";
import type { Tree } from "../../model/tree";
import { lateTree } from "./late-text";
import type { KubernetesDocument } from "./objects";
import type { Source } from "./source";

/** A service account that a registry admits. */
export interface StatedPull<Text = string> {
  /** `namespace/name`. */
  readonly serviceAccount: string;
  /** Repositories below the host, `*` for any text. */
  readonly repositories: readonly string[];
  /** Whom the registry takes it for; `undefined` if that is not stated. */
  readonly identity: string | undefined;
  /** The annotations that the plugin needs. */
  readonly annotations: readonly (readonly [key: string, value: Text])[];
}

/** A registry that takes service account tokens, as stated. */
export interface StatedRegistry<Text = string> {
  /** Name of the executable that serves it. */
  readonly plugin: string;
  /** The audience that it accepts. */
  readonly audience: Text;
  /** The issuer that it trusts. */
  readonly issuer: Text;
  /** Whether the plugin returns the token itself. */
  readonly echoesToken: boolean;
  /** Arguments with which the plugin works for it. */
  readonly args: readonly string[];
  /** Variables with which the plugin works for it. */
  readonly env: readonly CredentialProviderEnv[];
  /** Whom it admits. */
  readonly pulls: readonly StatedPull<Text>[];
}

/** A registry's own configuration that was read. */
export interface RegistryFile {
  readonly value: Tree;
  /** True for a part that the registry's owner must merge into the rest. */
  readonly isPart: boolean;
  readonly source: Source;
}

/** A stated registry with its late values followed. */
export type FollowedRegistry = StatedRegistry<Known<string>>;

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
