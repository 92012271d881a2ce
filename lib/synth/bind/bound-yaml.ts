import { type Document, type Node, type Pair, type Scalar, isPair, isScalar, isSeq, visit } from "yaml";
import { parsedYaml } from "../../model/parsed-yaml";
import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { YAML_RULES } from "../../artefact/yaml-rules";
import { objectTitle, propertyPath } from "../../artefact/property-path";
import { documentText } from "./yaml-text";
import { refuseFile } from "../../artefact/problems";
import { refusePlaceholder } from "./problems";

// At the start of a line these three characters are a document's end in every YAML context (YAML 1.2, 9.1.2).
const DOCUMENT_END = /^(---(?:[ \t].*)?\r?\n)/m;

/**
 * Fills the scalars of a YAML file that hold placeholders; everything else keeps its bytes.
 *
 * `fill` gets a scalar's text and where it stands (`file: Kind ns/name: path`). What it returns is written
 * as text, whatever it looks like.
 */
export function boundYaml(
  text: string,
  file: string,
  fill: (scalar: string, where: string) => string,
): string {
  return text
    .split(DOCUMENT_END)
    .map((piece) => (piece.includes(PLACEHOLDER_START) ? boundDocument(piece, file, fill) : piece))
    .join("");
}

function boundDocument(text: string, file: string, fill: (scalar: string, where: string) => string): string {
  const [document, another] = parsedYaml(text, YAML_RULES);
  // Only a comment has the placeholder.
  if (document === undefined) return text;
  if (another) return refuseFile(file, "has two documents without --- between them");
  const [error] = document.errors;
  if (error) return refuseFile(file, `is not YAML: ${error.message.split("\n")[0]}`);
  const title = `${file}: ${objectTitle(document.get("kind"), document.getIn(["metadata", "namespace"]), document.getIn(["metadata", "name"]))}`;
  visit(document, {
    Scalar: (key, scalar, ancestors) => {
      if (typeof scalar.value !== "string" || !scalar.value.includes(PLACEHOLDER_START)) return;
      const where = title + propertyPath(keysOf(ancestors, scalar));
      if (key === "key") return refusePlaceholder(where, scalar.value);
      scalar.value = fill(scalar.value, where);
      // Without the style of the placeholder the writer chooses as for a value that was known from the start.
      delete scalar.type;
    },
  });
  return documentText(document);
}

/** The keys and indexes that lead to a scalar. */
function keysOf(ancestors: readonly (Document | Node | Pair)[], scalar: Scalar): (string | number)[] {
  const path = [...ancestors, scalar];
  return path.flatMap((node, place): (string | number)[] => {
    const inner = path[place + 1];
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : "?"];
    if (isSeq(node)) return [node.items.indexOf(inner)];
    return [];
  });
}
