/*
 * Reads the folder that `oc adm release extract --credentials-requests` writes. Returns nothing of a folder unless all
 * of it can be read.
 */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../errors";
import type { SourcedDocument } from "../model/sourced-document";
import { readJson, readYaml } from "./parsed-documents";
import { readAtMost } from "./read-file";
import { errorCode } from "./synth-folder";

const EXTRACT =
  "write the requests again with `oc adm release extract --credentials-requests --to=FOLDER RELEASE`";
const EXTENSION = /\.(?:ya?ml|json)$/i;
const JSON_EXTENSION = /\.json$/i;
/** The largest payload request has some 10 KiB; a release has some hundred of them. */
const BYTES_MAX = 4 * 1024 * 1024;

/**
 * The documents of the files `.yaml`, `.yml` and `.json` of a folder, in the order of the file names; subfolders
 * and other files are not read. Empty documents are left out, but the numbers of documents count them.
 */
export function readCredentialsRequests(folder: string): readonly SourcedDocument[] {
  const files = filesOf(folder);
  if (files.length === 0) return failFolder(folder, "holds no .yaml, .yml or .json file");
  const documents = files.flatMap(documentsOf);
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

function documentsOf(file: string): readonly SourcedDocument[] {
  const [text, isJson] = [textOf(file), JSON_EXTENSION.test(file)];
  if (isJson && text.trim() === "") return [];
  const read = isJson ? readJson(text) : readYaml(text);
  if ("reason" in read) return failFile(file, read.line, read.reason);
  const { values } = read;
  return values.flatMap((value, index): SourcedDocument[] => {
    if (value === null || value === undefined) return [];
    return [{ value, source: values.length === 1 ? { file } : { file, document: index + 1 } }];
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
