/*
 * Messages of programs as evidence: which link of a chain each proves to be broken, and which to hold.
 */

import { escaped } from "../explain/render/causes";
import { AWS_MESSAGES } from "./messages/aws";
import { AZURE_MESSAGES } from "./messages/azure";
import { GOOGLE_MESSAGES } from "./messages/google";
import { KUBERNETES_MESSAGES } from "./messages/kubernetes";
import type { MessageRow } from "./messages/row";

export const MESSAGES: readonly MessageRow[] = [
  ...KUBERNETES_MESSAGES,
  ...AWS_MESSAGES,
  ...AZURE_MESSAGES,
  ...GOOGLE_MESSAGES,
];

/** A known message in a text. */
export interface FoundMessage {
  readonly row: MessageRow;
  /** The line that has it first, from 1. */
  readonly line: number;
  /** That line. */
  readonly text: string;
  /** How many lines have it. */
  readonly count: number;
}

/** The known messages of a log, an event or an error, those that leave the fewest links open first. */
export function messagesIn(text: string): readonly FoundMessage[] {
  const byRow = new Map<MessageRow, FoundMessage>();
  for (const [place, line] of text.split(/\r?\n/).entries()) {
    const plain = unquoted(line);
    for (const { row, pattern } of PATTERNS) {
      if (!pattern.test(plain)) continue;
      const before = byRow.get(row);
      byRow.set(
        row,
        before ? { ...before, count: before.count + 1 } : { row, line: place + 1, text: line, count: 1 },
      );
    }
  }
  return [...byRow.values()].sort((a, b) => openness(a.row) - openness(b.row) || a.line - b.line);
}

/** Logs of the kubelet quote messages, and JSON escapes their quotes. */
export function unquoted(line: string): string {
  return line.replaceAll(/(?<!\\)\\+(?=["'])/g, "");
}

function openness({ broken }: MessageRow): number {
  return broken.length === 0 ? Infinity : broken.length;
}

/** Longer names than this are not what a message quotes. */
const QUOTED_MAX = 300;

function patternOf(text: string): RegExp {
  const parts = text.split("…").map(escaped);
  const end = /\d$/.test(text) ? String.raw`(?!\d)` : "";
  return new RegExp(parts.join(`.{0,${QUOTED_MAX}}?`) + end, "i");
}

const PATTERNS = MESSAGES.map((row) => ({ row, pattern: patternOf(row.text) }));

/** How names of secrets end, in any spelling. */
const NAME =
  "(?:client[_-]?secret|secret[_-]?access[_-]?key|(?:account|access|api|private)[_-]?key|(?:session|access|refresh|registry|authorization|auth|bearer)[_-]?token|password|passwd|passphrase)";
/** A value that is neither left out nor the path of a file, a reference or a template. */
const VALUE = String.raw`(?!left out|redacted|https?:)[^\s"'\\<>{}()$*,;&|/][^\s"'\\]{5,300}`;

const VARIABLE = String.raw`"?name"?:\s*"?\w{0,60}(?:PASSWORD|PASSWD|SECRET|ACCESS_KEY|API_KEY|PRIVATE_KEY|_TOKEN)"?`;
const OF_IT = String.raw`"?value"?:\s*"?${VALUE}`;

/** What a line, perhaps with the next, must not hold, by what it is. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  "a token": /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/,
  "a token of a service":
    /\b(?:gh[pousr]_\w{30}|github_pat_\w{20}|glpat-[\w-]{20}|ya29\.[\w-]{20}|AIza[\w-]{35})/,
  "a private key": /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  "a secret key of AWS": /secret_?access_?key["'\s:=]+[A-Za-z0-9/+]{40}/i,
  "a header with credentials":
    /\b(?:Basic|Bearer)\s+[\w+/=.-]{24,}|\bauthorization["':\s]+(?:Basic|Bearer)\s+[\w+/=.-]{8,}/i,
  "a URL with a password": /:\/\/[^/?#\s:@"'<>]{0,200}:(?!x+@|\*+@)[^/?#\s:@"'<>]{1,300}@/,
  "a signed URL": /[?&]sig=[\w%+/-]{20}|\bx-(?:amz|goog)-(?:signature|security-token)=\w/i,
  "credentials of a registry":
    /"(?:auth|identitytoken|password)"\s*:\s*"[^"\s]{8,}"|\.docker(?:cfg|configjson)"?\s*:\s*["']?[\w+/=]{12,}/i,
  "a key of a service account":
    /"private_key(?:_id)?"\s*:\s*"[^"\s]{8,}|client-key-data"?:\s*"?[\w+/=]{12,}/i,
  "a value whose name says that it is a secret": new RegExp(
    [
      String.raw`${NAME}[ \t]{0,3}=[ \t]{0,3}["']?${VALUE}`,
      String.raw`"[\w.-]{0,60}${NAME}"\s*:\s*"${VALUE}"`,
      String.raw`^\s*(?:-\s+)?[\w.-]{0,60}${NAME}:[ \t]+${VALUE}[ \t]*$`,
      String.raw`(?:^\s*|--|")token(?:"?:[ \t]*"?|=)(?![/$])[\w.~+/=-]{20,}"?,?\s*$`,
    ].join("|"),
    "im",
  ),
  "a variable whose name says that it is a secret": new RegExp(
    String.raw`${VARIABLE}\s*[,\n]\s*${OF_IT}|${OF_IT}"?\s*[,\n]\s*${VARIABLE}\s*(?:[,}]|$)`,
    "im",
  ),
};

const BASE64 = /[A-Za-z0-9+/]{40,}={0,2}/g;

/** The first line that holds a secret, from 1, and what it is; `undefined` if none does. */
export function secretIn(text: string): { readonly line: number; readonly what: string } | undefined {
  const lines = text.split(/\r?\n/).map(unquoted);
  for (const [place, line] of lines.entries()) {
    const encoded = line.match(BASE64)?.map((each) => Buffer.from(each, "base64").toString("latin1")) ?? [];
    const both = `${line}\n${lines[place + 1] ?? ""}`;
    const row = Object.entries(SECRETS).find(
      ([, pattern]) =>
        (pattern.exec(both)?.index ?? Infinity) < line.length || encoded.some((each) => pattern.test(each)),
    );
    if (row) return { line: place + 1, what: row[0] };
  }
  return undefined;
}
