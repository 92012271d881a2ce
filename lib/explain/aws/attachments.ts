/*
 * Which policies a role has. A role may be named by reference or by name, from another stack too, and where only apply
 * tells the name, each role of the account may be meant. What holds a whole list of policies takes away what others
 * attach beside it, and these attach it again with the next run.
 *
 * Source: aws_iam_role_policies_exclusive, aws_iam_role_policy_attachments_exclusive, aws_iam_policy_attachment, and
 * aws_iam_role (managed_policy_arns, inline_policy) in the documentation of the Terraform provider for AWS.
 */

import { type Known, isKnown, known, match, or, orElse, referenceOf, same } from "../../model/known";
import { textAt } from "../../model/tree";
import type { Policy } from "../../rules/aws/policy/document";
import { inlineCharactersMax } from "../../rules/aws/policy/refusals";
import { type Evidence, seen } from "../answer";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import { type Terraform, sameProvider } from "../read/terraform";
import { type Documents, type NamedPolicy, samePolicy } from "./documents";
import { ModuleCalls, moduleRemedy } from "./documents";
import { accountOf, push, sifted } from "./place";

export interface Doubt {
  /** For the action because of which it matters, and what the policy does about it. */
  readonly reason: (action: string, effect: "Allow" | "Deny" | undefined) => string;
  readonly remedy: string;
  readonly evidence: readonly Evidence[];
}

/** A policy of a role; `doubt` is `undefined` where it certainly is. */
export interface HeldPolicy {
  readonly policy: Policy;
  readonly doubt: Doubt | undefined;
}

interface Given {
  readonly resource: Resource;
  readonly kind: "inline" | "managed";
  /** Inline ones go by their names, managed ones by their ARNs. */
  readonly key: Known<string>;
  /** The text of an inline one. */
  readonly text: Known<string> | undefined;
  readonly named: () => NamedPolicy;
}

/** All policies of a kind that a role is to have. */
interface Listing {
  readonly kind: Given["kind"];
  readonly keys: Known<readonly Known<string>[]>;
  readonly mentions: readonly Resource[];
  readonly source: Source;
}

const ROLE = "aws_iam_role";
/** A role that an expression names, one of several instances perhaps. */
const ONE_ROLE =
  /^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.)?aws_iam_role\.[\w-]+(?:\[[^\]]*\])?\.(?:name|id)$/;

export class Attachments {
  readonly #documents: Documents;
  readonly #ofName: (name: string) => readonly Resource[];
  readonly #modules: ModuleCalls;
  readonly #certain = new Map<Resource, Given[]>();
  readonly #perhaps = new Map<Resource, Given[]>();
  readonly #listings = new Map<Resource, Listing[]>();
  /** Each says which roles a managed policy is to have. */
  readonly #claims: readonly Resource[];
  /** Those of roles that only apply tells. */
  readonly #anywhere: Given[] = [];

  constructor(terraform: Terraform, documents: Documents, ofName: (name: string) => readonly Resource[]) {
    this.#documents = documents;
    this.#ofName = ofName;
    this.#modules = new ModuleCalls(terraform);
    for (const each of terraform.ofType("aws_iam_role_policy_attachments_exclusive")) {
      this.#own(each, "managed", "policy_arns");
      for (const arn of orElse(each.list("policy_arns"), () => []))
        this.#give(this.#managed(each, arn), each.stated("role_name"), "role_name");
    }
    for (const each of terraform.ofType("aws_iam_role_policies_exclusive"))
      this.#own(each, "inline", "policy_names");
    for (const each of terraform.ofType("aws_iam_role_policy"))
      this.#give(this.#inline(each), each.stated("role"), "role");
    for (const each of terraform.ofType("aws_iam_role_policy_attachment"))
      this.#give(this.#managed(each, wished(each, "policy_arn")), each.stated("role"), "role");
    this.#claims = terraform.ofType("aws_iam_policy_attachment");
    for (const each of this.#claims) {
      const roles = each.list("roles");
      for (const role of orElse(roles, () => [roles as Known<never>]))
        this.#give(this.#managed(each, wished(each, "policy_arn")), role, "roles");
    }
  }

  of(role: Resource): readonly HeldPolicy[] {
    const given = this.#certain.get(role) ?? [];
    const near = this.#anywhere.filter(({ resource }) => same(accountOf(resource), accountOf(role)) !== "no");
    const held = [
      ...given.map((each) => ({ each, doubt: this.#doubtOf(role, each, given) })),
      ...[...(this.#perhaps.get(role) ?? []), ...near].map((each) => ({
        each,
        doubt: attached(each.resource),
      })),
    ].map(({ each, doubt }) => ({ policy: each.named().policy, doubt }));
    const call = this.#callFor(role, given);
    return [...held, ...(call ? [call] : [])];
  }

  #doubtOf(role: Resource, given: Given, all: readonly Given[]): Doubt | undefined {
    const { resource } = given;
    if (!resource.certain) return perhapsThere(resource);
    const against = this.#against(role, given, all);
    return against && contested(resource, against);
  }

  /** What a module makes of a role or policy that it is given is not known. */
  #callFor(role: Resource, given: readonly Given[]): HeldPolicy | undefined {
    if (this.#modules.isEmpty) return undefined;
    const policies = given.flatMap(({ resource, named }) => [resource, named().resource ?? resource]);
    const texts = [role.attribute("name"), role.attribute("arn"), ...given.map(({ key }) => key)];
    const source = this.#modules.given([role, ...policies], texts);
    if (source === undefined) return undefined;
    const reason =
      "the call of a module, which is not followed, is given the role or one of its policies: what it makes of it is not known";
    return {
      policy: { kind: "unread", why: reason },
      doubt: { reason: () => reason, remedy: moduleRemedy, evidence: [seen("call of a module", source)] },
    };
  }

  #own(resource: Resource, kind: Given["kind"], argument: string): void {
    const mentions = resource.mentioned(argument);
    const listing = { kind, keys: resource.list(argument), mentions, source: resource.source };
    const { certain, perhaps } = this.#meant(resource, resource.stated("role_name"), "role_name");
    for (const each of [...certain, ...perhaps]) push(this.#listings, each, listing);
  }

  #give(given: Given, role: Known<string>, argument: string): void {
    const { certain, perhaps, anyone } = this.#meant(given.resource, role, argument);
    for (const each of certain) push(this.#certain, each, given);
    for (const each of perhaps) push(this.#perhaps, each, given);
    // One that was not read says nothing of what it is for, so it puts no role in doubt.
    if (anyone && given.named().policy.kind === "read") this.#anywhere.push(given);
  }

  #inline(resource: Resource): Given {
    const text = wished(resource, "policy");
    const named = (): NamedPolicy => ({
      policy: this.#documents.ofText(text, "identity", inlineCharactersMax),
      resource: undefined,
    });
    return { resource, kind: "inline", key: resource.attribute("name"), text, named };
  }

  #managed(resource: Resource, arn: Known<string>): Given {
    return { resource, kind: "managed", key: arn, text: undefined, named: () => this.#documents.ofArn(arn) };
  }

  /** The roles that an argument names, or may name; `anyone` where it may be any of the account. */
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
    // A stack that has a role of that name means its own; one that is only looked up stands elsewhere too.
    if (here.some(({ adopted }) => !adopted)) return { certain: here, perhaps: [], anyone: false };
    const others = named.filter((each) => !here.includes(each));
    const { certain, perhaps } = sifted(others, (each) => same(accountOf(each), accountOf(resource)));
    return { certain: [...here, ...certain], perhaps, anyone: false };
  }

  /** Where a policy of a role is taken away again, or replaced; `undefined` where it is not. */
  #against(role: Resource, given: Given, all: readonly Given[]): Source | undefined {
    const listings = [...(this.#listings.get(role) ?? []), ...ownListings(role)];
    const without = listings.find((each) => each.kind === given.kind && !holds(each, given));
    if (without) return without.source;
    if (given.kind === "inline") return replaced(given, all);
    const name = role.attribute("name");
    return this.#claims.find(
      (each) =>
        each !== given.resource &&
        same(accountOf(each), accountOf(role)) !== "no" &&
        same(each.stated("policy_arn"), given.key) !== "no" &&
        !includes(each.list("roles"), name),
    )?.source;
  }
}

function attached({ source }: Resource): Doubt {
  return {
    reason: (action, effect) =>
      `a policy that ${effect === "Deny" ? "denies" : "allows"} ${action}, or may, is attached to a role that may be this one`,
    remedy:
      "let the policy refer to its role, and limit its Terraform provider to one account (allowed_account_ids)",
    evidence: [seen("policy of a role that is not known for certain", source)],
  };
}

function contested({ source }: Resource, against: Source): Doubt {
  return {
    reason: (action) =>
      `a policy that decides about ${action} is given to the role, and taken away or replaced by another resource`,
    remedy: "give it to the role in one place, or name it in both",
    evidence: [
      seen("policy of the role", source),
      seen("resource that owns the role's policies, or those of its name", against),
    ],
  };
}

function perhapsThere({ address, source }: Resource): Doubt {
  return {
    reason: (action) => `count or for_each decides whether ${address} is there, which bears on ${action}`,
    remedy: moduleRemedy,
    evidence: [seen("policy of the role", source)],
  };
}

/** An argument as written, also where it is not certain that the resource is there. */
function wished(resource: Resource, name: string): Known<string> {
  return resource.certain ? resource.stated(name) : textAt(resource.evaluate(resource.written([name])));
}

function includes(list: Known<readonly Known<string>[]>, text: Known<string>): boolean {
  return or(...orElse(list, () => []).map((item) => same(item, text))) === "yes";
}

/** An expression that names the resource, or the policy, speaks of what it gives. */
function holds({ keys, mentions }: Listing, { resource, key, named }: Given): boolean {
  if (includes(keys, key)) return true;
  const isOpen = match(
    keys,
    (items) => !items.every(isKnown),
    () => true,
  );
  return isOpen && [resource, named().resource].some((each) => each !== undefined && mentions.includes(each));
}

/** Names are unique within a role: of two policies of one name the last one to be applied is there. */
function replaced(given: Given, all: readonly Given[]): Source | undefined {
  const { key, text } = given;
  return all.find(
    (each) =>
      each !== given &&
      each.text !== undefined &&
      text !== undefined &&
      same(each.key, key) === "yes" &&
      samePolicy(each.text, text) !== "yes",
  )?.resource.source;
}

/**
 * The lists of a role's own resource. Of a role that is there already they say what it had when it was read, and not
 * what is wished for.
 */
function ownListings(role: Resource): readonly Listing[] {
  if (role.adopted || typeof role.written(["arn"]) === "string") return [];
  const blocks = orElse(role.blocks("inline_policy"), () => []);
  const names = known(blocks.map((block) => known(orElse(block.text("name"), () => "late") ?? "")));
  const of = (kind: Given["kind"], keys: Listing["keys"]): Listing => ({
    kind,
    keys,
    mentions: [],
    source: role.source,
  });
  return [
    ...(Array.isArray(role.written(["managed_policy_arns"]))
      ? [of("managed", role.list("managed_policy_arns"))]
      : []),
    ...(blocks.length > 0 ? [of("inline", names)] : []),
  ];
}
