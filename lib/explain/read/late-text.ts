/*
 * Placeholders in manifests, turned into what they stand for: the same {@link Reference} objects that the Terraform
 * configuration beside them has, so that both sides can be compared.
 */

import type { Known } from "../../model/known";

/** Turns a text of a manifest into its value; one without placeholders is known, and costs nothing. */
export type LateReader = (text: string) => Known<string>;
