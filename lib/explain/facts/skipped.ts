/*
 * What was read and holds no fact, so that nobody takes silence about it for an answer.
 */

import { join } from "node:path";
import { WORKLOAD_IDENTITY_FILE } from "../../artefact/workload-identity-file";
import { list, own, text } from "./access";
import { isServed } from "./served-kinds";
import { type Source, sourceText } from "./source";
import { WORKLOAD_KINDS } from "./workload-facts";

/** Documents that were read and hold no fact. */
export interface SkippedDocument {
  /** The document; of Kubernetes objects the file alone. */
  readonly source: Source;
  /** Why it was left aside. */
  readonly reason: string;
}

/** A document of a file. */
export interface SkippableDocument {
  /** The parsed document. */
  readonly value: unknown;
  /** Where it stands. */
  readonly source: Source;
}

/** Kinds of which facts are read. */
const READ: ReadonlySet<string> = new Set([
  ...WORKLOAD_KINDS,
  "Authentication",
  "AuthenticationConfiguration",
  "CSIDriver",
  "ClusterImagePolicy",
  "ClusterProfile",
  "ClusterRole",
  "ClusterRoleBinding",
  "ConfigMap",
  "CredentialProviderConfig",
  "CredentialsRequest",
  "FeatureGate",
  "HostedCluster",
  "Image",
  "ImageContentSourcePolicy",
  "ImageDigestMirrorSet",
  "ImagePolicy",
  "ImageTagMirrorSet",
  "KubeletConfig",
  "KubeletConfiguration",
  "MachineConfig",
  "NodePool",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Role",
  "RoleBinding",
  "Secret",
  "ServiceAccount",
]);

/** Files of a stack that `workload-identity.json` lists and that are not there: their objects are absent. */
export function missingFiles(
  folder: string,
  files: readonly { readonly file: string }[],
): readonly SkippedDocument[] {
  return files.map(({ file }) => ({
    source: { file: join(folder, file), path: "" },
    reason: `${WORKLOAD_IDENTITY_FILE} lists it, and it is not there; its objects count as absent`,
  }));
}

/** Configurations that no file places on nodes, beside nodes whose own files were read: whose they are is not known. */
export function unplacedConfigurations(sources: readonly Source[]): readonly SkippedDocument[] {
  return [...new Map(sources.map((source) => [sourceText(source), source])).values()].map((source) => ({
    source,
    reason:
      "nothing says which nodes read this CredentialProviderConfig, and others were read with files of their own",
  }));
}

/** What was found in a folder and not opened. */
export function unreadFiles(paths: readonly string[]): readonly SkippedDocument[] {
  return paths.map((file) => ({
    source: { file, path: "" },
    reason: "neither a regular file nor a folder; name what a link leads to",
  }));
}

/** Documents without meaning here. */
export function unknownDocuments(documents: readonly SkippableDocument[]): readonly SkippedDocument[] {
  return documents.map(({ source }) => ({
    source,
    reason: "neither a Kubernetes object, nor files of a node, nor Terraform JSON",
  }));
}

/** Objects of kinds that are not read, counted by file and kind. */
export function unreadObjects(documents: readonly SkippableDocument[]): readonly SkippedDocument[] {
  const counts = new Map<string, { readonly file: string; readonly kind: string; count: number }>();
  for (const { value, source } of documents)
    for (const object of objectsIn(value)) {
      const kind = text(own(object, "kind"));
      if (kind === "" || (READ.has(kind) && isServed(object) && own(object, "$patch") === undefined))
        continue;
      const title = `${text(own(object, "apiVersion"))} ${kind}${own(object, "$patch") === undefined ? "" : " with $patch"}`;
      const key = `${source.file}\n${title}`;
      const known = counts.get(key);
      if (known) known.count++;
      else counts.set(key, { file: source.file, kind: title, count: 1 });
    }
  return [...counts.values()].map(({ file, kind, count }) => ({
    source: { file, path: "" },
    reason: `${count} ${count === 1 ? "object" : "objects"} of ${kind}, a kind that is not read`,
  }));
}

/** The objects of a list, those of one kind included, or the object itself. */
export function objectsIn(value: unknown): readonly unknown[] {
  const kind = text(own(value, "kind"));
  if (!kind.endsWith("List")) return [value];
  const ofItems = kind.slice(0, -"List".length);
  // The items of a list of one kind need not repeat it.
  return list(own(value, "items")).map((item) =>
    ofItems === "" || own(item, "kind") !== undefined || typeof item !== "object" || item === null
      ? item
      : { apiVersion: own(value, "apiVersion"), kind: ofItems, ...item },
  );
}
