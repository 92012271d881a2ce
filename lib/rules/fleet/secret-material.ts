/*
 * Finds secrets in documents that are stored in plain text: profiles, the controllers' file, arguments, environment.
 * Messages name the place and never show the value. Source of the rule: KEP-4322, "no secret may be in profile,
 * controller config or plugin config".
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isRecord } from "../../model/record";

/** How the names of placeholders for secrets begin, which were taken out of a document before it is judged. */
export const HIDDEN_PREFIX = "sensitive.";

/**
 * A private key in any form, a JSON Web Token, an AWS access key, a Google API key, a token of GitHub, a header with a
 * token, or a URL with user and password.
 */
const VALUES: readonly RegExp[] = [
  /BEGIN[^\n-]{0,40}PRIVATE[^\n-]{0,20}KEY/i,
  /"private_key(?:_id)?"\s*:/,
  /\.(?<=\beyJ[\w-]{8,}\.)eyJ[\w-]{8,}\./,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[\w-]{35}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b/,
  /(?:^|:\s*)Bearer\s+\S/i,
  /:\/\/[^/?#\s:@]*:[^/?#\s@]+@/,
  // A secret that was hidden when the document was read.
  /^@late\(sensitive\./,
];

/** Names of variables, flags and fields whose value is a secret; those that name a file or an endpoint are not. */
const NAMES: readonly RegExp[] = [
  /(?:^|[_.-])(?:client[_-]?secret|secret[_-]?access[_-]?key|session[_-]?token|access[_-]?token|bearer[_-]?token|id[_-]?token|refresh[_-]?token|password|passwd|passphrase|private[_-]?key|api[_-]?key|client[_-]?key(?:[_-]?data)?|client[_-]?certificate[_-]?(?:data|password))$/i,
  // GITHUB_TOKEN, --auth-token; a name in one word, such as tokenRequest, is a field of some API.
  /[_-]token$/i,
  /^(?:token|secret|clientSecret|privateKey|bearerToken)$/,
];

const DEPTH = 50;

/** True for the name of a variable, a flag or a field whose value is a secret. */
export function isSecretName(name: string): boolean {
  return NAMES.some((pattern) => pattern.test(name));
}

/** True for a text that is or contains a secret; also decodes base64. */
export function isSecretText(text: string): boolean {
  if (VALUES.some((pattern) => pattern.test(text))) return true;
  if (text.length < 64 || !/^[A-Za-z0-9+/\r\n]+=*$/.test(text.trimEnd())) return false;
  const decoded = Buffer.from(text, "base64").toString("latin1");
  return VALUES.some((pattern) => pattern.test(decoded));
}

export function secretMaterial(where: string): WorkloadIdentityError {
  return refusal("fleet-unsafe", {
    problem: `${where} contains secret material, which is stored there in plain text`,
    allowed: "no token, password, private key or client secret anywhere",
    remedy: "remove it, and let the controller use workload identity",
  });
}

/** An error for each place in a document that contains a secret; `where` names the document. */
export function secretIssues(where: string, document: unknown): readonly WorkloadIdentityError[] {
  return [...secretPlaces(document, where, DEPTH)].map(secretMaterial);
}

function* secretPlaces(value: unknown, path: string, depth: number): Generator<string> {
  if (depth === 0) return;
  if (typeof value === "string") {
    if (isSecretText(value)) yield path;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* secretPlaces(item, `${path}[${index}]`, depth - 1);
    // `--client-secret X` and `--client-secret=X` in a list of arguments.
    for (const [index, item] of value.entries()) {
      const [flag = ""] = typeof item === "string" && item.startsWith("-") ? item.split("=", 1) : [];
      if (isSecretName(flag.replace(/^-+/, ""))) yield `${path}[${index}] (${flag})`;
    }
  } else if (isRecord(value)) {
    const { name, value: given } = value;
    if (typeof name === "string" && typeof given === "string" && given !== "" && isSecretName(name))
      yield `${path} (${name})`;
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === "string" && item !== "" && isSecretName(key)) yield `${path}.${key}`;
      else yield* secretPlaces(item, `${path}.${key}`, depth - 1);
    }
  }
}
