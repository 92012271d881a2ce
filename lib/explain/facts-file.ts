/*
 * Facts that no artefact shows, stated in a file.
 */

import { checkGiven, text } from "../model/shape";
import { FACTS } from "./every-cloud";
import { readClusterRecord } from "./read/read-record";
import { readShapedFile } from "./read/shaped-file";
import type { ExplainOptions } from "./selections";

const files = new WeakMap<ExplainOptions, string>();

/**
 * Reads a file with facts, JSON or YAML of one document: `cluster` as `workload-identity.json` has it, and `aws` with
 * `oidcProviders`, `podIdentityAgents`, `policies` and `repositories`. Its JSON schema is `docs/facts.schema.json`.
 * Also throws for unknown keys and wrong types.
 */
export function readFactsFile(file: string): ExplainOptions {
  checkGiven("readFactsFile()", text, file, "file");
  const { cluster, ...others } = readShapedFile(file, FACTS) as Readonly<
    Record<keyof ExplainOptions, object | undefined>
  >;
  const facts = { ...others, ...(cluster && { cluster: readClusterRecord(cluster) }) } as ExplainOptions;
  files.set(facts, file);
  return facts;
}

/** The file that facts were read from, for evidence. */
export function fileOf(facts: ExplainOptions): string {
  return files.get(facts) ?? "the caller";
}
