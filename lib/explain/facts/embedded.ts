import { parseDocument } from "yaml";
import { YAML_RULES } from "../../artefact/yaml-rules";

const ALIASES_MAX = 100;

/** The JSON or YAML document that stands as a text within another one; `undefined` where it is neither. */
export function embedded(text: string): unknown {
  try {
    const document = parseDocument(text, { ...YAML_RULES, logLevel: "silent" });
    return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch {
    // Nesting without end, or aliases that multiply: the program that reads the text gives up on it as well.
    return undefined;
  }
}
