import { parse } from "yaml";
import { type Shape, misfitOf } from "../../artefact/fact-shape";
import { propertyPath } from "../../model/property-path";
import { documentsIn, invalidFile, readText } from "./documents";
import { lineOf } from "./source-lines";

/**
 * Reads the only document of a handwritten file, JSON or YAML; throws with the line for another shape. YAML 1.2 keeps a
 * day as text; 1.1 converts it to a date, and February 30 to a different day.
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
