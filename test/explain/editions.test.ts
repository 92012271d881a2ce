/*
 * The verifier that reads known values says of every pull of the examples what the present one says.
 */

import { describe, expect, it } from "vitest";
import { Explainer as Present } from "../../lib/explain";
import { Explainer } from "../../lib/explain/explainer";
import { type ExampleName, folderOf, synthesized } from "../fixtures/explain/artefacts";

const EXAMPLES: readonly ExampleName[] = [
  "aro-hcp",
  "fleet-argocd",
  "fleet-multikueue",
  "openshift-aws",
  "openshift-manual-aws",
  "openshift-manual-azure",
  "openshift-manual-google",
  "three-clouds",
];

function pullsOf(explainer: Pick<Present, "pulls"> | Explainer): readonly unknown[] {
  return [...explainer.pulls()].map(({ stack, subject, target, verdict, as, checks }) => {
    const statuses = checks.map(({ id, status }) => `${id}: ${status}`);
    return { stack, subject, target, verdict, as, statuses };
  });
}

describe("pulls of the examples", () => {
  it.each(EXAMPLES)("%s", (name) => {
    const folder = folderOf(synthesized(name));
    expect(pullsOf(Explainer.read([folder]))).toEqual(pullsOf(Present.read([folder])));
  });
});
