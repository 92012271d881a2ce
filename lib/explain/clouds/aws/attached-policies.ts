/*
 * Which policies are attached to which role. A role may be named by reference or by name, from another stack too; and
 * where only apply will tell the name, each role of the account may be meant.
 */

import { readPolicy } from "../../../rules/aws/evaluate/statements";
import { own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { listed } from "../../facts/terraform-values";
import { accountOf } from "./account-of";
import {
  ATTACHMENTS_EXCLUSIVE,
  ExclusivePolicies,
  type GivenPolicy,
  INLINE_EXCLUSIVE,
  keyOf,
  listingOf,
} from "./exclusive-policies";
import { mentionedRoles, roleKey } from "./mentioned-roles";
import { UNREAD_POLICY, inlinePolicy, policyOfArn } from "./policy-documents";

/** A policy that may be attached to a role. */
export interface PerhapsPolicy {
  /** The document. */
  readonly policy: string;
  /** Where it is attached. */
  readonly source: Source;
  /**
   * True for one of the organization, which limits what others allow.
   *
   * @defaultValue false
   */
  readonly isOfOrganization?: boolean;
  /**
   * Where it is taken away again, or replaced by another one of its name.
   *
   * @defaultValue - nowhere
   */
  readonly against?: Source;
}

/** Finds roles by their name. */
export type RolesOfName = (name: string) => readonly TerraformResource[];

/** A policy on its way to a role. */
interface Attachment extends GivenPolicy {
  /** The role as written. */
  readonly role: string;
  /** The document, as it counts for a role that is certainly meant. */
  readonly policy: () => string;
}

/** The policies of all roles. */
export class AttachedPolicies {
  readonly #terraform: Terraform;
  readonly #ofName: RolesOfName;
  readonly #exclusive: ExclusivePolicies;
  readonly #certain = new Map<TerraformResource, Attachment[]>();
  readonly #perhaps = new Map<TerraformResource, PerhapsPolicy[]>();
  /** Roles by what mentions them, from the first time that it is needed. */
  #byKey: Map<string, TerraformResource[]> | undefined;
  /** Those of roles that only apply will tell. */
  readonly #anywhere: { readonly account: string; readonly perhaps: PerhapsPolicy }[] = [];

  /** Reads inline policies and attachments of their own resources; those that a role's resource holds are not here. */
  constructor(terraform: Terraform, ofName: RolesOfName) {
    this.#terraform = terraform;
    this.#ofName = ofName;
    this.#exclusive = new ExclusivePolicies(terraform);
    for (const type of [ATTACHMENTS_EXCLUSIVE, INLINE_EXCLUSIVE])
      for (const resource of terraform.ofType(type)) this.#own(resource);
    for (const attachment of attachments(terraform)) this.#attach(attachment);
  }

  /** The policies that are attached to a role. */
  of(role: TerraformResource): readonly string[] {
    const given = this.#certain.get(role) ?? [];
    const lasting = given.filter((each) => this.#exclusive.against(role, each, given) === undefined);
    const [only] = lasting;
    if (only && lasting.length === 1) return [only.policy()];
    return [...new Set(lasting.map((each) => each.policy()))];
  }

  /** The policies that may be attached to it besides. */
  perhapsOf(role: TerraformResource): readonly PerhapsPolicy[] {
    const given = this.#certain.get(role) ?? [];
    const contested = given.flatMap((each): PerhapsPolicy[] => {
      const against = this.#exclusive.against(role, each, given);
      return against ? [{ ...this.#perhapsPolicy(each), against }] : [];
    });
    const named = [...(this.#perhaps.get(role) ?? []), ...contested];
    if (this.#anywhere.length === 0) return named;
    const account = accountOf(role);
    const near = this.#anywhere.filter((each) => mayBeSame(each.account, account));
    return [...named, ...near.map(({ perhaps }) => perhaps)];
  }

  /** What holds a list of a role's policies. */
  #own(resource: TerraformResource): void {
    const role = text((resource.written ?? resource.values)["role_name"]);
    const listing = listingOf(resource, this.#terraform);
    const referred = referredRole(role, resource);
    if (referred) return this.#exclusive.add(referred, listing);
    const name = this.#terraform.resolve(role, resource.scope);
    const account = accountOf(resource);
    const named = isLateText(name)
      ? [...mentionedRoles(resource, role, name, this.#terraform)].flatMap((key) => this.#rolesOf(key))
      : this.#ofName(name).filter((each) => mayBeSame(account, accountOf(each)));
    for (const each of named) this.#exclusive.add(each, listing);
  }

  #attach(attachment: Attachment): void {
    const { resource, role } = attachment;
    const referred = referredRole(role, resource);
    if (referred) return push(this.#certain, referred, attachment);
    const name = this.#terraform.resolve(role, resource.scope);
    const named = this.#ofName(name);
    const here = named.filter((each) => isNeighbour(each, resource));
    for (const each of here) push(this.#certain, each, attachment);
    // One that is only looked up stands elsewhere too.
    if (here.some(({ adopted }) => !adopted)) return;
    if (INSTANCE.test(name)) this.#attachToMentioned(attachment, name);
    else if (isLateText(name) || name === "") {
      this.#attachToMentioned(attachment, name);
      this.#attachAnywhere(attachment);
    } else for (const each of named) if (!here.includes(each)) this.#attachElsewhere(attachment, each);
  }

  /** Roles of one name in another stack or under another provider are one role where the account is one. */
  #attachElsewhere(attachment: Attachment, role: TerraformResource): void {
    const [here, there] = [accountOf(attachment.resource), accountOf(role)];
    if (here !== "" && here === there) push(this.#certain, role, attachment);
    else if (mayBeSame(here, there)) push(this.#perhaps, role, this.#perhapsPolicy(attachment));
  }

  /** One that was not read says nothing of what it is for, so it puts no role in doubt. */
  #attachAnywhere(attachment: Attachment): void {
    const perhaps = this.#perhapsPolicy(attachment);
    if ("problem" in readPolicy(perhaps.policy)) return;
    this.#anywhere.push({ account: accountOf(attachment.resource), perhaps });
  }

  #perhapsPolicy({ resource, written }: Attachment): PerhapsPolicy {
    return { policy: written() || UNREAD_POLICY, source: resource.source };
  }

  /** Roles that an expression mentions: perhaps one instance of several, perhaps one of a list. */
  #attachToMentioned(attachment: Attachment, name: string): void {
    for (const key of mentionedRoles(attachment.resource, attachment.role, name, this.#terraform))
      for (const role of this.#rolesOf(key)) push(this.#perhaps, role, this.#perhapsPolicy(attachment));
  }

  #rolesOf(key: string): readonly TerraformResource[] {
    if (this.#byKey === undefined) {
      this.#byKey = new Map();
      for (const role of this.#terraform.ofType("aws_iam_role"))
        push(this.#byKey, roleKey(role.scope, role.address), role);
    }
    return this.#byKey.get(key) ?? [];
  }
}

const INSTANCE = /^\$\{(\d+)#((?:data\.)?aws_iam_role\.[\w-]+)(?:\[[^\]]*\])?\.(?:name|id)\}$/;

const REFERENCES: readonly string[] = [".name}", ".id}"];

/** The role that a reference names and nothing else, of the same provider. */
function referredRole(role: string, resource: TerraformResource): TerraformResource | undefined {
  if (!role.startsWith("${")) return undefined;
  const ending = REFERENCES.find((each) => role.endsWith(each));
  const referred = ending && resource.scope.resources.get(role.slice(2, -ending.length));
  return referred && isRole(referred) && isNeighbour(referred, resource) ? referred : undefined;
}

function isRole({ type }: TerraformResource): boolean {
  return type === "aws_iam_role";
}

/** Roles of one name may stand in several accounts, and so in several documents or under several providers. */
function isNeighbour(one: TerraformResource, other: TerraformResource): boolean {
  return one.scope === other.scope && one.provider === other.provider;
}

function mayBeSame(one: string, other: string): boolean {
  return one === "" || other === "" || one === other;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

function* attachments(terraform: Terraform): Generator<Attachment> {
  for (const resource of terraform.ofType("aws_iam_role_policy"))
    yield {
      resource,
      role: text(resource.values["role"]),
      kind: "inline",
      key: () => keyOf(resource, "name", terraform),
      policy: () => inlinePolicy(terraform.text(resource, "policy")) || UNREAD_POLICY,
      written: () => asWritten(resource, "policy", terraform),
    };
  for (const resource of terraform.ofType("aws_iam_role_policy_attachment"))
    yield { resource, role: text(resource.values["role"]), ...managed(resource, terraform) };
  for (const resource of terraform.ofType("aws_iam_policy_attachment"))
    for (const role of listed(own(resource.values, "roles")))
      yield { resource, role, ...managed(resource, terraform) };
  for (const resource of terraform.ofType(ATTACHMENTS_EXCLUSIVE))
    for (const key of listingOf(resource, terraform).keys)
      yield {
        resource,
        role: text((resource.written ?? resource.values)["role_name"]),
        kind: "managed",
        key: () => key,
        policy: () => policyOfArn(key, terraform),
        written: () => policyOfArn(key, terraform),
      };
}

function managed(
  resource: TerraformResource,
  terraform: Terraform,
): Pick<Attachment, "kind" | "key" | "policy" | "written"> {
  return {
    kind: "managed",
    key: () => keyOf(resource, "policy_arn", terraform),
    policy: () => policyOfArn(terraform.text(resource, "policy_arn"), terraform),
    written: () => policyOfArn(asWritten(resource, "policy_arn", terraform), terraform),
  };
}

function asWritten({ written, values, scope }: TerraformResource, key: string, terraform: Terraform): string {
  return terraform.resolve(text((written ?? values)[key]), scope);
}
