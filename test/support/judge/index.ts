/*
 * Judges what a synth wrote by the library's own rules: does every link of every chain hold, once the
 * configuration is applied and the manifests are bound, and does each refuse everybody else?
 *
 * Reads files only, never the construct objects, so that it finds what the constructs got wrong.
 */

import { finishedStack, writtenStacks } from "../synth-output";
import { judgeAws } from "./judge-aws";
import { judgeAzure } from "./judge-azure";
import { acting, judgeComponents } from "./judge-components";
import { judgeFleet } from "./judge-fleet";
import { judgeGoogle } from "./judge-google";
import { judgeKubelet } from "./judge-kubelet";
import { judgeRbac } from "./judge-rbac";
import { judgeTexts } from "./judge-text";
import { uses } from "./uses";

const PULL_JUDGES = [judgeKubelet, judgeRbac, judgeAws, judgeAzure, judgeGoogle];

/** What is wrong in a synth output folder; empty when every declared pull would work and nothing else would. */
export function judge(outdir: string): readonly string[] {
  return writtenStacks(outdir).flatMap((stack) => {
    // Its objects are judged with the stack that they are of.
    if (Object.keys(stack.identity).length === 0) return judgeTexts(stack);
    const broken = judgeTexts(stack);
    // What holds late values or dangling references is not worth reading further.
    if (broken.length > 0) return broken;
    const finished = finishedStack(outdir, stack);
    const pulls = finished.pulls.length > 0 ? PULL_JUDGES : [];
    const findings = [...pulls, judgeComponents, judgeFleet].flatMap((check) => check(finished));
    const judged = uses(finished).length + acting(finished).length;
    return findings.length > 0 || judged > 0 ? findings : ["nothing was judged"];
  });
}
