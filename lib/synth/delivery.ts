/*
 * Delivery of a stack's manifests without files: a construct in another stack takes charts over, and the stack's own
 * folder has no files for them.
 */

import type { TerraformStack } from "cdktf";
import { fail } from "../errors";
import type { ManifestDelivery, StackDocuments } from "./manifest-files";

const DOCUMENTS = new WeakMap<TerraformStack, () => StackDocuments>();
const DELIVERIES = new WeakMap<TerraformStack, ManifestDelivery>();

export function offerDocuments(stack: TerraformStack, documents: () => StackDocuments): void {
  DOCUMENTS.set(stack, documents);
}

/** Returns the charts and late values that a stack's manifests have now. */
export function documentsOf(stack: TerraformStack): StackDocuments {
  const documents = DOCUMENTS.get(stack);
  if (documents === undefined) throw new RangeError(`${stack.node.path} offers no documents`);
  return documents();
}

/** Registers the construct that delivers a stack's manifests; refuses a second one. */
export function deliverBy(stack: TerraformStack, delivery: ManifestDelivery): void {
  const first = DELIVERIES.get(stack);
  if (first)
    fail("delivery-conflict", {
      problem: `${first.node.path} already delivers the manifests of this stack, and two deliveries would overwrite each other's objects`,
      value: delivery.node.path,
      allowed: "one delivery per stack",
      remedy: "remove one of them",
    });
  DELIVERIES.set(stack, delivery);
}

/** Returns what delivers a stack's manifests; `undefined` if all of them are files. */
export function deliveryOf(stack: TerraformStack): ManifestDelivery | undefined {
  return DELIVERIES.get(stack);
}
