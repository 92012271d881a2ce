/*
 * Registries that OpenShift's nodes may pull from at all, by `Image/cluster`.
 *
 * Source: openshift/api, config/v1/types_image.go (`RegistrySources`).
 */

import { at, own, text, texts } from "./access";
import { type Source, below } from "./source";

/** What `Image/cluster` says of registries. */
export interface RegistrySources {
  /** Scopes that are not pulled from: `host`, `host/path` or `*.domain`. */
  readonly blocked: readonly string[];
  /** The only scopes that are pulled from; `undefined` where nothing limits them. */
  readonly allowed: readonly string[] | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** Reads `Image/cluster`; `undefined` for every other object. */
export function readRegistrySources(object: unknown, source: Source): RegistrySources | undefined {
  if (text(own(object, "kind")) !== "Image" || at(object, "metadata", "name") !== "cluster") return undefined;
  const sources = at(object, "spec", "registrySources");
  const allowed = texts(own(sources, "allowedRegistries"));
  return {
    blocked: texts(own(sources, "blockedRegistries")),
    allowed: allowed.length === 0 ? undefined : allowed,
    source: below(source, "spec.registrySources"),
  };
}
