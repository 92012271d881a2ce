import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { namespaceName, objectName } from "../model/kubernetes-name";
import { type DataMap, DATA_MAP, checkedBase64, checkedData } from "./data-keys";
import { type ObjectKind, checkProps, object, optional, record, text } from "../model/shape";

/** What a {@link Secret} holds. */
export interface SecretProps {
  /** An existing namespace. */
  readonly namespace: string;
  /** Name of the Secret. */
  readonly name: string;
  /**
   * Texts by key, in the order in which they are written; may be late.
   *
   * @defaultValue - none
   */
  readonly stringData?: Readonly<Record<string, string>>;
  /**
   * Texts in base64 by key, made with `encode("base64", text)` where they are late.
   *
   * @defaultValue - none
   */
  readonly data?: DataMap;
}

const SECRET_PROPS: ObjectKind<SecretProps> = object({
  namespace: text,
  name: text,
  stringData: optional(record(text)),
  data: optional(DATA_MAP),
});

/**
 * An Opaque Secret with what a component needs to find its identity: names and paths, never a password or a key.
 *
 * What is secret does not belong into a manifest, nor into Terraform's state; a private key is refused.
 */
export class Secret extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  /**
   * Throws `namespace-invalid`, `object-name-invalid`, `data-empty`, `data-key-invalid`, `data-key-twice`,
   * `data-value-invalid`, `data-private-key` or `late-value` (of a name or key).
   */
  constructor(scope: Construct, id: string, props: SecretProps) {
    checkProps(new.target.name, scope, id, SECRET_PROPS, props);
    super(scope, id);
    const { stringData, data } = props;
    const namespace = namespaceName(props.namespace);
    const name = objectName(props.name);
    const owner = `Secret ${namespace}/${name}`;
    const texts = checkedData(owner, stringData);
    const encoded = checkedBase64(owner, data);
    const both = Object.keys(texts).find((key) => Object.hasOwn(encoded, key));
    if (both !== undefined) fail("data-key-twice", both, owner);
    if (Object.keys({ ...texts, ...encoded }).length === 0) fail("data-empty", owner);
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace, name },
      type: "Opaque",
      ...(Object.keys(texts).length > 0 && { stringData: texts }),
      ...(Object.keys(encoded).length > 0 && { data: encoded }),
    });
  }
}
