import {
  type ExplainResult,
  type ExplainSelection,
  type Explainer,
  type Job,
  type RenderHtmlOptions,
  type RenderTextOptions,
  type Severity,
  type Verdict,
  renderGithub,
  renderHtml,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderMermaid,
  renderSarif,
  renderText,
} from "../explain";
import { askedResults } from "../explain/asked";
import { lookedAtBy } from "../explain/audit/looked-at";
import { Baseline } from "../explain/baseline";
import { printable } from "../explain/render/printable";
import { VERDICTS } from "../explain/result";
import { trustLines } from "../explain/trusted";
import { type Stated, printSkipped, readAsked } from "./asked-folders";
import { type Asked, type CommandIo, UsageError } from "./command";

const EXIT_ALLOWED = 0;
const EXIT_DENIED = 1;
const EXIT_UNKNOWN = 3;

type Format = "github" | "html" | "json" | "junit" | "markdown" | "mermaid" | "sarif" | "text";

interface Values extends Stated {
  readonly "service-account"?: string;
  readonly image?: string;
  readonly spoke?: string;
  readonly job?: Job;
  readonly stack?: string;
  readonly format: Format;
  readonly verbose?: true;
  readonly only?: string;
  readonly summary?: true;
  readonly audit?: true;
  readonly about?: string;
  readonly baseline?: string;
  readonly running?: true;
  readonly "fail-on": "denied" | "unknown" | keyof typeof FAILS;
}

/** The severities of the audit that fail the command. */
const FAILS: Readonly<Record<"audit-error" | "audit-warning", readonly Severity[]>> = {
  "audit-error": ["error"],
  "audit-warning": ["error", "warning"],
};

/** What a format receives in addition to the results. */
interface Besides extends RenderHtmlOptions, RenderTextOptions {}

type Renderer = (results: Iterable<ExplainResult>, besides: Besides) => Iterable<string>;

const RENDERERS: Readonly<Record<Format, Renderer>> = {
  github: renderGithub,
  html: renderHtml,
  json: renderJson,
  junit: renderJunit,
  markdown: renderMarkdown,
  mermaid: renderMermaid,
  sarif: renderSarif,
  text: (results, { verbose, summary, audit, lookedAt, only, colour }) =>
    renderText(results, { verbose, summary, audit, lookedAt, only, colour }),
};

const WITHOUT_AUDIT: readonly Format[] = ["mermaid"];

/**
 * `explain`: the chain of each pull and, without `--image`, of each OpenShift component, each workload that acts in a
 * cloud and each hub controller's access to a spoke; with `--spoke`, only of access to that spoke.
 *
 * `--running` asks instead what becomes of the pulls of the pods that were read, once the configuration is applied.
 *
 * Without any of these, lists what trusts service accounts whose manifests were not read.
 *
 * Returns 0 if all are allowed, 1 if one is denied, 3 if one is unknown and none is denied; with `--fail-on denied`,
 * 0 if none is denied, and with `--fail-on audit-error` or `audit-warning`, 1 if the audit finds such. What the baseline
 * accepts is not counted; the format does not change the exit code.
 */
export function run({ values, operands }: Asked<Values>, io: CommandIo): number {
  const { image, stack, spoke, job, format, "service-account": serviceAccount, "fail-on": failOn } = values;
  const only = onlyOf(values);
  refuseContradictions(values);
  const baseline = values.baseline === undefined ? undefined : Baseline.read(values.baseline, today());
  const explainer = readAsked(operands, values);
  const selection: ExplainSelection = { serviceAccount, image, stack, spoke, job };
  // A narrower question finds less, so entries of the baseline would wrongly seem unused.
  const isWhole = Object.values(selection).every((value) => value === undefined);
  const asked = values.running ? running(explainer, selection) : askedResults(explainer, selection);
  const answers = started(asked);
  const trusts = answers === undefined && isWhole && !values.running ? trustLines(explainer) : [];
  if (answers === undefined && trusts.length === 0)
    throw new UsageError(values.running ? NONE_RUNNING : NONE_DECLARED);
  const findings = values.audit && explainer.audit(stack);
  const audit = findings && (baseline?.findings(findings) ?? findings);
  const results = baseline ? baseline.results(answers ?? []) : (answers ?? []);
  const seen = new Set<Verdict>();
  const lookedAt = audit ? lookedAtBy(explainer) : "";
  const besides: Besides = { ...values, audit, lookedAt, only, colour: io.colour === true };
  const render = RENDERERS[format];
  // A text of no results would say nothing.
  if (answers !== undefined || audit !== undefined || format !== "text")
    for (const piece of render(watched(results, seen), besides)) io.out(piece);
  for (const line of trusts) io[format === "text" ? "out" : "err"](`${printable(line)}\n`);
  printSkipped(explainer, io, values.verbose);
  for (const leftover of isWhole ? (baseline?.leftovers ?? []) : [])
    io.err(`${printable(`baseline: ${leftover}`)}\n`);
  const fails = isOfAudit(failOn) ? FAILS[failOn] : [];
  if (seen.has("denied") || audit?.some(({ severity, accepted }) => !accepted && fails.includes(severity)))
    return EXIT_DENIED;
  return (seen.has("unknown") || answers === undefined) && failOn !== "denied" ? EXIT_UNKNOWN : EXIT_ALLOWED;
}

function isOfAudit(failOn: Values["fail-on"]): failOn is keyof typeof FAILS {
  return failOn in FAILS;
}

function refuseContradictions(values: Values): void {
  const { format, image, spoke, job, audit, verbose, summary, only, about, "fail-on": failOn } = values;
  if (isOfAudit(failOn) && !audit) throw new UsageError(`--fail-on ${failOn} needs --audit`);
  if (image !== undefined && spoke !== undefined)
    throw new UsageError("--image asks about pulls and --spoke about fleet access; give one of the two");
  const asked = image !== undefined ? "image-pull" : spoke !== undefined ? "fleet-access" : job;
  if (job !== undefined && job !== asked)
    throw new UsageError(`--${image === undefined ? "spoke" : "image"} asks about ${asked}, not ${job}`);
  if (audit && WITHOUT_AUDIT.includes(format)) throw new UsageError(`--format ${format} shows no audit`);
  if (format !== "html" && about !== undefined) throw new UsageError("--about is for --format html");
  if (format !== "text" && (verbose || summary || only !== undefined))
    throw new UsageError("--verbose, --only and --summary are for --format text");
  if (summary && only !== undefined)
    throw new UsageError("--summary counts every verdict, so --only has no effect; give one of the two");
  if (verbose && summary)
    throw new UsageError("--verbose shows every chain and --summary none; give one of the two");
}

function onlyOf({ only }: Values): readonly Verdict[] | undefined {
  return only?.split(",").map((word) => {
    const verdict = VERDICTS.find((each) => each === word.trim());
    if (verdict === undefined)
      throw new UsageError(`--only takes ${VERDICTS.join(", ")}, separated by commas, not ${word}`);
    return verdict;
  });
}

function today(): string {
  return new Date().toISOString().slice(0, "YYYY-MM-DD".length);
}

/** The results, once there is a first one; `undefined` if there is none. */
function started(results: Generator<ExplainResult>): Iterable<ExplainResult> | undefined {
  const first = results.next();
  if (first.done) return undefined;
  return (function* () {
    yield first.value;
    yield* results;
  })();
}

const NONE_DECLARED =
  "nothing to explain: no such pull, component, workload or fleet is declared; to ask about any pull, give --service-account and --image";
const NONE_RUNNING =
  "no pod was read whose image matches an entry of a CredentialProviderConfig; also give explain the output of `kubectl get pods -A -o yaml`";

function running(
  explainer: Explainer,
  { spoke, job: _, ...pulls }: ExplainSelection,
): Generator<ExplainResult> {
  if (spoke === undefined) return explainer.running(pulls);
  throw new UsageError("--running asks about pulls and --spoke about fleet access; give one of the two");
}

function* watched(results: Iterable<ExplainResult>, verdicts: Set<Verdict>): Generator<ExplainResult> {
  for (const result of results) {
    if (!result.accepted) verdicts.add(result.verdict);
    yield result;
  }
}
