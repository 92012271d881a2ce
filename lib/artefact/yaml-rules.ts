import type { DocumentOptions, SchemaOptions } from "yaml";

/**
 * The rules of reading back: YAML 1.1, whose readers (Kubernetes' own among them) take `yes`, `0755` and `1_000` for
 * something else than text. Where a reader of YAML 1.2 would not see text, text is quoted too.
 */
export const YAML_RULES: DocumentOptions & SchemaOptions = { version: "1.1", compat: "core" };
