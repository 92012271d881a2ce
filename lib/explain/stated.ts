/*
 * What users may state of a cloud although no artefact shows it, in files of facts.
 */

import type { Shape } from "../artefact/fact-shape";

/** A resource that says what was stated. */
export interface StatedResource {
  /** Where the fact stands among those of its cloud, `oidcProviders[0]`. */
  readonly path: string;
  readonly type: string;
  /** Its attributes, as a state has them. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** What may be stated of a cloud. */
export interface StatedSection {
  readonly shape: Shape;
  /** The resources that say the facts, which have the shape. */
  resources(facts: Readonly<Record<string, readonly unknown[]>>): readonly StatedResource[];
}
