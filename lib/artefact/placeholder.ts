/*
 * The text that a manifest holds in place of a value that Terraform knows only after apply:
 *
 *   @late(azurerm_user_assigned_identity.pulls_shop_web.client_id)@   a reference
 *   @late(output.azurerm_key_vault_kv_vault_uri_3fa2c91b)@            an expression, by the output that holds it
 *   @late(data-url.9f86d081884c7d65)@                                 an encoded text, by the hash of its template
 *
 * No plain YAML scalar begins with `@`, and no Kubernetes name, host name or ARN contains it. No character of a
 * placeholder needs an escape in YAML or JSON, so it can also be found in the bytes of a file.
 */

/** How every placeholder begins; a literal text that contains it is refused. */
export const PLACEHOLDER_START = "@late(";

// Neither `@` nor `(` is among a name's characters, so a search never reads a character twice: linear time.
const PLACEHOLDER = /(@late\([\w.:[\]-]+\)@)/;
const PLACEHOLDERS = new RegExp(PLACEHOLDER, "g");

/** The placeholder of that name: letters, digits and `_ . : [ ] -`. */
export function placeholder(name: string): string {
  return `${PLACEHOLDER_START}${name})@`;
}

/** The placeholders of a text (a scalar, a whole YAML file) in order, repetitions included; linear time. */
export function placeholdersIn(text: string): string[] {
  return text.includes(PLACEHOLDER_START) ? (text.match(PLACEHOLDERS) ?? []) : [];
}

/** The text in pieces: literal ones at even places, placeholders at odd ones. Joined they give the text. */
export function placeholderPieces(text: string): string[] {
  return text.split(PLACEHOLDER);
}
