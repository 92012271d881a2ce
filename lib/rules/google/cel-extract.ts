/*
 * Google's own CEL function `extract`.
 * Source: cloud.google.com/iam/docs/conditions-attribute-reference, "extract()".
 */

/** A text, one identifier in braces, a text; braces stand nowhere else. */
const TEMPLATE = /^([^{}]*)\{[A-Za-z_][A-Za-z0-9_]*\}([^{}]*)$/;

/** True for a template that {@link extract} reads: exactly one identifier in braces. */
export function isExtractTemplate(template: string): boolean {
  return TEMPLATE.test(template);
}

/**
 * What stands between the first occurrence of the text before the braces and the next occurrence of the text after
 * them; empty where one of the two is missing.
 */
export function extract(text: string, template: string): string {
  const [, before = "", after = ""] = TEMPLATE.exec(template) ?? [];
  const start = text.indexOf(before);
  if (start < 0) return "";
  const rest = text.slice(start + before.length);
  const end = after === "" ? rest.length : rest.indexOf(after);
  return rest.slice(0, Math.max(end, 0));
}
