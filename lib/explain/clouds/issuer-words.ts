import { isLateText } from "../facts/terraform";

const REFERENCE = /\$\{\d+#([^}]+)\}/g;

/** An issuer for people: one that apply will tell has no URL yet. */
export function issuerWords(issuer: string): string {
  if (!isLateText(issuer)) return issuer;
  const references = [...issuer.matchAll(REFERENCE)].map(([, reference = ""]) => reference);
  return `the issuer that apply will tell (${references.join(", ") || issuer})`;
}
