/*
 * Messages of programs as evidence: which link of a chain each proves to be broken, and which to hold.
 */

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
  const found = new Map<MessageRow, FoundMessage>();
  for (const [place, line] of text.split(/\r?\n/).entries()) {
    // Logs of the kubelet quote messages, and JSON escapes their quotes.
    const plain = line.replaceAll(/\\+(?=["'])/g, "");
    for (const { row, pattern } of PATTERNS) {
      if (!pattern.test(plain)) continue;
      const before = found.get(row);
      found.set(
        row,
        before ? { ...before, count: before.count + 1 } : { row, line: place + 1, text: line, count: 1 },
      );
    }
  }
  return [...found.values()].sort((a, b) => openness(a.row) - openness(b.row) || a.line - b.line);
}

function openness({ broken }: MessageRow): number {
  return broken.length === 0 ? Infinity : broken.length;
}

/** Longer names than this are not what a message quotes. */
const QUOTED_MAX = 300;

function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const end = /\d$/.test(text) ? String.raw`(?!\d)` : "";
  return new RegExp(parts.join(`.{0,${QUOTED_MAX}}?`) + end, "i");
}

const PATTERNS = MESSAGES.map((row) => ({ row, pattern: patternOf(row.text) }));

/** What a text must not hold, by what it is. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  "a token": /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/,
  "a private key": /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  "a secret key of AWS": /aws_?secret_?access_?key["'\s:=]+[A-Za-z0-9/+]{40}/i,
  "a header with credentials": /\b(?:Basic|Bearer)\s+[\w+/=.-]{24,}/i,
  "credentials of a registry":
    /"(?:auth|identitytoken|password)"\s*:\s*"[^"\s]{8,}"|\.docker(?:cfg|configjson)"?\s*:\s*["']?[\w+/=]{12,}/i,
  "a key of a service account":
    /"private_key(?:_id)?"\s*:\s*"[^"\s]{8,}|client-key-data"?:\s*"?[\w+/=]{12,}/i,
};

/** A variable whose name says that its value is a secret, on the same line or before it. */
const NAMED_SECRET =
  /"?name"?:\s*"?\w*(?:PASSWORD|PASSWD|SECRET|SECRET_KEY|ACCESS_KEY|API_KEY|PRIVATE_KEY|_TOKEN)"?\s*,?\s*$/i;
const VALUE = /^\s*"?value"?:\s*"?(?!left out)[^\s"]{6,}/i;

/** The first line that holds a secret, from 1, and what it is; `undefined` if none does. */
export function secretIn(text: string): { readonly line: number; readonly what: string } | undefined {
  const lines = text.split(/\r?\n/);
  for (const [place, line] of lines.entries()) {
    const [what] = Object.entries(SECRETS).find(([, pattern]) => pattern.test(line)) ?? [];
    if (what !== undefined) return { line: place + 1, what };
    const [before = "", ...rest] = line.split(/,(?=\s*"?value)/);
    if (NAMED_SECRET.test(before) && VALUE.test(rest[0] ?? lines[place + 1] ?? ""))
      return { line: place + 1, what: "a variable whose name says that it is a secret" };
  }
  return undefined;
}
