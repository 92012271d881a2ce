import { ApiObject, Chart, JsonPatch } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { remembered } from "../model/once";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  checkProps,
  object,
  optional,
  record,
  text,
} from "../model/shape";
import { Subject } from "../model/subject";
import { addAnnotations, checkedAnnotations, checkedLabels } from "./metadata";

const TEXTS: Kind<Readonly<Record<string, string>>> = record(text);

/** Properties of a {@link ServiceAccount}. */
export interface ServiceAccountProps {
  /** An existing namespace. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
  /**
   * Annotations for a cloud's image credential provider plugin or webhook; values may be late.
   *
   * @defaultValue - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Labels of the object.
   *
   * @defaultValue - none besides the chart's
   */
  readonly labels?: Readonly<Record<string, string>>;
}

const SERVICE_ACCOUNT_PROPS: ObjectKind<ServiceAccountProps> = object({
  namespace: text,
  name: text,
  annotations: optional(TEXTS),
  labels: optional(TEXTS),
});

/**
 * A service account that this configuration owns entirely.
 *
 * If it has another owner use `ServiceAccountAnnotations`: applying a complete object takes over the owner's fields.
 */
export class ServiceAccount extends Construct {
  /** The subject of its tokens. */
  readonly subject: Subject;
  /** The manifest. */
  readonly resource: ApiObject;
  readonly #annotations: Record<string, string>;

  constructor(scope: Construct, id: string, props: ServiceAccountProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_PROPS, props);
    super(scope, id);
    this.subject = Subject.of(`${props.namespace}/${props.name}`);
    const owner = ownerOf(this.subject);
    this.#annotations = checkedAnnotations(owner, props.annotations ?? {});
    const labels = checkedLabels(owner, props.labels ?? {});
    this.resource = serviceAccount(this, this.subject, { annotations: { ...this.#annotations }, labels });
  }

  /** Adds annotations and labels, for a service account that serves more than one purpose. */
  add(annotations: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> = {}): void {
    checkGiven("add()", TEXTS, annotations, "annotations");
    checkGiven("add()", TEXTS, labels, "labels");
    const owner = ownerOf(this.subject);
    const checked = checkedLabels(owner, labels);
    addAnnotations(this.resource, this.#annotations, checkedAnnotations(owner, annotations), this.subject);
    for (const [key, value] of Object.entries(checked)) this.resource.metadata.addLabel(key, value);
  }
}

/** Properties of {@link ServiceAccountAnnotations}. */
export interface ServiceAccountAnnotationsProps {
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the existing service account. */
  readonly name: string;
  /** Annotations to add, at least one; values may be late. */
  readonly annotations: Readonly<Record<string, string>>;
}

const SERVICE_ACCOUNT_ANNOTATIONS_PROPS: ObjectKind<ServiceAccountAnnotationsProps> = object({
  namespace: text,
  name: text,
  annotations: TEXTS,
});

/**
 * Annotations for a service account that a Helm chart, an operator or another team owns.
 *
 * The manifest has only apiVersion, kind, name, namespace and the annotations. Apply it with `kubectl apply
 * --server-side`, so that you own only these annotations. Never apply it with `--prune` or with a GitOps tool that
 * prunes or replaces: that would delete the service account or the owner's fields.
 */
export class ServiceAccountAnnotations extends Construct {
  /** The annotated service account. */
  readonly subject: Subject;
  /** The manifest. */
  readonly resource: ApiObject;
  readonly #annotations: Record<string, string>;

  constructor(scope: Construct, id: string, props: ServiceAccountAnnotationsProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_ANNOTATIONS_PROPS, props);
    super(scope, id);
    this.subject = Subject.of(`${props.namespace}/${props.name}`);
    const owner = ownerOf(this.subject);
    this.#annotations = checkedAnnotations(owner, props.annotations);
    if (Object.keys(this.#annotations).length === 0)
      fail("kubernetes-missing", {
        problem: `\`annotations\` of ${owner} is empty`,
        allowed: "at least one annotation",
        remedy: "pass the annotations of the pull identity, or leave the object out",
      });
    this.resource = serviceAccount(this, this.subject, { annotations: { ...this.#annotations } });
    // Removes labels that the chart adds to all its objects: they would become part of the owner's object.
    if (Object.keys(this.resource.chart.labels).length > 0)
      this.resource.addJsonPatch(JsonPatch.remove("/metadata/labels"));
  }

  /** Adds annotations, for a service account that serves more than one purpose. */
  add(annotations: Readonly<Record<string, string>>): void {
    checkGiven("add()", TEXTS, annotations, "annotations");
    const checked = checkedAnnotations(ownerOf(this.subject), annotations);
    addAnnotations(this.resource, this.#annotations, checked, this.subject);
  }
}

function ownerOf({ key }: Subject): string {
  return `service account ${key}`;
}

/** The writer of each service account by chart and `namespace/name`: another chart may be for another cluster. */
const WRITERS = new WeakMap<Chart, Map<string, Construct>>();

function serviceAccount(
  construct: Construct,
  { key, namespace, name }: Subject,
  metadata: object,
): ApiObject {
  const writers = remembered(WRITERS, Chart.of(construct), () => new Map<string, Construct>());
  const other = writers.get(key);
  if (other)
    fail("kubernetes-conflict", {
      problem: `${other.node.path} already writes this service account to the same chart, and applying both would keep the annotations of only one`,
      value: key,
      allowed: "one construct per service account and chart",
      remedy: "put all annotations into one construct",
    });
  writers.set(key, construct);
  return new ApiObject(construct, "Resource", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace, name, ...metadata },
  });
}
