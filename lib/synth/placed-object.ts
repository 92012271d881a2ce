import { isLate } from "../model/late";
import { objectTitle, propertyPath } from "../artefact/property-path";
import type { LateMarkers } from "./late-markers";
import type { LateValues } from "./late-values";
import { refuseLateIdentity, refuseLateKind, refuseLateKey } from "./problems";

/** What turns the late values of one document into placeholders. */
export interface PlacingContext {
  /** The stack's late values. */
  readonly late: LateValues;
  /** Late objects that went through cdk8s. */
  readonly markers: LateMarkers;
  /** The file that the document stands in, for errors. */
  readonly file: string;
}

/** Fields that say which object a manifest is. */
const IDENTITY: readonly (readonly string[])[] = [
  ["apiVersion"],
  ["kind"],
  ["metadata", "name"],
  ["metadata", "namespace"],
];

/** Kubernetes' customary order; what is not named follows in the order of the object. */
const METADATA_ORDER: readonly string[] = ["name", "generateName", "namespace", "labels", "annotations"];

/**
 * A copy of a Kubernetes object with placeholders for late values, metadata in its customary order.
 */
export function placedObject(object: Readonly<Record<string, unknown>>, context: PlacingContext): object {
  const metadata = isPlain(object["metadata"]) ? object["metadata"] : {};
  const title = objectTitle(object["kind"], metadata["namespace"], metadata["name"]);
  for (const path of IDENTITY) {
    const value = path.reduce<unknown>((inner, key) => (isPlain(inner) ? inner[key] : undefined), object);
    if (isLate(value)) refuseLateIdentity(`${context.file}: ${propertyPath(path)}`);
  }
  const ordered = object["metadata"] === undefined ? object : { ...object, metadata: inOrder(metadata) };
  return placed(ordered, context, title, []) as object;
}

/** A copy of a plain document with placeholders for late values. */
export function placedDocument(document: object, context: PlacingContext): object {
  return placed(document, context, "", []) as object;
}

function inOrder(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = METADATA_ORDER.filter((key) => key in metadata);
  return Object.fromEntries([...known, ...Object.keys(metadata)].map((key) => [key, metadata[key]]));
}

/** `path` is where the walk stands; one list for the whole walk, since an error is the exception. */
function placed(value: unknown, context: PlacingContext, title: string, path: (string | number)[]): unknown {
  const where = (): string => `${context.file}: ${title}${propertyPath(path)}`;
  if (typeof value === "string") return context.late.text(context.markers.objectOf(value), where);
  if (typeof value === "number") return isLate(value) ? refuseLateKind(where(), "number") : value;
  if (Array.isArray(value)) {
    return value.map((entry: unknown, place) => inside(entry, context, title, path, place));
  }
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (key.includes("TfToken[")) return lateKey(key, where);
    copy[key] = inside(entry, context, title, path, key);
  }
  return copy;
}

function inside(
  entry: unknown,
  context: PlacingContext,
  title: string,
  path: (string | number)[],
  key: string | number,
): unknown {
  path.push(key);
  const result = placed(entry, context, title, path);
  path.pop();
  return result;
}

function lateKey(key: string, where: () => string): never {
  return key.includes("&{TfToken[") ? refuseLateKind(where(), "map") : refuseLateKey(where(), key);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
