/*
 * Lists of Kubernetes objects: `List`, and those of one kind, as `kubectl get -o yaml` and API servers print them.
 */

import { at, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import type { KubernetesDocument } from "./objects";
import { below } from "./source";

/** The objects of a list, those of one kind included, or the object itself. */
export function* itemsOf(document: KubernetesDocument): Generator<KubernetesDocument> {
  const { value, source } = document;
  const kind = text(at(value, "kind"));
  const items = at(value, "items");
  if (!kind.endsWith("List") || !Array.isArray(items)) {
    yield document;
    return;
  }
  const ofItems = kind.slice(0, -"List".length);
  for (const [place, item] of (items as readonly unknown[]).entries()) {
    // Items of a typed list need not repeat the kind.
    const isShort = ofItems !== "" && isRecord(item) && item["kind"] === undefined;
    const whole = isShort ? { apiVersion: at(value, "apiVersion"), kind: ofItems, ...item } : item;
    yield* itemsOf({ ...document, value: whole, source: below(source, `items[${place}]`) });
  }
}
