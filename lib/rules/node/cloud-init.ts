/*
 * cloud-init's cloud-config. Source: canonical/cloud-init, cloudinit/config/cc_write_files.py (encodings, permissions),
 * cc_runcmd.py, and cloudinit/handlers/cloud_config.py and cloudinit/mergers (how parts are merged).
 */

import type { NodeExecutable, NodeFile } from "../../model/node-file";
import { list, record, text } from "../../model/parsed";
import type { NodeDocument } from "../../model/node-document";
import { type CarriedFile, type NodeForm, type NodeTransport, carriedFiles, octal } from "./form";
import { fetchCommand } from "./plugin-source";

const ROOT = "root:root";
const ENCODINGS: Readonly<Record<string, CarriedFile["encoding"]>> = {
  "": "plain",
  "text/plain": "plain",
  b64: "base64",
  base64: "base64",
  gz: "other",
  gzip: "other",
  "gz+b64": "gzip+base64",
  "gz+base64": "gzip+base64",
  "gzip+b64": "gzip+base64",
  "gzip+base64": "gzip+base64",
};

/** A part states how it is merged into earlier parts; without this, these lists would replace theirs. */
const MERGE_HOW: readonly object[] = [
  { name: "list", settings: ["append"] },
  { name: "dict", settings: ["no_replace", "recurse_list"] },
];

/** User data with files and executables. */
export const CLOUD_INIT: NodeTransport = {
  form: "cloud-init",
  document: (files, executables): NodeDocument => ({
    form: "cloud-init",
    extension: "yaml",
    head: "#cloud-config",
    content: [cloudConfig(files, executables)],
    comment: [
      "A part of user data: cloud-init writes the files when a node boots for the first time, before runcmd. A change",
      "reaches only new nodes. A later part needs the same merge_how, or its write_files and runcmd replace these.",
    ],
  }),
};

function cloudConfig(files: readonly NodeFile[], executables: readonly NodeExecutable[]): object {
  return {
    merge_how: MERGE_HOW,
    write_files: files.map(({ path, mode, content }) => ({
      path,
      owner: ROOT,
      permissions: octal(mode),
      content,
    })),
    ...(executables.length > 0 && { runcmd: executables.map((each) => ["sh", "-c", fetchCommand(each)]) }),
  };
}

export const CLOUD_INIT_FORM: NodeForm = {
  id: "cloud-init",
  is: (document) => Array.isArray(record(document)["write_files"]),
  read: ([document]) => {
    const { write_files: written, runcmd, bootcmd } = record(document);
    return {
      files: carriedFiles(written, ["write_files"], KEYS, encodingOf),
      flags: undefined,
      commands: [...list(bootcmd), ...list(runcmd)],
    };
  },
};

const KEYS = { path: "path", content: "content", mode: "permissions" } as const;

/** cloud-init treats an unknown encoding as plain text. */
function encodingOf({ encoding = "", source }: Readonly<Record<string, unknown>>): CarriedFile["encoding"] {
  if (source !== undefined && source !== null) return "other";
  const name = text(encoding).toLowerCase().trim();
  return (Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined) ?? "plain";
}

/** Whether a part that follows others keeps their lists; only the form written here counts as yes. */
export function keepsEarlierLists(config: unknown): boolean {
  const { merge_how: how, merge_type: type } = record(config);
  const stated = JSON.stringify(how ?? type ?? "");
  return ["append", "no_replace", "recurse_"].every((word) => stated.includes(word));
}
