/*
 * Rules about entries that kubelets accept.
 */

import { askedImage } from "../explain/asked-image";
import { below } from "../explain/read/source";
import { named } from "../explain/shared/words";
import { orElse } from "../model/known";
import { once, remembered } from "../model/once";
import { at, list, text } from "../model/parsed";
import { propertyPath } from "../model/property-path";
import { secretIssues } from "../rules/fleet/secret-material";
import { matchImagesOverlap, matchedPath } from "../rules/kubelet/image-matches";
import {
  lintCredentialProviderConfig,
  lintMatchImages,
} from "../rules/kubelet/lint-credential-provider-config";
import type { EntryFact, LintFacts } from "./read";
import type { LintRule, Spot } from "./rule";

const MATCHING = "kubernetes:pkg/credentialprovider/keyring.go, URLsMatch";
const TOKENS = "tokenAttributes";
const SILENT = "images of the registry are pulled without this plugin, and nothing is logged";

export function entriesOf({ configs }: LintFacts): readonly EntryFact[] {
  return configs.flatMap(({ entries }) => entries);
}

/** The entries that send tokens. */
export function tokenEntries(facts: LintFacts): readonly EntryFact[] {
  return entriesOf(facts).filter(({ audience }) => audience !== "");
}

/** What is found about an entry, at a path below it. */
export function spotOf({ name, source }: EntryFact, what: string, path: string, target = ""): Spot {
  return { subject: name, target, what, source: below(source, path) };
}

/** By host, the beginning that each pattern requires of paths; `undefined` if it matches no image of the host. */
const prefixesOf = once((_: EntryFact) => new Map<string, readonly (string | undefined)[]>());

/** Whether each of an entry's patterns matches a repository; images are many, and hosts few. */
function matched(entry: EntryFact, repository: string): readonly boolean[] {
  const host = hostOf(repository);
  const path = repository.slice(host.length);
  const make = (): readonly (string | undefined)[] => entry.patterns.map((each) => matchedPath(each, host));
  const prefixes = remembered(prefixesOf(entry), host, make);
  return prefixes.map((prefix) => prefix !== undefined && path.startsWith(prefix));
}

export function matches(entry: EntryFact, repository: string): boolean {
  return matched(entry, repository).includes(true);
}

/** The host of a repository, with its port. */
export function hostOf(repository: string): string {
  return repository.slice(0, repository.indexOf("/"));
}

/** The names by which kubelets look up the images of pods, where they are known. */
export function repositoriesOf({ images }: LintFacts["workloads"][number]): readonly string[] {
  return images.flatMap(({ image }) => askedImage(orElse(image, () => "")).repository?.name ?? []);
}

type Class = "glob" | "dead" | "misleading";

/** Three rules ask for it. */
const issuesOf = once(({ value }: EntryFact) => lintCredentialProviderConfig({ providers: [value] }));

/** What `lintCredentialProviderConfig` says, with the remedy apart. */
function linted(facts: LintFacts, wanted: Class): readonly Spot[] {
  return entriesOf(facts).flatMap((entry) =>
    issuesOf(entry).flatMap(({ field, message }) => {
      // Kubelets refuse the file for these, which other rules say.
      if (field === "providers[0].name" || message.endsWith("refuses the whole file")) return [];
      const path = field.replace(/^providers\[0\]\./, "");
      const target = entry.patterns[Number(/^matchImages\[(\d+)\]/.exec(path)?.[1])] ?? "";
      const isDead = target !== "" && lintMatchImages(target).includes(message);
      const found = message.startsWith("globs ") ? "glob" : isDead ? "dead" : "misleading";
      const [, what = message, remedy] = /^([^]*?)[;:.] (?=[Ww]rite|remove)([^]*)$/.exec(message) ?? [];
      return found === wanted ? [{ ...spotOf(entry, what, path, target), remedy }] : [];
    }),
  );
}

function wide(facts: LintFacts): readonly Spot[] {
  return tokenEntries(facts).flatMap((entry) =>
    entry.patterns.flatMap((pattern, index) => {
      const domain = pattern
        .replace(/[/:].*/, "")
        .split(".")
        .slice(-2);
      const path = propertyPath(["matchImages", index]);
      const what = `${pattern} matches registries of many owners`;
      return domain.some((part) => part.includes("*")) ? [spotOf(entry, what, path, pattern)] : [];
    }),
  );
}

function unused(facts: LintFacts): readonly Spot[] {
  const repositories = facts.workloads.flatMap(repositoriesOf);
  if (repositories.length === 0) return [];
  return entriesOf(facts).flatMap((entry) => {
    const used = repositories.map((each) => matched(entry, each));
    const idle = entry.patterns.filter(
      (pattern, at) => lintMatchImages(pattern).length === 0 && !used.some((each) => each[at] === true),
    );
    const what = `of ${repositories.length} images of pods that were read, none matches ${named(idle)}`;
    return idle.length === 0 ? [] : [spotOf(entry, what, "matchImages")];
  });
}

function withoutPort(facts: LintFacts): readonly Spot[] {
  const entries = entriesOf(facts);
  const missed = facts.workloads
    .flatMap(repositoriesOf)
    .filter((each) => /^[^/]*:\d+\//.test(each) && !entries.some((entry) => matches(entry, each)));
  return [...new Set(missed)].flatMap((repository) =>
    entries
      .filter((entry) => matches(entry, repository.replace(/:\d+/, "")))
      .map((entry) => spotOf(entry, `no pattern has the port of ${repository}`, "matchImages", repository)),
  );
}

/** Real files have a handful of entries, and these a handful of patterns. */
const COMPARED_MAX = 20;
const PAIRS_MAX = 200_000;

function overlaps({ configs }: LintFacts): readonly Spot[] {
  let pairs = 0;
  return configs.flatMap(({ entries }) =>
    entries.flatMap((entry, place) =>
      entries.slice(0, Math.min(place, COMPARED_MAX)).flatMap(({ name, patterns }) => {
        pairs += entry.patterns.length * patterns.length;
        if (pairs > PAIRS_MAX) return [];
        const shared = entry.patterns.filter((one) =>
          patterns.some((other) => matchImagesOverlap(one, other)),
        );
        const what = `${named(shared)} overlap with patterns of ${name}`;
        return shared.length === 0 ? [] : [spotOf(entry, what, "matchImages")];
      }),
    ),
  );
}

/** A variable or flag that names a file with the secret is not one. */
const PATH = /(?:^|=)\.{0,2}\//;

function secrets(entry: EntryFact): readonly Spot[] {
  const isPath = (value: unknown): boolean => PATH.test(text(value));
  const args = list(entry.value["args"]).map((each) => (isPath(each) ? "" : each));
  const env = list(entry.value["env"]).map((each) => (isPath(at(each, "value")) ? {} : each));
  return secretIssues(entry.name, { args, env }).map(({ problem }) => spotOf(entry, problem, ""));
}

export const ENTRY_RULES: readonly LintRule[] = [
  {
    id: "pattern-path-glob",
    severity: "warning",
    question: "Are paths of patterns free of globs?",
    effect: SILENT,
    remedy: "write the beginning of the path: it is a plain prefix",
    source: `${MATCHING}; kubernetes-sigs/kind#4185`,
    run: (facts) => linted(facts, "glob"),
  },
  {
    id: "pattern-dead",
    severity: "warning",
    question: "Can each pattern match an image?",
    effect: SILENT,
    remedy: "write host, host:port or host/path as images name the registry",
    source: `${MATCHING}; distribution/reference:normalize.go`,
    run: (facts) => linted(facts, "dead"),
  },
  {
    id: "entry-misleading",
    severity: "note",
    question: "Does an entry mean what it seems to: patterns, audience, names of variables?",
    effect: "the kubelet accepts it as it is written",
    remedy: "write what is meant",
    source: `${MATCHING}; kubernetes:pkg/credentialprovider/plugin/plugin.go`,
    run: (facts) => linted(facts, "misleading"),
  },
  {
    id: "pattern-wide",
    severity: "warning",
    question: "Does an entry with tokens match the registries of one owner only?",
    effect: "the plugin gets the token of a pod that names an image of anyone's registry",
    remedy: "write the domain of the registry, and globs only before it",
    source: "KEP-4412; kubernetes/kubelet:config/v1, matchImages",
    run: wide,
  },
  {
    id: "pattern-unused",
    severity: "note",
    question: "Does each pattern match an image of the pods that were read, if any were?",
    effect: "the plugin does not run for these pods",
    remedy: "compare the patterns with the images: parts of the host are counted, ports compared",
    source: MATCHING,
    run: unused,
  },
  {
    id: "pattern-port",
    severity: "warning",
    question: "Have patterns the ports that images name?",
    effect: SILENT,
    remedy: "write the port in the pattern",
    source: MATCHING,
    run: withoutPort,
  },
  {
    id: "entries-overlap",
    severity: "note",
    question: "Does one entry match each image?",
    effect: "the kubelet runs both plugins, and tries the answers one after the other",
    remedy: "leave it if both are meant, as for tokens and the node's identity; else narrow one of them",
    source: "kubernetes:pkg/credentialprovider/plugin/plugin.go",
    run: overlaps,
  },
  {
    id: "tokens-off",
    severity: "warning",
    question: "Do these kubelets send tokens by default?",
    effect: "unless the feature gate is on in kubelet and API server, the kubelet does not start",
    remedy: "switch on KubeletServiceAccountTokenForCredentialProviders, or upgrade to 1.34",
    source: "kubernetes:pkg/features/kube_features.go",
    log: "Failed to register CRI auth plugins",
    run: (facts) =>
      facts.kubelets.includes("1.33")
        ? tokenEntries(facts).map((entry) => spotOf(entry, "kubelet 1.33 sends no tokens by default", TOKENS))
        : [],
  },
  {
    id: "secret-in-entry",
    severity: "warning",
    question: "Are arguments and variables free of secrets?",
    effect: "whoever reads the file has the secret, and every pod pulls with it",
    remedy: "let the plugin use the token of the pod",
    source: "KEP-4412, motivation",
    run: (facts) => entriesOf(facts).flatMap(secrets),
  },
];
