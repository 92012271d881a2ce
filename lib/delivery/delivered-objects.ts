import { ServiceAccountAnnotations } from "../kubernetes";
import { UpgradeableTo } from "../openshift";
import { objectTitle } from "../artefact/property-path";
import { fail } from "../errors";
import { encode } from "../model/late";
import { isRecord } from "../model/record";
import { definedKind, kindName, manifestProblem } from "../rules/kubernetes-manifest";
import {
  type ManifestChart,
  type ObjectDocument,
  type StackDocuments,
  placedObjects,
} from "../synth/manifest-files";

/** The objects of charts as `kubernetes_manifest` takes them, with placeholders for late values. */
export class DeliveredObjects {
  readonly #path: string;
  readonly #customKinds: readonly string[];
  readonly #byFile = new Map<string, readonly ObjectDocument[]>();
  readonly #annotationsOnly = new Set<ObjectDocument>();

  /** `path` is that of the construct that delivers them. */
  constructor(path: string, customKinds: readonly string[]) {
    this.#path = path;
    this.#customKinds = customKinds;
  }

  /** Reads the charts anew; refuses objects that cannot be delivered, or that are there twice. */
  read(charts: readonly ManifestChart[], source: Pick<StackDocuments, "late" | "markers">): void {
    this.#byFile.clear();
    this.#annotationsOnly.clear();
    const files = new Map<string, string>();
    for (const chart of charts) {
      const objects = placedObjects(chart, source, (object) => withEncodedData(object, source.markers));
      const ofOthers = annotatedKeys(chart);
      for (const object of objects) {
        this.#check(chart, object, files);
        if (ofOthers.has(keyOf(object))) this.#annotationsOnly.add(object);
      }
      this.#byFile.set(chart.file, objects);
    }
    this.#refuseDefinitions();
  }

  /** The objects of a file in their order. */
  of(file: string): readonly ObjectDocument[] {
    return this.#byFile.get(file) ?? [];
  }

  /** True for an object of someone else, to which nothing but annotations is added. */
  isAnnotationsOnly(object: ObjectDocument): boolean {
    return this.#annotationsOnly.has(object);
  }

  #check(
    { file, appliesTo, spoke }: ManifestChart,
    object: ObjectDocument,
    files: Map<string, string>,
  ): void {
    const title = titleOf(object);
    const problem = manifestProblem(object, `${file}: ${title}`, this.#customKinds);
    if (problem !== undefined) {
      const { kind, ...sentence } = problem;
      fail(`delivery-${kind}`, sentence);
    }
    const key = JSON.stringify([appliesTo, spoke, keyOf(object)]);
    const first = files.get(key);
    if (first !== undefined)
      fail("delivery-conflict", {
        problem: `${title} is in ${first} and in ${file}, and two resources of ${this.#path} would fight over it`,
        value: title,
        allowed: "each object once per cluster",
        remedy: "write it once, or leave one of the files to `bind` with `files`",
      });
    files.set(key, file);
  }

  /** A kind that the same apply would define is not there when Terraform plans. */
  #refuseDefinitions(): void {
    const all = [...this.#byFile.values()].flat();
    const defined = new Set(all.flatMap((object) => definedKind(object) ?? []));
    const early = all.find((object) => defined.has(kindName(object)));
    if (early !== undefined)
      fail("delivery-unsupported", {
        problem: `${titleOf(early)} and the CustomResourceDefinition of its kind are delivered together, and Terraform cannot plan it before the definition is in the cluster`,
        value: kindName(early),
        allowed: "definitions in a stack that is deployed before",
        remedy: "deliver the definition by another stack",
      });
  }
}

/** The objects of a chart that have other owners. */
function annotatedKeys({ chart }: ManifestChart): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const construct of chart.node.findAll())
    if (construct instanceof ServiceAccountAnnotations || construct instanceof UpgradeableTo) {
      const { apiVersion, kind, name, metadata } = construct.resource;
      keys.add(keyOf({ apiVersion, kind, metadata: { name, namespace: metadata.namespace } }));
    }
  return keys;
}

function titleOf({ kind, metadata }: ObjectDocument): string {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  return objectTitle(kind, namespace, name).replace(/: $/, "");
}

function keyOf(object: ObjectDocument): string {
  const { namespace, name } = isRecord(object["metadata"]) ? object["metadata"] : {};
  return JSON.stringify([kindName(object), namespace ?? "", name]);
}

/**
 * The API server answers `stringData` as `data`, which Terraform takes for a fault of the provider
 * (hashicorp/terraform-provider-kubernetes, issue 1684), so that it is encoded here, and in Terraform where it is late.
 */
function withEncodedData(object: ObjectDocument, markers: StackDocuments["markers"]): ObjectDocument {
  const { stringData, data, ...others } = object;
  if (kindName(object) !== "Secret" || !isRecord(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => {
    const given = String(text);
    if (typeof markers.objectOf(given) !== "string")
      fail("delivery-unsupported", {
        problem: `stringData.${key} of ${titleOf(object)} holds an encoded late text, which would be encoded twice`,
        value: key,
        allowed: 'texts in stringData; in data what encode("base64", text) gives',
        remedy: "put it into data",
      });
    return [key, encode("base64", given)];
  });
  return { ...others, data: { ...(isRecord(data) && data), ...Object.fromEntries(encoded) } };
}
