import { imageMatches } from "../../rules/kubelet/image-matches";
import { registriesOf } from "../../rules/plugin-registries";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { Repository } from "../clouds/cloud";
import type { NodeConfiguration, ProviderEntry } from "../facts/node-configuration";
import type { PullCheck, PullContext } from "./check";
import { contestedFiles, contestedHint } from "./contested-files";
import { configurationRead, configurationValid } from "./provider-configuration";
import { forbidden } from "./registry-sources";
import { type Mirrored, mirrorHint, mirroredAs, withoutSource } from "./mirrors";
import { inRuntimeFiles, signaturesAsked } from "./runtime-files";

const PLUGINS: readonly string[] = ["ecr", "acr", "gcp"];

/** Does an entry of the nodes' CredentialProviderConfig match the image? */
export const providerMatchesImage: PullCheck = {
  id: "provider-matches-image",
  asks: "Does an entry of the nodes' CredentialProviderConfig match the image?",
  why: "Without a match no plugin is asked, nothing is logged, and the image is pulled anonymously.",
  run: (context) => {
    const { node, entry, repository } = context;
    if (repository && node && entry) return matched(context, repository, node, entry);
    if (!node || node.documents.length === 0) return withoutNode(context);
    return (node.entries.length === 0 && refused(context, node)) || withoutMatch(context, node);
  },
};

function matched(
  { artefacts }: PullContext,
  repository: Repository,
  node: NodeConfiguration,
  entry: ProviderEntry,
): Answer {
  const mirrored = mirroredAs(artefacts, repository);
  const elsewhere =
    forbidden(artefacts, repository, mirrored) ??
    (mirrored && withoutSource(mirrored, repository)) ??
    inRuntimeFiles(node, repository, mirrored) ??
    signaturesAsked(artefacts, repository);
  if (elsewhere) return elsewhere;
  const pattern = entry.matchImages.find((each) => imageMatches(each, repository.name)) ?? "";
  return pass(
    `${entry.name} matches by ${pattern}${mirrored ? mirrorHint(mirrored) : ""}`,
    seen(`nodes ${node.name}: matchImages ${pattern}`, entry.source),
    ...contestedFiles(node),
    ...(mirrored?.rules ?? []).map(({ title, place }) => seen(title, place)),
  );
}

/** The entries that match, in the order in which the kubelet runs them. */
export function matchingEntries(node: NodeConfiguration, repository: Repository): readonly ProviderEntry[] {
  return node.entries.filter(({ matchImages }) =>
    matchImages.some((pattern) => imageMatches(pattern, repository.name)),
  );
}

/** A configuration without entries is one that the kubelet does not start with, which says more than that none matches. */
function refused({ artefacts: { cluster } }: PullContext, node: NodeConfiguration): Answer | undefined {
  return [configurationRead(node), configurationValid(node, cluster)].find(({ status }) => status !== "pass");
}

function withoutNode({ node }: PullContext): Answer {
  return unknown(
    `no CredentialProviderConfig of the nodes${node ? ` ${node.name}` : ""} was read`,
    "name the manifests or files that carry it as well",
    ...(node ? [seen(`nodes ${node.name}`, node.source)] : []),
  );
}

function withoutMatch({ artefacts, repository, origin }: PullContext, node: NodeConfiguration): Answer {
  const patterns = node.entries.flatMap(({ matchImages }) => matchImages);
  const mirrored = repository && mirroredAs(artefacts, repository);
  const where = [
    ...node.entries.map(({ name, source }) => seen(`nodes ${node.name}: ${name}`, source)),
    ...contestedFiles(node),
    ...(mirrored?.rules ?? []).map(({ title, place }) => seen(title, place)),
  ];
  const name = repository?.name ?? "";
  // A registry that belongs to no known cloud may be public, or served by a pull secret.
  if (origin === "workload" && !servedByPlugin(name))
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
