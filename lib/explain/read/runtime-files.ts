/*
 * Files on nodes that tell the container runtime what to do with a registry.
 *
 * Sources: containers-registries.conf(5) and containers-policy.json(5); containerd, docs/hosts.md and docs/cri/registry.md;
 * docs.k3s.io/installation/private-registry and its counterpart of RKE2.
 */

import { known, map, orElse } from "../../model/known";
import { at, record } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import { embedded } from "./documents";
import type { NodeFileFact } from "./node-files";
import { coversName } from "./registries";

/** What a file may do to a pull. */
export type RuntimeEffect = "mirrors" | "rejects";

/** A repository as a runtime's configuration names it. */
interface Named {
  /** `<host>/<path>`. */
  readonly name: string;
  /** The host, with its port. */
  readonly host: string;
}

interface Kind {
  readonly path: RegExp;
  readonly effect: RuntimeEffect;
  /** Whether it says something of a repository that decides a pull; `match` is that of the path. */
  readonly concerns: (repository: Named, content: string, match: readonly string[]) => boolean;
}

const SCOPE = /\b(?:prefix|location)["']?\s*=\s*["']([^"']+)["']/g;

const KINDS: readonly Kind[] = [
  {
    path: /^\/etc\/containers\/registries\.conf(?:$|\.d\/[^/]+\.conf$)/,
    effect: "mirrors",
    // TOML, of which only the texts of `prefix` and `location` are looked at: more is found than there is, not less.
    concerns: ({ name }, content) =>
      [...content.matchAll(SCOPE)].some(([, scope = ""]) => coversName(scope, name)),
  },
  { path: /\/certs\.d\/([^/]+)\/hosts\.toml$/, effect: "mirrors", concerns: otherHosts },
  {
    path: /^\/etc\/containerd\/(?!certs\.d\/).*\.toml$/,
    effect: "mirrors",
    concerns: ({ host }, content) => mirroredHosts(content).some((each) => each === "*" || each === host),
  },
  {
    path: /^\/etc\/rancher\/(?:k3s|rke2)\/registries\.yaml$/,
    effect: "mirrors",
    concerns: ({ host }, content) => {
      const mirrors = record(at(plainOf(embedded(known(content)), ""), "mirrors"));
      return Object.hasOwn(mirrors, "*") || Object.hasOwn(mirrors, host);
    },
  },
  { path: /^\/etc\/containers\/policy\.json$/, effect: "rejects", concerns: isLimited },
];

/** True for a path of such a file. */
export function isRuntimeFile(path: string): boolean {
  return KINDS.some((kind) => kind.path.test(path));
}

/** What the file may do to pulls from a repository; `undefined` where it says nothing of it. */
export function runtimeEffect(
  path: string,
  { content }: Pick<NodeFileFact, "content">,
  repository: Named,
): RuntimeEffect | undefined {
  const kind = KINDS.find((each) => each.path.test(path));
  const match = kind?.path.exec(path);
  if (!kind || !match) return undefined;
  // What cannot be read may say anything.
  const concerns = orElse(
    map(content, (text) => kind.concerns(repository, text, match)),
    () => true,
  );
  return concerns ? kind.effect : undefined;
}

const URL_HOST = /https?:\/\/([^"'/\s]+)/g;

/** The folder is named by a registry, with `_` about its port, or by `_default` for those without a folder. */
function otherHosts({ host }: Named, content: string, [, folder = ""]: readonly string[]): boolean {
  if (folder !== "_default" && folder !== host && folder !== host.replace(/:(\d+)$/, "_$1_")) return false;
  // Headers may carry other credentials.
  return /\bheader\b/.test(content) || [...content.matchAll(URL_HOST)].some(([, named]) => named !== host);
}

const MIRRORS = /\bregistry\.mirrors\.["']([^"']+)["']/g;

function mirroredHosts(content: string): readonly string[] {
  return [...content.matchAll(MIRRORS)].map(([, host = ""]) => host);
}

const ACCEPT = "insecureAcceptAnything";

/** The requirements of the longest scope count, else those of the transport, else the default ones; all must be met. */
function isLimited({ name, host }: Named, content: string): boolean {
  const policy = policyOf(content);
  const scopes = record(at(policy, "transports", "docker"));
  const covering = Object.keys(scopes).filter((scope) => scope !== "" && coversName(scope, name));
  // Wildcards come after every scope of the host's own.
  const [scope] = covering.sort((one, other) => rank(other, host) - rank(one, host));
  const requirements = scope === undefined ? (scopes[""] ?? at(policy, "default")) : scopes[scope];
  return !(
    Array.isArray(requirements) &&
    requirements.length > 0 &&
    requirements.every((each) => at(each, "type") === ACCEPT)
  );
}

function rank(scope: string, host: string): number {
  return scope.startsWith("*.") ? scope.length - host.length - 2 : scope.length;
}

function policyOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // No policy: the runtime refuses it, and every image with it.
    return undefined;
  }
}
