/*
 * IAM: the grants to a bearer, each in effect if bearer, role, place and condition fit and no other resource owns it;
 * the permissions of roles; and what may take permissions away.
 */

import { push } from "../../model/grouped";
import { type Known, type Ternary, and, is, known, or, anyOf, orElse, whether } from "../../model/known";
import { type AskedResource, conditionMet } from "../../rules/google/permission";
import { type Answer, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { ClosedWorld } from "../coverage/closed-world";
import { type Grant, type Owner, anyMember, grantText, readGrants, takesAway } from "./grants";
import { type Bearer, LOOSE, memberKeys } from "./members";
import { ByName, ROLES, roleName } from "./names";

export interface GrantTo {
  readonly grant: Grant;
  readonly number: number;
  /** Whether the bearer is certainly its member. */
  readonly isTo: "yes" | "unknown";
  /** A resource that owns it and omits the bearer: the one applied last wins. `undefined` if there is none. */
  readonly owner: Resource | undefined;
}

/** A grant that is, or may be, in effect. */
export interface Counted extends GrantTo {
  /** Why that is not certain, as a clause; empty if it is. */
  readonly doubt: string;
}

export interface Asked {
  readonly role: (role: Known<string>) => Ternary;
  /** Whether a grant reaches the resource in question. */
  readonly reaches: (grant: Grant) => Ternary;
  /**
   * The attributes of the resource that conditions may compare.
   *
   * @defaultValue - nothing is known of it
   */
  readonly resource?: () => AskedResource;
  /**
   * The requested condition: it is taken as met.
   *
   * @defaultValue - none
   */
  readonly condition?: Known<string | undefined>;
}

export interface CustomRole {
  readonly permissions: Known<readonly Known<string>[]>;
  /** Whether it is disabled or deleted, so that its bindings grant nothing. */
  readonly isOff: Ternary;
}

/** Policies that override grants; where they are, and whom and what they concern, is not read. */
const DENIALS: Readonly<Record<string, string>> = {
  google_iam_deny_policy: "deny policy",
  google_iam_principal_access_boundary_policy: "principal access boundary policy",
  google_iam_projects_policy_binding: "principal access boundary policy",
  google_iam_folders_policy_binding: "principal access boundary policy",
  google_iam_organizations_policy_binding: "principal access boundary policy",
  google_access_context_manager_service_perimeter: "service perimeter",
  google_access_context_manager_service_perimeters: "service perimeter",
  google_access_context_manager_service_perimeter_resource: "service perimeter",
};
export class Iam {
  readonly grants: readonly Grant[];
  readonly world: ClosedWorld;
  readonly #owners: readonly Owner[];
  readonly #byKey = new Map<string, number[]>();
  readonly #roles: ByName<CustomRole>;
  /** A policy that may take any permission away. */
  readonly denial: Resource | undefined;

  constructor(terraform: Terraform, world: ClosedWorld) {
    const { grants, owners } = readGrants(terraform);
    this.grants = grants;
    this.#owners = owners;
    this.denial = Object.keys(DENIALS)
      .flatMap((type) => terraform.ofType(type))
      .find(({ adopted }) => !adopted);
    this.world = world;
    grants.forEach(({ members }, number) => {
      const keys = orElse(members, () => undefined)?.flatMap(memberKeys) ?? [LOOSE];
      for (const key of new Set(keys)) push(this.#byKey, key, number);
    });
    const roles = ROLES.flatMap((type) => terraform.ofType(type));
    this.#roles = new ByName(roles.map((each) => [roleName(each), customRole(each)]));
  }

  /** The grants to a bearer, including those that may be to it. */
  to({ keys, isMember }: Bearer): readonly GrantTo[] {
    const numbers = keys.includes(LOOSE)
      ? this.grants.keys()
      : new Set([LOOSE, ...keys].flatMap((key) => this.#byKey.get(key) ?? []));
    return [...numbers]
      .sort((one, other) => one - other)
      .flatMap((number): readonly GrantTo[] => {
        const grant = this.grants[number];
        const isTo = grant
          ? and(anyMember(grant, isMember), grant.resource.certain ? "yes" : "unknown")
          : "no";
        if (grant === undefined || isTo === "no") return [];
        const owner = this.#owners.find((each) => takesAway(each, grant, isMember));
        return [{ number, grant, isTo, owner: owner?.resource }];
      });
  }

  /** The custom role with the name; `undefined` for a predefined role, and for one that was not read. */
  role(role: Known<string>): CustomRole | undefined {
    return this.#roles.get(role);
  }

  /** Whether a custom role is enabled and holds a permission; `undefined` for any other role. */
  holds(role: Known<string>, permission: string): Ternary | undefined {
    const custom = this.role(role);
    if (custom === undefined || custom.isOff === "yes") return custom && "no";
    const holds = whether(custom.permissions, (all) => anyOf(all.map((each) => is(each, permission))));
    return holds === "no" || custom.isOff === "no" ? holds : "unknown";
  }

  /** The answer that grants give, weakened by denials and modules that may change it. */
  settled(answer: Answer, module: Answer | undefined): Answer {
    const { status, reason, evidence } = answer;
    const { denial } = this;
    if (denial && status === "pass") {
      const title = DENIALS[denial.type] ?? "";
      const where = [...evidence, seen(title, denial.source)];
      const remedy = `check that the ${title} leaves the member this permission`;
      return unknown(`${reason}, but an unjudged ${title} may take it away`, remedy, where);
    }
    if (module === undefined || status === "unknown") return answer;
    return unknown(`${reason}; ${module.reason}`, module.remedy, evidence, module.evidence);
  }
}

function customRole(resource: Resource): CustomRole {
  const isOff = or(is(resource.text("stage"), "DISABLED"), is(resource.text("deleted"), "true"));
  return {
    permissions: resource.list("permissions"),
    isOff: resource.certain || isOff === "yes" ? isOff : "unknown",
  };
}

/** The grants to a bearer that allow what is asked, certain ones first. */
export function allowing(all: readonly GrantTo[], asked: Asked): readonly Counted[] {
  const [sure, open]: [Counted[], Counted[]] = [[], []];
  for (const each of all) {
    const doubt = doubtOf(each, asked);
    if (doubt !== undefined) (doubt === "" ? sure : open).push({ ...each, doubt });
  }
  return [...sure, ...open];
}

/** Why a grant may not be in effect; empty if it certainly is, `undefined` if it certainly does not allow it. */
function doubtOf(
  { grant, isTo, owner }: GrantTo,
  { role, reaches, resource, condition }: Asked,
): string | undefined {
  const allows = role(grant.role);
  const place = allows === "no" ? "no" : reaches(grant);
  const met = place === "no" ? "no" : isMet(grant, resource, condition);
  if (met === "no") return undefined;
  if (owner !== undefined) return "another resource owns the same policy and omits the member";
  if (isTo === "unknown")
    return "a member of the grant is known only after apply, or is a set whose members no file lists";
  if (allows === "unknown") return "a role whose permissions were not read";
  if (place === "unknown") return "a grant on another project or resource, whose reach is not known";
  return met === "unknown" ? "a condition" : "";
}

function isMet({ condition }: Grant, resource: Asked["resource"], asked: Asked["condition"]): Ternary {
  if (condition === undefined) return "yes";
  const wanted = orElse(asked ?? known(undefined), () => undefined);
  if (wanted !== undefined && is(condition.text, wanted) === "yes") return "yes";
  return conditionMet(condition, resource?.());
}

export function grantSeen({ grant, owner }: GrantTo): Answer["evidence"] {
  const evidence = seen(grantText(grant), grant.resource.source);
  return owner ? [evidence, seen("without the member", owner.source)] : [evidence];
}
