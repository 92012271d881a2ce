/*
 * Whether a bearer is granted the permissions and roles in a CredentialsRequest or a record.
 */

import {
  type Known,
  type Ternary,
  joined,
  not,
  orElse,
  same,
  shown,
  whether,
  withoutPrefix,
} from "../../model/known";
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
import type { AskedRights, HeldRight } from "../cloud";
import { named } from "../shared/words";
import { ACCOUNT, type Grant, REPOSITORY, type Target, grantText } from "./grants";
import { heldGrant } from "./held";
import { type Asked, type Counted, type GrantTo, type Iam, allowing, grantSeen } from "./iam";
import type { Bearer } from "./members";

const DENIED = "403 PERMISSION_DENIED";
const ELSEWHERE = "also give explain the Terraform that declares the roles and their grants";

interface AskedBinding {
  readonly role: Known<string>;
  readonly kind: (typeof KINDS)[number];
  readonly target: Known<string>;
  readonly condition: Known<string | undefined>;
}

/** The texts of a list in what is requested or recorded. */
function textsIn(rights: TreeObject, name: string): readonly Known<string>[] {
  return itemsOf(fieldOf(rights, name)).map(textAt);
}

/** The expression of the condition on grants; `undefined` without a condition. */
function conditionOf(tree: Tree): Known<string | undefined> {
  return optionalText(childOf(tree, "condition", "expression"));
}

const KINDS = ["project", "bucket", "secret", "repository"] as const;

function bindingOf(binding: Tree): AskedBinding {
  const isGiven = (name: string): boolean => orElse(childOf(binding, name), () => true) !== undefined;
  const kind = KINDS.find(isGiven) ?? "bucket";
  const [role, target] = [textAt(childOf(binding, "role")), textAt(childOf(binding, kind))];
  return { role, kind, target, condition: conditionOf(binding) };
}

/** Whether everything requested is granted; if nothing is requested, whether anything is granted. */
export function granted(
  bearer: Bearer,
  project: Known<string> | undefined,
  asked: AskedRights | undefined,
  iam: Iam,
): Answer {
  const grants = iam.to(bearer).filter(({ grant }) => grant.on.kind !== ACCOUNT);
  const evidence = grants.flatMap((each) => [...grantSeen(each), ...roleEvidence(each, iam)]);
  if (!asked) return anythingGranted(grants, iam, evidence);
  const unjudged = textsIn(asked.rights, "described").map((words) =>
    seen(`recorded in words, not judged: ${shown(words)}`, undefined),
  );
  const judged = askedOf(asked, project, iam).map(([name, question]) => ({
    name,
    found: allowing(grants, question),
  }));
  if (judged.length === 0) return anythingGranted(grants, iam, [...evidence, ...unjudged]);
  const missing = judged.filter(({ found }) => found.length === 0).map(({ name }) => name);
  if (missing.length > 0)
    return broken(
      `the request includes ${named(missing)}, which no granted role holds`,
      "grant exactly what the request asks for; the CredentialsRequests of another release ask for other permissions",
      DENIED,
      evidence,
    );
  const open = judged.filter(({ found }) => found[0]?.doubt !== "");
  if (open.length === 0) {
    const reason = `all ${judged.length} requested permissions and roles are granted`;
    return pass(reason, evidence, unjudged);
  }
  const doubts = doubtsOf(open.flatMap(({ found }) => found));
  return unknown(
    `whether ${named(open.map(({ name }) => name))} is granted cannot be determined: ${doubts}`,
    ELSEWHERE,
    evidence,
  );
}

/** The grants that may be what is requested. */
export function meantGrants(
  bearer: Bearer,
  project: Known<string> | undefined,
  asked: AskedRights,
  iam: Iam,
): readonly HeldRight[] {
  const questions = askedOf(asked, project, iam).map(([, question]) => question);
  return iam
    .to(bearer)
    .filter((each) => questions.some((question) => allowing([each], question).length > 0))
    .flatMap((each) => heldGrant(each, iam));
}

/** The requested rights by name. A grant on another resource of the same kind does not cover one; one above it may. */
function askedOf(
  { rights, places }: AskedRights,
  project: Known<string> | undefined,
  iam: Iam,
): readonly (readonly [name: string, question: Asked])[] {
  const named = places.map((place) => withoutPrefix(place, "projects/"));
  // Without a binding, roles are asked for in the bearer's own project.
  const projects = project === undefined ? named : [project, ...named];
  const condition = conditionOf(treeOf(rights));
  const isRole =
    (wanted: Known<string>): Asked["role"] =>
    (role) =>
      iam.role(role)?.isOff === "yes" ? "no" : same(role, wanted);
  const reaches = ({ on }: Grant): Ternary =>
    on.kind === "project" && projects.some((each) => same(each, on.name) === "yes") ? "yes" : "unknown";
  return [
    ...textsIn(rights, "permissions").map((wanted): readonly [string, Asked] => {
      const holds = (role: Known<string>): Ternary =>
        whether(wanted, (name) => iam.holds(role, name) ?? "unknown");
      return [shown(wanted), { role: holds, reaches, condition }];
    }),
    ...textsIn(rights, "predefinedRoles").map(
      (role) => [shown(role), { role: isRole(role), reaches, condition }] as const,
    ),
    ...itemsOf(fieldOf(rights, "roleBindings")).map((each): readonly [string, Asked] => {
      const binding = bindingOf(each);
      const isThere = ({ on }: Grant): Ternary => isOn(on, binding);
      const question = { role: isRole(binding.role), reaches: isThere, condition: binding.condition };
      return [`${shown(binding.role)} on ${binding.kind} ${shown(binding.target)}`, question];
    }),
  ];
}

/** Whether a grant is on the requested resource; one on another kind may be on a resource above it. */
function isOn({ kind, name, project, location }: Target, asked: AskedBinding): Ternary {
  if (kind !== REPOSITORY || project === undefined || location === undefined)
    return kind === asked.kind ? same(name, asked.target) : "unknown";
  const full = joined("projects/", project, "/locations/", location, "/repositories/", name);
  return asked.kind === "repository" ? same(full, asked.target) : "unknown";
}

function doubtsOf(found: readonly Counted[]): string {
  return named([...new Set(found.map(({ doubt }) => doubt))]);
}

function anythingGranted(grants: readonly GrantTo[], iam: Iam, evidence: readonly Evidence[]): Answer {
  const allowed = allowing(grants, {
    role: (role) => not(iam.role(role)?.isOff ?? "no"),
    reaches: () => "yes",
  });
  const sure = allowed.filter(({ doubt }) => doubt === "").map(({ grant }) => grantText(grant));
  if (sure.length > 0) return pass(`it is granted ${named(sure)}`, evidence);
  return allowed.length > 0
    ? unknown(`whether anything is granted cannot be determined: ${doubtsOf(allowed)}`, ELSEWHERE, evidence)
    : broken(
        "no role is granted to it, or only disabled ones",
        "grant it a role on a project or a resource",
        DENIED,
        evidence,
      );
}

function roleEvidence({ grant: { role } }: GrantTo, iam: Iam): readonly Evidence[] {
  const custom = iam.role(role);
  if (!custom) return [];
  if (custom.isOff === "yes") return [seen(`${shown(role)} is disabled or deleted`, undefined)];
  const permissions = orElse(custom.permissions, () => []).map(shown);
  return permissions.length > 0 ? [seen(`${shown(role)} holds ${permissions.join(", ")}`, undefined)] : [];
}
