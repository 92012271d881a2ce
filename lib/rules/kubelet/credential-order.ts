/*
 * In which order the kubelet tries registry credentials (kubernetes:pkg/credentialprovider/keyring.go,
 * `BasicDockerKeyring` and `UnionDockerKeyring`; pkg/kubelet/images/image_manager.go, `pullImage`).
 */

import { toBytes } from "./go-text";
import { type GoUrlOptions, parseSchemelessUrl } from "./go-url";
import { bytesMatch } from "./image-matches";

/** Credentials for a registry, as a docker config or a plugin's answer has them. */
export interface RegistryCredential {
  /** The key: a registry, with a path or not, with `https://` or not, with `*` in parts of the host or not. */
  readonly registry: string;
}

/** Where a pod's pull finds credentials; all three are looked at for each pull. */
export interface CredentialKeyrings<Credential extends RegistryCredential> {
  /**
   * Of the pod's pull secrets, in the order of `imagePullSecrets`.
   *
   * @defaultValue - none
   */
  readonly imagePullSecrets?: readonly Credential[];
  /**
   * Of the docker config file of the node.
   *
   * @defaultValue - none
   */
  readonly nodeConfig?: readonly Credential[];
  /**
   * Of the credential providers' answers, in the order in which the kubelet asks: that of the configuration from 1.33
   * on, by the providers' names before.
   *
   * @defaultValue - none
   */
  readonly credentialProviders?: readonly Credential[];
}

/**
 * The credentials that the kubelet tries for a repository (as `lookupRepository` gives it), first to last. With none it
 * pulls anonymously, once; with any it never does.
 *
 * Pull secrets come first, then the node's file, then providers. Within each the keys that match count, in reverse
 * order of their bytes over all secrets or providers together, so that a longer path comes before its beginnings;
 * which secret or provider was first decides only between equal keys. A key of `index.docker.io` serves
 * images of docker.io where no other matches. Of two keys of one file that differ in spelling alone
 * (`a.io`, `https://a.io`) the kubelet defines no order; here the first comes first.
 *
 * What does not parse is left out, as the kubelet does; so is what is no list or no credential. Never throws.
 */
export function credentialsInOrder<Credential extends RegistryCredential>(
  repository: string,
  keyrings: CredentialKeyrings<Credential>,
  options: GoUrlOptions = {},
): readonly Credential[] {
  const { imagePullSecrets, nodeConfig, credentialProviders } = keyrings ?? {};
  if (typeof repository !== "string") return [];
  return [imagePullSecrets, nodeConfig, credentialProviders].flatMap((keyring) =>
    ofKeyring(toBytes(repository), Array.isArray(keyring) ? keyring : [], options),
  );
}

const DEFAULT_REGISTRY = "index.docker.io";

function ofKeyring<Credential extends RegistryCredential>(
  repository: string,
  keyring: readonly Credential[],
  options: GoUrlOptions,
): readonly Credential[] {
  const byKey = new Map<string, Credential[]>();
  for (const credential of keyring) {
    const registry: unknown = credential?.registry;
    const key = typeof registry === "string" ? keyOf(registry, options) : undefined;
    if (key === undefined) continue;
    const same = byKey.get(key);
    if (same) same.push(credential);
    else byKey.set(key, [credential]);
  }
  const matching = [...byKey.keys()].filter((key) => bytesMatch(key, repository, options)).sort(reverse);
  const found = matching.flatMap((key) => byKey.get(key) ?? []);
  return found.length > 0 || !isDefaultRegistry(repository) ? found : (byKey.get(DEFAULT_REGISTRY) ?? []);
}

function reverse(one: string, other: string): number {
  return one > other ? -1 : Number(one < other);
}

/** A key as the kubelet keeps it: without scheme, and without the version that docker once put behind the host. */
function keyOf(registry: string, options: GoUrlOptions): string | undefined {
  const parsed = parseSchemelessUrl(toBytes(registry.replace(/^https?:\/\//, "")), options);
  if ("error" in parsed) return undefined;
  const path = parsed.path.replace(/^\/v[12]\//, "/");
  return path === "/" ? parsed.host : parsed.host + path;
}

/** Source: `isDefaultRegistryMatch`. */
function isDefaultRegistry(repository: string): boolean {
  const [host = "", ...path] = repository.split("/", 2);
  if (host === "") return false;
  return path.length === 0 || host === "docker.io" || host === DEFAULT_REGISTRY || !/[.:]/.test(host);
}
