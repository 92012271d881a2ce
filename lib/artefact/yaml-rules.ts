import type { DocumentOptions, SchemaOptions } from "yaml";

/**
 * The rules for reading back: YAML 1.1, whose readers (Kubernetes' own among them) do not take `yes`, `0755` and
 * `1_000` for text. Text that a reader of YAML 1.2 would not take for text is quoted too.
 */
export const YAML_RULES: DocumentOptions & SchemaOptions = { version: "1.1", compat: "core" };
