import { SILENT, broken, seen } from "../answer";
import { type PullCheck, missing } from "./check";
import { contestedAnnotation } from "../clouds/contested-annotations";

/** Does the service account have the annotations that kubelet and plugin need? */
export const annotationsPresent: PullCheck = {
  id: "annotations-present",
  asks: "Does the service account have the annotations that kubelet and plugin need?",
  why: "Without a required key the kubelet skips the plugin and logs nothing; without its role the plugin fails or falls back.",
  run: ({ artefacts: { cluster }, cloud, entry, account, node, namespace, name }) => {
    if (!account || !entry || !node) return missing("the service account or the entry");
    const { requiredKeys = [], optionalKeys = [] } = entry.tokenAttributes ?? {};
    const contested = contestedAnnotation(account, [...requiredKeys, ...optionalKeys]);
    if (contested) return contested;
    const key = entry.tokenAttributes?.requiredKeys.find((each) => !account.annotations.has(each));
    if (key !== undefined) {
      const near = [...account.annotations.keys()].filter((each) => isNear(each, key));
      return broken(
        `the service account ${account.key} lacks the required annotation ${key}${near.length > 0 ? `; it has ${near.join(", ")}` : ""}`,
        `annotate ${account.key} with ${key}, letter case included`,
        `${SILENT}: at verbosity 5 "Failed to get service account data" err="required annotation ${key} not found"`,
        seen("annotations of the service account", account.source),
        seen("requiredServiceAccountAnnotationKeys", entry.source),
      );
    }
    if (!cloud) return missing("the plugin");
    return cloud.annotations({ cluster, entry, node, account, namespace, name });
  },
};

/** Same domain, or the same key in other letter case. */
function isNear(key: string, wanted: string): boolean {
  return key.toLowerCase() === wanted.toLowerCase() || key.split("/")[0] === wanted.split("/")[0];
}
