import { isAbsolute, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Finding } from "../findings";
import { lineOf } from "../read/source-lines";

/** Where a finding is. */
export interface Place {
  /** The file, relative to the working directory if it is below it. */
  readonly file: string;
  /** From 1; `undefined` if the file has only one. */
  readonly line: number | undefined;
}

/** The first place that the evidence of a finding names; `undefined` if it names none. */
export function placeOf({ evidence }: Finding): Place | undefined {
  const source = evidence.find((each) => each.source)?.source;
  return source && { file: fromHere(source.file), line: lineOf(source) };
}

function fromHere(file: string): string {
  const below = isAbsolute(file) ? relative(process.cwd(), file) : file;
  return below.startsWith("..") && isAbsolute(file)
    ? file
    : below.replaceAll(sep, "/").replace(/^(?:\.\/)+/, "");
}

/** A file as a URI reference (RFC 3986): relative if the path is. */
export function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split("/").map(encodeURIComponent).join("/");
}
