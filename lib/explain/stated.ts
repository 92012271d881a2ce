/*
 * What users may state about a cloud in a facts file because no artefact shows it.
 */

import type { Shape } from "../artefact/fact-shape";

/** A resource that expresses a stated fact. */
export interface StatedResource {
  /** Where the fact is among those of its cloud, `oidcProviders[0]`. */
  readonly path: string;
  readonly type: string;
  /** Its attributes, as a state has them. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The facts that may be stated about a cloud. */
export interface StatedSection {
  readonly shape: Shape;
  /** The resources that express the facts, which have the shape. */
  resources(facts: Readonly<Record<string, readonly unknown[]>>): readonly StatedResource[];
}
