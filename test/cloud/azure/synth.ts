import { App, TerraformStack, Testing } from "cdktf";

/** One kind of resource or data source in a synthesized stack: the blocks by logical id. */
export type Blocks = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Synthesized {
  readonly resource?: Readonly<Record<string, Blocks>>;
  readonly data?: Readonly<Record<string, Blocks>>;
}

/** A stack of its own. */
export function newStack(): TerraformStack {
  return new TerraformStack(new App(), "test");
}

/** The resources of one type. */
export function resources(stack: TerraformStack, type: string): Blocks {
  return (JSON.parse(Testing.synth(stack)) as Synthesized).resource?.[type] ?? {};
}

/** The data sources of one type. */
export function dataSources(stack: TerraformStack, type: string): Blocks {
  return (JSON.parse(Testing.synth(stack)) as Synthesized).data?.[type] ?? {};
}

/** Resource id of a registry. */
export function registryId(name: string): string {
  return `/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/${name}`;
}

/** Resource id of an identity. */
export function identityId(name: string): string {
  return `/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/identities/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
}

/** What is imported: ids by the address of the resource. */
export function imports(stack: TerraformStack): Readonly<Record<string, string>> {
  const blocks = (JSON.parse(Testing.synth(stack)) as { import?: readonly { id: string; to: string }[] })
    .import;
  return Object.fromEntries((blocks ?? []).map(({ id, to }) => [to, id]));
}
