import { type Shape, misfitOf } from "../../artefact/fact-shape";
import { propertyPath } from "../../artefact/property-path";
import { documentsIn, invalidFile, readText } from "./documents";
import { lineOf } from "./source-lines";

/** The only document of a file that people write, JSON or YAML; throws with the line for what has another shape. */
export function readShapedFile(file: string, shape: Shape): unknown {
  const documents = documentsIn(readText(file), file);
  const [first] = documents;
  if (first === undefined || documents.length > 1)
    return invalidFile(file, 1, `has ${documents.length} documents`, "one document");
  const misfit = misfitOf(first.value, shape);
  if (misfit === undefined) return first.value;
  const line = lineOf({ file, document: 0, path: propertyPath(misfit.path) }) ?? 1;
  return invalidFile(file, line, misfit.reason, misfit.allowed);
}
