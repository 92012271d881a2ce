import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { Subject } from "../model/subject";
import { addAnnotations, checkedAnnotations, checkedLabels } from "./metadata";
import { writesServiceAccount } from "./once-per-chart";
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

const TEXTS: Kind<Readonly<Record<string, string>>> = record(text);

const SERVICE_ACCOUNT_PROPS: ObjectKind<ServiceAccountProps> = object({
  namespace: text,
  name: text,
  annotations: optional(record(text)),
  labels: optional(record(text)),
});

/**
 * A service account that this configuration owns, whole.
 *
 * For one that somebody else owns use `ServiceAccountAnnotations`: applying a whole object takes over fields.
 */
export class ServiceAccount extends Construct {
  /** Who the pods are that use it. */
  readonly subject: Subject;
  /** The manifest. */
  readonly resource: ApiObject;
  readonly #annotations: Record<string, string>;

  /**
   * Throws `namespace-invalid`, `service-account-invalid`, `annotation-key-invalid`, `label-invalid`, `service-account-twice` or `late-value` (of a name).
   */
  constructor(scope: Construct, id: string, props: ServiceAccountProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_PROPS, props);
    super(scope, id);
    this.subject = Subject.of(`${props.namespace}/${props.name}`);
    const owner = `service account ${this.subject.key}`;
    const annotations = checkedAnnotations(owner, props.annotations ?? {});
    const labels = checkedLabels(owner, props.labels ?? {});
    writesServiceAccount(this, this.subject);
    this.#annotations = { ...annotations };
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: this.subject.namespace, name: this.subject.name, annotations, labels },
    });
  }
  /**
   * Adds annotations and labels, for a service account that serves more than one purpose.
   *
   * Throws `annotation-conflict` for another value of one that it has, `annotation-key-invalid`,
   * `label-invalid` or `late-value`.
   */
  add(annotations: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> = {}): void {
    checkGiven("add()", TEXTS, annotations, "annotations");
    checkGiven("add()", TEXTS, labels, "labels");
    const owner = `service account ${this.subject.key}`;
    const checked = checkedLabels(owner, labels);
    addAnnotations(this.resource, this.#annotations, checkedAnnotations(owner, annotations), this.subject);
    for (const [key, value] of Object.entries(checked)) this.resource.metadata.addLabel(key, value);
  }
}
