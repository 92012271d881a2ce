/*
 * Whether a bearer is granted what is asked for: permissions and roles of a CredentialsRequest or of a record.
 */

import { type Known, type Ternary, match, or, orElse, same, shown, withoutPrefix } from "../../model/known";
import {
  type Tree,
  type TreeObject,
  childOf,
  fieldOf,
  itemsOf,
  optionalText,
  textAt,
  treeOf,
} from "../../model/tree";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AskedRights } from "../cloud";
import { named } from "../shared/words";
import { ACCOUNT, type Grant, grantText } from "./grants";
import { type Asked, type Counted, type GrantTo, type Iam, allowing, grantSeen } from "./iam";
import type { Bearer } from "./members";

const DENIED = "403 PERMISSION_DENIED";
const ELSEWHERE = "name the Terraform that declares the roles and their grants as well";

/** The rights of a request by themselves. */
export interface Rights {
  /** Permissions. */
  readonly permissions: readonly Known<string>[];
  /** Roles in the bearer's own project. */
  readonly roles: readonly Known<string>[];
  /** Roles on a project or bucket. */
  readonly bindings: readonly AskedBinding[];
  /** What the record says in words, which is shown and not judged. */
  readonly described: readonly Known<string>[];
  /** The expression of the condition on the grants; `undefined` where there is none. */
  readonly condition: Known<string | undefined>;
}

/** A role on a project or bucket. */
export interface AskedBinding {
  readonly role: Known<string>;
  readonly kind: "project" | "bucket";
  readonly target: Known<string>;
  readonly condition: Known<string | undefined>;
}

/** Takes the provider part of a request apart. */
export function rightsOf(rights: TreeObject): Rights {
  return {
    permissions: itemsOf(fieldOf(rights, "permissions")).map(textAt),
    roles: itemsOf(fieldOf(rights, "predefinedRoles")).map(textAt),
    bindings: itemsOf(fieldOf(rights, "roleBindings")).map(bindingOf),
    described: itemsOf(fieldOf(rights, "described")).map(textAt),
    condition: optionalText(childOf(treeOf(rights), "condition", "expression")),
  };
}

function bindingOf(binding: Tree): AskedBinding {
  const kind = orElse(childOf(binding, "project"), () => true) === undefined ? "bucket" : "project";
  return {
    role: textAt(childOf(binding, "role")),
    kind,
    target: textAt(childOf(binding, kind)),
    condition: optionalText(childOf(binding, "condition", "expression")),
  };
}

/** Whether all that is asked for is granted; with nothing asked for, whether anything is. */
export function granted(
  bearer: Bearer,
  projects: readonly Known<string>[],
  asked: AskedRights | undefined,
  iam: Iam,
): Answer {
  const grants = iam.to(bearer).filter(({ grant }) => grant.on.kind !== ACCOUNT);
  const evidence = grants.flatMap((each) => [...grantSeen(each), ...roleEvidence(each, iam)]);
  if (!asked) return anythingGranted(grants, iam, evidence);
  const { permissions, roles, bindings, described, condition } = rightsOf(asked.rights);
  const home = [...projects, ...asked.places.map((place) => withoutPrefix(place, "projects/"))];
  const isHome = ({ on }: Grant): Ternary =>
    on.kind === "project" && or(...home.map((project) => same(project, on.name))) === "yes"
      ? "yes"
      : "unknown";
  const judged = [
    ...permissions.map((name) => [shown(name), { ...holding(name, isHome, iam), condition }] as const),
    ...roles.map((name) => [shown(name), { role: isRole(name, iam), reaches: isHome, condition }] as const),
    ...bindings.map((binding) => [bindingText(binding), bound(binding, iam)] as const),
  ].map(([name, question]) => ({ name, found: allowing(grants, question) }));
  if (judged.length === 0) return anythingGranted(grants, iam, [...evidence, ...described.map(notJudged)]);
  const missing = judged.filter(({ found }) => found.length === 0).map(({ name }) => name);
  if (missing.length > 0)
    return broken(
      `no role that is granted holds ${named(missing)}, which is asked for`,
      "grant exactly what is asked for; CredentialsRequests of another release ask for other permissions",
      DENIED,
      ...evidence,
    );
  const open = judged.filter(({ found }) => found[0]?.outcome !== "yes");
  if (open.length === 0)
    return pass(
      `all ${judged.length} permissions and roles that are asked for are granted`,
      ...evidence,
      ...described.map(notJudged),
    );
  return unknown(
    `whether ${named(open.map(({ name }) => name))} is granted cannot be told: ${named(doubtsOf(open.flatMap(({ found }) => found)))}`,
    ELSEWHERE,
    ...evidence,
  );
}

function doubtsOf(found: readonly Counted[]): readonly string[] {
  return [...new Set(found.map(({ doubt }) => doubt))];
}

function anythingGranted(grants: readonly GrantTo[], { roles }: Iam, evidence: readonly Evidence[]): Answer {
  const isOn = (role: Known<string>): Ternary => {
    const isOff = roles.custom(role)?.isOff ?? "no";
    return isOff === "yes" ? "no" : isOff === "no" ? "yes" : "unknown";
  };
  const found = allowing(grants, { role: isOn, reaches: () => "yes" });
  const sure = found.filter(({ outcome }) => outcome === "yes").map(({ grant }) => grantText(grant));
  if (sure.length > 0) return pass(`granted is ${named(sure)}`, ...evidence);
  return found.length > 0
    ? unknown(`whether anything is granted cannot be told: ${named(doubtsOf(found))}`, ELSEWHERE, ...evidence)
    : broken("no role is granted that counts", "grant one on a project or a resource", DENIED, ...evidence);
}

function holding(permission: Known<string>, isHome: Asked["reaches"], { roles }: Iam): Asked {
  const role = (each: Known<string>): Ternary =>
    match(
      permission,
      (name) => roles.holds(each, name) ?? "unknown",
      (): Ternary => "unknown",
    );
  return { role, reaches: isHome };
}

function isRole(wanted: Known<string>, { roles }: Iam): Asked["role"] {
  return (role) => (roles.custom(role)?.isOff === "yes" ? "no" : same(role, wanted));
}

/** Another resource of the same kind is another one; what stands above it may count. */
function bound({ role, kind, target, condition }: AskedBinding, iam: Iam): Asked {
  return {
    role: isRole(role, iam),
    reaches: ({ on }) => (on.kind === kind ? same(on.name, target) : "unknown"),
    condition,
  };
}

/** `<role> on <kind> <name>`. */
export function bindingText({ role, kind, target }: AskedBinding): string {
  return `${shown(role)} on ${kind} ${shown(target)}`;
}

function notJudged(words: Known<string>): Evidence {
  return seen(`recorded in words, and not judged: ${shown(words)}`, undefined);
}

function roleEvidence({ grant: { role } }: GrantTo, { roles }: Iam): readonly Evidence[] {
  const custom = roles.custom(role);
  if (!custom) return [];
  if (custom.isOff === "yes") return [seen(`${shown(role)} is disabled or deleted`, undefined)];
  const permissions = orElse(custom.permissions, () => []).map(shown);
  return permissions.length > 0 ? [seen(`${shown(role)} holds ${permissions.join(", ")}`, undefined)] : [];
}
