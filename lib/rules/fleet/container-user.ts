/*
 * The user of a container that needs none in particular.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";

/** The user `nonroot` of distroless images. */
export const NONROOT = 65_532;

const MAX = 2_147_483_647;

/** Throws `property-invalid` for what is given and is neither a user id other than root's nor `false`, or `late-value`. */
export function checkContainerUser(what: string, runAsUser: unknown): void {
  const good = runAsUser === undefined || runAsUser === false || isUserId(literal(runAsUser, what));
  if (!good) fail("property-invalid", what, JSON.stringify(runAsUser), "1 to 2147483647, or false");
}

function isUserId(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX;
}
