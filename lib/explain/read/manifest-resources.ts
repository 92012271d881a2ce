/*
 * Kubernetes objects in the Terraform resources `kubernetes_manifest` and `kubernetes_annotations`, in the form of
 * objects from files: templates become placeholders, so that readers of objects need to know only one form.
 *
 * Source: hashicorp/terraform-provider-kubernetes, docs/resources/manifest.md and annotations.md.
 */

import { placeholder } from "../../artefact/placeholder";
import { type Known, unread } from "../../model/known";
import { list, record } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { NOT_YET, type Resource } from "./block";
import { type Expression, isTemplate, parseTemplate, templateOf } from "./expression";
import { type LateReader, lateReader } from "./late-text";
import type { Scope } from "./scope";
import { type SkippedDocument, type Source, below } from "./source";

/** An object in a resource. */
export interface ManifestResource {
  readonly address: string;
  /** Key of the Terraform provider's configuration, `kubernetes` or `kubernetes.<alias>`, which selects the cluster. */
  readonly provider: string;
  readonly value: unknown;
  readonly source: Source;
  readonly late: LateReader;
}

/** The objects of a configuration, plan or state. */
export interface ManifestResources {
  readonly objects: readonly ManifestResource[];
  readonly skipped: readonly SkippedDocument[];
}

const MANIFEST = "kubernetes_manifest";
const ANNOTATIONS = "kubernetes_annotations";

export function manifestResources(scope: Scope): ManifestResources {
  const objects: ManifestResource[] = [];
  const skipped: SkippedDocument[] = [];
  for (const resource of scope.resources.values()) {
    if (resource.adopted || (resource.type !== MANIFEST && resource.type !== ANNOTATIONS)) continue;
    const { address, source, providerKey: provider } = resource;
    const isRepeated = !scope.isLiteral && address.endsWith("]");
    const written = resource.type === MANIFEST ? resource.written(["manifest"]) : annotated(resource);
    if (isRepeated || !resource.certain || !isRecord(written)) {
      skipped.push({ source, reason: NOT_READ });
      continue;
    }
    const texts = new Texts(scope);
    const value = texts.object(written);
    const place = resource.type === MANIFEST ? below(source, "manifest") : source;
    objects.push({ address, provider, value, source: place, late: texts.late });
  }
  return { objects, skipped };
}

const NOT_READ =
  "the object comes from an expression, count or for_each, which explain does not evaluate; `terraform show -json` of the plan has it";

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

const BASE64 = "base64encode";
const DATA_URL = "data:text/plain;charset=utf-8;base64,";
const HEXADECIMAL = 16;

/** The texts of one resource in the form of a manifest, and the values of their placeholders. */
class Texts {
  readonly #scope: Scope;
  readonly #plain = new Map<string, Known<string>>();
  readonly #encoded = new Map<string, string>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get late(): LateReader {
    return this.#plain.size === 0 && this.#encoded.size === 0
      ? lateReader(
          () => undefined,
          () => undefined,
        )
      : lateReader(
          (each) => this.#plain.get(each),
          (each) => this.#encoded.get(each),
        );
  }

  /** A copy without the nulls that a plan writes for absent fields. */
  object(value: unknown): unknown {
    if (typeof value === "string")
      return this.#scope.isLiteral || !isTemplate(value) ? value : this.#text(parseTemplate(value));
    if (value === NOT_YET) return this.#placeholder(unread("it is known only after apply"));
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
