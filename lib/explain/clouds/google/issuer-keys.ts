/*
 * The keys that a pool provider was handed, beside those that the issuer publishes.
 */

import { type Answer, broken, seen, unknown } from "../../answer";
import { list, own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { named } from "../named";

/** Keys by their ids. */
export interface PublishedKeys {
  /** Ids of the keys. */
  readonly ids: readonly string[];
  /** Where they stand. */
  readonly source: Source;
}

/** What is known of the keys of a pool provider. */
export interface IssuerKeysFact {
  /** Ids of the keys; `undefined` where it was handed none, or only apply tells them; a text where they cannot be read. */
  readonly ids: readonly string[] | string | undefined;
  /** What the issuer publishes, as far as it was read. */
  readonly published: readonly PublishedKeys[];
  /** Where the pool provider stands. */
  readonly source: Source;
}

/** Objects of buckets and containers, with the arguments of name and text. */
const OBJECTS: Readonly<Record<string, readonly [place: string, name: string, content: string]>> = {
  aws_s3_object: ["bucket", "key", "content"],
  azurerm_storage_blob: ["storage_container_name", "name", "source_content"],
  google_storage_bucket_object: ["bucket", "name", "content"],
};
const DISCOVERY = /(?:^|\/)\.well-known\/openid-configuration$/;
const VERIFIED =
  "the pool provider verifies tokens by the keys in jwks_json alone, not by those that the issuer publishes";
const HAND_OVER = "hand the pool provider the keys that the issuer publishes";
const REFUSED = "invalid_grant … the signature of the token cannot be verified";

/** Reads `oidc.jwks_json`; empty where the pool provider asks the issuer. */
export function issuerKeys(
  jwks: string,
  published: readonly PublishedKeys[],
  source: Source,
): IssuerKeysFact {
  if (jwks === "" || isLateText(jwks)) return { ids: undefined, published, source };
  return { ids: keyIds(jwks) ?? "are no JSON Web Key Set", published, source };
}

/** What keeps every token, or some, from being verified; `undefined` where nothing does. */
export function keysTrusted({ ids, published, source }: IssuerKeysFact): Answer | undefined {
  const where = seen("oidc.jwks_json", source);
  if (ids === undefined) return undefined;
  if (typeof ids === "string" || ids.length === 0)
    return broken(
      `the keys of the pool provider ${typeof ids === "string" ? ids : "are an empty list"}`,
      HAND_OVER,
      REFUSED,
      where,
    );
  for (const other of published) {
    const places = [where, seen("published keys", other.source)];
    if (!other.ids.some((id) => ids.includes(id)))
      return broken(
        `the pool provider has the keys ${named(ids)}, the issuer publishes ${named(other.ids) || "none"}`,
        HAND_OVER,
        REFUSED,
        ...places,
      );
    const without = other.ids.filter((id) => !ids.includes(id));
    if (without.length > 0)
      return unknown(`${VERIFIED}; ${named(without)} is published, and missing there`, HAND_OVER, ...places);
  }
  return undefined;
}

/** The keys that Terraform publishes, by issuer. */
export function publishedKeys(terraform: Terraform): ReadonlyMap<string, readonly PublishedKeys[]> {
  const objects = Object.entries(OBJECTS).flatMap(([type, [place, name, content]]) =>
    terraform.ofType(type).map((resource) => ({
      place: `${type} ${terraform.text(resource, place)}`,
      name: terraform.text(resource, name).replace(/^\//, ""),
      text: terraform.text(resource, content),
      source: resource.source,
    })),
  );
  const found = new Map<string, PublishedKeys[]>();
  for (const { place, name, text: content } of objects) {
    if (!DISCOVERY.test(name)) continue;
    const document = parsed(content);
    const [issuer, url] = [text(own(document, "issuer")), text(own(document, "jwks_uri"))];
    // The discovery document stands below the issuer's path, and so do the keys.
    const base = name.replace(DISCOVERY, "");
    const path = [base, url.slice(issuer.length)].join("/").replace(/\/+/g, "/").replace(/^\//, "");
    if (issuer === "" || !url.startsWith(issuer)) continue;
    const keys = objects.find((each) => each.place === place && each.name === path);
    const ids = keys && keyIds(keys.text);
    if (keys && ids) found.set(issuer, [...(found.get(issuer) ?? []), { ids, source: keys.source }]);
  }
  return found;
}

function keyIds(jwks: string): readonly string[] | undefined {
  const keys = own(parsed(jwks), "keys");
  return Array.isArray(keys) ? list(keys).map((key) => text(own(key, "kid"))) : undefined;
}

function parsed(content: string): unknown {
  // What is no JSON holds no keys.
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
