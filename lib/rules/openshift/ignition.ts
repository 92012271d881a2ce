/*
 * Ignition files as the Machine Config Operator takes them, written and read back.
 *
 * Rules: coreos/ignition, config/v3_2/types and config/validate; the operator's tighter ones (data URLs only, mode
 * at most 0777, no special files) from openshift/machine-config-operator, pkg/controller/common/helpers.go.
 */

import { fail } from "../../errors";
import { LateEncoding, encode } from "../../model/late";
import { type NodeFile, nodeFile } from "../../model/node-file";

/** One file of an Ignition configuration. */
export interface IgnitionFile {
  /** Absolute path on the node. */
  readonly path: string;
  /** Permission bits in decimal: 420 is 0644. */
  readonly mode: number;
  /** Always true: the file replaces one of an earlier MachineConfig. */
  readonly overwrite: boolean;
  /** The content as a data URL; `compression` is always the empty text. */
  readonly contents: { readonly compression: string; readonly source: string | LateEncoding };
}

/** An Ignition configuration of version 3.2.0, which every supported OpenShift takes. */
export interface IgnitionConfig {
  /** The version of the format. */
  readonly ignition: { readonly version: string };
  /** The files, sorted by path. */
  readonly storage: { readonly files: readonly IgnitionFile[] };
}

const VERSION = "3.2.0";

/** The operator takes the mere presence of this file as an order. Source: pkg/daemon/constants. */
const FORCE_FILE = "/run/machine-config-daemon-force";

/**
 * Writes node files.
 *
 * `compression` stands there although empty: before 4.20 the operator's merge let a gzip of the overridden file
 * leak into the new one (OCPBUGS-55327). Throws `node-file-invalid`, `ignition-path-taken`,
 * `ignition-path-forbidden` or `late-value`.
 */
export function ignitionConfig(files: readonly NodeFile[]): IgnitionConfig {
  const sorted = files.map(nodeFile).sort((a, b) => (a.path < b.path ? -1 : 1));
  assertPathsDiffer(sorted.map(({ path }) => path));
  return {
    ignition: { version: VERSION },
    storage: {
      files: sorted.map(({ path, mode, content }) => ({
        path,
        mode,
        overwrite: true,
        contents: { compression: "", source: encode("data-url", content) },
      })),
    },
  };
}

/** Reads the files of a finished Ignition configuration; throws `ignition-unreadable`. */
export function readIgnitionFiles(config: IgnitionConfig): readonly NodeFile[] {
  return config.storage.files.map(({ path, mode, contents }) => {
    if (contents.compression !== "") return fail("ignition-unreadable", path, "it is compressed");
    return { path, mode, content: decodeDataUrl(path, contents.source) };
  });
}

function assertPathsDiffer(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (path === FORCE_FILE) fail("ignition-path-forbidden", path);
    if (seen.has(path)) fail("ignition-path-taken", path, "another file has the same path");
    const parent = ancestors(path).find((ancestor) => seen.has(ancestor));
    if (parent !== undefined) fail("ignition-path-taken", path, `${parent} is a file`);
    seen.add(path);
  }
}

function ancestors(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(2).map((_, index) => parts.slice(0, index + 2).join("/"));
}

const DATA_URL = /^data:[^,]*?(;base64)?,([^]*)$/;

/** RFC 2397, base64 or percent-encoded, text in UTF-8. */
function decodeDataUrl(path: string, source: string | LateEncoding): string {
  if (source instanceof LateEncoding) return fail("ignition-unreadable", path, "it holds late values");
  const match = DATA_URL.exec(source);
  if (!match) return fail("ignition-unreadable", path, "it is no data URL");
  const [, base64, data = ""] = match;
  const raw = percentDecoded(path, data);
  return base64 === undefined ? raw : Buffer.from(raw, "base64").toString("utf8");
}

function percentDecoded(path: string, data: string): string {
  try {
    return decodeURIComponent(data);
  } catch {
    return fail("ignition-unreadable", path, "its percent-encoding is broken");
  }
}
