/*
 * Which policies a role has. Resources name a role by reference or by name, also from another stack; a name that is
 * known only after apply may mean any role of the account. A resource that owns a whole list of policies
 * (aws_iam_policy_attachment, managed_policy_arns, inline_policy) may remove what other resources attach.
 */

import { push } from "../../model/grouped";
import { type Known, is, orElse, referenceOf, same, shown } from "../../model/known";
import { textAt } from "../../model/tree";
import { awsManagedPolicy } from "../../rules/aws/managed-policies";
import type { Policy } from "../../rules/aws/policy/document";
import { inlineCharactersMax } from "../../rules/aws/policy/refusals";
import { type Answer, type Evidence, seen, unknown } from "../answer";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import { type Terraform, sameProvider } from "../read/terraform";
import type { ClosedWorld } from "../coverage/closed-world";
import { type Documents, type NamedPolicy, samePolicy } from "./documents";
import { accountOf, sifted } from "./place";

export interface Doubt {
  /** The reason in words, given the action in question and what the policy does about it. */
  readonly reason: (action: string, effect: "Allow" | "Deny" | undefined) => string;
  readonly remedy: string;
  readonly evidence: readonly Evidence[];
}

/** A policy of a role; `doubt` is `undefined` if the role certainly has it. */
export interface HeldPolicy {
  readonly policy: Policy;
  readonly doubt: Doubt | undefined;
  /** The resource that declares it; absent if none was read. */
  readonly from?: Resource;
  readonly arn?: Known<string>;
}

/** What decides on the rights of a role. */
export interface LimitedRole {
  readonly policies: readonly HeldPolicy[];
  readonly boundary: Policy | undefined;
  readonly session?: Policy;
}

interface Given {
  readonly resource: Resource;
  /** The name of an inline policy, the ARN of a managed one. */
  readonly key: Known<string>;
  readonly text: Known<string> | undefined;
  readonly named: () => NamedPolicy;
}

const ROLE = "aws_iam_role";
/** Owns all attachments of a managed policy. */
const EVERYWHERE = "aws_iam_policy_attachment";
/** An expression that names a role, perhaps one of several instances. */
const ONE_ROLE =
  /^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.)?aws_iam_role\.[\w-]+(?:\[[^\]]*\])?\.(?:name|id)$/;

export class Attachments {
  readonly #terraform: Terraform;
  readonly #documents: Documents;
  readonly #ofName: (name: string) => readonly Resource[];
  readonly #world: ClosedWorld;
  readonly #certain = new Map<Resource, Given[]>();
  readonly #perhaps = new Map<Resource, Given[]>();
  /** Policies whose role is known only after apply. */
  readonly #anywhere: Given[] = [];
  /** Policies of roles that were not read, by the text that names the role. */
  readonly #elsewhere = new Map<string, Given[]>();

  constructor(
    terraform: Terraform,
    documents: Documents,
    world: ClosedWorld,
    ofName: (name: string) => readonly Resource[],
  ) {
    this.#terraform = terraform;
    this.#documents = documents;
    this.#ofName = ofName;
    this.#world = world;
    for (const each of terraform.ofType("aws_iam_role_policy"))
      this.#give(this.#inline(each), each.stated("role"), "role");
    for (const each of terraform.ofType("aws_iam_role_policy_attachment"))
      this.#give(this.#managed(each), each.stated("role"), "role");
    for (const each of terraform.ofType(EVERYWHERE)) {
      const roles = each.list("roles");
      for (const role of orElse(roles, () => [roles as Known<never>]))
        this.#give(this.#managed(each), role, "roles");
    }
  }

  get elsewhere(): readonly { readonly role: string; readonly held: readonly HeldPolicy[] }[] {
    return [...this.#elsewhere].map(([role, given]) => ({ role, held: given.map(certainly) }));
  }

  of(role: Resource): readonly HeldPolicy[] {
    const certain = this.#certain.get(role) ?? [];
    const near = this.#anywhere.filter(({ resource }) => same(accountOf(resource), accountOf(role)) !== "no");
    const perhaps = [...(this.#perhaps.get(role) ?? []), ...near];
    const owner = this.#ownerOf(role, certain);
    const unread = this.#unreadFor(role, certain);
    return [
      ...certain.map(certainly),
      ...perhaps.map((each) => ({ ...certainly(each), doubt: attached(each.resource) })),
      ...[owner && unknown(OWNED, IN_ONE_PLACE, seen("resource that owns them", owner)), unread].flatMap(
        (each) => (each ? [open(each)] : []),
      ),
    ];
  }

  /** What was not understood and may change the role or one of its policies. */
  #unreadFor(role: Resource, given: readonly Given[]): Answer | undefined {
    if (this.#world.isEmpty) return undefined;
    const policies = given.flatMap(({ resource, named }) => [resource, named().resource ?? resource]);
    const texts = [role.attribute("name"), role.attribute("arn"), ...given.map(({ key }) => key)];
    return this.#world.answer("the role", [role, ...policies], texts);
  }

  /** A resource that may remove or replace policies of a role. */
  #ownerOf(role: Resource, policies: readonly Given[]): Source | undefined {
    const managed = policies.filter(({ text }) => text === undefined);
    const rival = this.#terraform
      .ofType(EVERYWHERE)
      .find(
        (each) =>
          same(accountOf(each), accountOf(role)) !== "no" &&
          managed.some(
            ({ resource, key }) => resource !== each && same(each.stated("policy_arn"), key) !== "no",
          ),
      );
    return rival?.source ?? replaced(policies) ?? (listsItsOwn(role, policies) ? role.source : undefined);
  }

  #give(policy: Given, role: Known<string>, argument: string): void {
    const { certain, perhaps, anyone } = this.#meant(policy.resource, role, argument);
    for (const each of certain) push(this.#certain, each, policy);
    for (const each of perhaps) push(this.#perhaps, each, policy);
    if (certain.length === 0 && perhaps.length === 0) push(this.#elsewhere, shown(role), policy);
    // If it was not read, nothing says which roles it is for, so it puts no role in doubt.
    if (anyone && policy.named().policy.kind === "read") this.#anywhere.push(policy);
  }

  #inline(resource: Resource): Given {
    const text = wished(resource, "policy");
    const named = (): NamedPolicy => ({
      policy: this.#documents.ofText(text, "identity", inlineCharactersMax),
      resource: undefined,
    });
    return { resource, key: resource.attribute("name"), text, named };
  }

  #managed(resource: Resource): Given {
    const arn = wished(resource, "policy_arn");
    const named = (): NamedPolicy => {
      const found = this.#documents.ofArn(arn);
      const isApart = found.resource && same(accountOf(found.resource), accountOf(resource)) === "no";
      return isApart ? { ...found, policy: OF_OTHER_ACCOUNT } : found;
    };
    return { resource, key: arn, text: undefined, named };
  }

  /** The roles that an argument names, or may name; `anyone` if it may be any role of the account. */
  #meant(
    resource: Resource,
    role: Known<string>,
    argument: string,
  ): {
    readonly certain: readonly Resource[];
    readonly perhaps: readonly Resource[];
    readonly anyone: boolean;
  } {
    const name = orElse(role, () => undefined);
    if (name === undefined) {
      const { target, expression = "" } = referenceOf(role) ?? {};
      if (target instanceof Resource && target.type === ROLE)
        return { certain: [target], perhaps: [], anyone: false };
      const perhaps = resource.mentioned(argument).filter(({ type }) => type === ROLE);
      return { certain: [], perhaps, anyone: !ONE_ROLE.test(expression) };
    }
    const named = this.#ofName(name);
    const here = named.filter((each) => sameProvider(each, resource) === "yes");
    // A stack that declares a role of that name means its own; a role that is only looked up is declared elsewhere.
    if (here.some(({ adopted }) => !adopted)) return { certain: here, perhaps: [], anyone: false };
    const others = named.filter((each) => !here.includes(each));
    const { certain, perhaps } = sifted(others, (each) => same(accountOf(each), accountOf(resource)));
    return { certain: [...here, ...certain], perhaps, anyone: false };
  }
}

function certainly({ resource, key, text, named }: Given): HeldPolicy {
  const { policy, resource: from = resource } = named();
  return {
    policy,
    doubt: resource.certain ? undefined : perhapsThere(resource),
    from,
    ...(text === undefined && { arn: key }),
  };
}

function attached({ source }: Resource): Doubt {
  return {
    reason: (action, effect) =>
      `a policy that ${effect === "Deny" ? "denies" : "allows"} ${action}, or may, is attached to a role that may be this one`,
    remedy:
      "let the policy refer to its role by reference, and limit its Terraform provider to one account (allowed_account_ids)",
    evidence: [seen("policy whose role is not known for certain", source)],
  };
}

/** Source: IAM API reference, AttachRolePolicy. */
const OF_OTHER_ACCOUNT: Policy = {
  kind: "refused",
  why: "it is in another account than the role, which takes policies of its own account and of AWS",
};

const IN_ONE_PLACE = "give policies to the role in one place";
const OWNED =
  "policies of the role may be removed or replaced, by a resource that owns all of them or by a policy of the same name";

/** The remedy if the policies of a role, its boundary, or its session's policy leave a question open. */
export function unreadRemedy({ policies, boundary, session }: LimitedRole): string {
  const all = [session, boundary, ...policies.map(({ policy }) => policy)];
  return all.some((policy) => policy?.kind === "unread")
    ? "also give explain the Terraform that declares it, or what `terraform show -json` prints of it, or state it with --facts as aws.policies; the IAM console shows what a managed policy of AWS says"
    : "see the role's policies";
}

export function mayDeny({ policy }: HeldPolicy): boolean {
  if (policy.kind !== "read") return policy.kind === "unread";
  return policy.statements.some((each) => "unread" in each || is(each.effect, "Allow") !== "yes");
}

/**
 * The name of a managed policy of AWS that is not read and of whose rights, whatever they are, nothing is taken away.
 * Only a state shows that AWS has a policy of that name.
 */
export function managedAlone(role: LimitedRole & { readonly resource: Resource }): string | undefined {
  const nameOf = ({ arn, policy, doubt, from = role.resource }: HeldPolicy): string | undefined => {
    const managed = arn === undefined ? arn : awsManagedPolicy(orElse(arn, () => undefined));
    const isCertain = doubt === undefined && typeof from.written(["id"]) === "string";
    return policy.kind === "unread" && isCertain && managed?.onlyAllows && managed.path === undefined
      ? managed.name
      : undefined;
  };
  const isLimited = role.policies.some((each) => nameOf(each) === undefined && mayDeny(each));
  return role.boundary || role.session || isLimited
    ? undefined
    : role.policies.flatMap((each) => nameOf(each) ?? [])[0];
}

/** A policy that could be anything. */
function open({ reason, remedy, evidence }: Answer): HeldPolicy {
  return { policy: { kind: "unread", why: reason }, doubt: { reason: () => reason, remedy, evidence } };
}

function perhapsThere({ address, source }: Resource): Doubt {
  return {
    reason: (action) => `count or for_each decides whether ${address} exists, which bears on ${action}`,
    remedy: "also give explain what `terraform show -json` prints of the plan or state",
    evidence: [seen("policy of the role", source)],
  };
}

/** An argument as written, even if it is not certain that the resource exists. */
function wished(resource: Resource, name: string): Known<string> {
  return resource.certain ? resource.stated(name) : textAt(resource.evaluate(resource.written([name])));
}

/** Names are unique within a role: of two policies with one name, the one applied last remains. */
function replaced(policies: readonly Given[]): Source | undefined {
  return policies.find(({ key, text }, place) =>
    policies.some(
      (each, other) =>
        other < place &&
        each.text !== undefined &&
        text !== undefined &&
        same(each.key, key) === "yes" &&
        samePolicy(each.text, text) !== "yes",
    ),
  )?.resource.source;
}

/** The arguments of a role that exists already say what it had when it was read. */
function listsItsOwn(role: Resource, policies: readonly Given[]): boolean {
  if (role.adopted || typeof role.written(["arn"]) === "string") return false;
  const inline = orElse(role.blocks("inline_policy"), () => []).length > 0;
  const managed = Array.isArray(role.written(["managed_policy_arns"]));
  return policies.some(({ text }) => (text === undefined ? managed : inline));
}
