/*
 * Resource groups that a stack declares, each once: the issuer's documents and the identities of components share one.
 * What is in a group names it literally and waits for it, so that its ids stay readable.
 */

import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { ResourceGroup } from "@cdktf/provider-azurerm/lib/resource-group/index.js";
import type { ITerraformDependable } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { PerStack } from "../shared/per-stack";

/** `declared` here, unless the stack declares it already; or `existing`. */
export type ResourceGroupMode = "declared" | "existing";

/** Values of {@link ResourceGroupMode}. */
export const RESOURCE_GROUP_MODES: readonly ResourceGroupMode[] = ["declared", "existing"];

/** A resource group to declare. */
export interface ResourceGroupDeclaration {
  /** Its name; may be late. */
  readonly name: string;
  /** Its region; may be late. */
  readonly location: string;
  /**
   * Its tags.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * The Terraform provider.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
  /**
   * Id under which an existing group is imported.
   *
   * @defaultValue - the group is made
   */
  readonly importId?: string;
}

const groups = new PerStack<ResourceGroup>();

/** Declares the group, or gives the one that the stack has declared; throws `azure-resource-group-moved`. */
export function declareResourceGroup(
  scope: Construct,
  id: string,
  { name, location, tags, provider, importId }: ResourceGroupDeclaration,
): ResourceGroup {
  const known = groups.get(scope, key(name, provider));
  if (known) return known;
  const group = new ResourceGroup(scope, id, {
    name,
    location,
    ...(tags && Object.keys(tags).length > 0 && { tags: { ...tags } }),
    ...(provider && { provider }),
  });
  if (importId !== undefined) group.importFrom(importId);
  return groups.set(scope, key(name, provider), group);
}

/** Refuses a group that the stack declares in another region; throws `azure-resource-group-moved`. */
export function checkResourceGroup(
  scope: Construct,
  { name, location, provider }: ResourceGroupDeclaration,
): void {
  const known = groups.get(scope, key(name, provider));
  if (known && known.locationInput !== location)
    fail("azure-resource-group-moved", name, location, known.locationInput ?? "");
}

/** What resources in the groups of these names wait for: the groups that the stack declares. */
export function declaredGroups(
  scope: Construct,
  names: readonly string[],
  provider: AzurermProvider | undefined,
): readonly ITerraformDependable[] {
  return names.flatMap((name) => groups.get(scope, key(name, provider)) ?? []);
}

function key(name: string, provider: AzurermProvider | undefined): string {
  return `${provider?.alias ?? ""} ${isLate(name) ? name : name.toLowerCase()}`;
}
