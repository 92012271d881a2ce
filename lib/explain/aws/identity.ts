/*
 * IAM roles: which one an ARN names, and what is declared of it.
 */

import { grouped } from "../../model/grouped";
import {
  type Known,
  type Ternary,
  isBlank,
  isKnown,
  joined,
  map,
  orElse,
  partsOf,
  same,
  shown,
  withoutPrefix,
  whether,
} from "../../model/known";
import { readArnOf } from "../../rules/aws/arn";
import type { Policy } from "../../rules/aws/policy/document";
import { inlineCharactersMax, trustCharactersMax } from "../../rules/aws/policy/refusals";
import { type Answer, broken, later, seen, unknown } from "../answer";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { nearest } from "../shared/near-miss";
import { Recent, resourcesIn } from "../shared/references";
import type { ClosedWorld, ClusterNames } from "../coverage/closed-world";
import { Attachments, type HeldPolicy } from "./attachments";
import { type Documents, iamArn, samePolicy } from "./documents";
import { ORGANIZATION_POLICY, organizationPolicies } from "./held";
import { accountOf, arnFields, lastSegment, partitionOf, sifted } from "./place";

/** An IAM role that was read. Its parts are computed only on demand: there may be tens of thousands of roles. */
export interface Role {
  readonly resource: Resource;
  readonly arn: Known<string>;
  readonly account: Known<string>;
  readonly partition: Known<string>;
  /** `<path><name>`, the end of its ARN, for people. */
  readonly pathName: string;
  readonly trust: Policy;
  readonly trustText: Known<string>;
  /** The identity policies without the permissions boundary; policies that the role certainly has come first. */
  readonly policies: readonly HeldPolicy[];
  readonly boundary: Policy | undefined;
  /** The policy of the session in which it acts; absent if sessions have all of its rights. */
  readonly session?: Policy;
  /** Where a second, different declaration of the role is. */
  readonly contestedBy: Source | undefined;
}

export interface NamedRole extends Pick<Role, "arn" | "account" | "partition"> {
  /** The role; `undefined` if it was not read. */
  readonly role: Role | undefined;
  /** The answer if the role was not read. */
  readonly missing: Answer;
  /** The ARN, or the role's name if the ARN is known only after apply. */
  readonly label: string;
}

const TYPE = "aws_iam_role";
const NO_ACCESS = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity";

/** True for the ARN of a role, and for a value that is known only after apply. */
export function isRoleArn(arn: Known<string>): boolean {
  return whether(arn, (text) => /^\S+$/.test(readArnOf(text, "iam", "role/")?.name ?? "")) !== "no";
}

export const roleAttributes: readonly ComputedAttribute[] = [
  ...iamArn("role", TYPE),
  { type: TYPE, attribute: "id", value: (resource) => resource.attribute("name") },
];

export class Roles {
  readonly #terraform: Terraform;
  readonly #documents: Documents;
  readonly #attachments: Attachments;
  readonly #world: ClosedWorld;
  readonly #ofOrganization: readonly HeldPolicy[];
  readonly #byName: ReadonlyMap<string | undefined, readonly Resource[]>;
  readonly #roles = new Recent<Resource, Role>();
  #declared: readonly Role[] | undefined;

  constructor(terraform: Terraform, documents: Documents, world: ClosedWorld) {
    this.#terraform = terraform;
    this.#documents = documents;
    this.#world = world;
    this.#byName = grouped(terraform.ofType(TYPE), (each) => orElse(each.attribute("name"), () => undefined));
    this.#attachments = new Attachments(terraform, documents, world, (name) => this.#named(name));
    this.#ofOrganization = organizationPolicies(terraform);
  }

  get declared(): readonly Role[] {
    return (this.#declared ??= this.#terraform
      .ofType(TYPE)
      .filter(({ adopted }) => !adopted)
      .map((each) => this.of(each)));
  }

  /** The policies attached to roles that were not read. */
  get elsewhere(): Attachments["elsewhere"] {
    return this.#attachments.elsewhere;
  }

  /** Whether everything that was read of a role, and of what is above it, is understood. */
  understood({ role, label, missing: absent }: NamedRole, cluster: ClusterNames): Answer {
    if (role === undefined) return absent;
    const above = this.#terraform.ofType(ORGANIZATION_POLICY);
    return this.#world.understood(label, cluster, [role.resource, ...above], [role.arn]);
  }

  named(arn: Known<string>): NamedRole {
    const role = this.#ofArn(arn);
    const fields = arnFields(arn);
    const nowhere = map(arn, () => "");
    return {
      role,
      arn,
      missing: later("unknown", () =>
        missing(
          arn,
          this.#terraform.ofType(TYPE).map((each) => this.of(each)),
        ),
      ),
      label: labelOf(arn, role),
      account: (isKnown(arn) ? fields?.[4] : role?.account) ?? nowhere,
      partition: (isKnown(arn) ? fields?.[1] : role?.partition) ?? nowhere,
    };
  }

  /** A role in an unknown account may be the one that an ARN means if no other has its name. */
  #ofArn(arn: Known<string>): Role | undefined {
    const { certain, perhaps } = sifted(this.#ending(arn), (role) => isRoleOf(role, arn));
    if (certain.length > 0) return agreed(certain);
    return perhaps.length === 1 ? perhaps[0] : undefined;
  }

  /** The roles whose name an ARN ends with, or to which a reference in it points. */
  #ending(arn: Known<string>): readonly Role[] {
    const role = resourcesIn(arn).find(({ type }) => type === TYPE);
    if (role) return [this.of(role)];
    const name = orElse(lastSegment(arn) ?? arn, () => "");
    return this.#named(name).map((each) => this.of(each));
  }

  #named(name: string): readonly Resource[] {
    return this.#byName.get(name) ?? [];
  }

  /** The role of a resource, whose policies are forgotten with it. */
  of(resource: Resource): Role {
    return this.#roles.get(
      resource,
      () => new DeclaredRole(resource, this.#documents, () => this.#policies(resource)),
    );
  }

  #policies(resource: Resource): readonly HeldPolicy[] {
    const inline = ownPolicies(resource, this.#documents);
    const attached = this.#isRepeated(resource) ? [NOT_DECLARED] : this.#attachments.of(resource);
    // What other stacks attach to a role that is only looked up is declared elsewhere.
    const all = [...inline, ...(resource.adopted ? [NOT_DECLARED] : []), ...attached];
    const rank = ({ doubt }: HeldPolicy): number => (doubt === undefined ? 0 : 1);
    return [...all, ...this.#ofOrganization].sort((one, other) => rank(one) - rank(other));
  }

  /** A state does not say which account a policy is in, so the policies of two roles with one name are not known. */
  #isRepeated(resource: Resource): boolean {
    return this.#named(orElse(resource.attribute("name"), () => "")).some(
      (other) =>
        other !== resource &&
        other.scope === resource.scope &&
        other.providerKey === resource.providerKey &&
        other.address !== resource.address,
    );
  }
}

/** How a role is called that an ARN names. */
export function labelOf(arn: Known<string>, role: Role | undefined): string {
  return !isKnown(arn) && role ? `IAM role ${role.pathName}` : shown(arn);
}

/** The nearest is one of the same name, on another path or in another account, else one of the account. */
function missing(arn: Known<string>, roles: readonly Role[]): Answer {
  const what = `the IAM role${partsOf(arn) === undefined ? "" : ` ${shown(arn)}`} is not among what was read`;
  const [, , , , account, path] = arnFields(arn) ?? [];
  const name = lastSegment(arn);
  const of = roles.find(
    ({ resource }) => name !== undefined && same(resource.attribute("name"), name) === "yes",
  );
  const namesake = of && (isKnown(of.arn) ? shown(of.arn) : `${of.pathName}, whose account is not known`);
  const others = roles.filter((role) => account !== undefined && same(role.account, account) !== "no");
  const near = nearest(
    withoutPrefix(path ?? arn, "role/"),
    others.map(({ pathName }) => pathName),
  );
  return unknown(
    what + (namesake === undefined ? near : `; the nearest is ${namesake}`),
    "also give explain the Terraform that declares it; STS answers the same for a role that does not exist",
  );
}

/** A policy that could be anything: it may allow and may deny. */
const NOT_DECLARED: HeldPolicy = {
  policy: { kind: "unread", why: "a policy of the role is not declared in what was read" },
  doubt: undefined,
};

/** A different partition does not make a different role: a wrong partition is reported where it matters. */
function isRoleOf(role: Role, arn: Known<string>): Ternary {
  if (same(role.arn, arn) === "yes") return "yes";
  const [own = [], asked = []] = [role.arn, arn].map(arnFields);
  const [account, end] = [4, 5].map((place): Ternary => {
    const [one, other] = [own[place], asked[place]];
    return one === undefined || other === undefined ? "no" : same(one, other);
  });
  return end === "yes" && account !== undefined ? account : "no";
}

/** The answer for an ARN whose partition is not the one in which the role is declared. */
export function misplaced(role: Role, partition: Known<string>): Answer | undefined {
  return same(role.partition, partition) === "no"
    ? broken(
        `the role's ARN is written with partition ${shown(partition)}, but Terraform declares the role in ${shown(role.partition)}`,
        "write the ARN of the role as Terraform declares it",
        NO_ACCESS,
        seen("IAM role", role.resource.source),
      )
    : undefined;
}

class DeclaredRole implements Role {
  readonly resource: Resource;
  readonly contestedBy: undefined;
  readonly #documents: Documents;
  readonly #held: () => readonly HeldPolicy[];
  #arn: Known<string> | undefined;
  #policies: readonly HeldPolicy[] | undefined;
  #trust: Policy | undefined;

  constructor(resource: Resource, documents: Documents, held: () => readonly HeldPolicy[]) {
    this.resource = resource;
    this.#documents = documents;
    this.#held = held;
  }

  get arn(): Known<string> {
    return (this.#arn ??= this.resource.attribute("arn"));
  }

  get account(): Known<string> {
    return accountOf(this.resource);
  }

  get partition(): Known<string> {
    return partitionOf(this.resource);
  }

  get pathName(): string {
    const path = orElse(this.resource.text("path"), () => "") ?? "";
    return shown(joined(path.replace(/^\//, ""), this.resource.attribute("name")));
  }

  get trust(): Policy {
    return (this.#trust ??= this.#documents.ofText(this.trustText, "trust", trustCharactersMax));
  }

  get trustText(): Known<string> {
    return this.resource.stated("assume_role_policy");
  }

  get policies(): readonly HeldPolicy[] {
    return (this.#policies ??= this.#held());
  }

  get boundary(): Policy | undefined {
    return isBlank(this.resource.text("permissions_boundary"))
      ? undefined
      : this.#documents.ofArn(this.resource.stated("permissions_boundary")).policy;
  }
}

/** The policies in the role's own resource; unknown if an expression computes them. */
function ownPolicies(resource: Resource, documents: Documents): readonly HeldPolicy[] {
  if (!["inline_policy", "managed_policy_arns", "dynamic"].some((name) => resource.names.includes(name)))
    return [];
  const certain = (policy: Policy): HeldPolicy => ({ policy, doubt: undefined });
  const inline = map(resource.blocks("inline_policy"), (blocks) =>
    blocks
      .filter(({ names }) => names.includes("policy") || names.includes("name"))
      .map((block) => certain(documents.ofText(block.stated("policy"), "identity", inlineCharactersMax))),
  );
  const managed = map(resource.list("managed_policy_arns"), (arns) =>
    arns.map((arn) => ({ ...certain(documents.ofArn(arn).policy), arn })),
  );
  return [inline, managed].flatMap((held) => orElse(held, () => [NOT_DECLARED]));
}

/**
 * One of several declarations of a role. Data sources say nothing about it; all others must agree. A state knows values
 * that its configuration does not know yet.
 */
function agreed(declared: readonly Role[]): Role | undefined {
  const [only] = declared;
  if (declared.length < 2) return only;
  const all = declared.filter(({ resource }) => !resource.adopted);
  const first = all.find(({ resource }) => isKnown(resource.text("assume_role_policy"))) ?? all[0];
  if (first === undefined) return only;
  const differing = all.find((other) => other !== first && differs(first, other));
  return differing === undefined ? first : contested(first, differing.resource.source);
}

function differs(one: Role, other: Role): boolean {
  const [first, second] = [one.trustText, other.trustText];
  if (samePolicy(first, second) === "no") return true;
  const [rights, others] = [one, other].map(({ policies, boundary }) => {
    const texts = policies.map(({ policy }) => policyWords(policy));
    return [...[...new Set(texts)].sort(), boundary ? policyWords(boundary) : "no boundary"];
  });
  const isOpen = [...(rights ?? []), ...(others ?? [])].includes(undefined);
  return !isOpen && rights?.join() !== others?.join();
}

/** The role with everything but its name unknown. */
function contested(role: Role, contestedBy: Source): Role {
  const trust: Policy = { kind: "unread", why: "the role is declared twice, in different ways" };
  return replaced(role, { trust, policies: [NOT_DECLARED], boundary: undefined, contestedBy });
}

/** The role in a session that a policy limits. */
export function inSession(role: Role, session: Policy): Role {
  return replaced(role, { session });
}

/** The role with other parts; most of its own are getters. */
function replaced(role: Role, parts: Partial<Role>): Role {
  const { resource, arn, account, partition, pathName, trust, trustText, policies } = role;
  const { boundary, contestedBy } = role;
  const own = { resource, arn, account, partition, pathName, trust, trustText, policies };
  return { ...own, boundary, contestedBy, ...parts };
}

/** A policy as text, equal for policies that mean the same; `undefined` if a part is not known. */
function policyWords(policy: Policy): string | undefined {
  if (policy.kind !== "read") return policy.kind === "unread" ? undefined : policy.why;
  try {
    return JSON.stringify(policy.statements, (_, value: unknown) =>
      Array.isArray(value) && value.every((each) => typeof each === "string") ? [...value].sort() : value,
    );
  } catch {
    // An unknown value has no text.
    return undefined;
  }
}
