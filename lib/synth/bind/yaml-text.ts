import { type DocumentOptions, type SchemaOptions, type ToStringOptions, stringify } from "yaml";

/**
 * The rules of reading back: YAML 1.1, whose readers (Kubernetes' own among them) take `yes`, `0755` and `1_000` for
 * something else than text. Where a reader of YAML 1.2 would not see text, text is quoted too.
 */
export const YAML_RULES: DocumentOptions & SchemaOptions = { version: "1.1", compat: "core" };

/** How YAML is written: lines are not folded. */
export const YAML_STYLE: ToStringOptions = { lineWidth: 0 };

/** One YAML document, keys in the order of the object; ends with a line feed. */
export function yamlText(value: unknown): string {
  return stringify(value, { ...YAML_RULES, ...YAML_STYLE, aliasDuplicateObjects: false });
}
