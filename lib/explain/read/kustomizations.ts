/*
 * Service accounts that kustomize renames, moves or patches before they are applied: its output is read like any other
 * manifest, but its input is not what the cluster gets.
 *
 * Source: kubernetes-sigs/kustomize, api/types/kustomization.go.
 */

import { basename, dirname, resolve, sep } from "node:path";
import { at, text, texts } from "../../model/parsed";
import type { KubernetesDocument } from "./objects";

const FILE = /^kustomization\.ya?ml$/;
const PARTS: readonly string[] = ["resources", "bases", "components"];
const PATCHES: readonly string[] = ["patches", "patchesJson6902", "patchesStrategicMerge", "replacements"];

/** Documents with the kustomization that changes them, if one does. */
export function kustomized(documents: readonly KubernetesDocument[]): readonly KubernetesDocument[] {
  const all = documents.filter(({ source }) => FILE.test(basename(source.file)));
  if (all.length === 0) return documents;
  const covered = all.map((each) => ({ each, paths: pathsOf(each.source.file, all) }));
  return documents.map((document) => {
    const file = resolve(document.source.file);
    const change = covered.find(
      ({ each, paths }) =>
        paths.some((path) => file === path || file.startsWith(path + sep)) &&
        changes(each.value, document.value),
    );
    return change ? { ...document, kustomization: change.each.source } : document;
  });
}

/** The files and folders that a kustomization takes, with those of the kustomizations in these folders. */
function pathsOf(file: string, all: readonly KubernetesDocument[]): readonly string[] {
  const folders = new Set([resolve(dirname(file))]);
  const paths = new Set<string>();
  for (const folder of folders)
    for (const { value, source } of all) {
      if (resolve(dirname(source.file)) !== folder) continue;
      const parts = PARTS.flatMap((part) => texts(at(value, part)));
      for (const part of parts) {
        const path = resolve(folder, part);
        paths.add(path);
        folders.add(path);
      }
    }
  return [...paths];
}

/** Whether a service account in the document gets another name, namespace or content. */
function changes(kustomization: unknown, document: unknown): boolean {
  if (!JSON.stringify(document).includes("ServiceAccount")) return false;
  const namespace = text(at(kustomization, "namespace"));
  const isMoved = namespace !== "" && namespace !== text(at(document, "metadata", "namespace"));
  const isRenamed = ["namePrefix", "nameSuffix"].some((field) => text(at(kustomization, field)) !== "");
  const patches = PATCHES.map((field) => at(kustomization, field));
  return isMoved || isRenamed || JSON.stringify(patches).includes("ServiceAccount");
}
