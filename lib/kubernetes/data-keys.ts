import { fail } from "../errors";
import { LateEncoding, isLate, literal } from "../model/late";
import { holdsPrivateKey } from "../model/private-key";
import { type Kind, choice, either, like, record, text } from "../model/shape";

/** Kubernetes' rule for keys of Secrets and ConfigMaps (apimachinery, pkg/util/validation, IsConfigMapKey). */
const KEY = /^(?!\.{1,2}$)(?!\.\.)[-._a-zA-Z0-9]{1,253}$/;

/** An object's prototype, which an assignment by this name would set in place of a key. */
const PROTOTYPE = "__proto__";

/** Standard alphabet with padding, as the API server's JSON decoder wants it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Texts by key; a text that must stand encoded may be late. */
export type DataMap = Readonly<Record<string, string | LateEncoding>>;

/** The kind of a value: a text, or what is encoded once it is known. */
const DATA_VALUE: Kind<string | LateEncoding> = either(
  text,
  like<LateEncoding>("a LateEncoding", { encoding: choice(["data-url", "base64"]), text }),
);

/** The kind of a {@link DataMap}. */
export const DATA_MAP: Kind<DataMap> = record(DATA_VALUE);

/**
 * Returns checked data of a Secret or ConfigMap; nothing is no data.
 *
 * Throws `data-key-invalid`, `data-value-invalid`, `data-private-key` or `late-value`.
 */
export function checkedData(owner: string, data: DataMap | null | undefined): DataMap {
  for (const [key, value] of Object.entries(data ?? {})) {
    if (!KEY.test(literal(key, `key of ${owner}`)) || key === PROTOTYPE) fail("data-key-invalid", key, owner);
    if (holdsPrivateKey(typeof value === "string" ? value : value.text)) fail("data-private-key", key, owner);
  }
  return { ...data };
}

/** Returns checked data that is base64 wherever it is known; throws what {@link checkedData} throws. */
export function checkedBase64(owner: string, data: DataMap | null | undefined): DataMap {
  for (const [key, value] of Object.entries(checkedData(owner, data))) {
    const wrong =
      value instanceof LateEncoding ? value.encoding !== "base64" : isLate(value) || !BASE64.test(value);
    // The value may be a secret of somebody who took the one field for the other: it is not shown.
    if (wrong) fail("data-value-invalid", key, owner, "is no base64");
  }
  return { ...data };
}
