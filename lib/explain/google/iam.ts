/*
 * What IAM says: grants to a bearer, of which each counts where bearer, role, place and condition fit and no other
 * resource owns it; what roles hold; and what may take it away again.
 */

import { type Known, type Ternary, and, is, known, map, or, orElse, same, whether } from "../../model/known";
import { type AskedResource, conditionMet } from "../../rules/google/permission";
import { type Answer, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { Unread } from "../shared/not-read";
import { type Grant, type Owner, anyMember, grantText, readGrants, takesAway } from "./grants";
import { type Bearer, LOOSE, memberKeys } from "./members";
import { ByName, ROLES, isProjectNumber, piecesOf, roleName } from "./names";

export interface GrantTo {
  readonly grant: Grant;
  /** Its number among all. */
  readonly number: number;
  /** Whether it certainly is to the bearer. */
  readonly isTo: "yes" | "unknown";
  /** The resource that owns it and leaves the bearer out: what was applied last counts. `undefined` where none does. */
  readonly owner: Resource | undefined;
}

/** A grant that counts, or may. */
export interface Counted extends GrantTo {
  /** Why that is not certain, a clause; empty where it is. */
  readonly doubt: string;
}

export interface Asked {
  readonly role: (role: Known<string>) => Ternary;
  /** Whether a grant on something reaches what it is asked of. */
  readonly reaches: (grant: Grant) => Ternary;
  /**
   * What conditions may say of the resource.
   *
   * @defaultValue - nothing is known of it
   */
  readonly resource?: () => AskedResource;
  /**
   * The condition that is asked for: it counts as met.
   *
   * @defaultValue - none
   */
  readonly condition?: Known<string | undefined>;
}

export interface CustomRole {
  readonly permissions: Known<readonly Known<string>[]>;
  /** Whether it is disabled or deleted: bindings to it grant nothing. */
  readonly isOff: Ternary;
}

/** Policies that take permissions away whatever is granted; whom and what they concern is not read. */
const DENIALS: Readonly<Record<string, string>> = {
  google_iam_deny_policy: "deny policy",
  google_iam_principal_access_boundary_policy: "principal access boundary policy",
  google_access_context_manager_service_perimeter: "service perimeter",
  google_access_context_manager_service_perimeters: "service perimeter",
};
/** What is held, and may be taken away. */
export interface Held {
  /** `undefined` is a project that is not known. */
  readonly projects: readonly (Known<string> | undefined)[];
  /** Any where there is none. */
  readonly permissions: readonly string[];
}

const PARENT = /^cloudresourcemanager\.googleapis\.com(?:\/|%2[Ff])projects(?:\/|%2[Ff])([^/%]+)$/;

export class Iam {
  readonly grants: readonly Grant[];
  /** Calls of modules. */
  readonly unread: Unread;
  readonly #owners: readonly Owner[];
  readonly #byKey = new Map<string, number[]>();
  readonly #roles: ByName<CustomRole>;
  readonly #denials: readonly Resource[];

  constructor(terraform: Terraform) {
    const { grants, owners } = readGrants(terraform);
    this.grants = grants;
    this.#owners = owners;
    this.#denials = Object.keys(DENIALS)
      .flatMap((type) => terraform.ofType(type))
      .filter(({ adopted }) => !adopted);
    this.unread = new Unread(terraform);
    grants.forEach(({ members }, number) => {
      const keys = orElse(
        map(members, (all) => all.flatMap(memberKeys)),
        () => [LOOSE],
      );
      for (const key of new Set(keys)) {
        const before = this.#byKey.get(key);
        if (before) before.push(number);
        else this.#byKey.set(key, [number]);
      }
    });
    const roles = ROLES.flatMap((type) => terraform.ofType(type));
    this.#roles = new ByName(roles.map((each) => [roleName(each), customRole(each)]));
  }

  /** The grants to a bearer, those that may be to it included. */
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

  /** The custom role of that name; `undefined` for a predefined one, and for one that was not read. */
  role(role: Known<string>): CustomRole | undefined {
    return this.#roles.get(role);
  }

  /** Whether a custom role holds a permission, and counts; `undefined` for any other role. */
  holds(role: Known<string>, permission: string): Ternary | undefined {
    const custom = this.role(role);
    if (custom === undefined || custom.isOff === "yes") return custom && "no";
    const holds = whether(custom.permissions, (all) => or(...all.map((each) => is(each, permission))));
    return holds === "no" || custom.isOff === "no" ? holds : "unknown";
  }

  /** A policy that may take permissions away. */
  denial({ projects, permissions }: Held): Resource | undefined {
    return this.#denials.find((each) => {
      const [own] = piecesOf(each.stated("parent"), PARENT);
      const isThere = (project: Known<string> | undefined): boolean =>
        own === undefined ||
        project === undefined ||
        isProjectNumber(own) ||
        isProjectNumber(project) ||
        same(own, project) !== "no";
      return projects.some(isThere) && mayConcern(each, permissions);
    });
  }

  /** The answer that grants give, with what denials and modules may make of it. */
  settled(answer: Answer, held: Held, module: Answer | undefined): Answer {
    const { status, reason, evidence } = answer;
    const denial = status === "pass" ? this.denial(held) : undefined;
    if (denial) {
      const title = DENIALS[denial.type] ?? "";
      const where = [...evidence, seen(title, denial.source)];
      const remedy = `see that the ${title} leaves the member this permission`;
      return unknown(`${reason}, but a ${title} may take it away, which is not judged`, remedy, ...where);
    }
    if (module === undefined || status === "unknown") return answer;
    return unknown(`${reason}; ${module.reason}`, module.remedy, ...evidence, ...module.evidence);
  }
}

/** Whether a policy denies permissions of one of the services; which ones, and to whom, is not read. */
function mayConcern(policy: Resource, permissions: readonly string[]): boolean {
  if (policy.type !== "google_iam_deny_policy" || permissions.length === 0) return true;
  const rules = orElse(policy.blocks("rules"), () => undefined);
  const denied = rules?.flatMap((rule) => {
    const denial = orElse(rule.block("deny_rule"), () => undefined);
    return orElse(denial?.list("denied_permissions") ?? known([known("")]), () => [known("")]);
  });
  return (denied ?? [known("")]).some((each) => {
    // `compute.googleapis.com/instances.create` in deny policies is `compute.instances.create` in roles.
    const service = orElse(each, () => "").replace(/\.googleapis\.com\/.*$/, ".");
    return permissions.some((permission) => permission.startsWith(service));
  });
}

function customRole(resource: Resource): CustomRole {
  const isOff = or(is(resource.text("stage"), "DISABLED"), is(resource.text("deleted"), "true"));
  return {
    permissions: resource.list("permissions"),
    isOff: resource.certain || isOff === "yes" ? isOff : "unknown",
  };
}

/** What of the grants to a bearer allows what is asked, the certain ones first. */
export function allowing(all: readonly GrantTo[], asked: Asked): readonly Counted[] {
  const [sure, open]: [Counted[], Counted[]] = [[], []];
  for (const each of all) {
    const doubt = doubtOf(each, asked);
    if (doubt !== undefined) (doubt === "" ? sure : open).push({ ...each, doubt });
  }
  return [...sure, ...open];
}

/** `undefined` where a grant certainly does not allow it. */
function doubtOf(
  { grant, isTo, owner }: GrantTo,
  { role, reaches, resource, condition }: Asked,
): string | undefined {
  const allows = role(grant.role);
  const place = allows === "no" ? "no" : reaches(grant);
  const met = place === "no" ? "no" : isMet(grant, resource, condition);
  if (met === "no") return undefined;
  if (owner !== undefined)
    return "it is contested: another resource rules the same policy, and leaves the member out";
  if (isTo === "unknown") return "a grant may be to this member, which is known only after apply";
  if (allows === "unknown") return "a role whose permissions are not read here";
  if (place === "unknown") return "a grant on another project or resource, whose reach is not read here";
  return met === "unknown" ? "a condition" : "";
}

function isMet({ condition }: Grant, resource: Asked["resource"], asked: Asked["condition"]): Ternary {
  if (condition === undefined) return "yes";
  const wanted = orElse(asked ?? known(undefined), () => undefined);
  if (wanted !== undefined && is(condition.text, wanted) === "yes") return "yes";
  return conditionMet(condition, resource?.());
}

export function grantSeen({ grant, owner }: GrantTo): Answer["evidence"] {
  const own = seen(grantText(grant), grant.resource.source);
  return owner ? [own, seen("without the member", owner.source)] : [own];
}
