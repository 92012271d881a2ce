/*
 * The published forms of the reports that machines read, asked about a finished text.
 */

import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** The schema of OASIS as Microsoft's tool ships it. */
const SARIF_SCHEMA = resolve(
  __dirname,
  "../../node_modules/@microsoft/sarif-multitool-ts/assets/sarif-2.1.0.schema.json",
);

let sarif: ValidateFunction | undefined;

function sarifSchema(): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats(ajv);
  return ajv.compile(JSON.parse(readFileSync(SARIF_SCHEMA, "utf8")) as object);
}

/** What the schema of SARIF 2.1.0 has against a log. */
export function sarifProblems(log: string): readonly string[] {
  const isValid = (sarif ??= sarifSchema());
  if (isValid(JSON.parse(log))) return [];
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}

interface JunitElement {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly children: readonly string[];
}

const FAULT: JunitElement = { required: [], optional: ["message", "type"], children: [] };
const OUTPUT: JunitElement = { required: [], optional: [], children: [] };
const COUNTS = ["tests", "failures", "errors"];

/** Elements and attributes of junit-10.xsd of Jenkins' xunit plugin (jenkinsci/xunit-plugin), but for reruns. */
const JUNIT: Readonly<Record<string, JunitElement>> = {
  testsuites: { required: [], optional: ["name", "time", ...COUNTS], children: ["testsuite"] },
  testsuite: {
    required: ["name", ...COUNTS],
    optional: ["group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"],
    children: ["testsuite", "properties", "testcase", "system-out", "system-err"],
  },
  properties: { required: [], optional: [], children: ["property"] },
  property: { required: ["name", "value"], optional: [], children: [] },
  testcase: {
    required: ["name"],
    optional: ["time", "classname", "group"],
    children: ["skipped", "error", "failure", "system-out", "system-err"],
  },
  skipped: FAULT,
  error: FAULT,
  failure: FAULT,
  "system-out": OUTPUT,
  "system-err": OUTPUT,
};

const TAG = /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g;
const NUMBER = /^\d+(?:\.\d+)?$/;

/** What junit-10.xsd has against a report: elements out of place, attributes that are missing or not known, bare characters. */
export function junitProblems(text: string): readonly string[] {
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, "");
  const problems: string[] = [];
  const open: string[] = [];
  for (const [tag, end, name = "", attributes = "", single] of body.matchAll(TAG)) {
    if (end) {
      if (open.pop() !== name) problems.push(`${tag} closes another element`);
      continue;
    }
    const parent = open.at(-1);
    const allowed = parent === undefined ? ["testsuites", "testsuite"] : JUNIT[parent]?.children;
    if (!allowed?.includes(name)) problems.push(`${name} in ${parent ?? "the document"}`);
    const given = new Map(
      [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
    );
    const { required = [], optional = [] } = JUNIT[name] ?? {};
    for (const key of required) if (!given.has(key)) problems.push(`${name} without ${key}`);
    for (const [key, value] of given) {
      if (![...required, ...optional].includes(key)) problems.push(`${key} of ${name}`);
      if ([...COUNTS, "skipped"].includes(key) && !NUMBER.test(value)) problems.push(`${key}="${value}"`);
    }
    if (!single) open.push(name);
  }
  const rest = body.replace(TAG, "").replace(/<!\[CDATA\[[^]*?\]\]>/g, "");
  if (/[<>]|&(?!(?:amp|lt|gt|quot|apos|#x?[\da-fA-F]+);)/.test(rest)) problems.push("bare characters");
  return [...problems, ...open.map((name) => `${name} is not closed`)];
}
