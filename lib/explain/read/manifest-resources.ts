/*
 * Kubernetes objects in the Terraform resources `kubernetes_manifest`, `kubernetes_annotations` and
 * `kubernetes_service_account`, in the form of objects from files: templates become placeholders, so that readers of
 * objects need to know only one form.
 *
 * Source: hashicorp/terraform-provider-kubernetes, docs/resources/manifest.md, annotations.md and service_account_v1.md.
 */

import { PLACEHOLDER_START, placeholder } from "../../artefact/placeholder";
import { type Known, andThen, known, map, orElse, unread } from "../../model/known";
import { list, record } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { textAt } from "../../model/tree";
import { KUBERNETES } from "../coverage/kubernetes";
import { NOT_YET, type Resource, listOf } from "./block";
import { type Expression, isTemplate, parseTemplate, templateOf } from "./expression";
import { type LateReader, lateReader } from "./late-text";
import type { KubernetesDocument } from "./objects";
import type { Scope } from "./scope";
import { Hidden } from "./sensitive";
import { type SkippedDocument, below } from "./source";

export interface ManifestResource extends Pick<
  KubernetesDocument,
  "value" | "source" | "late" | "annotator" | "manager"
> {
  readonly address: string;
  /** Key of the Terraform provider's configuration, `kubernetes` or `kubernetes.<alias>`, which selects the cluster. */
  readonly provider: string;
}

/** The objects of a configuration, plan or state. */
export interface ManifestResources {
  readonly objects: readonly ManifestResource[];
  readonly skipped: readonly SkippedDocument[];
  /** The skipped resources that may be service accounts, roles or bindings. */
  readonly perhaps: readonly Resource[];
  /** The skipped resources other than roles and bindings, which may hold another version of what they name. */
  readonly unread: readonly Resource[];
}

const MANIFEST = "kubernetes_manifest";
const ANNOTATIONS = "kubernetes_annotations";
/** Source: hashicorp/terraform-provider-kubernetes, docs/resources/annotations.md and manifest.md, `field_manager`. */
const DEFAULT_MANAGER = "Terraform";
/** Also with the suffix `_v1`, as each of the types. */
const ACCOUNT = "kubernetes_service_account";
const WEBHOOKS = /^kubernetes_(?:mutating|validating)_webhook_configuration(?:_v1)?$/;
type Read = (resource: Resource) => unknown;

/** How the object of a resource is read; `undefined` for a type that is not read. */
function readerOf(type: string): Read | undefined {
  if (type === MANIFEST) return (resource) => resource.written(["manifest"]);
  if (type === ANNOTATIONS) return annotated;
  if (WEBHOOKS.test(type)) return webhooks;
  return type.replace(/_v1$/, "") === ACCOUNT ? account : undefined;
}

/** Other types with objects; some may be service accounts, roles or bindings. */
const OTHERS = /^(?:kubernetes_|kubectl_|helm_release$)/;
const ROLES = /^kubernetes_(?:cluster_)?role(?:_binding)?(?:_v1)?$/;
const PERHAPS = /^(?:kubectl_manifest|helm_release)$/;

export function manifestResources(scope: Scope): ManifestResources {
  const objects: ManifestResource[] = [];
  const skipped: SkippedDocument[] = [];
  const perhaps: Resource[] = [];
  const unread: Resource[] = [];
  for (const resource of scope.resources.values()) {
    const { address, source, type, providerKey: provider } = resource;
    if (resource.adopted || !OTHERS.test(type)) continue;
    const read = objectOf(resource, scope);
    if ("reason" in read) {
      skipped.push({ source, reason: read.reason });
      if (readerOf(type) || PERHAPS.test(type) || ROLES.test(type)) perhaps.push(resource);
      if (!ROLES.test(type)) unread.push(resource);
    }
    const found = "reason" in read ? unreadWebhooks(resource) : read;
    if (found === undefined) continue;
    const { value, late } = found;
    const place = type === MANIFEST ? below(source, "manifest") : source;
    const annotator = type === ANNOTATIONS ? managerOf(resource.text("field_manager")) : undefined;
    const manager =
      type === MANIFEST
        ? andThen(resource.blocks("field_manager"), ([block]) =>
            block === undefined ? known(DEFAULT_MANAGER) : managerOf(block.text("name")),
          )
        : undefined;
    objects.push({ address, provider, value, source: place, late, annotator, manager });
  }
  return { objects, skipped, perhaps, unread };
}

type Found = Pick<ManifestResource, "value" | "late">;

/** The object of a resource, or why it is not read. */
function objectOf(resource: Resource, scope: Scope): Found | { readonly reason: string } {
  const { address, type } = resource;
  const reader = readerOf(type);
  if (reader === undefined) return { reason: `explain does not read resources of type ${type}` };
  const [open] = resource.notUnderstood(KUBERNETES[type.replace(/_v1$/, "")] ?? {});
  if (open !== undefined) return { reason: `explain does not judge its argument ${open}` };
  const isRepeated = !scope.isLiteral && address.endsWith("]");
  const written = isRepeated || !resource.certain ? undefined : reader(resource);
  if (!isRecord(written) || written instanceof Hidden) return { reason: NOT_READ };
  const texts = new Texts(scope);
  const value = withNames(texts.object(written), texts.late);
  return isOpen(value) ? { reason: NOT_READ } : { value, late: texts.late };
}

/** Names and texts in the arguments of a resource, in lower case, one a line. */
export function textOf(resource: Resource): string {
  return wordsIn(resource.written([])).join("\n").toLowerCase();
}

function wordsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return list(value).flatMap(wordsIn);
  return isRecord(value) && !(value instanceof Hidden)
    ? Object.entries(value).flatMap(([key, each]) => [key, ...wordsIn(each)])
    : [];
}

/** The object with its name and namespace as they are if an expression in them is known: they are compared as texts. */
function withNames(object: unknown, late: LateReader): unknown {
  const { metadata } = record(object);
  const rows = Object.entries(record(metadata)).map(([key, value]): [string, unknown] => [
    key,
    typeof value === "string" && OF_NAME.includes(key) ? orElse(late(value), () => value) : value,
  ]);
  return { ...record(object), ...(isRecord(metadata) && { metadata: Object.fromEntries(rows) }) };
}

const OF_NAME: readonly string[] = ["name", "namespace"];

/** True if only apply shows the name, namespace or all annotations of an object, or a list of a role; names of roles may be late. */
function isOpen(object: unknown): boolean {
  const { kind, metadata, rules, subjects, webhooks: hooks } = record(object);
  if (hooks !== undefined && JSON.stringify(hooks).includes(PLACEHOLDER_START)) return true;
  const { name, namespace, annotations } = record(metadata);
  const named = /(?:Role|Binding)$/.test(String(kind)) ? [namespace] : [name, namespace];
  const inRules = list(rules).flatMap((rule) => Object.values(record(rule)));
  return [...named, annotations, rules, subjects, ...inRules].some(
    (each) => typeof each === "string" && each.includes(PLACEHOLDER_START),
  );
}

const NOT_READ =
  "the object comes from an expression, count or for_each, which explain does not evaluate; `terraform show -json` of the plan has it";

function managerOf(name: Known<string | undefined>): Known<string> {
  return map(name, (text) => text ?? DEFAULT_MANAGER);
}

/** Whether a resource that was not read may add annotations to service accounts. */
export function mayAnnotate(resource: Resource): boolean {
  const kind = resource.written(["kind"]);
  return resource.type === ANNOTATIONS && !(typeof kind === "string" && OTHER_KIND.test(kind));
}

/** A kind written as it is. */
const OTHER_KIND = /^(?!ServiceAccount$)\w+$/;

/** The object to which a resource adds annotations, with only these. */
function annotated(resource: Resource): unknown {
  const metadata = resource.written(["metadata"]);
  const [{ name, namespace }] = [record(Array.isArray(metadata) ? list(metadata)[0] : metadata)];
  const annotations = resource.written(["annotations"]);
  return {
    apiVersion: resource.written(["api_version"]),
    kind: resource.written(["kind"]),
    metadata: { name, namespace, annotations },
  };
}

/** A service account; `undefined` if an expression makes a part of it, or its name is generated. */
function account(resource: Resource): unknown {
  const blocks = (name: string): readonly unknown[] => listOf(resource.written([name]));
  const { name, namespace, annotations, labels } = record(blocks("metadata")[0]);
  const imagePullSecrets = blocks("image_pull_secret");
  const parts = [annotations ?? {}, labels ?? {}, ...imagePullSecrets];
  if (blocks("dynamic").length > 0 || !(name ?? false) || !parts.every(isRecord)) return undefined;
  const metadata = { name, namespace, annotations, labels };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata, imagePullSecrets };
}

/** A configuration of webhooks; `undefined` without a name, or if an expression makes its blocks. */
function webhooks(resource: Resource): unknown {
  const [{ name } = {}] = listOf(resource.written(["metadata"])).map(record);
  const blocks = listOf(resource.written(["webhook"]));
  if (name === undefined || !blocks.every(isRecord) || resource.written(["dynamic"]) !== undefined)
    return undefined;
  return {
    ...webhooksNamed(resource, name),
    webhooks: blocks.map((webhook) => ({
      name: webhook["name"],
      rules: listOf(webhook["rule"])
        .map(record)
        .map((rule) => ({
          apiGroups: rule["api_groups"],
          apiVersions: rule["api_versions"],
          operations: rule["operations"],
          resources: rule["resources"],
          scope: rule["scope"],
        })),
      namespaceSelector: selector(webhook["namespace_selector"]),
      objectSelector: selector(webhook["object_selector"]),
      matchConditions: listOf(webhook["match_condition"]),
      failurePolicy: webhook["failure_policy"],
    })),
  };
}

function webhooksNamed({ type }: Resource, name: unknown): object {
  const kind = type.includes("_mutating_") ? "Mutating" : "Validating";
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
  };
}

/** Webhooks that are not read may be for any object; `undefined` for another resource. */
function unreadWebhooks(resource: Resource): Found | undefined {
  if (!WEBHOOKS.test(resource.type)) return undefined;
  const every = ["*"];
  const rules = [{ apiGroups: every, apiVersions: every, operations: every, resources: ["*/*"] }];
  // The address in the form of a name that the API server takes.
  const name = resource.address.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const value = { ...webhooksNamed(resource, name), webhooks: [{ name, rules }] };
  const none = (): undefined => undefined;
  return { value, late: lateReader(none, none) };
}

function selector(block: unknown): object | undefined {
  const [value] = listOf(block).map(record);
  return (
    value && { matchLabels: value["match_labels"], matchExpressions: listOf(value["match_expressions"]) }
  );
}

const BASE64 = "base64encode";
const DATA_URL = "data:text/plain;charset=utf-8;base64,";
const HEXADECIMAL = 16;

/** The texts of one resource in the form of a manifest, and the values of their placeholders. */
export class Texts {
  readonly #scope: Scope;
  /** Locals within which it is. */
  readonly #followed: string[] = [];
  readonly #plain = new Map<string, Known<string>>();
  readonly #encoded = new Map<string, string>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get late(): LateReader {
    return lateReader(
      (each) => this.#plain.get(each),
      (each) => this.#encoded.get(each),
    );
  }

  /** A whole document as a text: values in it that are written as JSON become texts in quotes. */
  document(template: string): string {
    const expression = parseTemplate(template);
    const parts = expression.kind === "template" ? expression.parts : [expression];
    const pieces = parts.map((part): string => {
      if (typeof part === "string") return part;
      const [argument] = part.kind === "call" && part.name === "jsonencode" ? part.args : [];
      if (argument) return JSON.stringify(this.#text(argument));
      const name = part.kind === "path" && part.root === "local" ? `local.${String(part.steps[0])}` : "";
      const local = this.#scope.named.get(name);
      if (typeof local !== "string" || this.#followed.includes(name)) return this.#behind("", part);
      this.#followed.push(name);
      const text = this.document(local);
      this.#followed.pop();
      return text;
    });
    return pieces.join("");
  }

  /** A copy without the nulls that a plan writes for absent fields. */
  object(value: unknown): unknown {
    if (typeof value === "string")
      return this.#scope.isLiteral || !isTemplate(value) ? value : this.#text(parseTemplate(value));
    if (value === NOT_YET) return this.#placeholder(unread("it is known only after apply"));
    if (value instanceof Hidden)
      return this.object(value.parts ?? this.#placeholder(textAt(this.#scope.evaluated(value))));
    if (Array.isArray(value)) return value.map((each) => this.object(each));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
    return Object.fromEntries(entries.map(([key, each]) => [this.object(key), this.object(each)]));
  }

  #text(expression: Expression): string {
    switch (expression.kind) {
      case "template": {
        let text = "";
        for (const part of expression.parts)
          text = typeof part === "string" ? text + part : this.#behind(text, part);
        return text;
      }
      case "value":
        return String(expression.value);
      case "list":
        return this.#placeholder(unread("a list where a string is expected"));
      case "object":
        return this.#placeholder(unread("an object where a string is expected"));
      default:
        return this.#placeholder(this.#scope.text(templateOf(expression.text)));
    }
  }

  /** A text followed by an expression's value; the prefix of an encoded text becomes part of the placeholder. */
  #behind(text: string, expression: Expression): string {
    const [encoded, ...others] =
      expression.kind === "call" && expression.name === BASE64 ? expression.args : [];
    if (encoded === undefined || others.length > 0) return text + this.#text(expression);
    const isUrl = text.endsWith(DATA_URL);
    const before = isUrl ? text.slice(0, -DATA_URL.length) : text;
    const number = this.#encoded.size.toString(HEXADECIMAL);
    const name = placeholder(`${isUrl ? "data-url" : "base64"}.${number}`);
    // Its number is taken before those of the placeholders within.
    this.#encoded.set(name, "");
    this.#encoded.set(name, this.#text(encoded));
    return before + name;
  }

  #placeholder(meaning: Known<string>): string {
    const name = placeholder(`terraform.${this.#plain.size}`);
    this.#plain.set(name, meaning);
    return name;
  }
}
