/*
 * Files of a megabyte that would keep lint busy for minutes if it compared each part of them with every other, or looked each
 * part up in a list of all: each gets its report or its refusal.
 */

import { describe, expect, it } from "vitest";
import { WorkloadIdentityError } from "../../lib/errors";
import { lint } from "../../lib/lint";
import { filesIn } from "../fixtures/explain/read";
import { sampleNote, sampleOf } from "../support/sample";

const SIZE = 1_000_000;
const HEADER = "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n";
const VERSION = "apiVersion: credentialprovider.kubelet.k8s.io/v1, defaultCacheDuration: 1h";

/** As many parts as there is room for. */
function filled(head: string, part: (index: number) => string, size: number = SIZE): string {
  const parts = [head];
  for (let index = 0, length = head.length; length < size; index += 1) {
    const next = part(index);
    parts.push(next);
    length += next.length;
  }
  return parts.join("");
}

const entry = (index: number, patterns: string): string =>
  `- { name: p${index}, ${VERSION}, matchImages: [${patterns}] }\n`;
const many = (index: number): string => Array.from({ length: 1_200 }, (_, i) => `r${index}-${i}.a.io`).join();
const TOKENS = "serviceAccountTokenAudience: a, cacheType: ServiceAccount, requireServiceAccount: true";
const keyed = (index: number): string =>
  `- { name: p${index}, ${VERSION}, matchImages: [a.io], tokenAttributes: { ${TOKENS}, requiredServiceAccountAnnotationKeys: [a/k${index}] } }\n`;
const pod = (index: number): string =>
  `---\napiVersion: v1\nkind: Pod\nmetadata: { name: w${index}, namespace: shop }\nspec: { serviceAccountName: w, containers: [{ name: w, image: a.io/w${index} }] }\n`;
const ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: w, namespace: shop }\n";
const MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n";

type Row = readonly [what: string, files: Readonly<Record<string, string>>, expected: string];

const ROWS: readonly Row[] = [
  ["entries", { "a.yaml": filled(HEADER, (i) => entry(i, `r${i}.io`)) }, "nothing"],
  ["entries with many patterns each", { "a.yaml": filled(HEADER, (i) => entry(i, many(i))) }, "nothing"],
  [
    "different patterns of one entry",
    { "a.yaml": filled(HEADER, (i) => (i === 0 ? `- name: p\n  matchImages:\n` : `  - r${i}.io\n`)) },
    "found",
  ],
  ["empty entries", { "a.yaml": filled(HEADER, (i) => `- { name: p${i} }\n`) }, "explain-limit"],
  [
    "ConfigMap of entries",
    { "a.yaml": filled(MAP, (i) => `  a${i}.yaml: "matchImages: [a${i}.io]"\n`) },
    "explain-limit",
  ],
  [
    "entries whose annotations the account of many pods lacks",
    { "a.yaml": filled(HEADER, keyed, SIZE / 4), "b.yaml": filled(ACCOUNT, pod, SIZE / 4) },
    "found",
  ],
  [
    "pods, each of another registry",
    {
      "a.yaml": filled(HEADER, (i) => entry(i, `r${i}.io`), SIZE / 2),
      "b.yaml": filled(ACCOUNT, (i) => pod(i).replace("a.io", `s${i}.io`), SIZE / 2),
    },
    "explain-limit",
  ],
  ["a pattern of globs", { "a.yaml": `${HEADER}${entry(0, `"${"*.".repeat(SIZE / 2)}io"`)}` }, "nothing"],
  [
    "openings of placeholders",
    { "a.yaml": `${HEADER}${entry(0, `"${"${<a$(".repeat(SIZE / 6)}"`)}` },
    "found",
  ],
];

describe("a report or a refusal comes for", () => {
  it.each(sampleOf(ROWS, 6, ([what]) => `lint ${what}`))(
    `%s${sampleNote(6)}`,
    { timeout: 120_000 },
    (_, files, expected) => {
      const outcome = (): string => {
        try {
          const { findings } = lint([filesIn(files)]);
          return findings.length > 0 ? "found" : "nothing";
        } catch (error) {
          if (error instanceof WorkloadIdentityError) return error.code;
          throw error;
        }
      };
      expect(outcome()).toBe(expected);
    },
  );
});
