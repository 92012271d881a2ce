/*
 * A written stack with associations of EKS Pod Identity, changed, and what is judged of it.
 */

import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Explainer } from "../../lib/explain";
import type { Json } from "../cloud/aws/synthesized";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";

/** A file beside the stack's configuration that a change may write, and that is read too. */
export const POD = "web.json";

export type Change = (
  terraform: Record<string, Record<string, Record<string, Json>>>,
  folder: string,
) => void;

/** What is judged of a workload in a synth in which something was changed; the findings of the audit. */
export function judgedWorkload(
  synth: string,
  change: Change = () => undefined,
): {
  readonly verdict: string;
  readonly as: string | null | undefined;
  readonly checks: Record<string, string>;
  readonly audit: readonly string[];
} {
  const out = temporaryFolder();
  cpSync(synth, out, { recursive: true });
  const folder = join(out, "stacks/prod");
  const file = join(folder, "cdk.tf.json");
  const terraform = JSON.parse(readFileSync(file, "utf8")) as Parameters<Change>[0];
  change(terraform, folder);
  writeFileSync(file, JSON.stringify(terraform));
  const pods = join(folder, POD);
  const explainer = Explainer.read([out, ...(existsSync(pods) ? [pods] : [])]);
  const [result] = [...explainer.all()].filter(({ job }) => job === "workload");
  const wrong = (result?.checks ?? []).filter(({ status }) => status === "fail" || status === "unknown");
  return {
    verdict: result?.verdict ?? "none",
    as: result?.as,
    checks: Object.fromEntries(wrong.map(({ id, status, reason }) => [id, `${status}: ${reason}`])),
    audit: explainer.audit().map(({ id }) => id),
  };
}

export const both =
  (...changes: readonly Change[]): Change =>
  (terraform, folder) => {
    for (const change of changes) change(terraform, folder);
  };

/** Changes every resource of a type, or the one with a name. */
export function changed(type: string, values: (before: Json) => Json, only?: string): Change {
  return ({ resource }) => {
    const all = resource?.[type] ?? {};
    for (const [name, before] of Object.entries(all))
      if (only === undefined || only === name) all[name] = values(before);
  };
}

export const association = (values: Json): Change =>
  changed("aws_eks_pod_identity_association", (before) => ({ ...before, ...values }));

export const also =
  (type: string, name: string, values: Json): Change =>
  ({ resource }) => {
    if (resource) resource[type] = { ...resource[type], [name]: values };
  };
