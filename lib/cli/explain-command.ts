import {
  type ExplainResult,
  type ExplainSelection,
  Explainer,
  readFactsFile,
  renderHtml,
  renderJson,
  renderMermaid,
  renderText,
} from "../explain";
import { placeText } from "../explain/read/source-lines";
import { printable } from "../explain/render/printable";
import { type Asked, type CommandIo, UsageError } from "./command";

const EXIT_ALLOWED = 0;
const EXIT_DENIED = 1;
const EXIT_UNKNOWN = 3;

const DEFAULT_FOLDER = "cdktf.out";

/** `colour` is for a terminal only. */
type Renderer = (results: Iterable<ExplainResult>, colour: boolean) => Iterable<string>;

const RENDERERS: Readonly<Record<"html" | "json" | "mermaid" | "text", Renderer>> = {
  html: renderHtml,
  json: renderJson,
  mermaid: renderMermaid,
  text: (results, colour) => renderText(results, { colour }),
};

interface Values {
  readonly "service-account"?: string;
  readonly image?: string;
  readonly spoke?: string;
  readonly stack?: string;
  readonly format: keyof typeof RENDERERS;
  readonly facts?: string;
  readonly running?: true;
  readonly "fail-on": "denied" | "unknown";
}

/**
 * `explain`: the chain of each pull, and without `--image` of each of OpenShift's components, each workload that acts in
 * a cloud and each way of a hub's controller into a spoke; with `--spoke` those into that spoke alone.
 *
 * `--running` asks what becomes of the pulls of the pods that were read instead, once the configuration is applied.
 *
 * Resolves to 0 where all are allowed, 1 where one is denied, 3 where one is unknown and none denied; with `--fail-on
 * denied` to 0 where none is denied. `--fail-on unknown` is what happens without it.
 */
export function run({ values, operands }: Asked<Values>, io: CommandIo): number {
  const { format, image, stack, spoke, "service-account": serviceAccount, "fail-on": failOn } = values;
  if (image !== undefined && spoke !== undefined)
    throw new UsageError("--image asks about pulls and --spoke about fleet access; give one of the two");
  const render: Renderer = RENDERERS[format];
  const selection: ExplainSelection = {
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
    ...(image === undefined ? {} : { image }),
    ...(stack === undefined ? {} : { stack }),
    ...(spoke === undefined ? {} : { spoke }),
  };

  const explainer = Explainer.read(
    operands.length > 0 ? operands : [DEFAULT_FOLDER],
    values.facts === undefined ? {} : readFactsFile(values.facts),
  );
  const seen = new Set<string>();
  const results = values.running ? running(explainer, selection) : explainer.all(selection);
  for (const piece of render(watched(results, seen), io.colour === true)) io.out(piece);
  for (const { source, reason } of explainer.skipped)
    io.err(`${printable(`skipped ${placeText(source)}: ${reason}`)}\n`);
  if (seen.size === 0) throw new UsageError(values.running ? NONE_RUNNING : NONE_DECLARED);
  if (seen.has("denied")) return EXIT_DENIED;
  return seen.has("unknown") && failOn === "unknown" ? EXIT_UNKNOWN : EXIT_ALLOWED;
}

const NONE_DECLARED =
  "nothing to explain: no declared pull, component, workload or fleet there; give --service-account and --image";
const NONE_RUNNING =
  "no pod was read whose image an entry matches; name what `kubectl get pods -A -o yaml` prints as well";

function running(explainer: Explainer, { spoke, ...pulls }: ExplainSelection): Iterable<ExplainResult> {
  if (spoke === undefined) return explainer.running(pulls);
  throw new UsageError("--running asks about pulls and --spoke about fleet access; give one of the two");
}

function* watched(results: Iterable<ExplainResult>, verdicts: Set<string>): Generator<ExplainResult> {
  for (const result of results) {
    verdicts.add(result.verdict);
    yield result;
  }
}
