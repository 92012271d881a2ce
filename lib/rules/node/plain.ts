/*
 * Files and kubelet flags as data, for whatever sets up the nodes: this library's own form.
 */

import { isRecord } from "../../model/record";
import { type Json, at, list, record, text } from "../../model/parsed";
import { type CarriedFile, type NodeForm, carriedFiles } from "./form";

function isFile(file: unknown): boolean {
  return text(at(file, "path")).startsWith("/") && typeof at(file, "content") === "string";
}

export const PLAIN_FORM: NodeForm = {
  id: "files",
  is: (document) => {
    const flags = at(document, "kubeletFlags");
    const files = at(document, "files");
    if (at(document, "kind") !== undefined || !Array.isArray(files)) return false;
    // Files for API servers have no flags of kubelets.
    return flags === undefined ? files.some(isFile) : typeof flags === "object" && flags !== null;
  },
  read: ([document]) => {
    const { files, kubeletFlags, executables } = record(document);
    const fetched = list(executables).map((each): CarriedFile => ({
      path: text(at(each, "path")),
      content: undefined,
      encoding: "other",
      at: [],
      mode: 0o755,
      sha256: text(at(each, "sha256")),
    }));
    const flags = Object.entries(record(kubeletFlags)).map(([key, value]) => [key.replace(/^--/, ""), value]);
    return {
      files: [
        ...carriedFiles(files, ["files"], { path: "path", content: "content", mode: "mode" }),
        ...fetched,
      ],
      flags: Object.fromEntries(flags) as Json,
      ...(!isRecord(kubeletFlags) && { doubt: "kubeletFlags is a list, not a mapping" }),
    };
  },
};
