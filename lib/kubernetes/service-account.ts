import { ApiObject, Chart, JsonPatch } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
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

/** What a {@link ServiceAccount} says. */
export interface ServiceAccountProps {
  /** An existing namespace. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
  /**
   * What the image credential provider plugin or the webhook of a cloud reads; values may be late.
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
 * A service account that this configuration owns, whole.
 *
 * For one with another owner use `ServiceAccountAnnotations`: applying a whole object takes over fields.
 */
export class ServiceAccount extends Construct {
  /** Who the pods are that use it. */
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

/** What {@link ServiceAccountAnnotations} adds, and to whom. */
export interface ServiceAccountAnnotationsProps {
  /** The service account's namespace. */
  readonly namespace: string;
  /** Name of the existing service account. */
  readonly name: string;
  /** At least one; values may be late. */
  readonly annotations: Readonly<Record<string, string>>;
}

const SERVICE_ACCOUNT_ANNOTATIONS_PROPS: ObjectKind<ServiceAccountAnnotationsProps> = object({
  namespace: text,
  name: text,
  annotations: TEXTS,
});

/**
 * Annotations for a service account with another owner: a Helm chart, an operator, another team.
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

  constructor(scope: Construct, id: string, props: ServiceAccountAnnotationsProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_ANNOTATIONS_PROPS, props);
    super(scope, id);
    this.subject = Subject.of(`${props.namespace}/${props.name}`);
    const owner = ownerOf(this.subject);
    this.#annotations = checkedAnnotations(owner, props.annotations);
    if (Object.keys(this.#annotations).length === 0)
      fail("kubernetes-missing", {
        problem: `there is nothing to annotate ${owner} with`,
        allowed: "at least one annotation",
        remedy: "pass the annotations of the pull identity, or leave the object out",
      });
    this.resource = serviceAccount(this, this.subject, { annotations: { ...this.#annotations } });
    // Labels that a chart gives to all its objects are not the owner's.
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

/** Who writes each service account, by chart and by `namespace/name`: another chart may be for another cluster. */
const WRITERS = new WeakMap<Chart, Map<string, Construct>>();

function serviceAccount(
  construct: Construct,
  { key, namespace, name }: Subject,
  metadata: object,
): ApiObject {
  const chart = Chart.of(construct);
  const writers = WRITERS.get(chart) ?? new Map<string, Construct>();
  WRITERS.set(chart, writers);
  const other = writers.get(key);
  if (other)
    fail("kubernetes-conflict", {
      problem: `${other.node.path} already writes this service account into the same chart, and applying it twice would keep the annotations of one only`,
      value: key,
      allowed: "one construct per service account and chart",
      remedy: "join the annotations in one construct",
    });
  writers.set(key, construct);
  return new ApiObject(construct, "Resource", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace, name, ...metadata },
  });
}
