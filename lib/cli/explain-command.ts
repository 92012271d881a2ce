import {
  type ExplainResult,
  type ExplainSelection,
  Explainer,
  renderHtml,
  renderJson,
  renderMermaid,
  renderText,
} from "../explain";
import { readClusterFile } from "../explain/read/read-record";
import { sourceText } from "../explain/read/source";
import { printable } from "../explain/render/printable";
import { type CommandIo, UsageError } from "./command";
import { readArguments } from "./read-arguments";

const EXIT_ALLOWED = 0;
const EXIT_DENIED = 1;
const EXIT_UNKNOWN = 3;

const DEFAULT_FOLDER = "cdktf.out";

/** `colour` is for a terminal only. */
type Renderer = (results: Iterable<ExplainResult>, colour: boolean) => Iterable<string>;

const RENDERERS: Readonly<Record<string, Renderer>> = {
  html: renderHtml,
  json: renderJson,
  mermaid: renderMermaid,
  text: (results, colour) => renderText(results, { colour }),
};

/**
 * `explain [--service-account ns/name] [--image REF] [--spoke NAME] [--stack S] [--format F] [--cluster FILE] [DIR…]`: the chain
 * of each pull, and without `--image` of each of OpenShift's components, each workload that acts in a cloud and each
 * way of a hub's controller into a spoke; with `--spoke` those into that spoke alone.
 *
 * `--cluster FILE` gives what no artefact of other people says: an object in JSON or YAML with `issuer`, `kubelet`, `apiServer`,
 * `featureGates`, `kubeletFeatureGates`, `apiServerFeatureGates`, `registries`, `plugins`, `openShift`, `pulls`,
 * `components`, `workloads` and `fleet`, each as `workload-identity.json` has it for a cluster.
 *
 * Resolves to 0 where all are allowed, 1 where one is denied, 3 where one is unknown and none denied.
 */
export function run(args: readonly string[], io: CommandIo): number {
  const { values, positionals } = readArguments(args, {
    "service-account": { type: "string" },
    image: { type: "string" },
    stack: { type: "string" },
    spoke: { type: "string" },
    cluster: { type: "string" },
    format: { type: "string", default: "text" },
  });
  const { format, image, stack, spoke, "service-account": serviceAccount } = values;
  if (image !== undefined && spoke !== undefined)
    throw new UsageError("--image asks about pulls and --spoke about fleet access; give one of the two");
  const render = Object.hasOwn(RENDERERS, format) ? RENDERERS[format] : undefined;
  if (!render) throw new UsageError(`unknown format ${format}; one of ${Object.keys(RENDERERS).join(", ")}`);
  const selection: ExplainSelection = {
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
    ...(image === undefined ? {} : { image }),
    ...(stack === undefined ? {} : { stack }),
    ...(spoke === undefined ? {} : { spoke }),
  };

  const explainer = Explainer.read(
    positionals.length > 0 ? positionals : [DEFAULT_FOLDER],
    values.cluster === undefined ? {} : { cluster: readClusterFile(values.cluster) },
  );
  const seen = new Set<string>();
  for (const piece of render(watched(explainer.all(selection), seen), io.colour === true)) io.out(piece);
  for (const { source, reason } of explainer.skipped)
    io.err(`${printable(`skipped ${sourceText(source)}: ${reason}`)}\n`);
  if (seen.size === 0)
    throw new UsageError(
      "nothing to explain: no declared pull, component, workload or fleet there; give --service-account and --image",
    );
  if (seen.has("denied")) return EXIT_DENIED;
  return seen.has("unknown") ? EXIT_UNKNOWN : EXIT_ALLOWED;
}

function* watched(results: Iterable<ExplainResult>, verdicts: Set<string>): Generator<ExplainResult> {
  for (const result of results) {
    verdicts.add(result.verdict);
    yield result;
  }
}
