import { sep } from "node:path";
import type { CheckId } from "../explain/check-ids";
import type { PullResult } from "../explain/explainer";
import { renderText } from "../explain/render/text";
import type { Finding } from "./finding";
import type { SynthesizedStack } from "./synthesized-stack";
import { type ObjectKind, checkGiven, object, optional, text } from "../model/shape";

/** A pull that a test speaks of. */
export interface ExpectedPull {
  /** The service account, `namespace/name`. */
  readonly serviceAccount: string;
  /** The image as a pod names it. */
  readonly image: string;
}

const EXPECTED_PULL: ObjectKind<ExpectedPull> = object({
  serviceAccount: text,
  image: text,
});

/** A pull that a test expects to be denied. */
export interface ExpectedDenial extends ExpectedPull {
  /**
   * The check that must be the first to fail.
   *
   * @defaultValue - any
   */
  readonly check?: CheckId;
}

const EXPECTED_DENIAL: ObjectKind<ExpectedDenial> = object({
  ...EXPECTED_PULL.shape,
  check: optional(text),
});

/**
 * Whether every link of the pull holds. A pull that works only through the node's identity is none, nor one of which
 * the verifier cannot tell.
 */
export function allowsPull(stack: SynthesizedStack, pull: ExpectedPull): Finding {
  checkGiven("allowsPull()", EXPECTED_PULL, pull, "pull");
  const results = resultsOf(stack, pull);
  return {
    holds: results.every(({ verdict }) => verdict === "allowed"),
    text: told(stack, pull, results, ""),
  };
}

/** Whether a link of the pull is broken, the named one first; `unknown` is no denial. */
export function deniesPull(stack: SynthesizedStack, pull: ExpectedDenial): Finding {
  checkGiven("deniesPull()", EXPECTED_DENIAL, pull, "pull");
  const results = resultsOf(stack, pull);
  const { check } = pull;
  const failed = results.map(firstFailed);
  const wanted = check === undefined ? "" : `, first failing check ${failed.join(", ") || "none"}`;
  return {
    holds:
      results.every(({ verdict }) => verdict === "denied") &&
      (check === undefined || failed.every((id) => id === check)),
    text: told(stack, pull, results, wanted),
  };
}

function resultsOf(
  stack: SynthesizedStack,
  { serviceAccount, image }: ExpectedPull,
): readonly [PullResult, ...PullResult[]] {
  const [first, ...others] = stack.explain({ serviceAccount, image });
  // A selection with service account and image always asks one question of the stack's cluster.
  if (first === undefined) throw new RangeError("the verifier gave no result");
  return [first, ...others];
}

function firstFailed({ checks }: PullResult): CheckId | "none" {
  return checks.find(({ status }) => status === "fail")?.id ?? "none";
}

function told(
  { outdir }: SynthesizedStack,
  { serviceAccount, image }: ExpectedPull,
  results: readonly PullResult[],
  addition: string,
): string {
  // Where the folder is, differs from run to run.
  const chain = [...renderText(results)].join("").replaceAll(outdir + sep, "");
  const verdicts = results.map(({ verdict }) => verdict).join(", ");
  return `the pull of ${image} by ${serviceAccount} is ${verdicts}${addition}\n\n${chain}`;
}
