import { Document, Scalar, type ToStringOptions, visit } from "yaml";
import { YAML_RULES } from "../../artefact/yaml-rules";

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
export function documentText(document: Document): string {
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
