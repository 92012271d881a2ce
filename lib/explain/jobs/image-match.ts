/*
 * Which entries of a CredentialProviderConfig match an image, or every image of a pattern; and what to say if none
 * does.
 */

import { type Known, type Ternary, match, anyOf, orElse, whyText } from "../../model/known";
import { once, remembered } from "../../model/once";
import type { AskedName } from "../../rules/asked-names";
import { imageMatches, matchedPath } from "../../rules/kubelet/image-matches";
import { PLUGINS } from "../../registries/plugins";
import { type Pattern, literalPattern, prefixPattern } from "../../rules/wildcard";
import { type Answer, SILENT, badness, broken, pass, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import { obstacle } from "../obstacle";
import type { ClusterArtefacts } from "../read/clusters";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import {
  configurationRead,
  configurationValid,
  contestedFiles,
  contestedHint,
  kubeletExits,
} from "./provider-on-node";
import { nearest } from "../shared/near-miss";
import { beginning } from "../shared/words";
import type { PullFacts } from "./pull-questions";
import { type Mirrored, mirrorEvidence, mirrorHint, mirroredAs, runtimeRefusal } from "./runtime";

/** Registries whose images are public unless their owner says otherwise. */
const PUBLIC: readonly string[] = [
  "docker.io",
  "ghcr.io",
  "mcr.microsoft.com",
  "quay.io",
  "registry.access.redhat.com",
  "registry.k8s.io",
];

/** What a pattern requires of the paths of a host: a prefix, or one answer for all of them. */
type OnHost = Ternary | Pattern;

const hostsOf = once((_: ProviderEntry) => new Map<string, readonly OnHost[]>());

/** The host is compared with each pattern's parts, the path with a plain prefix; hosts are few, images many. */
function patternsOn(host: string, entry: ProviderEntry): readonly OnHost[] {
  return remembered(hostsOf(entry), host, () => entry.matchImages.map((pattern) => onHost(pattern, host)));
}

function onHost(pattern: Known<string>, host: string): OnHost {
  return match(
    pattern,
    (text): OnHost => {
      const prefix = matchedPath(text, host);
      if (prefix === undefined) return "no";
      return prefix === "" ? "yes" : prefixPattern(literalPattern(prefix));
    },
    () => "unknown",
  );
}

function holds(pattern: OnHost, path: AskedName): Ternary {
  return typeof pattern === "string" ? pattern : path.matches(pattern, "/");
}

const LEFT: Readonly<Record<Ternary, number>> = { yes: 0, unknown: 1, no: 2 };

/** The entries that match every name that is asked about, or else those that match some. */
export function matchingEntries(
  node: NodeConfiguration,
  { host, paths }: AskedRepository,
): readonly ProviderEntry[] {
  // The answer for the name that the entry matches least or most; `undefined` if there are too many to try.
  const extreme = (entry: ProviderEntry, sign: number): Ternary | undefined =>
    paths.worst(
      (path) => anyOf(patternsOn(host, entry).map((pattern) => holds(pattern, path))),
      (said) => sign * LEFT[said],
    )?.said;
  const least = node.entries.map((entry) => extreme(entry, 1));
  const whole = node.entries.filter((_, place) => least[place] === "yes");
  if (whole.length > 0) return whole;
  return node.entries.filter((entry, place) => (paths.isOne ? least[place] : extreme(entry, -1)) !== "no");
}

type ImageFacts = Pick<PullFacts, "artefacts" | "origin" | "node" | "entry" | "image">;

/** Does an entry match, and does the runtime then pull with the pod's credentials? */
export function entryMatched(facts: ImageFacts): Answer {
  const { artefacts, node, entry, image } = facts;
  const { repository } = image;
  const where = node ? [seen(`nodes ${node.name}`, node.source)] : [];
  if (!node || node.documents.length === 0)
    return unknown(
      `no CredentialProviderConfig of the nodes${node ? ` ${node.name}` : ""} was read${node ? why(node) + ofNearPool(node, artefacts) : ""}`,
      node?.remedy ?? "also give explain the manifests or files that carry it",
      where,
    );
  if (!repository)
    return unknown(
      `the image ${image.text} is known only after apply`,
      "explain the manifests that bind wrote",
      where,
    );
  // The kubelet does not start with a file without entries, which matters more than that none matches.
  const empty =
    node.entries.length === 0 ? [configurationRead(node), configurationValid(node, artefacts.cluster)] : [];
  if (!entry) return obstacle(empty) ?? withoutMatch(facts, node, repository);
  const worst = repository.paths.worst((path) => matched(artefacts, node, entry, repository, path), badness);
  return (
    worst?.said ??
    unknown(
      `${repository.name} covers too many images to try whether each of them matches`,
      "declare the repositories by name, or by a shorter pattern",
      seen(`nodes ${node.name}: ${entry.name}`, entry.source),
    )
  );
}

function why({ isRead }: NodeConfiguration): string {
  return match(
    isRead,
    () => "",
    (reason) => `: ${whyText(reason)}`,
  );
}

/** Names a pool of a similar name with a configuration: a MachineConfig whose role is misspelt makes one of its own. */
function ofNearPool({ name }: NodeConfiguration, { nodes }: ClusterArtefacts): string {
  const others = nodes.filter(
    ({ documents, files }) =>
      documents.length > 0 && [...files.values()].some(({ owner }) => owner !== undefined),
  );
  const near = nearest(
    name,
    others.map((each) => each.name),
  );
  return near === "" ? "" : `${near}, a pool of its own by the role of its MachineConfigs`;
}

function matched(
  artefacts: ClusterArtefacts,
  node: NodeConfiguration,
  entry: ProviderEntry,
  { host, name }: AskedRepository,
  path: AskedName,
): Answer {
  const place = patternsOn(host, entry).findIndex((each) => holds(each, path) === "yes");
  const pattern = entry.matchImages[place];
  if (pattern === undefined)
    return unknown(
      `the patterns of ${entry.name} match only a part of ${name}: whether they, or another entry, match ${host}/${path.example} is not judged`,
      "write one pattern that matches all of it",
      seen(`nodes ${node.name}: ${entry.name}`, entry.source),
    );
  const named = { host, path };
  const mirrored = mirroredAs(artefacts.mirrors, named);
  return (
    runtimeRefusal(artefacts, node, named) ??
    pass(
      `${entry.name} matches by ${text(pattern)}${mirrorHint(mirrored)}`,
      seen(`nodes ${node.name}: matchImages ${text(pattern)}`, entry.source),
      contestedFiles(node),
      mirrorEvidence(mirrored),
    )
  );
}

function text(pattern: Known<string>): string {
  return orElse(pattern, () => "a pattern that is not known");
}

const patternTexts = once((node: NodeConfiguration) =>
  node.entries.flatMap(({ matchImages }) => matchImages.map(text)),
);

function withoutMatch(
  { artefacts, origin }: ImageFacts,
  node: NodeConfiguration,
  { host, paths }: AskedRepository,
): Answer {
  const patterns = patternTexts(node);
  const mirrors = paths.worst(
    (path) => mirroredAs(artefacts.mirrors, { host, path }),
    (each) => (each ? 1 : 0),
  );
  const name = `${host}/${mirrors?.example ?? paths.text}`;
  const mirrored = mirrors?.said;
  const where = [
    ...beginning(node.entries.map(({ name: entry, source }) => seen(`nodes ${node.name}: ${entry}`, source))),
    ...contestedFiles(node),
    ...mirrorEvidence(mirrored),
  ];
  const near = hint(name, patterns);
  // A registry of no known cloud may be public, or served by a pull secret.
  const isOther = origin === "workload" && !servedByPlugin(name);
  const isMistake = near !== "" || mirrored !== undefined || kubeletExits(node, artefacts.cluster);
  if (isOther || (origin === "asked" && PUBLIC.includes(host) && !isMistake))
    return unknown(
      `no entry matches ${name}, which is not a registry of a known plugin; the pull is anonymous or by pull secret`,
      "none, if the image is public",
      where,
    );
  return broken(
    mismatch(patterns, name) + near + mirrorWords(mirrored, patterns) + contestedHint(node),
    remedy(host, node, mirrored),
    SILENT,
    where,
  );
}

function remedy(host: string, node: NodeConfiguration, mirrored: Mirrored | undefined): string {
  if (node.contested.size > 0)
    return "put all entries into one MachineConfig, or remove the one that overwrites the other";
  const pattern = `add a pattern for ${host}, with as many parts between dots, its port if it has one, and no * in the path`;
  return mirrored ? `name the mirror in the pod, or ${pattern}` : pattern;
}

const SHOWN = 6;

/** Names a few patterns, and counts many. */
function mismatch(patterns: readonly string[], name: string): string {
  const [only] = patterns;
  if (only === undefined) return `no entry has a pattern, so none matches ${name}`;
  if (patterns.length === 1) return `the only pattern ${only} does not match ${name}`;
  const shown = patterns.slice(0, SHOWN).join(", ") + (patterns.length > SHOWN ? ", …" : "");
  return `none of the ${patterns.length} patterns (${shown}) matches ${name}`;
}

function mirrorWords(mirrored: Mirrored | undefined, patterns: readonly string[]): string {
  const forMirror = mirrored?.mirrors.some((mirror) =>
    patterns.some((pattern) => imageMatches(pattern, mirror.includes("/") ? mirror : `${mirror}/x`)),
  );
  const confused = "; an entry matches the mirror, but the kubelet matches the name in the pod";
  return (forMirror ? confused : "") + mirrorHint(mirrored);
}

/** Whether the registry is one that a known plugin serves. */
export function servedByPlugin(name: string): boolean {
  return Object.values(PLUGINS).some(({ registries }) =>
    registries.some((pattern) => imageMatches(pattern, withoutPort(name))),
  );
}

/** The entry that is meant for an image that none matches: its plugin serves the registry, or its patterns nearly match. */
export function intendedEntry(
  { artefacts: { cluster }, pluginOf, image: { repository } }: PullFacts,
  { entries }: NodeConfiguration,
): ProviderEntry | undefined {
  if (!repository) return undefined;
  const name = `${repository.host}/${repository.paths.text}`;
  const serves = (entry: ProviderEntry): boolean => {
    const plugin = pluginOf(entry, cluster)?.plugin ?? "";
    const registries = Object.hasOwn(PLUGINS, plugin) ? PLUGINS[plugin]?.registries : undefined;
    return registries?.some((pattern) => imageMatches(pattern, withoutPort(name))) === true;
  };
  return entries.find(serves) ?? entries.find(({ matchImages }) => hint(name, matchImages.map(text)) !== "");
}

function withoutPort(name: string): string {
  return name.replace(/^([^/:]*):\d+\//, "$1/");
}

/** Hints at mistakes that are easily overlooked in patterns. */
function hint(name: string, patterns: readonly string[]): string {
  const bare = withoutPort(name);
  if (bare !== name && patterns.some((pattern) => imageMatches(pattern, bare)))
    return "; without its port the image would match, since a pattern without a port matches no image with one";
  const host = name.split("/")[0] ?? "";
  const glob = patterns.find(
    (pattern) => pattern.includes("/") && imageMatches(pattern.split("/")[0] ?? "", host + "/x"),
  );
  if (glob !== undefined)
    return `; ${glob} matches the host, but its path is a plain prefix, in which * is not a wildcard`;
  // Whether the host ends as the pattern does, and has more parts.
  const short = patterns.find((pattern) => {
    const suffix = pattern.startsWith("*.") && (pattern.split("/")[0] ?? "").slice(1);
    return suffix && host.endsWith(suffix) && host.split(".").length > suffix.split(".").length;
  });
  return short === undefined
    ? ""
    : `; ${short} ends like the host, but * stands for exactly one part between dots`;
}
