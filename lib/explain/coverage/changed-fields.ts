/*
 * Whether what a policy of Kyverno or Gatekeeper writes into objects may concern a field that is read.
 *
 * Sources: kyverno.io/docs/writing-policies/mutate (anchors); open-policy-agent.github.io/gatekeeper/website/docs/mutation
 * (`location`).
 */

import { list, record, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { type Coverage, words } from "./coverage";
import { KINDS } from "./kinds";

/** Of each shape that objects with pods and service accounts have. */
const ROWS: readonly Coverage[] = ["Pod", "Deployment", "CronJob", "ServiceAccount"].flatMap(
  (kind) => KINDS[kind] ?? [],
);

/** Whether a `mutate` of Kyverno may change a field that is read. */
export function mayMatter(mutate: unknown): boolean {
  const { patchStrategicMerge, patchesJson6902, ...others } = record(mutate);
  const paths = [...text(patchesJson6902).matchAll(PATH)].map(([, path = ""]) =>
    path.split("/").filter(isField),
  );
  const overlays = [patchStrategicMerge, ...paths.map(nested)].filter((each) => each !== undefined);
  return Object.keys(others).length > 0 || overlays.length === 0 || overlays.some(changesField);
}

/** Whether Gatekeeper's `spec.containers[name:*].image` is, or holds, a field that is read. */
export function mayMatterAt(location: string): boolean {
  const steps = location.match(/(?:"[^"]*"|\[[^\]]*\]|[^."[\]])+/g) ?? [];
  return changesField(nested(steps.map((each) => each.replace(/\[.*/, "").replaceAll('"', ""))));
}

const PATH = /\b(?:path|from)["']?\s*:\s*["']?([^\s"',}]+)/g;

/** Not the place in a list. */
function isField(step: string): boolean {
  return !/^(?:\d+|-)?$/.test(step);
}

function nested(steps: readonly string[]): unknown {
  return steps.reduceRight<unknown>((inner, step) => ({ [step.replaceAll("~1", "/")]: inner }), null);
}

function changesField(overlay: unknown): boolean {
  return ROWS.every((row) => changesIn(overlay, row));
}

/** `+(image)`, `(name)`: what an anchor stands before, and the anchor. */
const ANCHOR = /^([+<^=X]?)\((.+)\)$/;
/** Labels and annotations by which pods and service accounts get an identity. */
const OF_IDENTITY = /amazonaws|azure|gke\.io|google|kubernetes\.io|openshift|\{\{/;

function changesIn(value: unknown, row: Coverage): boolean {
  if (Array.isArray(value)) return list(value).some((each) => changesIn(each, row));
  if (!isRecord(value)) return true;
  return Object.entries(value).some(([key, field]) => {
    const [, anchor, name = key] = ANCHOR.exec(key) ?? [];
    const isCondition = (anchor === "" || anchor === "<") && !(field instanceof Object);
    // Lists are merged by name.
    if (isCondition || name === "name") return false;
    if (name === "labels" || name === "annotations")
      return !isRecord(field) || Object.keys(field).some((label) => OF_IDENTITY.test(label));
    const inner = row.blocks?.[name];
    return inner ? changesIn(field, inner) : !words(row.harmless).includes(name);
  });
}
