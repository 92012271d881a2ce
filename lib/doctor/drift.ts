/*
 * What was declared against what is there: the links that hold in one and not in the other, and the nodes' file.
 */

import type { CheckResult, Evidence, ExplainOptions, ExplainResult } from "../explain";
import { Explainer, insideOf } from "../explain/explainer";
import { sameTree } from "../model/tree";
import { placeText } from "../explain/read/source-lines";

/** A difference between what was declared and what is there. */
export interface Drift {
  /** One sentence without full stop. */
  readonly reason: string;
  readonly evidence: readonly Evidence[];
}

/** Compares chains of a bundle with what a synth output folder says of them. */
export function driftOf(
  declared: string,
  observed: Explainer,
  stated: ExplainOptions,
): (chain: ExplainResult, checks: readonly CheckResult[]) => readonly Drift[] {
  const explainer = Explainer.read([declared], stated);
  const files = fileDrift(explainer, observed);
  return (chain, checks) => [
    ...(chain.job === "image-pull" ? files : []),
    ...linkDrift(explainer, chain, checks),
  ];
}

function linkDrift(
  explainer: Explainer,
  { job, subject, target }: ExplainResult,
  checks: readonly CheckResult[],
): readonly Drift[] {
  const asked =
    job === "image-pull" ? { serviceAccount: subject, image: target } : { serviceAccount: subject };
  const results = [...explainer.all({ ...asked, job: job === "running-pull" ? "image-pull" : job })];
  const ofChain = results.filter((each) => job === "image-pull" || each.target === target);
  return ofChain.flatMap(({ checks: ofDeclared }) =>
    ofDeclared.flatMap(({ id, status, reason, evidence }): readonly Drift[] => {
      const seen = checks.find((each) => each.id === id);
      if (id === "otherwise" || status !== "pass" || seen?.status !== "fail") return [];
      return [{ reason: `${id} holds as declared: ${reason}; it is broken as it is`, evidence }];
    }),
  );
}

/** The provider files that were declared, if those on the node differ from each of them. */
function fileDrift(declared: Explainer, observed: Explainer): readonly Drift[] {
  const documents = [declared, observed].map((explainer) =>
    insideOf(explainer).facts.clusters.flatMap(({ nodes }) => nodes.flatMap((node) => node.documents)),
  );
  const [ofDeclared = [], ofNode = []] = documents;
  if (ofDeclared.length === 0) return [];
  return ofNode
    .filter(({ value }) => ofDeclared.every((each) => sameTree(each.value, value) === "no"))
    .map(({ source }) => ({
      reason: `the provider file of the node is none of those that were declared (${ofDeclared.map((each) => placeText(each.source)).join(", ")}): an older one, or it was changed on the node`,
      evidence: [{ text: "provider file of the node", source }],
    }));
}
