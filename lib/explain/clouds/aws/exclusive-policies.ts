/*
 * Who owns the policies of a role: what holds a whole list takes away what others attach beside it, and these attach it
 * again with the next run.
 *
 * Source: aws_iam_role_policy_attachments_exclusive, aws_iam_role_policies_exclusive, aws_iam_policy_attachment, and
 * aws_iam_role (managed_policy_arns, inline_policy) in the documentation of the Terraform provider for AWS.
 */

import { own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { keptReference, knownBlocks, listed } from "../../facts/terraform-values";
import { accountOf } from "./account-of";

/** The resource that attaches the managed policies of a role, and detaches all others. */
export const ATTACHMENTS_EXCLUSIVE = "aws_iam_role_policy_attachments_exclusive";
/** The resource that removes all inline policies of a role that it does not name. */
export const INLINE_EXCLUSIVE = "aws_iam_role_policies_exclusive";

/** A policy that a resource of its own gives to a role. */
export interface GivenPolicy {
  /** The resource that does. */
  readonly resource: TerraformResource;
  /** Inline ones go by their names, managed ones by their ARNs. */
  readonly kind: "inline" | "managed";
  /** Name or ARN. */
  readonly key: () => string;
  /** The document as written, also where it is not certain that it is there. */
  readonly written: () => string;
}

/** All policies of a kind that a role is to have. */
export interface PolicyListing {
  /** What it lists. */
  readonly kind: GivenPolicy["kind"];
  /** Names or ARNs. */
  readonly keys: readonly string[];
  /** Where it stands. */
  readonly source: Source;
}

/** All roles that a managed policy is to have. */
interface Claim {
  readonly resource: TerraformResource;
  readonly roles: ReadonlySet<string>;
}

/** Resources that hold whole lists. */
export class ExclusivePolicies {
  readonly #terraform: Terraform;
  readonly #listings = new Map<TerraformResource, PolicyListing[]>();
  /** By ARN. */
  readonly #claims = new Map<string, Claim[]>();

  constructor(terraform: Terraform) {
    this.#terraform = terraform;
    for (const resource of terraform.ofType("aws_iam_policy_attachment")) {
      const roles = textsOf(resource, "roles", terraform);
      const arn = textOf(resource, "policy_arn", terraform);
      this.#claims.set(arn, [...(this.#claims.get(arn) ?? []), { resource, roles: new Set(roles) }]);
    }
  }

  /** Adds a list that a resource holds of a role. */
  add(role: TerraformResource, listing: PolicyListing): void {
    this.#listings.set(role, [...(this.#listings.get(role) ?? []), listing]);
  }

  /** Where a policy of a role is taken away again, or replaced; `undefined` where it is not. */
  against(role: TerraformResource, given: GivenPolicy, all: readonly GivenPolicy[]): Source | undefined {
    const listings = [...(this.#listings.get(role) ?? []), ...ownListings(role, this.#terraform)];
    const without = listings.find((listing) => listing.kind === given.kind && !holds(listing, given));
    if (without) return without.source;
    return given.kind === "inline" ? replaced(given, all) : this.#claimed(role, given);
  }

  #claimed(role: TerraformResource, { resource, key }: GivenPolicy): Source | undefined {
    if (this.#claims.size === 0) return undefined;
    const name = this.#terraform.attribute(role, "name");
    const claim = this.#claims
      .get(key())
      ?.find(
        (each) => each.resource !== resource && mayBeNear(each.resource, resource) && !each.roles.has(name),
      );
    return claim?.resource.source;
  }
}

/** The list of one of the resources that hold one. */
export function listingOf(resource: TerraformResource, terraform: Terraform): PolicyListing {
  const [kind, argument] =
    resource.type === INLINE_EXCLUSIVE
      ? (["inline", "policy_names"] as const)
      : (["managed", "policy_arns"] as const);
  return { kind, keys: textsOf(resource, argument, terraform), source: resource.source };
}

/** A name or ARN as it is written; where nothing is, what apply will tell of it. */
export function keyOf(resource: TerraformResource, attribute: string, terraform: Terraform): string {
  return (
    textOf(resource, attribute, terraform) || keptReference(resource.scope.id, resource.address, attribute)
  );
}

function textOf({ written, values, scope }: TerraformResource, key: string, terraform: Terraform): string {
  return terraform.resolve(text((written ?? values)[key]), scope);
}

function textsOf({ written, values, scope }: TerraformResource, key: string, terraform: Terraform): string[] {
  return listed(own(written ?? values, key)).map((each) => terraform.resolve(each, scope));
}

/** An expression that names the resource speaks of what it gives. */
function holds({ keys }: PolicyListing, { resource, key }: GivenPolicy): boolean {
  const wanted = key();
  return keys.some((each) => each === wanted || (isLateText(each) && each.includes(resource.address)));
}

/** Names are unique within a role: of two policies of one name the last one to be applied is there. */
function replaced(given: GivenPolicy, all: readonly GivenPolicy[]): Source | undefined {
  if (all.length < 2) return undefined;
  const key = given.key();
  if (isLateText(key)) return undefined;
  const same = all.filter((each) => each !== given && each.kind === "inline" && each.key() === key);
  return same.find((each) => each.written() !== given.written())?.resource.source;
}

/**
 * The lists of a role's own resource. Of a role that is there already they say what it had when somebody looked, and not
 * what anybody wishes.
 */
function ownListings(role: TerraformResource, terraform: Terraform): readonly PolicyListing[] {
  const { values, scope, source } = role;
  const [arns, blocks] = [own(values, "managed_policy_arns"), own(values, "inline_policy")];
  if (arns === undefined && blocks === undefined) return [];
  const isThere = text(own(values, "arn")) !== "" && !isLateText(text(own(values, "arn")));
  if (isThere || role.adopted) return [];
  const inline = knownBlocks(blocks) ?? [];
  const names = inline.map((block) => terraform.resolve(text(block["name"]), scope));
  return [
    ...(Array.isArray(arns)
      ? [{ kind: "managed" as const, keys: textsOf(role, "managed_policy_arns", terraform), source }]
      : []),
    ...(inline.length > 0 ? [{ kind: "inline" as const, keys: names, source }] : []),
  ];
}

function mayBeNear(one: TerraformResource, other: TerraformResource): boolean {
  const [here, there] = [accountOf(one), accountOf(other)];
  return here === "" || there === "" || here === there;
}
