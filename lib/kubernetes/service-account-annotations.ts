import { ApiObject, JsonPatch } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { Subject } from "../model/subject";
import { addAnnotations, checkedAnnotations } from "./metadata";
import { writesServiceAccount } from "./once-per-chart";
import { type Kind, type ObjectKind, checkGiven, checkProps, object, record, text } from "../model/shape";

/** What {@link ServiceAccountAnnotations} adds, and to whom. */
export interface ServiceAccountAnnotationsProps {
  /** The service account's namespace. */
  readonly namespace: string;
  /** Name of the existing service account. */
  readonly name: string;
  /** At least one; values may be late. */
  readonly annotations: Readonly<Record<string, string>>;
}

const TEXTS: Kind<Readonly<Record<string, string>>> = record(text);

const SERVICE_ACCOUNT_ANNOTATIONS_PROPS: ObjectKind<ServiceAccountAnnotationsProps> = object({
  namespace: text,
  name: text,
  annotations: record(text),
});

/**
 * Annotations for a service account that somebody else owns: a Helm chart, an operator, another team.
 *
 * The manifest holds nothing but apiVersion, kind, name, namespace and the annotations. Apply it with
 * `kubectl apply --server-side`, so that only these annotations become ours, and never with `--prune`, nor with a
 * GitOps tool that prunes or replaces: both would delete the service account or the owner's fields.
 */
export class ServiceAccountAnnotations extends Construct {
  /** Whose annotations they are. */
  readonly subject: Subject;
  /** The manifest. */
  readonly resource: ApiObject;
  readonly #annotations: Record<string, string>;

  /**
   * Throws `annotations-missing`, `annotation-key-invalid`, `namespace-invalid`,
   * `service-account-invalid`, `service-account-twice` or `late-value` (of a name).
   */
  constructor(scope: Construct, id: string, props: ServiceAccountAnnotationsProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_ANNOTATIONS_PROPS, props);
    super(scope, id);
    this.subject = Subject.of(`${props.namespace}/${props.name}`);
    const owner = `service account ${this.subject.key}`;
    const annotations = checkedAnnotations(owner, props.annotations);
    if (Object.keys(annotations).length === 0) fail("annotations-missing", owner);
    writesServiceAccount(this, this.subject);
    this.#annotations = { ...annotations };
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: this.subject.namespace, name: this.subject.name, annotations },
    });
    // Labels that a chart gives to all its objects are not the owner's.
    if (Object.keys(this.resource.chart.labels).length > 0)
      this.resource.addJsonPatch(JsonPatch.remove("/metadata/labels"));
  }
  /**
   * Adds annotations, for a service account that serves more than one purpose.
   *
   * Throws `annotation-conflict` for another value of one that it has, `annotation-key-invalid`,
   * or `late-value`.
   */
  add(annotations: Readonly<Record<string, string>>): void {
    checkGiven("add()", TEXTS, annotations, "annotations");
    const checked = checkedAnnotations(`service account ${this.subject.key}`, annotations);
    addAnnotations(this.resource, this.#annotations, checked, this.subject);
  }
}
