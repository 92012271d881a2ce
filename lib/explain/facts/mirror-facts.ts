/*
 * Mirrors of OpenShift's nodes. The kubelet looks credentials up by the name in the pod and knows no mirrors; the
 * runtime goes to the mirror afterwards.
 */

import { propertyPath } from "../../artefact/property-path";
import { list, own, text, texts } from "./access";
import { type Source, below } from "./source";

/** One source with its mirrors. */
export interface MirrorRule {
  /** `ImageDigestMirrorSet acme`. */
  readonly title: string;
  /** `host`, `host/path` or `*.domain`; covers everything below it. */
  readonly source: string;
  /** Where the runtime goes first, in order: `host` or `host/path`. */
  readonly mirrors: readonly string[];
  /** True where the runtime never goes to the source, by `mirrorSourcePolicy: NeverContactSource`. */
  readonly blocksSource: boolean;
  /** Where it stands. */
  readonly place: Source;
}

/** Where each kind keeps its rules. */
const LISTS: Readonly<Record<string, string>> = {
  ImageContentSourcePolicy: "repositoryDigestMirrors",
  ImageDigestMirrorSet: "imageDigestMirrors",
  ImageTagMirrorSet: "imageTagMirrors",
};

/** Reads the rules of an ImageDigestMirrorSet, ImageTagMirrorSet or ImageContentSourcePolicy; none of other objects. */
export function readMirrorRules(object: unknown, source: Source): readonly MirrorRule[] {
  const kind = text(own(object, "kind"));
  const key = Object.hasOwn(LISTS, kind) ? LISTS[kind] : undefined;
  if (key === undefined) return [];
  return list(own(own(object, "spec"), key)).flatMap((rule, index): MirrorRule[] => {
    const from = text(own(rule, "source"));
    const mirrors = texts(own(rule, "mirrors")).filter((mirror) => mirror !== from);
    if (from === "" || mirrors.length === 0) return [];
    return [
      {
        title: `${kind} ${text(own(own(object, "metadata"), "name"))}`,
        source: from,
        mirrors,
        // ImageContentSourcePolicy has no such field, and what it has none of is dropped.
        blocksSource:
          kind !== "ImageContentSourcePolicy" && own(rule, "mirrorSourcePolicy") === "NeverContactSource",
        place: below(source, propertyPath(["spec", key, index])),
      },
    ];
  });
}

/**
 * The rules that cover a repository, `<host>/<path>`: those of the longest source alone, as the runtime takes only the
 * entry that fits best.
 *
 * Source: openshift/runtime-utils, pkg/registries (`EditRegistriesConfig`); containers/image, pkg/sysregistriesv2.
 */
export function mirrorRulesOf(rules: readonly MirrorRule[], repository: string): readonly MirrorRule[] {
  const covering = rules.filter(({ source }) => coversName(source, repository));
  const longest = Math.max(...covering.map(({ source }) => source.length));
  return covering.filter(({ source }) => source.length === longest);
}

/**
 * Whether a registries.conf, or a file of registries.conf.d, has an entry for a repository. It is TOML, of which only
 * the texts of `prefix` and `location` are looked at, so that more is found than there is rather than less.
 *
 * Source: containers-registries.conf(5).
 */
export function namesRepository(registriesConf: string, repository: string): boolean {
  return [...registriesConf.matchAll(SCOPE)].some(([, scope = ""]) => coversName(scope, repository));
}

const SCOPE = /\b(?:prefix|location)["']?\s*=\s*["']([^"']+)["']/g;

/**
 * Whether a scope of the runtime's configuration covers a repository, `<host>/<path>`: equal, or followed by what
 * may follow a scope; `*.` stands for every host below a domain.
 */
export function coversName(source: string, repository: string): boolean {
  if (!source.startsWith("*."))
    return repository.startsWith(source) && /^(?:$|[:/])/.test(repository.slice(source.length));
  const host = (repository.split("/")[0] ?? "").replace(/:\d+$/, "");
  return host.endsWith(source.slice(1));
}
