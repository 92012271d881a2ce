/*
 * Buckets and containers whose objects Terraform declares. A cloud says in its own folder which ones it has, at which
 * URLs their objects are read, and whether everybody may.
 */

import type { Answer } from "../answer";
import { blocks, own, texts } from "../facts/access";
import type { Source } from "../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../facts/terraform";

/** An object as it is declared. */
export interface StoredObject {
  /** Its text; empty where it is not written beside it, as that of a file. */
  readonly text: string;
  /** True where Terraform leaves the text of an object that is there as it is. */
  readonly isKept: boolean;
  /** Who may read it besides those that bucket and policy let in: `public-read`; empty where nothing is written. */
  readonly acl: string;
  /** Where it stands. */
  readonly source: Source;
}

/** URLs at which the objects of a store are read. */
export interface StoreDoor {
  /** Name of the object at a URL, or the beginning of names; `undefined` where the URL is another place's. */
  readonly nameAt: (url: string) => string | undefined;
  /** What keeps those without credentials from reading an object here; `undefined` where nothing is known to. */
  readonly refusal: (name: string) => Answer | undefined;
}

/** What is declared in a store. */
export interface StoreContent {
  /** Declarations by name, without slash at the beginning; a configuration and its state declare one object both. */
  readonly objects: ReadonlyMap<string, readonly StoredObject[]>;
}

/** A bucket or container. */
export interface ObjectStore extends StoreContent {
  /** For people: `the bucket acme`. */
  readonly label: string;
  /** True where what is not declared is not there: Terraform makes the store, and knows the names of all objects. */
  readonly isWhole: boolean;
  /** Its doors. */
  readonly doors: readonly StoreDoor[];
  /**
   * What is known of who serves a URL that is none of its doors, although a document in it names the URL.
   *
   * @defaultValue - nothing: a server of somebody's own may stand before the store
   */
  readonly before?: (url: string) => Answer | undefined;
}

/** How a type of resource declares an object. */
export interface ObjectType {
  /** The type. */
  readonly type: string;
  /** Argument with the text. */
  readonly content: string;
  /** Argument with the name. */
  readonly name: string;
  /** The store's key. */
  readonly store: (resource: TerraformResource) => string;
}

/** What the resources of some types declare. */
export interface DeclaredObjects {
  /** By the store's key. */
  readonly stores: ReadonlyMap<string, StoreContent>;
  /** True where one is of a store, or has a name, that only apply tells. */
  readonly isOpen: boolean;
}

/** Reads the objects of some types by the stores that hold them. */
export function declaredObjects(types: readonly ObjectType[], terraform: Terraform): DeclaredObjects {
  const stores = new Map<string, { readonly objects: Map<string, StoredObject[]> }>();
  let isOpen = false;
  for (const { type, content, name: named, store } of types)
    for (const resource of terraform.ofType(type)) {
      const key = store(resource);
      const name = terraform.text(resource, named).replace(/^\//, "");
      if (key === "" || !isKnown(name)) {
        isOpen = true;
        continue;
      }
      const { objects } = stores.get(key) ?? { objects: new Map<string, StoredObject[]>() };
      stores.set(key, { objects });
      objects.set(name, [...(objects.get(name) ?? []), storedObject(resource, content, terraform)]);
    }
  return { stores, isOpen };
}

function isKnown(name: string): boolean {
  return name !== "" && !isLateText(name);
}

function storedObject(resource: TerraformResource, content: string, terraform: Terraform): StoredObject {
  const ignored = own(blocks(own(resource.values, "lifecycle"))[0], "ignore_changes");
  return {
    text: terraform.text(resource, content),
    isKept: ignored === "all" || texts(ignored).includes(content),
    acl: terraform.text(resource, "acl"),
    source: resource.source,
  };
}

/** What follows a URL, without slash at the beginning; `undefined` where it does not follow. */
export function below(base: string, url: string): string | undefined {
  const plain = base.replace(/\/+$/, "");
  if (url === plain) return "";
  return url.startsWith(`${plain}/`) ? url.slice(plain.length + 1) : undefined;
}
