/*
 * Names that are written elsewhere as literal text: a role's ARN in annotations, a bucket in an issuer's URL, an id to
 * import. Aspects and overrides can change a resource until its own stack is synthesized, after such texts have been
 * written, even in other stacks. A reference would follow the change, a text cannot, so the change is refused.
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
import { at as inside } from "../../model/parsed";
import { nameChanged } from "../../model/problems";

type Named = TerraformResource | TerraformDataSource;

/** The names of a resource that must not change. */
export interface KeptNames {
  /** The literal values, by Terraform's argument; late values are references everywhere, so they may change. */
  readonly names: Readonly<Record<string, string>>;
  /** The properties that set the names, for error messages. */
  readonly statedBy: string;
  /** Values that the Terraform provider uses for omitted arguments. */
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
 * Makes the synth of the resource's stack refuse other names than these, before any of its files is written.
 *
 * The synth throws `name-changed` after all aspects are applied.
 */
export function keepNames(resource: Named, kept: KeptNames): void {
  const stack = TerraformStack.of(resource);
  const all = perStack.get(stack) ?? keeping(stack);
  all.push({ resource, ...kept });
}

function keeping(stack: TerraformStack): Kept[] {
  const names: Kept[] = [];
  perStack.set(stack, names);
  stack.node.addValidation({
    validate: () => {
      refuseChanged(names.flatMap((kept) => changesOf(stack, kept)));
      return [];
    },
  });
  return names;
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

/** The value that will be written, without rendering the resource again: that would take 5 % of a large synth. */
function lastOf(stack: TerraformStack, resource: Named, argument: string): unknown {
  const { terraformResourceType: type, friendlyUniqueId: id } = resource;
  const kind = TerraformResource.isTerraformResource(resource) ? "resource" : "data";
  const property = argument.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return (
    inside(stack["rawOverrides"], kind, type, id, argument) ??
    inside(resource["rawOverrides"], argument) ??
    Reflect.get(resource, `${property}Input`)
  );
}

/** The value with Terraform's expressions in place of late parts. */
export function resolved(scope: TerraformStack, value: unknown): unknown {
  if (typeof value === "string" && !isLate(value)) return value;
  const resolver = new DefaultTokenResolver(new StringConcat());
  return Tokenization.resolve(value, { scope, resolver, preparing: false });
}
