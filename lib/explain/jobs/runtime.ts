/*
 * What the nodes' container runtime does with an image after the kubelet has looked up credentials for the name in the
 * pod: mirrors, registries that are blocked, policies of signatures, files that configure it.
 *
 * Sources: containers-registries.conf(5) and containers-policy.json(5); openshift/runtime-utils, pkg/registries
 * (`EditRegistriesConfig`; `NeverContactSource` blocks the source for tags and digests alike); containers/image issue
 * 2949; containerd, docs/hosts.md and docs/cri/registry.md; docs.k3s.io/installation/private-registry.
 */

import { type Ternary, known, match } from "../../model/known";
import { at, list, record } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import type { AskedName } from "../../rules/asked-names";
import { literalPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { embedded } from "../read/documents";
import type { NodeConfiguration } from "../read/node-configuration";
import type { MirrorRule, RegistryFacts } from "../read/kubernetes-facts";

/** A repository of a host, of which a judge asks. */
export interface NamedRepository {
  /** With its port. */
  readonly host: string;
  readonly path: AskedName;
}

/**
 * Whether a scope of a runtime's configuration covers a repository: equal, or followed by what may follow a scope; `*.`
 * stands for every host below a domain.
 */
function coversRepository(scope: string, { host, path }: NamedRepository): Ternary {
  const plain = host.replace(/:\d+$/, "");
  if (scope.startsWith("*.")) return plain.endsWith(scope.slice(1)) ? "yes" : "no";
  const slash = scope.indexOf("/");
  if (slash < 0) return scope === host || scope === plain ? "yes" : "no";
  if (scope.slice(0, slash) !== host) return "no";
  const inner = scope.slice(slash + 1);
  const whole = path.matches(literalPattern(inner));
  return whole === "yes" ? whole : path.matches(patternOf(`${inner.replace(/[*?]/g, "?")}/*`));
}

/** The first scope that covers a repository, or may. */
function covering(scopes: readonly string[], repository: NamedRepository): string | undefined {
  return scopes.find((scope) => coversRepository(scope, repository) !== "no");
}

/** Mirrors that the runtime tries before a repository, or instead of it. */
export interface Mirrored {
  readonly rules: readonly MirrorRule[];
  /** In their order, each once. */
  readonly mirrors: readonly string[];
  /** True where the repository itself is never contacted. */
  readonly blocked: boolean;
  /** True where a mirror is on another host, to which no credentials of the pod are shown. */
  readonly elsewhere: boolean;
}

/** The mirrors of a repository: those of the longest source alone, as the runtime takes only the entry that fits best. */
export function mirroredAs(rules: readonly MirrorRule[], repository: NamedRepository): Mirrored | undefined {
  const all = rules.filter(({ source }) => coversRepository(source, repository) !== "no");
  if (all.length === 0) return undefined;
  const longest = Math.max(...all.map(({ source }) => source.length));
  const best = all.filter(({ source }) => source.length === longest);
  const mirrors = [...new Set(best.flatMap((rule) => rule.mirrors))];
  return {
    rules: best,
    mirrors,
    blocked: best.some(({ blocksSource }) => blocksSource),
    elsewhere: mirrors.some((mirror) => mirror.split("/")[0] !== repository.host),
  };
}

/** Evidence of the rules. */
export function mirrorEvidence(mirrored: Mirrored | undefined): readonly Evidence[] {
  return (mirrored?.rules ?? []).map(({ title, place }) => seen(title, place));
}

/** Words for a reason: where the runtime goes first. */
export function mirrorHint(mirrored: Mirrored | undefined): string {
  if (mirrored === undefined) return "";
  const how = mirrored.elsewhere ? "without the pod's credentials" : "with the same credentials";
  return `; the runtime tries the mirror ${mirrored.mirrors.join(", ")} first, ${how}`;
}

/** What keeps the runtime from pulling a repository with the pod's credentials; `undefined` where nothing is known to. */
export function runtimeRefusal(
  { mirrors, registrySources, imagePolicies }: RegistryFacts,
  node: Pick<NodeConfiguration, "name" | "files">,
  repository: NamedRepository,
): Answer | undefined {
  const mirrored = mirroredAs(mirrors, repository);
  const policy = imagePolicies.find(({ scopes }) => covering(scopes, repository) !== undefined);
  return (
    forbidden(registrySources, repository, mirrored) ??
    (mirrored?.blocked ? withoutSource(mirrored, repository) : undefined) ??
    inRuntimeFiles(node, repository, mirrored) ??
    (policy &&
      unknown(
        `${policy.title} asks for signatures of ${nameOf(repository)}, and whether the image has them is not judged`,
        "see the policy, and that the image is signed as it says",
        seen(policy.title, policy.source),
      ))
  );
}

function nameOf({ host, path }: NamedRepository): string {
  return `${host}/${path.example}`;
}

/** Blocked registries go into registries.conf, allowed ones into policy.json. */
function forbidden(
  sources: RegistryFacts["registrySources"],
  repository: NamedRepository,
  mirrored: Mirrored | undefined,
): Answer | undefined {
  const name = nameOf(repository);
  for (const { blocked, allowed, source } of sources) {
    const where = seen("Image/cluster", source);
    const scope = covering(blocked, repository);
    const isLeftOut = allowed && !allowed.some((each) => coversRepository(each, repository) === "yes");
    if (scope === undefined && !isLeftOut) continue;
    if (mirrored || (blocked.length > 0 && allowed))
      return unknown(
        `Image/cluster keeps the runtime from ${repository.host}, and whether it pulls ${name} ${mirrored ? `from the mirror ${mirrored.mirrors.join(", ")}` : "with both lists"} is not judged`,
        "ask about the image by the mirror's name, or give one of the two lists",
        where,
      );
    return scope === undefined
      ? broken(
          `Image/cluster limits the runtime to allowedRegistries, none of which is ${name}`,
          `add ${repository.host} to allowedRegistries`,
          `event: Source image rejected: Running image docker://${name} is rejected by policy`,
          where,
        )
      : broken(
          `Image/cluster blocks ${scope} for the runtime`,
          `remove ${scope} from blockedRegistries`,
          blockedEvent(scope),
          where,
        );
  }
  return undefined;
}

function blockedEvent(scope: string): string {
  return `event: registry ${scope} is blocked in /etc/containers/registries.conf or /etc/containers/registries.conf.d`;
}

/** What follows for the pull where the source itself is never contacted. */
function withoutSource(mirrored: Mirrored, repository: NamedRepository): Answer {
  const { rules, mirrors, elsewhere } = mirrored;
  const { host } = repository;
  const [name, where] = [nameOf(repository), mirrors.join(", ")];
  if (!elsewhere)
    return unknown(
      `the runtime never pulls ${name} itself, only its mirror ${where}; whether the identity may read that is not judged`,
      `ask about the image by the mirror's name, or set mirrorSourcePolicy to AllowContactingSource`,
      ...mirrorEvidence(mirrored),
    );
  return broken(
    `the runtime never contacts ${host} for ${name}, only the mirror ${where}, and shows no credentials of the pod to another host`,
    "set mirrorSourcePolicy to AllowContactingSource, name the mirror in the pod, or give the nodes' global pull secret a login for the mirror",
    blockedEvent(rules[0]?.source ?? host),
    ...mirrorEvidence(mirrored),
  );
}

/** A kind of file that configures the runtime. */
interface FileKind {
  readonly path: RegExp;
  /** What it may do to a pull. */
  readonly effect: "mirrors" | "rejects";
  /** Whether it says something of a repository that decides a pull; `found` is the match of the path. */
  readonly concerns: (repository: NamedRepository, content: string, found: readonly string[]) => boolean;
}

const FILES: readonly FileKind[] = [
  {
    path: /^\/etc\/containers\/registries\.conf(?:$|\.d\/[^/]+\.conf$)/,
    effect: "mirrors",
    // It is TOML, of which only the texts of `prefix` and `location` are looked at: rather too much is found.
    concerns: (repository, content) =>
      covering(found(content, /\b(?:prefix|location)["']?\s*=\s*["']([^"']+)["']/g), repository) !==
      undefined,
  },
  {
    // The folder is named by a registry, with `_` about its port, or by `_default` for those without a folder.
    path: /\/certs\.d\/([^/]+)\/hosts\.toml$/,
    effect: "mirrors",
    concerns: ({ host }, content, [, folder = ""]) =>
      ["_default", host, host.replace(/:(\d+)$/, "_$1_")].includes(folder) &&
      // Headers may carry other credentials.
      (/\bheader\b/.test(content) ||
        found(content, /https?:\/\/([^"'/\s]+)/g).some((named) => named !== host)),
  },
  {
    path: /^\/etc\/containerd\/(?!certs\.d\/).*\.toml$/,
    effect: "mirrors",
    concerns: ({ host }, content) =>
      found(content, /\bregistry\.mirrors\.["']([^"']+)["']/g).some((each) => each === "*" || each === host),
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

function found(content: string, pattern: RegExp): readonly string[] {
  return [...content.matchAll(pattern)].map(([, each = ""]) => each);
}

const WORDS: Readonly<Record<FileKind["effect"], readonly [may: string, remedy: string]>> = {
  mirrors: [
    "may send the pull to a mirror, without the pod's credentials",
    "see the file; mirrors in ImageDigestMirrorSet and ImageTagMirrorSet are judged",
  ],
  rejects: [
    "may reject the image, or ask for signatures",
    "see the file; what Image/cluster forbids is judged",
  ],
};

/** What the machine config operator writes of mirror sets says nothing that they do not. */
const GENERATED = "-generated-registries";

function inRuntimeFiles(
  { name: pool, files }: Pick<NodeConfiguration, "name" | "files">,
  repository: NamedRepository,
  mirrored: Mirrored | undefined,
): Answer | undefined {
  for (const [path, { content, owner = "", source }] of files) {
    const kind = FILES.find((each) => each.path.test(path));
    const place = kind?.path.exec(path);
    if (!kind || !place || (mirrored && kind.effect === "mirrors" && owner.endsWith(GENERATED))) continue;
    const what = match(
      content,
      (text) =>
        kind.concerns(repository, text, place) ? `has an entry for ${nameOf(repository)}, which` : undefined,
      () => "cannot be read here, and",
    );
    if (what === undefined) continue;
    const [may, remedy] = WORDS[kind.effect];
    return unknown(`${path} of the nodes ${pool} ${what} ${may}`, remedy, seen(path, source));
  }
  return undefined;
}

/** The requirements of the longest scope count, else those of the transport, else the default ones; all must be met. */
function isLimited(repository: NamedRepository, content: string): boolean {
  const policy = parsed(content);
  const scopes = record(at(policy, "transports", "docker"));
  // Wildcards come after every scope of the host's own.
  const rank = (scope: string): number =>
    scope.startsWith("*.") ? scope.length - repository.host.length - 2 : scope.length;
  const [scope] = Object.keys(scopes)
    .filter((each) => each !== "" && coversRepository(each, repository) !== "no")
    .sort((one, other) => rank(other) - rank(one));
  const requirements = list(scope === undefined ? (scopes[""] ?? at(policy, "default")) : scopes[scope]);
  const isOpen = requirements.every((each) => at(each, "type") === "insecureAcceptAnything");
  return requirements.length === 0 || !isOpen;
}

/** What is no JSON is no policy: the runtime refuses it, and every image with it. */
function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
