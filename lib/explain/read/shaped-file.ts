import { parse } from "yaml";
import { type Shape, misfitOf } from "../../artefact/fact-shape";
import { propertyPath } from "../../artefact/property-path";
import { documentsIn, invalidFile, readText } from "./documents";
import { lineOf } from "./source-lines";

/**
 * The only document of a file that people write, JSON or YAML; throws with the line for what has another shape. YAML 1.2
 * leaves a day as the text that was written, of which 1.1 makes a date, and of February 30 another day.
 */
export function readShapedFile(file: string, shape: Shape, version: "1.1" | "1.2" = "1.1"): unknown {
  const text = readText(file);
  const documents = documentsIn(text, file);
  const [first] = documents;
  if (first === undefined || documents.length > 1)
    return invalidFile(file, 1, `has ${documents.length} documents`, "one document");
  const value: unknown = version === "1.1" ? first.value : parse(text, { version });
  const misfit = misfitOf(value, shape);
  if (misfit === undefined) return value;
  const line = lineOf({ file, document: 0, path: propertyPath(misfit.path) }) ?? 1;
  return invalidFile(file, line, misfit.reason, misfit.allowed);
}
