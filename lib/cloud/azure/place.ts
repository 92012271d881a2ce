/*
 * Resource groups that an app declares, each once: the issuer's documents and the identities of components share one.
 * Resources in a group name it literally and wait for it, so that ids stay literal.
 */

import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { ResourceGroup } from "@cdktf/provider-azurerm/lib/resource-group/index.js";
import {
  type ITerraformDependable,
  type TerraformProvider,
  type TerraformResource,
  TerraformStack,
} from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { at } from "../../model/parsed";
import { lowestVersion } from "../../rules/azure/azurerm-version";
import { type Tags, tagsArgument } from "../../rules/azure/tags";
import { withinStack } from "../shared/across-stacks";
import { DefaultProvider } from "../shared/default-provider";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-scope";

const defaults = new DefaultProvider<AzurermProvider>("azurerm");

/** The stack's default azurerm provider, if it has already been added to the stack. */
export function defaultProvider(construct: IConstruct): AzurermProvider | undefined {
  return defaults.of(construct);
}

/**
 * Refuses an identity in another subscription than its Terraform provider's, if both are literal.
 *
 * azurerm declares identities in the provider's subscription, and of a credential's `parent_id` or
 * `user_assigned_identity_id` it only uses resource group and name (federated_identity_credential_resource.go, 4.0 to
 * 5.2): the credential would be put on an identity of the same name there. A subscription from ARM_SUBSCRIPTION_ID is
 * not seen.
 */
export function checkSubscription(
  construct: IConstruct,
  what: string,
  subscriptionId: string,
  provider: AzurermProvider | undefined,
): void {
  defaults.compare(construct, provider, (own) => {
    const stated = isAzurerm(own) ? own.subscriptionIdInput : undefined;
    if (stated === undefined || isLate(stated) || stated.includes("${")) return;
    if (stated.toLowerCase() === subscriptionId.toLowerCase()) return;
    fail("azure-mismatch", {
      problem: `${what} is in another subscription than the azurerm provider, and azurerm creates identities and credentials in its provider's subscription, whatever their ids say`,
      value: subscriptionId,
      allowed: stated,
      remedy:
        "pass an azurerm provider of that subscription, with an alias, as `provider`; or state the same subscription in both",
    });
  });
}

function isAzurerm(provider: TerraformProvider): provider is AzurermProvider {
  return provider.terraformResourceType === "azurerm";
}

/** `declared` here, unless the app declares it already; or `existing`. */
export type ResourceGroupMode = "declared" | "existing";

export const RESOURCE_GROUP_MODES: readonly ResourceGroupMode[] = ["declared", "existing"];

export interface ResourceGroupPlace {
  /** Its name; may be late. */
  readonly name: string;
  /** GUID of its subscription; by default that of the provider, where it states one. */
  readonly subscriptionId?: string | undefined;
  /** By default the stack's default azurerm provider. */
  readonly provider?: AzurermProvider | undefined;
}

export interface ResourceGroupUse extends ResourceGroupPlace {
  /** Its region; may be late. */
  readonly location: string;
  readonly mode: ResourceGroupMode;
  /** `cluster` for the one that OpenShift's installer fills, which nothing else may be in. */
  readonly holds: "cluster" | "issuer" | "identities";
  readonly tags: Tags;
  /** Id under which an existing group is imported; otherwise the group is made. */
  readonly importId?: string;
}

interface KnownGroup {
  readonly construct: Construct;
  readonly use: ResourceGroupUse;
  readonly subscriptionId: string | undefined;
  /** `undefined` for one that exists. */
  readonly resource: ResourceGroup | undefined;
  imported: boolean;
}

const apps = new PerApp<KnownGroup[]>();

/** Refuses a group in two regions, with two values of a tag, or for both the cluster and something else. */
export function checkResourceGroup(scope: Construct, use: ResourceGroupUse): void {
  for (const { construct, use: earlier, resource } of knownGroups(scope, use)) {
    if (use.holds !== earlier.holds && [use.holds, earlier.holds].includes("cluster"))
      fail("azure-conflict", {
        problem: `a resource group is to contain a cluster and also resources of ${construct.node.path}`,
        value: use.name,
        allowed:
          "a separate installation resource group: the installer requires it to be empty, and destroys all of it",
        remedy: "use another resource group for the cluster, or for the issuer and the identities",
      });
    if (resource === undefined || use.mode === "existing") continue;
    if (comparable(earlier.location) !== comparable(use.location))
      fail("azure-mismatch", {
        problem: `resource group ${use.name} is already declared in this stack in another region`,
        value: use.location,
        allowed: earlier.location,
        remedy: "state the same region for the group, or use another group for one of the two",
      });
    const tags = resource.tagsInput ?? {};
    const wanted = Object.entries(tagsArgument(use.tags).tags ?? {});
    const clash = wanted.find(([name, value]) => Object.hasOwn(tags, name) && tags[name] !== value);
    if (clash)
      fail("azure-mismatch", {
        problem: `${construct.node.path} declares resource group ${use.name} with another value of a tag`,
        value: clash[0],
        allowed: "one value for each tag of a group",
        remedy: "state the same tags in both places",
      });
  }
}

/**
 * Declares the group if it is not `existing` and the app does not declare it yet. Otherwise it adds tags and import to
 * the declared one, and the stack waits for the stack that declares it.
 */
export function useResourceGroup(scope: Construct, id: string, use: ResourceGroupUse): void {
  const known = knownGroups(scope, use);
  const declared = known.find(({ resource }) => resource !== undefined);
  const record = (resource: ResourceGroup | undefined): KnownGroup => {
    const subscriptionId = subscriptionOf(scope, use);
    const group = { construct: scope, use, subscriptionId, resource, imported: false };
    groupsNamed(scope, use.name).push(group);
    return group;
  };
  if (use.mode === "existing") record(undefined);
  else if (declared?.resource) {
    complete(declared, declared.resource, use);
    withinStack(scope, [declared.resource]);
    record(undefined);
  } else {
    const resource = declare(scope, id, use);
    complete(record(resource), resource, use);
  }
}

/** What resources in the groups wait for: the groups that the app declares; the stack waits for other stacks. */
export function declaredGroups(
  scope: Construct,
  places: readonly ResourceGroupPlace[],
): readonly ITerraformDependable[] {
  const resources = places.flatMap((place) =>
    knownGroups(scope, place).flatMap(({ resource }) => resource ?? []),
  );
  return withinStack(scope, resources);
}

function declare(
  scope: Construct,
  id: string,
  { name, location, holds, provider }: ResourceGroupUse,
): ResourceGroup {
  const group = new ResourceGroup(scope, id, {
    name,
    location,
    // OpenShift's installer tags the group, and finds by that tag what to destroy.
    ...(holds === "cluster" && { lifecycle: { ignoreChanges: ["tags"] } }),
    ...(provider && { provider }),
  });
  keepNames(group, { names: { name }, statedBy: "the properties that name the resource group" });
  return group;
}

function complete(group: KnownGroup, resource: ResourceGroup, { tags, importId }: ResourceGroupUse): void {
  const all = { ...resource.tagsInput, ...tagsArgument(tags).tags };
  if (Object.keys(all).length > 0) resource.tags = all;
  if (importId !== undefined && !group.imported) resource.importFrom(importId);
  group.imported ||= importId !== undefined;
}

/** Groups of one name in one subscription: of the same provider of a stack, or where both are known to be in the same one. */
function knownGroups(scope: Construct, place: ResourceGroupPlace): readonly KnownGroup[] {
  const subscription = subscriptionOf(scope, place);
  const stack = TerraformStack.of(scope);
  return groupsNamed(scope, place.name).filter(
    ({ construct, use, subscriptionId }) =>
      (TerraformStack.of(construct) === stack && use.provider === place.provider) ||
      (subscription !== undefined && subscription === subscriptionId),
  );
}

function groupsNamed(scope: Construct, name: string): KnownGroup[] {
  return apps.ensure(scope, isLate(name) ? name : name.toLowerCase(), () => []);
}

function subscriptionOf(scope: Construct, place: ResourceGroupPlace): string | undefined {
  const stated = place.subscriptionId ?? (place.provider ?? defaultProvider(scope))?.subscriptionIdInput;
  return stated === undefined || isLate(stated) ? undefined : stated.toLowerCase();
}

/** `West Europe` and `westeurope` are one region. */
function comparable(location: string): string {
  return isLate(location) ? location : location.replaceAll(" ", "").toLowerCase();
}

const OVERRIDE = ["terraform", "required_providers", "azurerm", "version"];

/**
 * The lowest version of azurerm that a resource will run with: of the stack's `required_providers`, which an override
 * changes, and which is the version of the bindings otherwise. Only at synth is either final.
 */
export function azurermVersion(resource: TerraformResource): string {
  // cdktf keeps a stack's overrides private, and merges them into what it writes.
  const stated = at(Reflect.get(TerraformStack.of(resource), "rawOverrides"), ...OVERRIDE);
  if (typeof stated === "string") return lowestVersion(stated);
  const provider = resource.provider ?? defaultProvider(resource);
  const bindings = provider?.terraformGeneratorMetadata ?? resource.terraformGeneratorMetadata;
  return lowestVersion(bindings?.providerVersion ?? bindings?.providerVersionConstraint ?? "");
}
