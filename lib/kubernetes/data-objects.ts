import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { namespaceName, objectName } from "../model/kubernetes-name";
import { LateEncoding, isLate, literal } from "../model/late";
import { holdsPrivateKey } from "../model/private-key";
import {
  type Kind,
  type ObjectKind,
  checkProps,
  choice,
  either,
  like,
  object,
  optional,
  record,
  text,
} from "../model/shape";

/** Kubernetes' rule for keys of Secrets and ConfigMaps (apimachinery, pkg/util/validation, IsConfigMapKey). */
const KEY = /^(?!\.{1,2}$)(?!\.\.)[-._a-zA-Z0-9]{1,253}$/;

/** Assigning to this key would set the object's prototype. */
const PROTOTYPE = "__proto__";

/** Standard alphabet with padding, as the API server's JSON decoder requires it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Texts by key; a late text that must be encoded is a {@link LateEncoding}. */
export type DataMap = Readonly<Record<string, string | LateEncoding>>;

const DATA_MAP: Kind<DataMap> = record(
  either(text, like<LateEncoding>("a LateEncoding", { encoding: choice(["data-url", "base64"]), text })),
);

/** Properties of a {@link ConfigMap}. */
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

  constructor(scope: Construct, id: string, props: ConfigMapProps) {
    checkProps(new.target.name, scope, id, CONFIG_MAP_PROPS, props);
    super(scope, id);
    const { metadata, owner } = named("ConfigMap", props);
    const data = checkedData(owner, props.data);
    if (Object.keys(data).length === 0) failEmpty(owner);
    this.resource = new ApiObject(this, "Resource", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  }
}

/** Properties of a {@link Secret}. */
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
   * Texts in base64 by key; make late ones with `encode("base64", text)`.
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
 * Secret values belong neither in a manifest nor in Terraform's state; a private key is refused.
 */
export class Secret extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: SecretProps) {
    checkProps(new.target.name, scope, id, SECRET_PROPS, props);
    super(scope, id);
    const { metadata, owner } = named("Secret", props);
    const stringData = checkedData(owner, props.stringData);
    const data = checkedBase64(owner, props.data);
    const both = Object.keys(stringData).find((key) => Object.hasOwn(data, key));
    if (both !== undefined)
      fail("kubernetes-conflict", {
        problem: `${owner} has the same key in data and in stringData, and the API server would keep only the one in stringData`,
        value: both,
        allowed: "each key in one of the two",
        remedy: "remove one of them",
      });
    if (Object.keys({ ...stringData, ...data }).length === 0) failEmpty(owner);
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      type: "Opaque",
      ...(Object.keys(stringData).length > 0 && { stringData }),
      ...(Object.keys(data).length > 0 && { data }),
    });
  }
}

function named(
  kind: string,
  props: { readonly namespace: string; readonly name: string },
): { readonly metadata: { readonly namespace: string; readonly name: string }; readonly owner: string } {
  const metadata = { namespace: namespaceName(props.namespace), name: objectName(props.name) };
  return { metadata, owner: `${kind} ${metadata.namespace}/${metadata.name}` };
}

function failEmpty(owner: string): never {
  return fail("kubernetes-missing", {
    problem: `${owner} has no keys`,
    allowed: "at least one key",
    remedy: "add the texts that its readers expect, or leave the object out",
  });
}

function checkedData(owner: string, data: DataMap | null | undefined): DataMap {
  for (const [key, value] of Object.entries(data ?? {})) {
    if (!KEY.test(literal(key, `key of ${owner}`)) || key === PROTOTYPE)
      fail("kubernetes-invalid", {
        problem: `key of ${owner} cannot be the name of a file`,
        value: key,
        allowed: "1 to 253 of A-Z, a-z, 0-9, -, _ and ., not . and not beginning with ..",
        remedy: "use the key that its reader documents",
      });
    if (holdsPrivateKey(typeof value === "string" ? value : value.text))
      fail("kubernetes-unsafe", {
        problem: `value of ${key} of ${owner} holds a private key, and manifests are kept in repositories`,
        allowed: "names, paths and public keys",
        remedy: "give the key to its reader in another way, and replace it if others may have seen it",
      });
  }
  return { ...data };
}

function checkedBase64(owner: string, data: DataMap | null | undefined): DataMap {
  for (const [key, value] of Object.entries(checkedData(owner, data))) {
    const wrong =
      value instanceof LateEncoding ? value.encoding !== "base64" : isLate(value) || !BASE64.test(value);
    // The value is not shown: it may be a secret in the wrong field.
    if (wrong)
      fail("kubernetes-invalid", {
        problem: `value of ${key} of ${owner} is not base64`,
        allowed: 'text in stringData and in a ConfigMap; base64 in data, made with encode("base64", text)',
        remedy: "put plain text into stringData",
      });
  }
  return { ...data };
}
