/*
 * Names that others hold as text: a role's ARN in annotations, a bucket in an issuer's URL, an id to import. Aspects
 * and overrides may change a resource until its own stack is synthesized, when such texts are long written, into other
 * stacks too. A reference would follow the change and a text cannot, so the change is refused.
 */

import {
  DefaultTokenResolver,
  StringConcat,
  type TerraformDataSource,
  TerraformResource,
  TerraformStack,
  Tokenization,
} from "cdktf";
import { at, fail } from "../../errors";
import { isLate } from "../../model/late";
import { isRecord } from "../../model/record";
import { nameChanged } from "../../model/problems";

type Named = TerraformResource | TerraformDataSource;

/** What is kept of a resource. */
export interface KeptNames {
  /** The values that others hold, by Terraform's argument; a late one is a reference wherever it stands, and free. */
  readonly names: Readonly<Record<string, string>>;
  /** The properties that state the names, for the refusal. */
  readonly statedBy: string;
  /**
   * What the Terraform provider takes for arguments that are left out.
   *
   * @defaultValue - nothing
   */
  readonly defaults?: Readonly<Record<string, string>>;
}

interface Kept extends KeptNames {
  readonly resource: Named;
}

interface Change {
  readonly resource: Named;
  readonly argument: string;
  readonly value: string;
  readonly found: unknown;
  readonly statedBy: string;
}

const perStack = new WeakMap<TerraformStack, Kept[]>();

/**
 * Has the synth of the resource's stack refuse other names than these, before any of its files is written.
 *
 * Throws `name-changed` then, once all aspects are applied.
 */
export function keepNames(resource: Named, kept: KeptNames): void {
  const stack = TerraformStack.of(resource);
  const all = perStack.get(stack) ?? keeping(stack);
  all.push({ resource, ...kept });
}

function keeping(stack: TerraformStack): Kept[] {
  const all: Kept[] = [];
  perStack.set(stack, all);
  stack.node.addValidation({
    validate: () => {
      refuseChanged(all.flatMap((kept) => changesOf(stack, kept)));
      return [];
    },
  });
  return all;
}

function refuseChanged([first, ...others]: readonly Change[]): void {
  if (first === undefined) return;
  const { resource, argument, value, found, statedBy } = first;
  const name = `${argument} of ${resource.terraformResourceType}`;
  at(resource, () => fail("name-changed", nameChanged(name, value, found ?? null, statedBy, others.length)));
}

function changesOf(stack: TerraformStack, { resource, names, statedBy, defaults }: Kept): readonly Change[] {
  return Object.entries(names).flatMap(([argument, value]): readonly Change[] => {
    if (isLate(value)) return [];
    const found = resolved(stack, lastOf(stack, resource, argument)) ?? defaults?.[argument];
    return found === value ? [] : [{ resource, argument, value, found, statedBy }];
  });
}

/** What will be written: rendering thousands of resources once more would cost a synth a twentieth of its time. */
function lastOf(stack: TerraformStack, resource: Named, argument: string): unknown {
  const { terraformResourceType: type, friendlyUniqueId: id } = resource;
  const kind = TerraformResource.isTerraformResource(resource) ? "resource" : "data";
  const property = argument.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return (
    inside(stack["rawOverrides"], [kind, type, id, argument]) ??
    inside(resource["rawOverrides"], [argument]) ??
    Reflect.get(resource, `${property}Input`)
  );
}

function inside(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((found, key) => (isRecord(found) ? found[key] : undefined), value);
}

function resolved(scope: TerraformStack, value: unknown): unknown {
  if (typeof value === "string" && !isLate(value)) return value;
  const resolver = new DefaultTokenResolver(new StringConcat());
  return Tokenization.resolve(value, { scope, resolver, preparing: false });
}
