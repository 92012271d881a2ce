import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { namespaceName, objectName } from "../model/kubernetes-name";
import { type DataMap, DATA_MAP, checkedData } from "./data-keys";
import { type ObjectKind, checkProps, object, text } from "../model/shape";

/** What a {@link ConfigMap} holds. */
export interface ConfigMapProps {
  /** An existing namespace. */
  readonly namespace: string;
  /** Name of the ConfigMap. */
  readonly name: string;
  /** Texts by key, in the order in which they are written; may be late. */
  readonly data: DataMap;
}

const CONFIG_MAP_PROPS: ObjectKind<ConfigMapProps> = object({
  namespace: text,
  name: text,
  data: DATA_MAP,
});

/** Texts that pods read as files, for example a credential file that names an identity and holds no secret. */
export class ConfigMap extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  /**
   * Throws `namespace-invalid`, `object-name-invalid`, `data-empty`, `data-key-invalid`, `data-value-invalid`,
   * `data-private-key` or `late-value` (of a name or key).
   */
  constructor(scope: Construct, id: string, props: ConfigMapProps) {
    checkProps(new.target.name, scope, id, CONFIG_MAP_PROPS, props);
    super(scope, id);
    const namespace = namespaceName(props.namespace);
    const name = objectName(props.name);
    const owner = `ConfigMap ${namespace}/${name}`;
    const data = checkedData(owner, props.data);
    if (Object.keys(data).length === 0) fail("data-empty", owner);
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name },
      data,
    });
  }
}
