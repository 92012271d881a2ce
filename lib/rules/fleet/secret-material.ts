/*
 * Finds secret material in what is written in plain text: profiles, the controllers' file, arguments, environment.
 * Messages name the place and never show the value. Source of the rule: KEP-4322, "no secret may be in profile,
 * controller config or plugin config".
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isRecord } from "../../model/record";

/**
 * A private key in any form, a JSON Web Token, an AWS access key, a Google API key, a token of GitHub, a header with a
 * token, or a URL with user and password.
 */
const VALUES: readonly RegExp[] = [
  /BEGIN[^\n-]*PRIVATE[^\n-]*KEY/i,
  /"private_key(?:_id)?"\s*:/,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[\w-]{35}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b/,
  /(?:^|:\s*)Bearer\s+\S/i,
  /:\/\/[^/?#\s:@]*:[^/?#\s@]+@/,
];

/** Names of variables, flags and fields whose value is a secret; those that name a file or an endpoint are not. */
const NAMES =
  /(?:^|[_.-])(?:client[_-]?secret|secret[_-]?access[_-]?key|session[_-]?token|access[_-]?token|bearer[_-]?token|id[_-]?token|refresh[_-]?token|password|passwd|passphrase|private[_-]?key|api[_-]?key|client[_-]?key(?:[_-]?data)?|client[_-]?certificate[_-]?(?:data|password))$/i;

/** `GITHUB_TOKEN`, `--auth-token`; a name in one word, such as `tokenRequest`, is a field of some API. */
const TOKEN_NAME = /[_-]token$/i;

/** Names that are secret only as they stand. */
const EXACT: readonly string[] = ["token", "secret", "clientSecret", "privateKey", "bearerToken"];

const DEPTH = 50;

/** True for a name whose value would be a secret. */
export function isSecretName(name: string): boolean {
  return EXACT.includes(name) || NAMES.test(name) || TOKEN_NAME.test(name);
}

/** True for a text that is, or holds, a secret; base64 is looked into. */
export function isSecretText(text: string): boolean {
  if (VALUES.some((pattern) => pattern.test(text))) return true;
  if (text.length < 64 || !/^[A-Za-z0-9+/\r\n]+=*\s*$/.test(text)) return false;
  const decoded = Buffer.from(text, "base64").toString("latin1");
  return VALUES.some((pattern) => pattern.test(decoded));
}

/** `fleet-secret-material` for each place in a document; `where` names the document. Never throws. */
export function secretIssues(where: string, document: unknown): readonly WorkloadIdentityError[] {
  const issues: WorkloadIdentityError[] = [];
  visit(document, where, issues, DEPTH);
  return issues;
}

function visit(value: unknown, path: string, issues: WorkloadIdentityError[], depth: number): void {
  if (depth === 0) return;
  if (typeof value === "string") {
    if (isSecretText(value)) issues.push(refusal("fleet-secret-material", path));
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => visit(item, `${path}[${index}]`, issues, depth - 1));
    issues.push(...flagIssues(value, path));
  } else if (isRecord(value)) visitRecord(value, path, issues, depth);
}

function visitRecord(
  value: Record<string, unknown>,
  path: string,
  issues: WorkloadIdentityError[],
  depth: number,
): void {
  const { name, value: given } = value;
  if (typeof name === "string" && typeof given === "string" && given !== "" && isSecretName(name))
    issues.push(refusal("fleet-secret-material", `${path} (${name})`));
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "string" && item !== "" && isSecretName(key))
      issues.push(refusal("fleet-secret-material", `${path}.${key}`));
    else visit(item, `${path}.${key}`, issues, depth - 1);
  }
}

/** `--client-secret X` and `--client-secret=X` in a list of arguments. */
function flagIssues(list: readonly unknown[], path: string): readonly WorkloadIdentityError[] {
  return list.flatMap((item, index) => {
    if (typeof item !== "string" || !item.startsWith("-")) return [];
    const [flag = ""] = item.split("=", 1);
    return isSecretName(flag.replace(/^-+/, ""))
      ? [refusal("fleet-secret-material", `${path}[${index}] (${flag})`)]
      : [];
  });
}
