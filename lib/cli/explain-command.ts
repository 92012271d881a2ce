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
import { type CommandIo, UsageError, readArguments } from "./command";

const EXIT_ALLOWED = 0;
const EXIT_DENIED = 1;
const EXIT_UNKNOWN = 3;

const DEFAULT_FOLDER = "cdktf.out";

/** `colour` is for a terminal only. */
type Renderer = (results: Iterable<ExplainResult>, colour: boolean) => Iterable<string>;

const RENDERERS: Readonly<Record<string, Renderer>> = {
  html: renderHtml,
  json: (results) => renderJson(results),
  mermaid: renderMermaid,
  text: (results, colour) => renderText(results, { colour }),
};

/**
 * `explain [--service-account ns/name] [--image REF] [--spoke NAME] [--stack S] [--format F] [--facts FILE] [--fail-on V] [DIR…]`: the chain
 * of each pull, and without `--image` of each of OpenShift's components, each workload that acts in a cloud and each
 * way of a hub's controller into a spoke; with `--spoke` those into that spoke alone.
 *
 * `--facts FILE` states what no artefact says, in JSON or YAML: under `cluster` what `workload-identity.json` has of a
 * cluster (`issuer`, `kubelet`, `plugins` …), under `aws` the `oidcProviders`, `policies` and `repositories` of accounts
 * whose Terraform is not read.
 *
 * Resolves to 0 where all are allowed, 1 where one is denied, 3 where one is unknown and none denied; with `--fail-on
 * denied` to 0 where none is denied. `--fail-on unknown` is what happens without it.
 */
export function run(args: readonly string[], io: CommandIo): number {
  const { values, positionals } = readArguments(args, {
    "service-account": { type: "string" },
    image: { type: "string" },
    stack: { type: "string" },
    spoke: { type: "string" },
    facts: { type: "string" },
    "fail-on": { type: "string", default: "unknown" },
    format: { type: "string", default: "text" },
  });
  const { format, image, stack, spoke, "service-account": serviceAccount, "fail-on": failOn } = values;
  if (failOn !== "denied" && failOn !== "unknown")
    throw new UsageError(`--fail-on takes denied or unknown, not ${failOn}`);
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
    values.facts === undefined ? {} : readFactsFile(values.facts),
  );
  const seen = new Set<string>();
  for (const piece of render(watched(explainer.all(selection), seen), io.colour === true)) io.out(piece);
  for (const { source, reason } of explainer.skipped)
    io.err(`${printable(`skipped ${placeText(source)}: ${reason}`)}\n`);
  if (seen.size === 0)
    throw new UsageError(
      "nothing to explain: no declared pull, component, workload or fleet there; give --service-account and --image",
    );
  if (seen.has("denied")) return EXIT_DENIED;
  return seen.has("unknown") && failOn === "unknown" ? EXIT_UNKNOWN : EXIT_ALLOWED;
}

function* watched(results: Iterable<ExplainResult>, verdicts: Set<string>): Generator<ExplainResult> {
  for (const result of results) {
    verdicts.add(result.verdict);
    yield result;
  }
}
