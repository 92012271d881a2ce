/*
 * Files and kubelet flags as data, for whatever sets up the nodes: this library's own form.
 */

import { isRecord } from "../../model/record";
import { at, record } from "../../model/parsed";
import { type NodeForm, carriedFiles } from "./form";

/** The row of this form in the table of forms. */
export const PLAIN_FORM: NodeForm = {
  id: "files",
  is: (document) => {
    const flags = at(document, "kubeletFlags");
    return (
      at(document, "kind") === undefined &&
      Array.isArray(at(document, "files")) &&
      typeof flags === "object" &&
      flags !== null
    );
  },
  read: ([document]) => {
    const { files, kubeletFlags } = record(document);
    return {
      files: carriedFiles(files, ["files"], { path: "path", content: "content" }),
      ...(isRecord(kubeletFlags)
        ? {
            flags: Object.fromEntries(
              Object.entries(kubeletFlags).map(([key, value]) => [key.replace(/^--/, ""), value]),
            ),
          }
        : { flags: {}, doubt: "kubeletFlags is a list, not a mapping" }),
    };
  },
};
