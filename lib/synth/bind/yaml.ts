import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { refuseFile } from "../../artefact/problems";
import { objectTitle, propertyPath } from "../../artefact/property-path";
import { YAML_RULES } from "../../artefact/yaml-rules";
import { parsedYaml } from "../../model/parsed-yaml";
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

/** Lines are not folded. */
const STYLE: ToStringOptions = { lineWidth: 0 };

// Where readers differ from the YAML library, which would write these without quotes. Tried with 20,000 texts and
// sigs.k8s.io/yaml 1.6 (Kubernetes' own) and PyYAML 6.0: control characters and Unicode line breaks are refused or
// taken for the end of a line, a tab or blanks at the start of a block confuse its indentation, 0o17_1 is a number
// to one and `=` is special to the other.
const UNPRINTABLE = "\\u007f-\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff";
const UNPRINTABLES = new RegExp(`[${UNPRINTABLE}]`, "g");
const DISPUTED = new RegExp(`[${UNPRINTABLE}]|^\\s|^[^\\n]*\\t[^\\n]*$|^0o|^=$`);

/** What the written text of a document has in it wherever one of its scalars is disputed. */
const MAYBE_DISPUTED = new RegExp(`[\\t${UNPRINTABLE}]|0o|=(?:$|:)|[|>][-+0-9]*$`, "m");

/** One YAML document, keys in the order of the object; ends with a line feed. */
export function yamlText(value: unknown): string {
  return documentText(new Document(value, { ...YAML_RULES, aliasDuplicateObjects: false }));
}

/** The document's text as every reader takes it. */
function documentText(document: Document): string {
  const text = document.toString(STYLE);
  if (!MAYBE_DISPUTED.test(text)) return text;
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && DISPUTED.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  // Only between double quotes is there an escape, and there these characters now stand.
  return document
    .toString(STYLE)
    .replaceAll(UNPRINTABLES, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
