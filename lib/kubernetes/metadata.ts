/*
 * Checks of metadata that the API server would otherwise make only when the manifest is applied.
 */

import { ApiObject, type ApiObjectProps, JsonPatch } from "cdk8s";
import type { Construct } from "constructs";
import { fail } from "../errors";
import { isLate, literal } from "../model/late";
import type { Subject } from "../model/subject";
import { NEWEST_KUBERNETES } from "../rules/kubelet/feature-gates";
import { qualifiedNameProblems } from "../rules/kubelet/qualified-name";

const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const LABEL_VALUE_MAX = 63;

type TextMap = Readonly<Record<string, string>>;

export function checkedAnnotations(owner: string, annotations: TextMap): Record<string, string> {
  for (const key of Object.keys(annotations)) {
    literal(key, `annotation key of ${owner}`);
    // The API server lower-cases keys for this check only (apimachinery, pkg/api/validation/objectmeta.go).
    if (!isQualifiedName(key.toLowerCase()))
      fail("kubernetes-invalid", {
        problem: `annotation key of ${owner} is not a qualified name`,
        value: key,
        allowed: "[DNS subdomain/]name, the name 1 to 63 of A-Z, a-z, 0-9, -, _ and .",
        remedy: "copy the key from the plugin's documentation",
      });
  }
  return { ...annotations };
}

/** Adds checked annotations to an object that already has the `known` ones. */
export function addAnnotations(
  object: ApiObject,
  known: Record<string, string>,
  annotations: TextMap,
  subject: Subject,
): void {
  const entries = Object.entries(annotations);
  for (const [key, value] of entries)
    if (known[key] !== undefined && known[key] !== value)
      fail("kubernetes-conflict", {
        problem: `two constructs need different values of the annotation ${key}`,
        value: subject.key,
        remedy: "give each of them its own service account",
      });
  for (const [key, value] of entries) {
    known[key] = value;
    object.metadata.addAnnotation(key, value);
  }
}

export function checkedLabels(owner: string, labels: TextMap): TextMap {
  for (const [key, value] of Object.entries(labels)) {
    literal(key, `label key of ${owner}`);
    const good = isQualifiedName(key) && typeof value === "string" && (isLate(value) || isLabelValue(value));
    if (!good)
      fail("kubernetes-invalid", {
        problem: `label ${key} of ${owner} is not a valid label`,
        value,
        allowed:
          "a qualified name as key; a value that is empty or has up to 63 of A-Z, a-z, 0-9, -, _ and ., starting and ending with a letter or digit",
        remedy: "correct the label, or use an annotation",
      });
  }
  return { ...labels };
}

/**
 * An object that belongs to the whole cluster.
 *
 * A chart's default namespace would otherwise be written into it, and cluster-wide objects have no namespace.
 */
export function clusterObject(scope: Construct, id: string, props: ApiObjectProps): ApiObject {
  const object = new ApiObject(scope, id, props);
  if (object.metadata.namespace !== undefined) object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  return object;
}

/** The API server's messages differ between minor versions, but the rule is the same. */
function isQualifiedName(key: string): boolean {
  return qualifiedNameProblems(key, NEWEST_KUBERNETES).length === 0;
}

function isLabelValue(value: string): boolean {
  return value === "" || (value.length <= LABEL_VALUE_MAX && LABEL_VALUE.test(value));
}
