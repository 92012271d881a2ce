import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { refuseFile } from "../../artefact/problems";
import { objectTitle, propertyPath } from "../../model/property-path";
import { YAML_RULES } from "../../artefact/yaml-rules";
import { parsedYaml, yamlProblem } from "../../model/parsed-yaml";
import { refusePlaceholder } from "./problems";
import {
  Document,
  type Node,
  type Pair,
  Scalar,
  type ToStringOptions,
  isPair,
  isScalar,
  isSeq,
  visit,
} from "yaml";

// At the start of a line, these three characters end a document in every YAML context (YAML 1.2, 9.1.2).
const DOCUMENT_END = /^(---(?:[ \t].*)?\r?\n)/m;

/**
 * Fills the scalars of a YAML file that hold placeholders; everything else keeps its bytes.
 *
 * `fill` gets a scalar's text and its position (`file: Kind ns/name: path`). Its result is always written as text.
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
  // The placeholder is only in a comment.
  if (document === undefined) return text;
  if (another) return refuseFile(file, "has two documents without --- between them");
  const [error] = document.errors;
  if (error) return refuseFile(file, `is not YAML: ${yamlProblem(error)}`);
  const title = `${file}: ${objectTitle(document.get("kind"), document.getIn(["metadata", "namespace"]), document.getIn(["metadata", "name"]))}`;
  visit(document, {
    Scalar: (key, scalar, ancestors) => {
      if (typeof scalar.value !== "string" || !scalar.value.includes(PLACEHOLDER_START)) return;
      const where = title + propertyPath(keysOf(ancestors, scalar));
      if (key === "key") return refusePlaceholder(where, scalar.value);
      scalar.value = fill(scalar.value, where);
      // Drops the placeholder's style, so that the value is written as if it had been known from the start.
      delete scalar.type;
    },
  });
  return documentText(document);
}

function keysOf(ancestors: readonly (Document | Node | Pair)[], scalar: Scalar): (string | number)[] {
  const path = [...ancestors, scalar];
  return path.flatMap((node, place): (string | number)[] => {
    const inner = path[place + 1];
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : "?"];
    if (isSeq(node)) return [node.items.indexOf(inner)];
    return [];
  });
}

const STYLE: ToStringOptions = { lineWidth: 0 };

// Texts that the YAML library would write without quotes and that other readers read differently. Found with 20,000
// texts in sigs.k8s.io/yaml 1.6 (Kubernetes' own) and PyYAML 6.0: control characters and Unicode line breaks are
// refused or end a line, a tab or blanks at the start of a block confuse its indentation, 0o17_1 is a number for one
// reader, and `=` is special for the other.
const UNPRINTABLE = "\\u007f-\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff";
const UNPRINTABLES = new RegExp(`[${UNPRINTABLE}]`, "g");
const DISPUTED = new RegExp(`[${UNPRINTABLE}]|^\\s|^[^\\n]*\\t[^\\n]*$|^0o|^=$`);

/** Matches the written text of every document with a scalar that readers disagree about. */
const MAYBE_DISPUTED = new RegExp(`[\\t${UNPRINTABLE}]|0o|=(?:$|:)|[|>][-+0-9]*$`, "m");

/** One YAML document, keys in the order of the object; ends with a line feed. */
export function yamlText(value: unknown): string {
  return documentText(new Document(value, { ...YAML_RULES, aliasDuplicateObjects: false }));
}

/** The document's text in a form that all readers read alike. */
function documentText(document: Document): string {
  const text = document.toString(STYLE);
  if (!MAYBE_DISPUTED.test(text)) return text;
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && DISPUTED.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  // These characters are now inside double quotes, the only place where YAML has escapes.
  return document
    .toString(STYLE)
    .replaceAll(UNPRINTABLES, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
