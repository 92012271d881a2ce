/*
 * Which entries of a CredentialProviderConfig match an image, or every image of a pattern; and what to say where none
 * does.
 */

import { type Known, type Ternary, match, or, orElse } from "../../model/known";
import type { AskedName } from "../../rules/asked-names";
import { imageMatches, matchedPath } from "../../rules/kubelet/image-matches";
import { registriesOf } from "../../rules/plugin-registries";
import { literalPattern, prefixPattern } from "../../rules/wildcard";
import { type Answer, SILENT, badness, broken, pass, seen, unknown } from "../answer";
import type { AskedImage, AskedRepository } from "../asked-image";
import type { ClusterArtefacts } from "../read/facts";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import { configurationValid, contestedFiles, contestedHint } from "./kubelet-configuration";
import { type Mirrored, mirrorEvidence, mirrorHint, mirroredAs, runtimeRefusal } from "./runtime";

const PLUGINS: readonly string[] = ["ecr", "acr", "gcp"];

/** Whether an entry matches a repository of the host. */
function entryMatches({ matchImages }: ProviderEntry, host: string, path: AskedName): Ternary {
  return or(
    ...matchImages.map((pattern) =>
      match(
        pattern,
        (text) => patternMatches(text, host, path),
        (): Ternary => "unknown",
      ),
    ),
  );
}

/** The host is compared with the pattern's parts, the path with a plain prefix. */
function patternMatches(pattern: string, host: string, path: AskedName): Ternary {
  const prefix = matchedPath(pattern, host);
  if (prefix === undefined) return "no";
  return prefix === "" ? "yes" : path.matches(prefixPattern(literalPattern(prefix)), "/");
}

/** The entries that match every name that is asked about, else those that match some; none where none does. */
export function matchingEntries(
  node: NodeConfiguration,
  repository: AskedRepository,
): readonly ProviderEntry[] {
  const { host, paths } = repository;
  const reached = node.entries.map((entry) => ({
    entry,
    // How many of the names it leaves out: none, perhaps some, or certainly some.
    left: paths.worst(
      (path) => entryMatches(entry, host, path),
      (said) => LEFT[said],
    ),
  }));
  const whole = reached.filter(({ left }) => left?.said === "yes");
  const some = reached.filter(({ entry }) => mayMatch(entry, repository));
  return (whole.length > 0 ? whole : some).map(({ entry }) => entry);
}

const LEFT: Readonly<Record<Ternary, number>> = { yes: 0, unknown: 1, no: 2 };

function mayMatch(entry: ProviderEntry, { host, paths }: AskedRepository): boolean {
  const best = paths.worst(
    (path) => entryMatches(entry, host, path),
    (said) => -LEFT[said],
  );
  return best === undefined || best.said !== "no";
}

/** What is asked about an image on the nodes of a pool. */
export interface ImageQuestion {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** The image. */
  readonly image: AskedImage;
  /** True where the image only stands in a workload, so that it may be public. */
  readonly isOfWorkload: boolean;
  /** The nodes; `undefined` where none were read. */
  readonly node: NodeConfiguration | undefined;
  /** The entry; `undefined` where none matches. */
  readonly entry: ProviderEntry | undefined;
}

/** Does an entry match, and does the runtime then pull with the pod's credentials? */
export function entryMatched(question: ImageQuestion): Answer {
  const { node, entry, image } = question;
  const { repository } = image;
  if (!node || node.documents.length === 0) return withoutNode(node);
  if (!repository)
    return unknown(
      `the image ${image.text} is known only after apply`,
      "explain the manifests that bind wrote",
      seen(`nodes ${node.name}`, node.source),
    );
  if (!entry) return withoutMatch(question, node);
  const worst = repository.paths.worst((path) => matched(question, node, entry, repository, path), badness);
  return (
    worst?.said ??
    unknown(
      `whether every image of ${repository.name} matches is more than can be tried`,
      "declare the repositories by name, or by a shorter pattern",
      seen(`nodes ${node.name}: ${entry.name}`, entry.source),
    )
  );
}

function matched(
  { artefacts }: ImageQuestion,
  node: NodeConfiguration,
  entry: ProviderEntry,
  { host, name }: AskedRepository,
  path: AskedName,
): Answer {
  const pattern = entry.matchImages.find(
    (each) =>
      match(
        each,
        (text) => patternMatches(text, host, path),
        (): Ternary => "no",
      ) === "yes",
  );
  const where = seen(`nodes ${node.name}: ${entry.name}`, entry.source);
  if (pattern === undefined)
    return unknown(
      `the patterns of ${entry.name} match ${name} in part: whether ${host}/${path.example} is matched, or another entry matches it, is not judged`,
      "write one pattern that matches all of it",
      where,
    );
  const named = { host, path };
  const mirrored = mirroredAs(artefacts.mirrors, named);
  return (
    runtimeRefusal(artefacts, node, named) ??
    pass(
      `${entry.name} matches by ${text(pattern)}${mirrorHint(mirrored)}`,
      seen(`nodes ${node.name}: matchImages ${text(pattern)}`, entry.source),
      ...contestedFiles(node),
      ...mirrorEvidence(mirrored),
    )
  );
}

function text(pattern: Known<string>): string {
  return orElse(pattern, () => "a pattern that is not known");
}

function withoutNode(node: NodeConfiguration | undefined): Answer {
  return unknown(
    `no CredentialProviderConfig of the nodes${node ? ` ${node.name}` : ""} was read`,
    "name the manifests or files that carry it as well",
    ...(node ? [seen(`nodes ${node.name}`, node.source)] : []),
  );
}

function withoutMatch({ artefacts, image, isOfWorkload }: ImageQuestion, node: NodeConfiguration): Answer {
  // Where the kubelet refuses a file without entries, no pattern would help.
  const valid = node.entries.length === 0 ? configurationValid(node, artefacts.cluster) : undefined;
  if (valid?.status === "fail") return valid;
  const patterns = node.entries.flatMap(({ matchImages }) => matchImages.map(text));
  const { repository } = image;
  const name = repository ? `${repository.host}/${exampleOf(repository)}` : image.text;
  const mirrored =
    repository &&
    repository.paths.worst(
      (path) => mirroredAs(artefacts.mirrors, { host: repository.host, path }),
      mirrorRank,
    )?.said;
  const where = [
    ...node.entries.map(({ name: entry, source }) => seen(`nodes ${node.name}: ${entry}`, source)),
    ...contestedFiles(node),
    ...mirrorEvidence(mirrored),
  ];
  // A registry that belongs to no known cloud may be public, or served by a pull secret.
  if (isOfWorkload && !servedByPlugin(name))
    return unknown(
      `no entry matches ${name}, which is no registry of a known plugin; the pull is anonymous or by pull secret`,
      "none, where the image is public",
      ...where,
    );
  return broken(
    mismatch(patterns, name) + hint(name, patterns) + mirrorWords(mirrored, patterns) + contestedHint(node),
    remedy(repository?.host ?? "", node, mirrored),
    SILENT,
    ...where,
  );
}

function mirrorRank(mirrored: Mirrored | undefined): number {
  return mirrored ? 1 : 0;
}

function exampleOf({ paths }: AskedRepository): string {
  return paths.isOne
    ? paths.text
    : (paths.worst(
        (path) => path.example,
        () => 0,
      )?.said ?? paths.text);
}

function remedy(host: string, node: NodeConfiguration, mirrored: Mirrored | undefined): string {
  if (node.contested.size > 0)
    return "put all entries into one MachineConfig, or remove the one that overwrites the other";
  const pattern = `add a pattern for ${host}: as many parts between dots, the port where there is one, no * in the path`;
  return mirrored ? `name the mirror in the pod, or ${pattern}` : pattern;
}

/** Few patterns are named, many counted. */
function mismatch(patterns: readonly string[], name: string): string {
  const [only] = patterns;
  if (only === undefined) return `no entry has a pattern, so none matches ${name}`;
  if (patterns.length === 1) return `the only pattern ${only} does not match ${name}`;
  const shown = patterns.slice(0, SHOWN).join(", ") + (patterns.length > SHOWN ? ", …" : "");
  return `none of the ${patterns.length} patterns (${shown}) matches ${name}`;
}

const SHOWN = 6;

function mirrorWords(mirrored: Mirrored | undefined, patterns: readonly string[]): string {
  if (!mirrored) return "";
  const forMirror = mirrored.mirrors.some((mirror) =>
    patterns.some((pattern) => imageMatches(pattern, mirror.includes("/") ? mirror : `${mirror}/x`)),
  );
  const confused = "; an entry is for the mirror, but the kubelet goes by the name in the pod";
  return (forMirror ? confused : "") + mirrorHint(mirrored);
}

function servedByPlugin(name: string): boolean {
  return PLUGINS.some((plugin) =>
    registriesOf(plugin).some((pattern) => imageMatches(pattern, withoutPort(name))),
  );
}

function withoutPort(name: string): string {
  return name.replace(/^([^/:]*):\d+\//, "$1/");
}

/** The mistakes that a look at the patterns does not show. */
function hint(name: string, patterns: readonly string[]): string {
  const bare = withoutPort(name);
  if (bare !== name && patterns.some((pattern) => imageMatches(pattern, bare)))
    return "; without its port the image would match, since a pattern without a port matches no image with one";
  const host = name.split("/")[0] ?? "";
  const glob = patterns.find(
    (pattern) => pattern.includes("/") && imageMatches(pattern.split("/")[0] ?? "", host + "/x"),
  );
  if (glob !== undefined)
    return `; ${glob} matches the host, but its path is a plain prefix, in which * is a character`;
  const short = patterns.find((pattern) => pattern.startsWith("*.") && isShort(pattern, host));
  return short === undefined
    ? ""
    : `; ${short} ends like the host, but * stands for exactly one part between dots`;
}

/** Whether a host ends as a pattern does, and has more parts. */
function isShort(pattern: string, host: string): boolean {
  const suffix = pattern.split("/")[0]?.slice(1) ?? "";
  return host.endsWith(suffix) && host.split(".").length > suffix.split(".").length;
}
