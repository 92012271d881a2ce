import { fail } from "../errors";
import type { Finding } from "../explain/findings";
import type { CheckHelp } from "../explain/check-help";
import type { SkippedDocument } from "../explain/read/source";
import { openText } from "../explain/read/source-lines";
import { seen } from "../explain/answer";
import { type ObjectKind, checkGiven, list, object, optional, text } from "../model/shape";
import { isAtLeast, knownKubernetesMinors, knownMinor } from "../rules/kubelet/feature-gates";
import { ACCOUNT_RULES } from "./accounts";
import { ENTRY_RULES, entriesOf, hostOf, repositoriesOf } from "./entries";
import { FILE_RULES } from "./files";
import { PLUGIN_RULES } from "./plugins";
import { RBAC_RULES } from "./rbac";
import { type LintFacts, STDIN, isOpen, readLintFacts } from "./read";
import { REFUSAL_RULES, nextMinor, refusalsOf } from "./refusals";
import type { LintRule, Linted, Spot } from "./rule";

/** How {@link lint} judges. */
export interface LintOptions {
  /**
   * Minors of the kubelets that are meant, `1.34`.
   *
   * @defaultValue - each known minor from 1.34 on, which send tokens by default
   */
  readonly kubelets?: readonly string[];
  /**
   * Text of standard input, which the path `-` names.
   *
   * @defaultValue - empty
   */
  readonly input?: string;
}

const LINT_OPTIONS: ObjectKind<LintOptions> = object({
  kubelets: optional(list(text)),
  input: optional(text),
});

/** What {@link lint} found, and among what. */
export interface LintReport {
  /** Minors of the kubelets that were meant, oldest first. */
  readonly kubelets: readonly string[];
  /** How many were looked at of each: `files`, `configurations`, `entries`, `roles and bindings`, `service accounts`, `pods`. */
  readonly read: Readonly<Record<string, number>>;
  /** What no rule looked at, each with the reason: kinds of objects, by file. */
  readonly skipped: readonly SkippedDocument[];
  /** How many findings are left out because they depend on a placeholder. */
  readonly placeholders: number;
  /** What was found, in the order of the rules. */
  readonly findings: readonly Finding[];
}

/** All rules, in the order of their findings. */
export const LINT_RULES: readonly LintRule[] = [
  ...REFUSAL_RULES,
  ...ENTRY_RULES,
  ...PLUGIN_RULES,
  ...RBAC_RULES,
  ...ACCOUNT_RULES,
  ...FILE_RULES,
];

/** The rules, for reports that list them. */
export const LINT_HELP: readonly CheckHelp[] = LINT_RULES.map(({ id, question, effect, remedy, source }) => ({
  id,
  question,
  help: `If not: ${effect}. Remedy: ${remedy}. Source: ${source}.`,
}));

/**
 * Looks for what kubelets, the API server and registries refuse or pass over in CredentialProviderConfigs, in RBAC for
 * audiences, in service accounts and in pods. `paths` are files and folders, and `-` for `input`; a configuration is
 * found in whatever carries it to nodes, and in ConfigMaps.
 *
 * Throws if a named file is missing, or if nothing is found that a rule looks at. What depends on a placeholder is left
 * out and counted.
 */
export function lint(paths: readonly string[], options: LintOptions = {}): LintReport {
  checkGiven("lint()", list(text), paths, "paths");
  checkGiven("lint()", LINT_OPTIONS, options, "options");
  const { kubelets = [], input = "" } = options;
  const given = new Set(kubelets.map((version) => knownMinor("the kubelet", version)));
  const isMeant = (minor: string): boolean =>
    given.size === 0 ? isAtLeast(minor, "1.34") : given.has(minor);
  const minors = knownKubernetesMinors.filter(isMeant);
  if (paths.includes(STDIN)) openText(STDIN, input);
  const facts = judged(readLintFacts(paths, input), minors);
  const spots = LINT_RULES.flatMap((rule) => rule.run(facts).map((spot) => ({ rule, spot })));
  const certain = spots.filter(
    ({ spot: { subject, target = "", what } }) => ![subject, target, what].some(isOpen),
  );
  const findings = certain.map(({ rule, spot }) => findingOf(rule, spot));
  const read = countsOf(facts);
  const { files: _, ...others } = read;
  if (spots.length === 0 && Object.values(others).every((count) => count === 0)) return nothingFound(paths);
  const skipped = facts.skipped.filter(({ refused }) => refused === undefined);
  return { kubelets: minors, read, skipped, placeholders: spots.length - certain.length, findings };
}

/** Comparisons of a pattern with a host; some seconds. */
const COMPARISONS_MAX = 200_000;
/** Each is validated for each minor; some seconds. */
const ENTRIES_MAX = 15_000;

function judged(facts: LintFacts, minors: readonly string[]): Linted {
  const hosts = new Set(facts.workloads.flatMap(repositoriesOf).map(hostOf)).size;
  const patterns = entriesOf(facts).reduce((count, entry) => count + entry.patterns.length, 0);
  if (hosts * patterns > COMPARISONS_MAX)
    fail("explain-limit", {
      problem: `there are too many patterns and registries to compare: ${patterns} and ${hosts}`,
      allowed: `at most ${COMPARISONS_MAX} pairs`,
      remedy: "lint some of the files at a time",
    });
  const entries = Math.max(entriesOf(facts).length, facts.configs.length);
  if (entries > ENTRIES_MAX)
    fail("explain-limit", {
      problem: `there are too many entries of credential providers: ${entries}`,
      allowed: `at most ${ENTRIES_MAX}`,
      remedy: "lint some of the files at a time",
    });
  const refusals = facts.configs.flatMap((config) => refusalsOf(config, minors));
  const refused = new Set(refusals.map(({ config }) => config));
  const accepted = facts.configs.filter((config) => !refused.has(config));
  const following = nextMinor(minors);
  const next = following === undefined ? [] : accepted.flatMap((config) => refusalsOf(config, [following]));
  return { ...facts, kubelets: minors, refusals, next };
}

function countsOf({ files, configs, rbac, accounts, workloads }: LintFacts): LintReport["read"] {
  return {
    files: files.length,
    configurations: configs.length,
    entries: configs.flatMap(({ entries }) => entries).length,
    "roles and bindings": rbac.length,
    "service accounts": accounts.size,
    pods: workloads.length,
  };
}

function findingOf({ id, severity, effect, remedy, log }: LintRule, spot: Spot): Finding {
  return {
    id,
    severity,
    stack: "",
    subject: spot.subject,
    target: spot.target ?? "",
    reason: `${spot.what}; ${effect}`,
    evidence: [seen(spot.subject, spot.source)],
    remedy: spot.remedy ?? remedy,
    ...(log !== undefined && { log }),
  };
}

function nothingFound(paths: readonly string[]): never {
  return fail("explain-missing", {
    problem:
      "nothing to lint was found: no CredentialProviderConfig, no role or binding, no service account and no pod",
    value: paths,
    allowed: "files of nodes, manifests, what `helm template` prints, or a folder with them",
    remedy: "check the path, and render charts and templates first",
  });
}
