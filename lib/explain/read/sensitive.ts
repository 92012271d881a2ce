/*
 * Values that must not be shown: what Terraform marks as sensitive, and what is secret in resources that are
 * credentials, marked or not. They are taken out where documents are read: whoever reads an argument gets a value that
 * has no text, and that is equal to another exactly if both are the same secret.
 */

import { type Known, type Reference, hidden, known, match, partsOf } from "../../model/known";
import { once, remembered } from "../../model/once";
import type { Json } from "../../model/parsed";
import { isPlain, withItems } from "../../model/record";
import { type Tree, plainOf } from "../../model/tree";
import { isSecretName } from "../../rules/fleet/secret-material";

/** Such a value among arguments as written. Only a {@link Scope} reads it. */
export class Hidden {
  /** Where it is, for people: `aws_iam_access_key.ci.secret`. */
  readonly name: string;
  readonly #written: unknown;

  constructor(name: string, written: unknown) {
    this.name = name;
    this.#written = written;
  }

  /** What a reader makes of it, which must not be shown either. */
  read<T>(reader: (written: unknown) => T): T {
    return reader(this.#written);
  }

  /** The hidden parts of a list or an object, where its keys may be shown; `undefined` for a text. */
  get parts(): readonly Hidden[] | Readonly<Record<string, Hidden>> | undefined {
    const written = this.#written;
    if (typeof written !== "object" || written === null) return undefined;
    const entries = Object.entries(written).map(
      ([key, each]) => [key, new Hidden(`${this.name}.${key}`, each)] as const,
    );
    if (Array.isArray(written)) return entries.map(([, each]) => each);
    const isStated = ([key]: (typeof entries)[number]): boolean => (written as Json)[key] !== null;
    return isPlain(written) ? Object.fromEntries(entries.filter(isStated)) : undefined;
  }

  /** The part at a step; a single block need not be in a list. */
  child(step: string | number): Hidden | undefined {
    const { parts } = this;
    return partOf(parts, step) ?? (Number(step) === 0 && !Array.isArray(parts) ? this : undefined);
  }

  toJSON(): string {
    return "<sensitive>";
  }

  toString(): string {
    return this.toJSON();
  }
}

function partOf<T>(
  value: readonly T[] | Readonly<Record<string, T>> | undefined,
  step: string | number,
): T | undefined {
  return value !== undefined && Object.hasOwn(value, step) ? (value as Record<string, T>)[step] : undefined;
}

/** The value with {@link Hidden} in place of what `marks` say; they have `true` for it, in the shape of the value. */
export function withoutMarked(name: string, value: unknown, marks: unknown): unknown {
  const isAbsent = value === undefined || value === null;
  // What only apply shows is a symbol or a reference, which shows no value.
  if (isAbsent || typeof value === "symbol" || value instanceof Hidden) return value;
  if (marks === true) return new Hidden(name, value);
  if (typeof marks !== "object" || marks === null || typeof value !== "object") return value;
  return withItems(value, (item, key) =>
    withoutMarked(pathOf(name, value, key), item, partOf(marks as Json, key)),
  );
}

function pathOf(name: string, holder: unknown, key: string): string {
  return Array.isArray(holder) ? `${name}[${key}]` : `${name}.${key}`;
}

/**
 * By type, beside those that are secret by their name; data sources have the same names as resources. Source: the
 * arguments marked "Sensitive" in registry.terraform.io/providers/…/latest/docs of each type, and those that are a
 * password, a key or a token by their description.
 */
export const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  aws_api_gateway_api_key: ["value"],
  aws_appsync_api_key: ["key"],
  aws_iam_access_key: ["encrypted_secret", "ses_smtp_password_v4", "encrypted_ses_smtp_password_v4"],
  aws_iam_service_specific_credential: ["service_password", "service_credential_secret"],
  aws_secretsmanager_secret_version: ["secret_string", "secret_binary", "secret_string_wo"],
  aws_ssm_parameter: ["value", "insecure_value", "value_wo"],
  azapi_resource: ["sensitive_body", "sensitive_output"],
  azuread_application_certificate: ["value"],
  azuread_application_password: ["value"],
  azuread_service_principal_certificate: ["value"],
  azuread_service_principal_password: ["value"],
  azuread_service_principal_token_signing_certificate: ["value"],
  azuread_synchronization_secret: ["credential"],
  azurerm_container_registry_token_password: ["password1", "password2"],
  azurerm_key_vault_certificate: ["contents", "certificate_data_base64"],
  azurerm_key_vault_secret: ["value", "value_wo"],
  azurerm_kubernetes_cluster: ["kube_config", "kube_admin_config", "kube_admin_config_raw"],
  azurerm_storage_account_blob_container_sas: ["sas"],
  azurerm_storage_account_sas: ["sas"],
  google_apikeys_key: ["key_string"],
  google_iam_workforce_pool_provider: ["plain_text"],
  google_iam_workforce_pool_provider_key: ["key_data"],
  google_secret_manager_secret_version: ["secret_data", "secret_data_wo"],
  helm_release: ["set_sensitive", "set_wo"],
  kubernetes_secret: ["data", "binary_data", "data_wo"],
  kubernetes_secret_v1: ["data", "binary_data", "data_wo"],
  local_sensitive_file: ["content", "content_base64"],
  random_password: ["result", "bcrypt_hash"],
  tls_private_key: ["private_key_pem", "private_key_pem_pkcs8", "private_key_openssh"],
};

/** Names of secrets in blocks of any type, beside those of every document; also of providers' configurations. */
const EVERYWHERE =
  /(?:^|_)(?:access_key|account_key|connection_string|kube_config_raw|master_password|preshared_key|primary_key|private_key_(?:base64|der|openssh|pem|type_data)|sas_token|secondary_key|secret_(?:binary|data|key|string)|shared_key|credentials)$/;

const NAMED = new Map<string, boolean>();

function isNamedSecret(name: string): boolean {
  return remembered(NAMED, name, () => EVERYWHERE.test(name) || isSecretName(name));
}

/** True for an argument whose value must not be shown. By name alone only a text is, since blocks have names too. */
function isSecretArgument(type: string, name: string, value: unknown): boolean {
  const listed = Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  return listed?.includes(name) === true || (typeof value === "string" && isNamedSecret(name));
}

/** The arguments of a block of a type, with {@link Hidden} in place of what is secret in every block of that type. */
export function withoutSecrets(type: string, name: string, values: Json): Json {
  return without(type, name, values) as Json;
}

/** The value itself if nothing in it is secret: most hold nothing, and there are many. */
function without(type: string, name: string, value: unknown): unknown {
  return withItems(value, (item, key) => {
    if (!Array.isArray(value) && isSecretArgument(type, key, item))
      return withoutMarked(pathOf(name, value, key), item, true);
    return typeof item === "object" ? without(type, pathOf(name, value, key), item) : item;
  });
}

let numbered = 0;
const numberOf = once(() => ++numbered);

/** A list or an object as one hidden value, with its keys; two are equal if their parts are. */
export function hiddenTree(tree: Tree): Tree {
  const part = (each: string | Reference): string =>
    typeof each === "string" ? each : `\ue000${numberOf(each)}\ue001`;
  const open = (unknown: Known<never>): string =>
    partsOf(unknown)?.map(part).join("") ?? `\ue000${++numbered}\ue001`;
  return match(
    tree,
    (value) => {
      // What is absent hides nothing.
      if (value === undefined || value === null) return tree;
      return hidden(typeof value === "object" ? known(JSON.stringify(plainOf(tree, open))) : tree);
    },
    () => hidden(tree),
  );
}
