/*
 * What IAM says: grants to a bearer, of which each counts where bearer, role, place and condition fit and no other
 * resource owns it; what takes permissions away; and modules that may do either.
 */

import { type Known, type Ternary, and, match, orElse } from "../../model/known";
import { type AskedResource, conditionMet } from "../../rules/google/grant-condition";
import { type Answer, broken, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { Unread } from "../shared/not-read";
import { Denials, type Threat } from "./denials";
import { type Grant, Grants, anyMember, grantText } from "./grants";
import { type Bearer, LOOSE, memberKeys } from "./members";
import { Roles } from "./roles";

/** A grant that counts, or may. */
export interface Counted {
  /** The grant. */
  readonly grant: Grant;
  /** Whether it does. */
  readonly outcome: "yes" | "unknown";
  /** Why that is not certain, a clause; empty where it is. */
  readonly doubt: string;
  /** The resource that owns it and leaves the bearer out; `undefined` where none does. */
  readonly owner: Resource | undefined;
}

/** What is asked. */
export interface Asked {
  /** Whether a role allows it. */
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

/** Policies of IAM. */
export class Iam {
  /** The grants. */
  readonly grants: Grants;
  /** Custom roles. */
  readonly roles: Roles;
  /** What wins over every grant. */
  readonly denials: Denials;
  /** Calls of modules. */
  readonly unread: Unread;
  readonly #byKey = new Map<string, number[]>();

  constructor(terraform: Terraform) {
    this.grants = new Grants(terraform);
    this.roles = new Roles(terraform);
    this.denials = new Denials(terraform);
    this.unread = new Unread(terraform);
    this.grants.all.forEach(({ members }, number) => {
      const keys = match(
        members,
        (all) => all.flatMap(memberKeys),
        () => [LOOSE],
      );
      for (const key of new Set(keys)) {
        const same = this.#byKey.get(key);
        if (same) same.push(number);
        else this.#byKey.set(key, [number]);
      }
    });
  }

  /** The grants to a bearer, those that may be to it included, and the resources that own them without it. */
  to({ keys, isMember }: Bearer): readonly GrantTo[] {
    const { all } = this.grants;
    const numbers = keys.includes(LOOSE)
      ? all.keys()
      : new Set([LOOSE, ...keys].flatMap((key) => this.#byKey.get(key) ?? []));
    return [...numbers]
      .sort((one, other) => one - other)
      .flatMap((number) => {
        const grant = all[number];
        const isTo = grant
          ? and(anyMember(grant, isMember), grant.resource.certain ? "yes" : "unknown")
          : "no";
        return !grant || isTo === "no"
          ? []
          : [{ number, grant, isTo, owner: this.grants.against(grant, isMember) }];
      });
  }

  /** The answer that grants give, with what denials and modules make of it: a certain denial wins. */
  settled(answer: Answer, threat: Threat | undefined, module: Answer | undefined): Answer {
    if (threat && (threat.outcome === "yes" || answer.status === "pass")) return deniedAnswer(threat, answer);
    if (module === undefined || answer.status === "unknown") return answer;
    return unknown(
      `${answer.reason}; ${module.reason}`,
      module.remedy,
      ...answer.evidence,
      ...module.evidence,
    );
  }
}

/** A grant to a bearer. */
export interface GrantTo {
  /** Its number among all. */
  readonly number: number;
  /** The grant. */
  readonly grant: Grant;
  /** Whether it certainly is to the bearer. */
  readonly isTo: "yes" | "unknown";
  /** As {@link Counted.owner}. */
  readonly owner: Resource | undefined;
}

/** What of the grants to a bearer allows what is asked, the certain ones first. */
export function allowing(
  all: readonly GrantTo[],
  { role, reaches, resource, condition }: Asked,
): readonly Counted[] {
  const [sure, open]: [Counted[], Counted[]] = [[], []];
  for (const { grant, isTo, owner } of all) {
    const allows = role(grant.role);
    const place = allows === "no" ? "no" : reaches(grant);
    const met = place === "no" ? "no" : isMet(grant, resource, condition);
    if (and(allows, place, met) === "no") continue;
    const doubt =
      owner !== undefined
        ? "it is contested: another resource rules the same policy, and leaves the member out"
        : isTo === "unknown"
          ? "a grant may be to this member, which only apply will tell"
          : allows === "unknown"
            ? "a role whose permissions are not read here"
            : place === "unknown"
              ? "a grant on another project or resource, whose reach is not read here"
              : met === "unknown"
                ? "a condition"
                : "";
    if (doubt === "") sure.push({ grant, outcome: "yes", doubt, owner });
    else open.push({ grant, outcome: "unknown", doubt, owner });
  }
  return [...sure, ...open];
}

function isMet(
  { condition }: Grant,
  resource: Asked["resource"],
  asked: Known<string | undefined> | undefined,
): Ternary {
  if (condition === undefined) return "yes";
  const wanted = asked && orElse(asked, () => undefined);
  return wanted !== undefined && orElse(condition.text, () => "") === wanted
    ? "yes"
    : conditionMet(condition, resource?.());
}

/** A grant as evidence. */
export function grantSeen({ grant, owner }: Pick<Counted, "grant" | "owner">): Answer["evidence"] {
  const own = seen(grantText(grant), grant.resource.source);
  return owner ? [own, seen("without the member", owner.source)] : [own];
}

function deniedAnswer(
  { denial: { title, resource }, outcome }: Threat,
  { reason, evidence }: Answer,
): Answer {
  const where = [...evidence, seen(title, resource.source)];
  const remedy = `see the ${title}: except the member from it`;
  return outcome === "yes"
    ? broken(`a ${title} denies the member what is asked for`, remedy, `403 denied by a ${title}`, ...where)
    : unknown(`${reason}, but a ${title} may take some of it away, which cannot be judged`, remedy, ...where);
}
