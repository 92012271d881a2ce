/*
 * Credentials in Kubernetes objects. They are taken out before anything reads an object: a placeholder is in their
 * place, whose value, for whoever follows it, must not be shown. So neither the object nor what is read of it has them.
 */

import { PLACEHOLDER_START, placeholder, placeholderPieces } from "../../artefact/placeholder";
import { type Known, hidden, joinedAll, known, map, orElse, referenceOf } from "../../model/known";
import { once } from "../../model/once";
import { type Json, record } from "../../model/parsed";
import { isPlain, isRecord, withItems } from "../../model/record";
import { type Tree, marked, treeOf, unmarkedText } from "../../model/tree";
import { HIDDEN_PREFIX, isSecretName, isSecretText } from "../../rules/fleet/secret-material";
import { podSpecPath } from "../../rules/pod-specs";
import { words } from "../coverage/coverage";
import { type LateReader, isEncodedPlaceholder } from "./late-text";

let numbered = 0;
/** Equal for equal secrets, since these share their reference. */
const numberOf = once(() => ++numbered);

/** What becomes of a text that must not be shown, or of one that is not known as a whole. */
type Hide = (text: unknown) => unknown;

/** A parsed document with its credentials hidden: by the name of a field, a variable or a flag, or by their form. */
export function withoutCredentials(value: Tree): Tree {
  return treeOf(without(value, (text) => hidden(treeOf(text))));
}

/** The value itself if nothing in it is hidden. */
function without(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return isSecretText(value) ? hide(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return withoutFlags(value, hide);
  return isPlain(value) ? withoutFields(value as Json, hide) : value;
}

function withoutFields(value: Json, hide: Hide): unknown {
  const { name } = value;
  const isVariable = typeof name === "string" && isSecretName(name);
  const isHidden = (key: string): boolean => (key === "value" && isVariable) || isSecretName(key);
  return withItems(value, (each, key) => (isText(each) && isHidden(key) ? hide(each) : without(each, hide)));
}

/** A text that is not empty, or a value of a tree that is not known. */
function isText(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPlain(value);
}

/** `--client-secret X` and `--client-secret=X` in a list of arguments. */
function withoutFlags(items: readonly unknown[], hide: Hide): unknown {
  return withItems(items, (item, place) => {
    if (typeof item !== "string") return without(item, hide);
    const [flag = ""] = item.split("=", 1);
    const isFlag = (each: unknown): each is string =>
      typeof each === "string" && each.startsWith("-") && isSecretName(each.replace(/^-+/, ""));
    if (isFlag(flag) && item !== flag) return hide(item);
    const before = items[Number(place) - 1];
    return isFlag(before) && !item.startsWith("-") ? hide(item) : without(item, hide);
  });
}

/** An object that may hold credentials, with the reader of its texts. */
interface Held {
  readonly value: Json;
  readonly kind: string;
  readonly late: LateReader;
}

/** The object without its credentials; itself if it has none. */
export function withoutHeld<T extends Held>(object: T): T {
  const { value, kind, late } = object;
  // There are many of the other kinds, and nothing of them is secret, or its form is read elsewhere.
  if (podSpecPath(kind) === undefined && !OTHERS.includes(kind)) return object;
  const meanings = new Map<string, Known<string>>();
  const put = (text: string, meaning: Known<string>): string => {
    const name = placeholder(`${HIDDEN_PREFIX}${numberOf(referenceOf(hidden(known(text))) ?? meanings)}`);
    meanings.set(name, meaning);
    return name;
  };
  const hide: Hide = (text) => put(String(text), hidden(late(String(text))));
  const found = kind === "Secret" ? withoutSecretData(value, late, put) : without(value, hide);
  if (found === value) return object;
  return { ...object, value: withoutCopy(record(found)), late: readerOf(late, meanings) };
}

const OTHERS = words("AuthenticationConfiguration ClusterProfile CredentialProviderConfig Secret");

/** `kubectl apply` keeps a copy of the whole object there. */
const COPY = "kubectl.kubernetes.io/last-applied-configuration";

function withoutCopy(value: Json): Json {
  const metadata = record(value["metadata"]);
  const annotations = record(metadata["annotations"]);
  if (!Object.hasOwn(annotations, COPY)) return value;
  const { [COPY]: _, ...others } = annotations;
  return { ...value, metadata: { ...metadata, annotations: others } };
}

function readerOf(late: LateReader, meanings: ReadonlyMap<string, Known<string>>): LateReader {
  return (text) => {
    if (!text.includes(PLACEHOLDER_START + HIDDEN_PREFIX)) return late(text);
    return joinedAll(
      placeholderPieces(text).map((piece, place) =>
        place % 2 === 1 ? (meanings.get(piece) ?? late(piece)) : piece,
      ),
    );
  };
}

/** Every text of a Secret behind a placeholder, decoded; `stringData` takes precedence, as it does in the API server. */
function withoutSecretData(
  value: Json,
  late: LateReader,
  put: (text: string, meaning: Known<string>) => string,
): Json {
  const { data, stringData, ...others } = value;
  const written = [
    ...texts(data).map(([key, text]) => [key, text, decoded(late, text)] as const),
    ...texts(stringData).map(([key, text]) => [key, text, late(text)] as const),
  ];
  if (written.length === 0) return value;
  const rows = written.map(([key, text, meaning]) => [key, put(`${key} ${text}`, shownOf(key, meaning))]);
  return { ...others, stringData: Object.fromEntries(rows) as Json };
}

function texts(data: unknown): readonly (readonly [key: string, text: string])[] {
  return isRecord(data)
    ? Object.entries(data).filter((row): row is [string, string] => typeof row[1] === "string")
    : [];
}

function decoded(late: LateReader, text: string): Known<string> {
  if (isEncodedPlaceholder(text)) return late(text);
  return map(late(text), (base64) => Buffer.from(base64, "base64").toString("utf8"));
}

/** Keys of Secrets that tell what acts, and hold no credential. */
const SHOWN = words(`
  .dockercfg .dockerconfigjson azure_client_id azure_federated_token_file azure_region azure_resource_prefix
  azure_resourcegroup azure_subscription_id azure_tenant_id server`);
/** Keys of Secrets that do so beside credentials: only what is secret in them is hidden. */
const LINES = "credentials";
const DOCUMENTS: readonly string[] = ["config", "service_account.json"];

function shownOf(key: string, text: Known<string>): Known<string> {
  if (SHOWN.includes(key)) return text;
  if (key !== LINES && !DOCUMENTS.includes(key)) return hidden(text);
  const pieces = orElse(marked(text), () => undefined);
  if (pieces === undefined) return text;
  const found = key === LINES ? linesOf(pieces.text) : documentOf(pieces.text);
  return joinedAll(found.map((each) => (typeof each === "string" ? unmarkedText(each, pieces.parts) : each)));
}

type Pieces = readonly (string | Known<string>)[];
const SETTING = /^(\s*([^=\s]+)\s*=\s*)(.*)$/s;
/** Settings of an SDK that say which token it presents, and whose role it takes. */
const SETTINGS = /^(?:role_arn|web_identity_token_file|sts_regional_endpoints|region|role_session_name)$/;

/** A file of settings: sections, comments and {@link SETTINGS} stay. */
function linesOf(text: string): Pieces {
  return text.split("\n").flatMap((line, place): Pieces => {
    const end = place === 0 ? [] : ["\n"];
    if (/^\s*(?:$|[#;]|\[)/.test(line)) return [...end, line];
    const [, before, name = "", value = ""] = SETTING.exec(line) ?? [];
    if (before === undefined) return [...end, hidden(known(line))];
    return [...end, before, SETTINGS.test(name) ? value : hidden(known(value))];
  });
}

const MARK = /"\ue002(\d+)\ue002"/;

function documentOf(text: string): Pieces {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return isSecretText(text) ? [hidden(known(text))] : [text];
  }
  const secrets: string[] = [];
  const shown = without(parsed, (each) => `\ue002${secrets.push(String(each)) - 1}\ue002`);
  if (secrets.length === 0) return [text];
  return JSON.stringify(shown)
    .split(MARK)
    .flatMap((piece, place): Pieces =>
      place % 2 === 0 ? [piece] : ['"', hidden(known(secrets[Number(piece)] ?? "")), '"'],
    );
}
