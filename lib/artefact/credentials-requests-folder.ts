/*
 * Reads the folder that `oc adm release extract --credentials-requests` writes. Returns nothing of a folder unless all
 * of it can be read.
 */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { LineCounter } from "yaml";
import { fail } from "../errors";
import { parsedYaml } from "../model/parsed-yaml";
import { repeatedKey } from "../model/repeated-key";
import type { SourcedDocument } from "../model/sourced-document";
import { isDeeper } from "./nesting";
import { readAtMost } from "./read-file";
import { errorCode } from "./synth-folder";
import { YAML_RULES } from "./yaml-rules";

const EXTRACT =
  "write the requests again with `oc adm release extract --credentials-requests --to=FOLDER RELEASE`";
const EXTENSION = /\.(?:ya?ml|json)$/i;
const JSON_EXTENSION = /\.json$/i;
/** The largest payload request has some 10 KiB; a release has some hundred of them. */
const BYTES_MAX = 4 * 1024 * 1024;
const ALIASES_MAX = 100;
/** Requests have about six levels. */
const DEPTH_MAX = 100;

/**
 * The documents of the files `.yaml`, `.yml` and `.json` of a folder, in the order of the file names; subfolders
 * and other files are not read. Empty documents are left out, but the numbers of documents count them.
 */
export function readCredentialsRequests(folder: string): readonly SourcedDocument[] {
  const files = filesOf(folder);
  if (files.length === 0) return failFolder(folder, "holds no .yaml, .yml or .json file");
  const documents = files.flatMap((file) => (JSON_EXTENSION.test(file) ? jsonFile(file) : yamlFile(file)));
  return documents.length > 0 ? documents : failFolder(folder, "holds no document, only empty files");
}

function filesOf(folder: string): readonly string[] {
  return namesIn(folder)
    .sort()
    .filter((name) => EXTENSION.test(name))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return failFolder(folder, `cannot be read (${errorCode(error)})`);
  }
}

function textOf(file: string): string {
  const bytes = bytesOf(file) ?? failFile(file, undefined, `is larger than ${BYTES_MAX} bytes`);
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes)
    ? text.replace(/^\ufeff/, "")
    : failFile(file, undefined, "is not UTF-8");
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readAtMost(file, BYTES_MAX);
  } catch (error) {
    return failFile(file, undefined, `cannot be read (${errorCode(error)})`);
  }
}

function jsonFile(file: string): readonly SourcedDocument[] {
  const text = textOf(file);
  if (text.trim() === "") return [];
  try {
    const value = shallow(JSON.parse(text), file, 1);
    refuseMembersTwice(text, file);
    return [{ value, source: { file } }];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // YAML's parser knows the line even if V8 does not name it; all JSON is YAML.
    return failFile(file, firstWrongLine(text), "is not JSON with one value");
  }
}

/** `JSON.parse` silently takes the last of several members with the same name. */
function refuseMembersTwice(text: string, file: string): void {
  const twice = repeatedKey(text);
  if (twice === undefined) return;
  const line = text.slice(0, twice).split("\n").length;
  failFile(file, line, "has an object with two members of the same name");
}

function firstWrongLine(text: string): number | undefined {
  const lineCounter = new LineCounter();
  const [error] = parsedYaml(text, { ...YAML_RULES, lineCounter }).flatMap(({ errors }) => errors);
  return error && lineCounter.linePos(error.pos[0]).line;
}

function yamlFile(file: string): readonly SourcedDocument[] {
  const values = yamlDocuments(textOf(file), file);
  return values.flatMap((value, index): SourcedDocument[] => {
    if (value === null || value === undefined) return [];
    return [{ value, source: values.length === 1 ? { file } : { file, document: index + 1 } }];
  });
}

function yamlDocuments(text: string, file: string): readonly unknown[] {
  const lineCounter = new LineCounter();
  return parsedYaml(text, { ...YAML_RULES, lineCounter }).map((document) => {
    const [error] = document.errors;
    const { line } = lineCounter.linePos(error?.pos[0] ?? document.range?.[0] ?? 0);
    if (error)
      return failFile(
        file,
        line,
        // What follows a colon is text of the file, which may be anything, even a private key.
        `is not YAML: ${error.message.split(/ at line|: /)[0]}`,
      );
    try {
      return shallow(document.toJS({ maxAliasCount: ALIASES_MAX }), file, line);
    } catch (refused) {
      if (!(refused instanceof ReferenceError)) throw refused;
      return failFile(file, line, "has aliases that refer to nothing, or that expand to too much");
    }
  });
}

function failFolder(folder: string, reason: string): never {
  return fail("openshift-invalid", {
    problem: `folder of CredentialsRequests ${reason}`,
    value: folder,
    allowed: "a folder with .yaml, .yml or .json files; its subfolders are not read",
    remedy: EXTRACT,
  });
}

function failFile(file: string, line: number | undefined, reason: string): never {
  return fail("openshift-invalid", {
    problem: `file of CredentialsRequests ${reason}`,
    value: line === undefined ? file : `${file}:${line}`,
    allowed: "Kubernetes objects: any number in a YAML file, one in a JSON file",
    remedy: EXTRACT,
  });
}

/** Refuses deep nesting, so that no reader of the documents overflows the stack. */
function shallow(value: unknown, file: string, line: number): unknown {
  return isDeeper(value, DEPTH_MAX)
    ? failFile(file, line, `is nested deeper than ${DEPTH_MAX} levels`)
    : value;
}
