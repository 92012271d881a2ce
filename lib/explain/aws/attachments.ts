/*
 * Which policies a role has. A role may be named by reference or by name, from another stack too, and where only apply
 * tells the name, each role of the account may be meant. What holds a whole list of policies takes away what others
 * attach beside it, and these attach it again with the next run.
 *
 * Source: aws_iam_role_policies_exclusive, aws_iam_role_policy_attachments_exclusive, aws_iam_policy_attachment, and
 * aws_iam_role (managed_policy_arns, inline_policy) in the documentation of the Terraform provider for AWS.
 */

import {
  type Known,
  type Ternary,
  isKnown,
  known,
  match,
  or,
  orElse,
  referenceOf,
  same,
} from "../../model/known";
import type { Policy } from "../../rules/aws/policy/document";
import { inlineCharactersMax } from "../../rules/aws/policy/refusals";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import { type Terraform, sameProvider } from "../read/terraform";
import { type Documents, samePolicy } from "./documents";
import { ModuleCalls } from "./modules";
import { accountOf } from "./place";

/** Why it is not certain that a policy is a role's. */
export interface Doubt {
  /**
   * `attached` to a role that may be this one, `contested` by another resource, of the `organization`, or of a `module`
   * whose call is given the role.
   */
  readonly kind: "attached" | "contested" | "organization" | "module";
  /** Where it stands. */
  readonly source: Source;
  /**
   * What takes it away or replaces it.
   *
   * @defaultValue - nothing does
   */
  readonly against?: Source;
}

/** A policy of a role; `doubt` is `undefined` where it certainly is. */
export interface HeldPolicy {
  /** The policy. */
  readonly policy: Policy;
  /** Why it is not certain that the role has it. */
  readonly doubt: Doubt | undefined;
}

/** A policy that a resource gives to a role. */
interface Given {
  readonly resource: Resource;
  readonly kind: "inline" | "managed";
  /** Inline ones go by their names, managed ones by their ARNs. */
  readonly key: Known<string>;
  /** The text of an inline one. */
  readonly text: Known<string> | undefined;
  readonly policy: () => Policy;
  /** What declares a managed one. */
  readonly declared: () => Resource | undefined;
}

/** All policies of a kind that a role is to have. */
interface Listing {
  readonly kind: Given["kind"];
  readonly keys: Known<readonly Known<string>[]>;
  /** What its expressions name. */
  readonly mentions: readonly Resource[];
  readonly source: Source;
}

/** All roles that a managed policy is to have. */
interface Claim {
  readonly resource: Resource;
  readonly arn: Known<string>;
  readonly roles: Known<readonly Known<string>[]>;
}

/** Whom an argument means. */
interface Meant {
  readonly certain: readonly Resource[];
  readonly perhaps: readonly Resource[];
  /** True where it may be any role of the account. */
  readonly anyone: boolean;
}

const ROLE = "aws_iam_role";
const ATTACHMENTS_EXCLUSIVE = "aws_iam_role_policy_attachments_exclusive";
const INLINE_EXCLUSIVE = "aws_iam_role_policies_exclusive";
/** A role that an expression names, one of several instances perhaps. */
const ONE_ROLE =
  /^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.)?aws_iam_role\.[\w-]+(?:\[[^\]]*\])?\.(?:name|id)$/;

/** The policies of all roles. */
export class Attachments {
  readonly #documents: Documents;
  readonly #ofName: (name: string) => readonly Resource[];
  readonly #modules: ModuleCalls;
  readonly #certain = new Map<Resource, Given[]>();
  readonly #perhaps = new Map<Resource, Given[]>();
  readonly #listings = new Map<Resource, Listing[]>();
  readonly #claims: readonly Claim[];
  /** Those of roles that only apply tells. */
  readonly #anywhere: Given[] = [];

  /** `ofName` finds the roles of a name. */
  constructor(terraform: Terraform, documents: Documents, ofName: (name: string) => readonly Resource[]) {
    this.#documents = documents;
    this.#ofName = ofName;
    this.#modules = new ModuleCalls(terraform);
    this.#claims = terraform.ofType("aws_iam_policy_attachment").map((resource) => ({
      resource,
      arn: resource.stated("policy_arn"),
      roles: resource.list("roles"),
    }));
    for (const resource of terraform.ofType(ATTACHMENTS_EXCLUSIVE))
      this.#own(resource, "managed", "policy_arns");
    for (const resource of terraform.ofType(INLINE_EXCLUSIVE)) this.#own(resource, "inline", "policy_names");
    for (const resource of terraform.ofType("aws_iam_role_policy"))
      this.#give(inline(resource, documents), resource.stated("role"), "role");
    for (const resource of terraform.ofType("aws_iam_role_policy_attachment"))
      this.#give(
        managed(resource, resource.stated("policy_arn"), documents),
        resource.stated("role"),
        "role",
      );
    for (const { resource, arn, roles } of this.#claims)
      for (const role of orElse(roles, () => [roles as Known<never>]))
        this.#give(managed(resource, arn, documents), role, "roles");
  }

  /** The policies that other resources give to a role; those that certainly are its own come first. */
  of(role: Resource): readonly HeldPolicy[] {
    const given = this.#certain.get(role) ?? [];
    const certain: HeldPolicy[] = [];
    const perhaps: HeldPolicy[] = [];
    for (const each of given) {
      const against = this.#against(role, each, given);
      if (against === undefined) certain.push({ policy: each.policy(), doubt: undefined });
      else perhaps.push(doubted(each, { kind: "contested", source: each.resource.source, against }));
    }
    const account = accountOf(role);
    const near = this.#anywhere.filter(({ resource }) => same(accountOf(resource), account) !== "no");
    for (const each of [...(this.#perhaps.get(role) ?? []), ...near])
      perhaps.push(doubted(each, { kind: "attached", source: each.resource.source }));
    const call = this.#callFor(role, given);
    return [...certain, ...perhaps, ...(call ? [call] : [])];
  }

  /** What a module makes of a role or policy that it is given is not known. */
  #callFor(role: Resource, given: readonly Given[]): HeldPolicy | undefined {
    if (this.#modules.isEmpty) return undefined;
    const policies = given.flatMap((each) => [each.resource, each.declared() ?? each.resource]);
    const texts = [role.attribute("name"), role.attribute("arn"), ...given.map(({ key }) => key)];
    const source = this.#modules.given([role, ...policies], texts);
    if (source === undefined) return undefined;
    return {
      policy: { kind: "unread", why: "the call of a module, which is not followed, is given the role" },
      doubt: { kind: "module", source },
    };
  }

  /** What holds a list of a role's policies. */
  #own(resource: Resource, kind: Given["kind"], argument: string): void {
    const keys = resource.list(argument);
    const role = resource.stated("role_name");
    const listing = { kind, keys, mentions: resource.mentioned(argument), source: resource.source };
    const { certain, perhaps } = this.#meant(resource, role, "role_name");
    for (const each of [...certain, ...perhaps]) push(this.#listings, each, listing);
    if (kind !== "managed") return;
    for (const key of orElse(keys, () => []))
      this.#give(managed(resource, key, this.#documents), role, "role_name");
  }

  #give(given: Given, role: Known<string>, argument: string): void {
    const { certain, perhaps, anyone } = this.#meant(given.resource, role, argument);
    for (const each of certain) push(this.#certain, each, given);
    for (const each of perhaps) push(this.#perhaps, each, given);
    // One that was not read says nothing of what it is for, so it puts no role in doubt.
    if (anyone && given.policy().kind === "read") this.#anywhere.push(given);
  }

  /** The roles that an argument names, or may name. */
  #meant(resource: Resource, role: Known<string>, argument: string): Meant {
    return match<string, Meant>(
      role,
      (name) => {
        const named = this.#ofName(name);
        const here = named.filter((each) => sameProvider(each, resource) === "yes");
        // A stack that has a role of that name means its own; one that is only looked up stands elsewhere too.
        if (here.some(({ adopted }) => !adopted)) return { certain: here, perhaps: [], anyone: false };
        const others = named.filter((each) => !here.includes(each));
        const isOf = (each: Resource): Ternary => same(accountOf(each), accountOf(resource));
        return {
          certain: [...here, ...others.filter((each) => isOf(each) === "yes")],
          perhaps: others.filter((each) => isOf(each) === "unknown"),
          anyone: false,
        };
      },
      () => {
        const { target, expression = "" } = referenceOf(role) ?? {};
        if (target instanceof Resource && target.type === ROLE)
          return { certain: [target], perhaps: [], anyone: false };
        const perhaps = resource.mentioned(argument).filter(({ type }) => type === ROLE);
        return { certain: [], perhaps, anyone: !ONE_ROLE.test(expression) };
      },
    );
  }

  /** Where a policy of a role is taken away again, or replaced; `undefined` where it is not. */
  #against(role: Resource, given: Given, all: readonly Given[]): Source | undefined {
    const listings = [...(this.#listings.get(role) ?? []), ...ownListings(role)];
    const without = listings.find((each) => each.kind === given.kind && !holds(each, given));
    if (without) return without.source;
    if (given.kind === "inline") return replaced(given, all);
    const name = role.attribute("name");
    return this.#claims.find(
      ({ resource, arn, roles }) =>
        resource !== given.resource &&
        same(accountOf(resource), accountOf(role)) !== "no" &&
        same(arn, given.key) !== "no" &&
        !includes(roles, name),
    )?.resource.source;
  }
}

function doubted({ policy }: Given, doubt: Doubt): HeldPolicy {
  return { policy: policy(), doubt };
}

function inline(resource: Resource, documents: Documents): Given {
  const text = resource.stated("policy");
  return {
    resource,
    kind: "inline",
    key: resource.attribute("name"),
    text,
    policy: () => documents.ofText(text, "identity", inlineCharactersMax),
    declared: () => undefined,
  };
}

function managed(resource: Resource, arn: Known<string>, documents: Documents): Given {
  return {
    resource,
    kind: "managed",
    key: arn,
    text: undefined,
    policy: () => documents.ofArn(arn).policy,
    declared: () => documents.ofArn(arn).resource,
  };
}

function includes(list: Known<readonly Known<string>[]>, text: Known<string>): boolean {
  return match(
    list,
    (items) => or(...items.map((item) => same(item, text))) === "yes",
    () => false,
  );
}

/** An expression that names the resource, or the policy, speaks of what it gives. */
function holds({ keys, mentions }: Listing, { resource, key, declared }: Given): boolean {
  if (includes(keys, key)) return true;
  const isOpen = match(
    keys,
    (items) => !items.every(isKnown),
    () => true,
  );
  const policy = declared();
  return isOpen && (mentions.includes(resource) || (policy !== undefined && mentions.includes(policy)));
}

/** Names are unique within a role: of two policies of one name the last one to be applied is there. */
function replaced(given: Given, all: readonly Given[]): Source | undefined {
  const { text } = given;
  if (text === undefined) return undefined;
  return all.find(
    (each) =>
      each !== given &&
      each.text !== undefined &&
      same(each.key, given.key) === "yes" &&
      samePolicy(each.text, text) !== "yes",
  )?.resource.source;
}

/**
 * The lists of a role's own resource. Of a role that is there already they say what it had when it was read, and not
 * what is wished for.
 */
function ownListings(role: Resource): readonly Listing[] {
  if (role.adopted || typeof role.written(["arn"]) === "string") return [];
  const { source } = role;
  const blocks = orElse(role.blocks("inline_policy"), () => []);
  const names = blocks.map((block) => orElse(block.text("name"), () => "late") ?? "");
  return [
    ...(Array.isArray(role.written(["managed_policy_arns"]))
      ? [{ kind: "managed" as const, keys: role.list("managed_policy_arns"), mentions: [], source }]
      : []),
    ...(blocks.length > 0
      ? [{ kind: "inline" as const, keys: known(names.map((name) => known(name))), mentions: [], source }]
      : []),
  ];
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const before = map.get(key);
  if (before) before.push(value);
  else map.set(key, [value]);
}
