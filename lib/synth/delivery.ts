/*
 * How manifests of a stack leave it otherwise than as files: a construct in another stack takes charts over, and the
 * stack's own folder gets no file for them.
 */

import type { TerraformStack } from "cdktf";
import { fail } from "../errors";
import type { ManifestDelivery, StackDocuments } from "./manifest-files";

const DOCUMENTS = new WeakMap<TerraformStack, () => StackDocuments>();
const DELIVERIES = new WeakMap<TerraformStack, ManifestDelivery>();

/** Lets deliveries see the charts of a stack's manifests. */
export function offerDocuments(stack: TerraformStack, documents: () => StackDocuments): void {
  DOCUMENTS.set(stack, documents);
}

/** The charts and late values of a stack's manifests, as they are now. */
export function documentsOf(stack: TerraformStack): StackDocuments {
  const documents = DOCUMENTS.get(stack);
  if (documents === undefined) throw new RangeError(`${stack.node.path} offers no documents`);
  return documents();
}

/** Has a construct deliver manifests of a stack; refuses a second one. */
export function deliverBy(stack: TerraformStack, delivery: ManifestDelivery): void {
  const first = DELIVERIES.get(stack);
  if (first)
    fail("delivery-conflict", {
      problem: `${first.node.path} delivers the manifests of this stack already, and two would fight over each object`,
      value: delivery.node.path,
      allowed: "one delivery per stack",
      remedy: "remove one of them",
    });
  DELIVERIES.set(stack, delivery);
}

/** What delivers manifests of a stack; `undefined` where all are files. */
export function deliveryOf(stack: TerraformStack): ManifestDelivery | undefined {
  return DELIVERIES.get(stack);
}
