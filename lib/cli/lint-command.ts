import { type LintFormat, type LintReport, lint, renderLint } from "../lint";
import type { Asked, CommandIo } from "./command";
import { inputText } from "./input-text";

const EXIT_CLEAN = 0;
const EXIT_ERROR = 1;
const EXIT_WARNING = 3;

interface Values {
  readonly kubelet?: readonly string[];
  readonly format: LintFormat;
  readonly "fail-on": "error" | "warning";
}

/**
 * `lint`: what kubelets, API servers and registries refuse or pass over in files of any origin.
 *
 * Returns 1 for errors, 3 for warnings without errors, 0 for notes or nothing; with `--fail-on error`, 0 for warnings.
 */
export async function run({ values, operands }: Asked<Values>, io: CommandIo): Promise<number> {
  const { kubelet: kubelets, format, "fail-on": failOn } = values;
  const input = operands.includes("-") ? await inputText(io) : "";
  const report = lint(operands, { input, kubelets });
  for (const piece of renderLint(report, format, io.colour)) io.out(piece);
  return exitCode(report, failOn);
}

function exitCode({ findings }: LintReport, failOn: Values["fail-on"]): number {
  const found = new Set(findings.map(({ severity }) => severity));
  if (found.has("error")) return EXIT_ERROR;
  return found.has("warning") && failOn === "warning" ? EXIT_WARNING : EXIT_CLEAN;
}
