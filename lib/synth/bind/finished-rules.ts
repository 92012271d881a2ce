/*
 * Rules of values that were late at synth, when they could not be checked: an address without https, or a private key
 * in the place of a certificate, would be stored in the cluster without a word.
 */

import type { FinishedRule, FinishedRuleName } from "../../artefact/finished-rule";
import { placeholdersIn } from "../../artefact/placeholder";
import { type WorkloadIdentityError, fail } from "../../errors";
import { certificateAuthorityIssues } from "../../rules/fleet/certificate-authority";
import { proxyIssues, serverIssues } from "../../rules/fleet/server-url";

const RULES: Readonly<Record<FinishedRuleName, (text: string) => readonly WorkloadIdentityError[]>> = {
  "certificate-authority": certificateAuthorityIssues,
  proxy: proxyIssues,
  server: serverIssues,
};

/**
 * Refuses a filled text that breaks its rule. The text may hold what must not be shown, so that the refusal names its
 * placeholders instead. `fill` gets the text and where it stands.
 */
export function assertRules(
  rules: readonly FinishedRule[],
  fill: (text: string, where: string) => string,
): void {
  for (const { of, rule, text } of rules) {
    const [issue] = RULES[rule](fill(text, of));
    if (issue) fail("bind-value-invalid", of, [...new Set(placeholdersIn(text))], issue.problem);
  }
}
