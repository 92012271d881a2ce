/*
 * Whether a bearer is granted what is asked for: permissions and roles of a CredentialsRequest or of a record.
 */

import {
  type Known,
  type Ternary,
  is,
  not,
  orElse,
  same,
  shown,
  whether,
  withoutPrefix,
} from "../../model/known";
import { type TreeObject, childOf, fieldOf, itemsOf, optionalText, textAt, treeOf } from "../../model/tree";
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
  readonly permissions: readonly Known<string>[];
  /** `<role>`, or `<role> on <kind> <name>`. */
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

/** Whether all that is asked for is granted; with nothing asked for, whether anything is. */
export function granted(
  bearer: Bearer,
  project: Known<string> | undefined,
  asked: AskedRights | undefined,
  iam: Iam,
): Answer {
  const grants = iam.to(bearer).filter(({ grant }) => grant.on.kind !== ACCOUNT);
  const evidence = grants.flatMap((each) => [...grantSeen(each), ...roleEvidence(each, iam)]);
  if (!asked) return anythingGranted(grants, iam, evidence);
  const { permissions, roles, condition } = rightsOf(asked.rights);
  const places = asked.places.map((place) => withoutPrefix(place, "projects/"));
  const isHome = ({ on }: Grant): Ternary => {
    const isThere = [...(project ? [project] : []), ...places].some((each) => same(each, on.name) === "yes");
    return on.kind === "project" && isThere ? "yes" : "unknown";
  };
  const judged = [
    ...permissions.map((name) => [name, holding(name, isHome, iam)] as const),
    ...roles.map((name) => [name, being(name, isHome, iam)] as const),
  ].map(([name, question]) => ({ name: shown(name), found: allowing(grants, { ...question, condition }) }));
  const missing = judged.filter(({ found }) => found.length === 0).map(({ name }) => name);
  if (missing.length > 0)
    return broken(
      `no role that is granted holds ${named(missing)}, which is asked for`,
      "grant exactly what is asked for; CredentialsRequests of another release ask for other permissions",
      DENIED,
      ...evidence,
    );
  const open = judged.filter(({ found }) => found[0]?.doubt !== "");
  if (open.length === 0)
    return pass(`all ${judged.length} permissions and roles that are asked for are granted`, ...evidence);
  const doubts = doubtsOf(open.flatMap(({ found }) => found));
  return unknown(
    `whether ${named(open.map(({ name }) => name))} is granted cannot be told: ${doubts}`,
    ELSEWHERE,
    ...evidence,
  );
}

function doubtsOf(found: readonly Counted[]): string {
  return named([...new Set(found.map(({ doubt }) => doubt))]);
}

function anythingGranted(grants: readonly GrantTo[], iam: Iam, evidence: readonly Evidence[]): Answer {
  const found = allowing(grants, {
    role: (role) => not(iam.role(role)?.isOff ?? "no"),
    reaches: () => "yes",
  });
  const sure = found.filter(({ doubt }) => doubt === "").map(({ grant }) => grantText(grant));
  if (sure.length > 0) return pass(`granted is ${named(sure)}`, ...evidence);
  return found.length > 0
    ? unknown(`whether anything is granted cannot be told: ${doubtsOf(found)}`, ELSEWHERE, ...evidence)
    : broken("no role is granted that counts", "grant one on a project or a resource", DENIED, ...evidence);
}

function holding(permission: Known<string>, isHome: Asked["reaches"], iam: Iam): Asked {
  return {
    role: (role) => whether(permission, (name) => iam.holds(role, name) ?? "unknown"),
    reaches: isHome,
  };
}

/** The parts of `<role> on <kind> <name>`; the role alone for one in the bearer's own project. */
const AT = /^(\S+) on (.+) (\S+)$/;

/** Another resource of the same kind is another one; a grant on what is above it may count. */
function being(asked: Known<string>, isHome: Asked["reaches"], iam: Iam): Asked {
  const text = orElse(asked, () => "");
  const [, wanted = text, kind, target = ""] = AT.exec(text) ?? [];
  return {
    role: (role) => (text === "" ? "unknown" : iam.role(role)?.isOff === "yes" ? "no" : is(role, wanted)),
    reaches: (grant) =>
      kind === undefined ? isHome(grant) : grant.on.kind === kind ? is(grant.on.name, target) : "unknown",
  };
}

function roleEvidence({ grant: { role } }: GrantTo, iam: Iam): readonly Evidence[] {
  const custom = iam.role(role);
  if (!custom) return [];
  if (custom.isOff === "yes") return [seen(`${shown(role)} is disabled or deleted`, undefined)];
  const permissions = orElse(custom.permissions, () => []).map(shown);
  return permissions.length > 0 ? [seen(`${shown(role)} holds ${permissions.join(", ")}`, undefined)] : [];
}
