/*
 * Whether a bearer is granted what is asked for: permissions and roles of a CredentialsRequest or of a record.
 */

import { type Known, type Ternary, and, is, known, match, or, orElse, same, shown } from "../../model/known";
import { type TreeObject, fieldOf, itemsOf, childOf, optionalText, textAt, treeOf } from "../../model/tree";
import { conditionMet } from "../../rules/google/grant-condition";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AskedRights } from "../cloud";
import { type Grant, grantText } from "./grants";
import type { Bearer } from "./members";
import { withoutPrefix } from "../../model/known";
import type { Policies } from "./permission";

const DENIED = "403 PERMISSION_DENIED";
const ELSEWHERE = "name the Terraform that declares the roles and their grants as well";
const SHOWN = 4;

/** The rights of a request by themselves. */
export interface Rights {
  /** Permissions. */
  readonly permissions: readonly Known<string>[];
  /** Roles, `<role>` or `<role> on <kind> <name>`. */
  readonly roles: readonly Known<string>[];
  /** The expression of the condition on the grants; `undefined` where there is none. */
  readonly condition: Known<string | undefined>;
}

/** Takes the provider part of a request apart. */
export function rightsOf(rights: TreeObject): Rights {
  return {
    permissions: itemsOf(fieldOf(rights, "permissions")).map(textAt),
    roles: itemsOf(fieldOf(rights, "predefinedRoles")).map(textAt),
    condition: optionalText(childOf(treeOf(rights), "condition", "expression")),
  };
}

/** A grant to the bearer, as far as that does not depend on what is asked for. */
interface Relevant {
  readonly grant: Grant;
  /** Whether it certainly counts where it is. */
  readonly counts: Ternary;
  /** Why that is not certain; empty where it is. */
  readonly doubt: string;
  /** Whether it is on a project of the bearer's. */
  readonly isHome: boolean;
  readonly evidence: Evidence;
}

/** Whether all that is asked for is granted; with nothing asked for, whether anything is. */
export function granted(
  bearer: Bearer,
  projects: readonly Known<string>[],
  asked: AskedRights | undefined,
  policies: Policies,
): Answer {
  const rights = asked && rightsOf(asked.rights);
  const home = [...projects, ...(asked?.places ?? []).map((place) => withoutPrefix(place, "projects/"))];
  const held = heldBy(bearer, home, rights?.condition ?? known(undefined), policies);
  const evidence = held.flatMap(({ grant, evidence: own }) => [own, ...roleEvidence(grant, policies)]);
  if (!rights) return anythingGranted(held, evidence);
  const judged = [
    ...rights.permissions.map((name) => judge(name, held, (each) => holds(each, name, policies))),
    ...rights.roles.map((name) => judge(name, held, (each) => isRole(each, name))),
  ];
  const missing = judged.filter(({ outcome }) => outcome === "no").map(({ name }) => name);
  if (missing.length > 0)
    return broken(
      `no role that is granted holds ${named(missing)}, which is asked for`,
      "grant exactly what is asked for; CredentialsRequests of another release ask for other permissions",
      DENIED,
      ...evidence,
    );
  const open = judged.filter(({ outcome }) => outcome === "unknown");
  if (open.length === 0)
    return pass(`all ${judged.length} permissions and roles that are asked for are granted`, ...evidence);
  const why = [...new Set(open.flatMap(({ why: each }) => each))];
  return unknown(
    `whether ${named(open.map(({ name }) => name))} is granted cannot be told: ${named(why)}`,
    ELSEWHERE,
    ...evidence,
  );
}

function anythingGranted(held: readonly Relevant[], evidence: readonly Evidence[]): Answer {
  const sure = held.filter(({ counts }) => counts === "yes");
  if (sure.length > 0)
    return pass(`granted is ${named(sure.map(({ grant }) => grantText(grant)))}`, ...evidence);
  const open = held.filter(({ counts }) => counts === "unknown");
  return open.length > 0
    ? unknown(
        `whether anything is granted cannot be told: ${named([...new Set(open.map(({ doubt }) => doubt))])}`,
        ELSEWHERE,
        ...evidence,
      )
    : broken("no role is granted that counts", "grant one on a project or a resource", DENIED, ...evidence);
}

function heldBy(
  bearer: Bearer,
  home: readonly Known<string>[],
  condition: Known<string | undefined>,
  { index, grants, roles }: Policies,
): readonly Relevant[] {
  const { certain, possible } = index.of(bearer);
  const relevant = (grant: Grant, isTo: Ternary): Relevant => {
    const owner = isTo === "yes" ? grants.against(grant, bearer.isMember) : undefined;
    const met =
      grant.condition === undefined
        ? "yes"
        : isAsked(grant, condition)
          ? "yes"
          : conditionMet(grant.condition);
    const isOff = roles.custom(grant.role)?.isOff ?? "no";
    const doubts: readonly (readonly [boolean, string])[] = [
      [isTo !== "yes", "a grant may be to this member, which only apply will tell"],
      [
        owner !== undefined,
        "it is contested: another resource rules the same policy, and leaves the member out",
      ],
      [met === "unknown", "a condition"],
      [isOff === "unknown", "a role of which it is not known whether it is disabled"],
    ];
    const doubt = doubts.find(([isSo]) => isSo)?.[1] ?? "";
    const counts = met === "no" || isOff === "yes" ? "no" : doubt === "" ? "yes" : "unknown";
    const isHome =
      grant.on.kind === "project" && home.some((project) => same(project, grant.on.name) === "yes");
    const text = `${isTo === "yes" ? "" : "perhaps "}${grantText(grant)}`;
    return { grant, counts, doubt, isHome, evidence: seen(text, (owner ?? grant.resource).source) };
  };
  return [
    ...certain.map((grant) => relevant(grant, "yes")),
    ...possible.map((grant) => relevant(grant, "unknown")),
  ].filter(({ grant }) => grant.on.kind !== "service account");
}

function isAsked({ condition }: Grant, asked: Known<string | undefined>): boolean {
  return condition !== undefined && same<string | undefined>(condition.text, asked) === "yes";
}

interface Judged {
  readonly name: string;
  readonly outcome: Ternary;
  /** Why it is not known. */
  readonly why: readonly string[];
}

/** What one grant says: whether it is what is asked for, and why that is not known; empty where it is. */
type Said = readonly [matters: Ternary, why: string];

function judge(name: Known<string>, held: readonly Relevant[], matters: (each: Relevant) => Said): Judged {
  const said = held.map((each) => {
    const [outcome, why] = matters(each);
    return { outcome: and(each.counts, outcome), why: each.doubt || why };
  });
  return {
    name: shown(name),
    outcome: or(...said.map(({ outcome }) => outcome)),
    why: said.filter(({ outcome }) => outcome === "unknown").map(({ why }) => why),
  };
}

const ON_OTHER = "a grant on another project or resource, whose reach is not read here";
const UNREAD = "a role whose permissions are not read here";

function holds({ grant, isHome }: Relevant, permission: Known<string>, { roles }: Policies): Said {
  const held = match(
    permission,
    (name) => roles.holds(grant.role, name) ?? "unknown",
    (): Ternary => "unknown",
  );
  return [and(held, isHome ? "yes" : "unknown"), held === "unknown" ? UNREAD : ON_OTHER];
}

/** The parts of `<role> on <kind> <name>`; the role alone for one in the bearer's own project. */
const AT = /^(\S+) on (.+) (\S+)$/;

/** Another resource of the same kind is another one; what stands above it may count. */
function isRole({ grant: { role, on }, isHome }: Relevant, asked: Known<string>): Said {
  const text = orElse(asked, () => "");
  const [, wanted = text, kind, target = ""] = AT.exec(text) ?? [];
  const place =
    kind === undefined ? (isHome ? "yes" : "unknown") : on.kind === kind ? is(on.name, target) : "unknown";
  return [and(text === "" ? "unknown" : is(role, wanted), place), ON_OTHER];
}

function roleEvidence({ role }: Grant, { roles }: Policies): readonly Evidence[] {
  const custom = roles.custom(role);
  if (!custom) return [];
  if (custom.isOff === "yes") return [seen(`${shown(role)} is disabled or deleted`, undefined)];
  const permissions = orElse(custom.permissions, () => []).map(shown);
  return permissions.length > 0 ? [seen(`${shown(role)} holds ${permissions.join(", ")}`, undefined)] : [];
}

function named(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
