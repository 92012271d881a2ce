import { isLate } from "../../../lib/model/late";
import type { FederatedCredential } from "../../../lib/rules/azure/trust";

/** The claims of a service account token that Entra compares. */
export interface AzureTokenClaims {
  /** The `iss` claim. */
  readonly iss: string;
  /** The `sub` claim. */
  readonly sub: string;
  /** The `aud` claim; Kubernetes writes a list. */
  readonly aud: string | readonly string[];
}

/** Whether a credential admits a token, and why. */
export interface AdmitsAnswer {
  /** `unknown` where a value is known only after apply, or where Entra's behaviour is not documented. */
  readonly outcome: "allowed" | "denied" | "unknown";
  /** One line, with Entra's error code where it refuses. */
  readonly reason: string;
}

type Compared = readonly [what: string, expected: string, given: string, code: string];

const REFERENCE = /\$\{/;

/**
 * Whether a federated identity credential admits a token: issuer, subject and audience, each to the letter.
 *
 * Letter case and a trailing slash count, and there are no wildcards. Never throws. Codes: learn.microsoft.com,
 * Microsoft Entra authentication error codes.
 */
export function admits(
  credential: Omit<FederatedCredential, "name">,
  claims: AzureTokenClaims,
): AdmitsAnswer {
  const audiences = [claims.aud].flat().map(String);
  const compared: readonly Compared[] = [
    ["issuer", credential.issuer, String(claims.iss), "AADSTS700211"],
    ["subject", credential.subject, String(claims.sub), "AADSTS700213"],
    ["audience", credential.audience, audiences.join(" "), "AADSTS700212"],
  ];
  const open = compared.find(([, expected]) => isLate(expected) || REFERENCE.test(expected));
  const broken = compared.find(
    (row) => row !== open && differs(row) && !(row[0] === "audience" && audiences.includes(row[1])),
  );
  if (broken) return { outcome: "denied", reason: refusal(broken) };
  if (open) return { outcome: "unknown", reason: `the credential's ${open[0]} is known only after apply` };
  if (audiences.length > 1)
    return { outcome: "unknown", reason: "the token has several audiences; kubelet tokens have one" };
  return { outcome: "allowed", reason: "issuer, subject and audience are equal to the letter" };
}

function differs([, expected, given]: Compared): boolean {
  return expected !== given && !isLate(expected) && !REFERENCE.test(expected);
}

function refusal([what, expected, given, code]: Compared): string {
  const text = `${what} of the token is ${given}, the credential expects ${expected}`;
  if (what === "subject" && expected.toLowerCase() === given.toLowerCase())
    return `${text}; they differ in letter case (AADSTS7002138)`;
  if (what === "issuer" && expected.replace(/\/$/, "") === given.replace(/\/$/, ""))
    return `${text}; they differ in the trailing slash (${code})`;
  return `${text} (${code})`;
}
