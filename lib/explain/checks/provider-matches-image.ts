import { imageMatches } from "../../rules/kubelet/image-matches";
import { registriesOf } from "../../rules/plugins";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { Repository } from "../clouds/cloud";
import type { NodeConfiguration, ProviderEntry } from "../facts/node-configuration";
import type { PullCheck, PullContext } from "./check";

const PLUGINS: readonly string[] = ["ecr", "acr", "gcp"];

/** Does an entry of the nodes' CredentialProviderConfig match the image? */
export const providerMatchesImage: PullCheck = {
  id: "provider-matches-image",
  asks: "Does an entry of the nodes' CredentialProviderConfig match the image?",
  why: "Without a match no plugin is asked, nothing is logged, and the image is pulled anonymously.",
  run: (context) => {
    const { repository, node, entry } = context;
    if (repository && node && entry) {
      const pattern = entry.matchImages.find((each) => imageMatches(each, repository.name)) ?? "";
      return pass(
        `${entry.name} matches by ${pattern}`,
        seen(`nodes ${node.name}: matchImages ${pattern}`, entry.source),
      );
    }
    return node && node.entries.length > 0 ? withoutMatch(context, node) : withoutNode(context);
  },
};

/** The entries that match, in the order in which the kubelet runs them. */
export function matchingEntries(node: NodeConfiguration, repository: Repository): readonly ProviderEntry[] {
  return node.entries.filter(({ matchImages }) =>
    matchImages.some((pattern) => imageMatches(pattern, repository.name)),
  );
}

function withoutNode({ node }: PullContext): Answer {
  return unknown(
    "no CredentialProviderConfig of the nodes was read",
    "name the manifests or files that carry it as well",
    ...(node ? [seen(`nodes ${node.name}`, node.source)] : []),
  );
}

function withoutMatch({ repository, origin }: PullContext, node: NodeConfiguration): Answer {
  const patterns = node.entries.flatMap(({ matchImages }) => matchImages);
  const where = node.entries.map(({ name, source }) => seen(`nodes ${node.name}: ${name}`, source));
  const name = repository?.name ?? "";
  // A registry that belongs to no known cloud may be public, or served by a pull secret.
  if (origin === "workload" && !servedByPlugin(name))
    return unknown(
      `no entry matches ${name}, which is no registry of a known plugin; the pull is anonymous or by pull secret`,
      "none, where the image is public",
      ...where,
    );
  return broken(
    `none of ${patterns.length} patterns matches ${name}${hint(name, patterns)}`,
    "add a pattern with exactly as many host parts as the image's host, with its port, and without a glob in the path",
    SILENT,
    ...where,
  );
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
