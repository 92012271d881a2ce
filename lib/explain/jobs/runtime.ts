/*
 * What the nodes' container runtime does with an image after the kubelet has looked up credentials for the name in the
 * pod: mirrors, blocked registries, signature policies, and files that configure the runtime.
 *
 * Sources: containers-registries.conf(5) and containers-policy.json(5); openshift/runtime-utils, pkg/registries
 * (`EditRegistriesConfig`; `NeverContactSource` blocks the source for tags and digests alike); containers/image issue
 * 2949; containerd, docs/hosts.md and docs/cri/registry.md; docs.k3s.io/installation/private-registry.
 */

import { type Ternary, match } from "../../model/known";
import { at, parsedJson } from "../../model/parsed";
import { isRecord } from "../../model/record";
import type { AskedName } from "../../rules/asked-names";
import { literalPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, seen, unknown } from "../answer";
import type { NodeConfiguration } from "../read/node-configuration";
import type { MirrorRule, RegistryFacts } from "../read/kubernetes-facts";
import type { Source } from "../read/source";

interface NamedRepository {
  /** With its port. */
  readonly host: string;
  readonly path: AskedName;
}

/**
 * Whether a scope of a runtime's configuration covers a repository: the scope is equal to it or a prefix that ends at a
 * `/`; `*.` stands for every host below a domain.
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

/** The first scope that covers a repository, or may cover it. */
function covering(scopes: readonly string[], repository: NamedRepository): string | undefined {
  return scopes.find((scope) => coversRepository(scope, repository) !== "no");
}

/** Mirrors that the runtime tries before a repository, or instead of it. */
export interface Mirrored {
  readonly rules: readonly MirrorRule[];
  /** In their order, each once. */
  readonly mirrors: readonly string[];
  /** True if the repository itself is never contacted. */
  readonly blocked: boolean;
  /** True if a mirror is on another host, which receives no credentials of the pod. */
  readonly elsewhere: boolean;
}

/** The mirrors of a repository: only those of the longest source, since the runtime uses only the best match. */
export function mirroredAs(rules: readonly MirrorRule[], repository: NamedRepository): Mirrored | undefined {
  const all = rules.filter(({ source }) => coversRepository(source, repository) !== "no");
  if (all.length === 0) return undefined;
  const longest = all.reduce((most, { source }) => Math.max(most, source.length), 0);
  const best = all.filter(({ source }) => source.length === longest);
  const mirrors = [...new Set(best.flatMap((rule) => rule.mirrors))];
  return {
    rules: best,
    mirrors,
    blocked: best.some(({ blocksSource }) => blocksSource),
    elsewhere: mirrors.some((mirror) => mirror.split("/")[0] !== repository.host),
  };
}

export function mirrorEvidence(mirrored: Mirrored | undefined): readonly Evidence[] {
  return (mirrored?.rules ?? []).map(({ title, place }) => seen(title, place));
}

/** Words for a reason: where the runtime goes first. */
export function mirrorHint(mirrored: Mirrored | undefined): string {
  if (mirrored === undefined) return "";
  const how = mirrored.elsewhere ? "without the pod's credentials" : "with the same credentials";
  return `; the runtime tries the mirror ${mirrored.mirrors.join(", ")} first, ${how}`;
}

/** Something of the runtime's configuration, and what it may do to a pull. */
interface Setting {
  readonly title: string;
  readonly does: string;
  readonly source: Source;
}

/** What may keep the runtime from pulling a repository with the pod's credentials; `undefined` if nothing is known to. */
export function runtimeRefusal(
  { mirrors, registrySources, imagePolicies }: RegistryFacts,
  node: Pick<NodeConfiguration, "name" | "files">,
  repository: NamedRepository,
): Answer | undefined {
  const mirrored = mirroredAs(mirrors, repository);
  const [rule] = mirrored?.blocked ? mirrored.rules : [];
  const limit = registrySources.find(
    ({ blocked, allowed }) =>
      covering(blocked, repository) !== undefined ||
      allowed?.every((each) => coversRepository(each, repository) !== "yes"),
  );
  const policy = imagePolicies.find(({ scopes }) => covering(scopes, repository) !== undefined);
  const setting: Setting | undefined =
    (limit && { title: "Image/cluster", does: "limits or blocks registries", source: limit.source }) ??
    (rule && {
      title: rule.title,
      does: `lets the runtime contact only the mirror ${rule.mirrors.join(", ")}`,
      source: rule.place,
    }) ??
    inRuntimeFiles(node, repository, mirrored) ??
    (policy && { title: policy.title, does: "asks for signatures", source: policy.source });
  return (
    setting &&
    unknown(
      `${setting.title} ${setting.does}, and may keep the runtime from pulling ${repository.host}/${repository.path.example} with the pod's credentials`,
      "check whether it does; a mirror on another host gets no credentials of the pod, unless the pod names it",
      seen(setting.title, setting.source),
    )
  );
}

/**
 * Files that configure the runtime: those of containers/image, containerd, k3s and RKE2. They are not evaluated: a file
 * that names the registry, or all registries, may send the pull to a mirror, require signatures or reject it.
 */
const FILES: readonly RegExp[] = [
  /^\/etc\/containers\/(?:registries\.conf(?:$|\.d\/[^/]+\.conf$)|policy\.json$)/,
  /^\/etc\/containerd\/(?!certs\.d\/).*\.toml$/,
  /^\/etc\/crio\//,
  /^\/etc\/rancher\/(?:k3s|rke2)\/registries\.yaml$/,
];
/** The folder is named after a registry, with `_` around its port, or `_default` for those without a folder. */
const HOSTS = /\/certs\.d\/([^/]+)\/hosts\.toml$/;
/** What the machine config operator generates from mirror sets adds nothing to them. */
const GENERATED = "-generated-registries";

/** Settings that name other files, which are not read. */
const ELSEWHERE =
  /\bsignature_policy|^\s*imports\s*=|\bconfig_path\s*=\s*["'](?!\/etc\/containerd\/certs\.d["'])/m;

/** Whether a file of the runtime may affect what is pulled from a host. */
function mayConcern(path: string, content: string, host: string): boolean {
  const [, folder] = HOSTS.exec(path) ?? [];
  if (folder !== undefined) return ["_default", host, host.replace(/:(\d+)$/, "_$1_")].includes(folder);
  if (path.endsWith("policy.json")) return !isOpenPolicy(content);
  if (ELSEWHERE.test(content)) return true;
  const plain = host.replace(/:\d+$/, "");
  const domains = plain.split(".").map((_, place, parts) => `*.${parts.slice(place + 1).join(".")}`);
  const names = [plain, ...domains.slice(0, -1)];
  return names.some((name) => content.includes(name)) || /["'.]\*["']/.test(content);
}

/** True if every requirement of containers-policy.json(5) is to accept anything. */
function isOpenPolicy(content: string): boolean {
  const isOpen = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.length > 0 && value.every((each) => at(each, "type") === "insecureAcceptAnything")
      : isRecord(value) && Object.values(value).every(isOpen);
  const policy = parsedJson(content);
  return isOpen(policy) && at(policy, "default") !== undefined;
}

function inRuntimeFiles(
  { name: pool, files }: Pick<NodeConfiguration, "name" | "files">,
  repository: NamedRepository,
  mirrored: Mirrored | undefined,
): Setting | undefined {
  for (const [path, { content, owner = "", source }] of files) {
    if (![...FILES, HOSTS].some((each) => each.test(path))) continue;
    if (mirrored && owner.endsWith(GENERATED) && !path.endsWith("policy.json")) continue;
    const mayBe = match(
      content,
      (text) => mayConcern(path, text, repository.host),
      () => true,
    );
    if (mayBe)
      return { title: `${path} of the nodes ${pool}`, does: "names mirrors or rejects images", source };
  }
  return undefined;
}
