import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { AUDIT_HELP } from "../audit/rows";
import { PACKAGE, packageManifest } from "../../artefact/package-manifest";
import { CHECK_HELP, type CheckHelp } from "../check-help";
import type { Change, Comparison } from "../compare/change";
import { DANGERS, ranked } from "../compare/danger";
import { type Finding, aboutOf, findingsOf, fingerprint, warningsOf, placeOf } from "../findings";
import type { ExplainResult } from "../result";
import type { AnyFinding } from "./causes";
import { changeSentence } from "./compare";
import { inStack } from "./jobs";
import { printableJson, printableText } from "./printable";
import type { RenderReportOptions } from "./json";
import { SCORES, SEVERITIES } from "./severities";

/** Source: OASIS SARIF 2.1.0 with errata 01, the id of its schema. */
const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** A rule in a report. */
export interface SarifRule extends Pick<CheckHelp, "id" | "help"> {
  /** What is wrong where it finds something, a statement. */
  readonly title: string;
  /** CVSS-like, 0.1 to 10, by which GitHub ranks alerts; absent for what is no matter of security. */
  readonly severity?: string;
  readonly page: string;
}

const RULES: readonly SarifRule[] = [
  ...CHECK_HELP.map(({ id, question, help }) => ({
    id,
    help,
    title: `Does not hold, or is not known: ${question}`,
    page: "troubleshooting.md",
  })),
  ...AUDIT_HELP.map(({ severity, ...each }) => ({ ...each, severity: SCORES[severity], page: "explain.md" })),
];

/**
 * The results as SARIF 2.1.0, one run that lists every rule and a result for each link that does not hold: denied is an
 * error, unknown a warning, a warning a note. A run without results closes the alerts of the runs before.
 *
 * Fingerprints are made of check, stack, subject and target, so that an alert stays the same while lines move; GitHub
 * reads the one named `primaryLocationLineHash`. Accepted findings are suppressed, with the reason.
 */
export function* renderSarif(
  results: Iterable<ExplainResult>,
  { audit = [] }: RenderReportOptions = {},
): Generator<string> {
  yield* sarifRun(RULES, all(results, audit));
}

/**
 * The differences as SARIF 2.1.0: a rule for each rank, and a result for each difference. Fingerprints are made of rank,
 * stack, subject, target and issuer.
 */
export function* renderCompareSarif({ changes }: Comparison): Generator<string> {
  const rules = DANGERS.map(({ danger, title, score }) => ({
    id: `compare-${danger}`,
    title,
    help: "Review the lines of both sides that cause it: compare --verbose prints them.",
    severity: score,
    page: "compare.md",
  }));
  yield* sarifRun(rules, ranked(changes).map(findingOfChange));
}

function findingOfChange(change: Change): AnyFinding {
  const { danger = "undecided", stack, subject, target, issuer = "", removed, added } = change;
  return {
    id: `compare-${danger}`,
    severity: danger === "less" ? "note" : danger === "wider" ? "warning" : "error",
    stack,
    subject,
    target: [target, issuer].filter(Boolean).join(" of "),
    reason: changeSentence(change),
    evidence: [...added, ...removed],
    remedy: "",
  };
}

/** One run of these rules, with a result for each finding. */
export function* sarifRun(rules: readonly SarifRule[], findings: Iterable<AnyFinding>): Generator<string> {
  const { version, homepage } = packageManifest();
  const driver = {
    name: PACKAGE,
    semanticVersion: version,
    ...(homepage !== undefined && { informationUri: homepage }),
    rules: rules.map((rule) => ruleOf(rule, homepage)),
  };
  yield `{\n  "$schema": ${JSON.stringify(SCHEMA)},\n  "version": "2.1.0",\n  "runs": [\n    {\n      "tool": `;
  yield `${printableJson({ driver }).replace(/\n/g, "\n      ")},\n      "columnKind": "utf16CodeUnits",\n      "results": [`;
  let separator = "\n        ";
  for (const finding of findings) {
    yield separator + JSON.stringify(resultOf(finding), printableText);
    separator = ",\n        ";
  }
  yield "\n      ]\n    }\n  ]\n}\n";
}

function* all(results: Iterable<ExplainResult>, audit: readonly Finding[]): Generator<AnyFinding> {
  for (const result of results) {
    yield* findingsOf(result);
    yield* warningsOf(result);
  }
  yield* audit;
}

function ruleOf({ id, title, help, severity, page }: SarifRule, homepage: string | undefined): object {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: title },
    ...(homepage !== undefined && { helpUri: `${homepage}/blob/main/docs/${page}` }),
    help: { text: help, markdown: `### ${title}\n\n${help}` },
    properties: {
      tags: ["identity", ...(severity === undefined ? [] : ["security"])],
      ...(severity !== undefined && { "security-severity": severity }),
    },
  };
}

function resultOf(finding: AnyFinding): object {
  const { id, severity, stack, subject, reason, remedy, accepted } = finding;
  const place = placeOf(finding);
  const about = id.startsWith("compare-") ? "" : `${aboutOf(finding)}: `;
  const text = `${about}${reason}${remedy === "" ? "" : `. Remedy: ${remedy}`}`;
  const hash = fingerprint(finding);
  return {
    ruleId: id,
    level: SEVERITIES[severity].level,
    message: { text: literal(text) },
    locations: [
      {
        ...(place && {
          physicalLocation: {
            artifactLocation: { uri: uriOf(place.file) },
            region: { startLine: place.line ?? 1 },
          },
        }),
        logicalLocations: [{ fullyQualifiedName: inStack(stack) + subject }],
      },
    ],
    partialFingerprints: { primaryLocationLineHash: hash, "workloadIdentity/v1": hash },
    // All results of a run have the list, or none has (3.27.23).
    suppressions: accepted
      ? [
          {
            kind: "external",
            status: "accepted",
            justification: `until ${accepted.expires}: ${accepted.reason}`,
          },
        ]
      : [],
  };
}

/** Braces are placeholders (3.11.5), and brackets before parentheses are links (3.11.6): other people's texts make neither. */
function literal(text: string): string {
  return text.replace(/[{}]/g, "$&$&").replaceAll("](", "] (");
}

/** A file as a URI reference (RFC 3986): relative if the path is. */
function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split("/").map(encodeURIComponent).join("/");
}
