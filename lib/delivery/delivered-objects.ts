import { AccessProvidersFile, HubConsumer } from "../fleet";
import { ServiceAccountAnnotations } from "../kubernetes";
import { UpgradeableTo } from "../openshift";
import { objectTitle } from "../model/property-path";
import { fail } from "../errors";
import { encode } from "../model/late";
import { at, record } from "../model/parsed";
import { isRecord } from "../model/record";
import {
  asReturned,
  definedKind,
  isDefaultAccount,
  kindName,
  manifestProblem,
  neededNamespaces,
} from "../rules/kubernetes-manifest";
import {
  type ManifestChart,
  type ObjectDocument,
  type StackDocuments,
  identityOf,
  placedObjects,
} from "../synth/manifest-files";

/** The objects of charts in the form that `kubernetes_manifest` needs, with placeholders for late values. */
export class DeliveredObjects {
  readonly #path: string;
  readonly #customKinds: readonly string[];
  readonly #byFile = new Map<string, readonly ObjectDocument[]>();
  readonly #annotationsOnly = new Set<ObjectDocument>();

  /** `path` is the path of the delivering construct, for errors. */
  constructor(path: string, customKinds: readonly string[]) {
    this.#path = path;
    this.#customKinds = customKinds;
  }

  /** Reads the charts again; refuses objects that cannot be delivered and duplicates. */
  read(charts: readonly ManifestChart[], source: Pick<StackDocuments, "late" | "markers">): void {
    this.#byFile.clear();
    this.#annotationsOnly.clear();
    const files = new Map<string, string>();
    for (const chart of charts) {
      const objects = placedObjects(chart, source, (object) =>
        asReturned(withEncodedData(object, source.markers)),
      );
      const ofOthers = annotatedKeys(chart);
      for (const object of objects) {
        this.#check(chart, object, files);
        if (isDefaultAccount(object)) refuseFields(chart, object);
        if (isDefaultAccount(object) || ofOthers.has(keyOf(object))) this.#annotationsOnly.add(object);
      }
      // An existing object without annotations needs no resource.
      const isChanged = (object: ObjectDocument): boolean =>
        !this.isAnnotationsOnly(object) || annotationsOf(object) !== undefined;
      this.#byFile.set(chart.file, objects.filter(isChanged));
    }
    this.#refuseDefinitions();
  }

  of(file: string): readonly ObjectDocument[] {
    return this.#byFile.get(file) ?? [];
  }

  /** True for an object with another owner, to which only annotations are added. */
  isAnnotationsOnly(object: ObjectDocument): boolean {
    return this.#annotationsOnly.has(object);
  }

  /** The namespaces that must exist before the objects, sorted. */
  get namespaces(): readonly string[] {
    return neededNamespaces([...this.#byFile.values()].flat());
  }

  #check(
    { file, appliesTo, spoke, cluster }: ManifestChart,
    object: ObjectDocument,
    files: Map<string, string>,
  ): void {
    const title = titleOf(object);
    const problem = manifestProblem(object, `${file}: ${title}`, this.#customKinds);
    if (problem !== undefined) {
      const { kind, ...sentence } = problem;
      fail(`delivery-${kind}`, sentence);
    }
    const key = JSON.stringify([cluster, appliesTo, spoke, keyOf(object)]);
    const first = files.get(key);
    if (first !== undefined)
      fail("delivery-conflict", {
        problem: `${title} is in ${first} and in ${file}, so two resources of ${this.#path} would overwrite each other`,
        value: title,
        allowed: "each object once per cluster",
        remedy: "write it once, or name one of the files in `files`, which leaves it to `bind`",
      });
    files.set(key, file);
  }

  /** A kind that the same apply would define does not exist yet when Terraform plans. */
  #refuseDefinitions(): void {
    const all = [...this.#byFile.values()].flat();
    const defined = new Set(all.flatMap((object) => definedKind(object) ?? []));
    const early = all.find((object) => defined.has(kindName(object)));
    if (early !== undefined)
      fail("delivery-unsupported", {
        problem: `${titleOf(early)} and the CustomResourceDefinition of its kind are delivered together, and Terraform cannot plan the object before the definition is in the cluster`,
        value: kindName(early),
        allowed: "definitions in a stack that is deployed earlier",
        remedy: "deliver the definition by another stack",
      });
  }
}

/** The objects of a chart that other owners declare. */
function annotatedKeys({ chart }: ManifestChart): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const construct of chart.node.findAll())
    if (construct instanceof ServiceAccountAnnotations || construct instanceof UpgradeableTo)
      keys.add(keyOf(identityOf(construct.resource)));
  return keys;
}

/**
 * True for a chart with parts of other owners' workloads and ConfigMaps, which `kubernetes_manifest` would take over
 * and delete. No resource of the provider patches volumes and init containers of a workload.
 */
export function hasPartialObjects({ chart }: ManifestChart): boolean {
  return chart.node
    .findAll()
    .some((each) => each instanceof HubConsumer || each instanceof AccessProvidersFile);
}

export function annotationsOf(object: ObjectDocument): Readonly<Record<string, string>> | undefined {
  const annotations = at(object, "metadata", "annotations");
  const isEmpty = !isRecord(annotations) || Object.keys(annotations).length === 0;
  return isEmpty ? undefined : (annotations as Readonly<Record<string, string>>);
}

const OF_METADATA: readonly string[] = ["name", "namespace", "annotations"];
const OF_OBJECT: readonly string[] = ["apiVersion", "kind", "metadata"];

/** The account `default` exists in every namespace, so that Terraform can only annotate it. */
function refuseFields({ file }: ManifestChart, object: ObjectDocument): void {
  const others = [
    ...Object.keys(object).filter((key) => !OF_OBJECT.includes(key)),
    ...Object.keys(record(object["metadata"])).filter((key) => !OF_METADATA.includes(key)),
  ];
  if (others.length > 0)
    fail("delivery-unsupported", {
      problem: `${file}: ${titleOf(object)} already exists in every namespace, and Terraform can only annotate it`,
      value: others.join(", "),
      allowed: "annotations",
      remedy: "use a service account with another name, or name the file in `files`",
    });
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
 * Encodes `stringData` as `data`; Terraform encodes late values. The API server returns `stringData` as `data`, which
 * Terraform would report as a bug of the provider (hashicorp/terraform-provider-kubernetes, issue 1684).
 */
function withEncodedData(object: ObjectDocument, markers: StackDocuments["markers"]): ObjectDocument {
  const { stringData, data, ...others } = object;
  if (kindName(object) !== "Secret" || !isRecord(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => {
    const content = String(text);
    if (typeof markers.objectOf(content) !== "string")
      fail("delivery-unsupported", {
        problem: `stringData.${key} of ${titleOf(object)} has an encoded late text, which would be encoded twice`,
        value: key,
        allowed: 'texts in stringData; in data the result of encode("base64", text)',
        remedy: "put it into data",
      });
    return [key, encode("base64", content)];
  });
  return { ...others, data: { ...(isRecord(data) && data), ...Object.fromEntries(encoded) } };
}
