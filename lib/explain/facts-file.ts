/*
 * Facts that no artefact shows, stated in a file.
 */

import { misfitOf } from "../artefact/fact-shape";
import { propertyPath } from "../artefact/property-path";
import { checkGiven, text } from "../model/shape";
import { FACTS } from "./every-cloud";
import { documentsIn, invalidFile, readText } from "./read/documents";
import { readClusterRecord } from "./read/read-record";
import { lineOf } from "./read/source-lines";
import type { ExplainOptions } from "./selections";

const files = new WeakMap<ExplainOptions, string>();

/**
 * Reads a file with facts, JSON or YAML of one document: `cluster` as `workload-identity.json` has it, and `aws` with
 * `oidcProviders`, `policies` and `repositories`. Its JSON schema is `docs/facts.schema.json`.
 * Throws also for keys and types that are not known.
 */
export function readFactsFile(file: string): ExplainOptions {
  checkGiven("readFactsFile()", text, file, "file");
  const documents = documentsIn(readText(file), file);
  const [first] = documents;
  if (first === undefined || documents.length > 1)
    return invalidFile(file, 1, `has ${documents.length} documents`, "one document");
  const misfit = misfitOf(first.value, FACTS);
  if (misfit !== undefined) {
    const line = lineOf({ file, document: 0, path: propertyPath(misfit.path) }) ?? 1;
    return invalidFile(file, line, misfit.reason, misfit.allowed);
  }
  const { cluster, ...others } = first.value as Readonly<Record<keyof ExplainOptions, object | undefined>>;
  const facts = { ...others, ...(cluster && { cluster: readClusterRecord(cluster) }) } as ExplainOptions;
  files.set(facts, file);
  return facts;
}

/** The file that facts were read from, for evidence. */
export function fileOf(facts: ExplainOptions): string {
  return files.get(facts) ?? "the caller";
}
