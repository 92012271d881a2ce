import { type Answer, broken, pass, seen, unknown } from "../answer";
import { isLateText } from "../facts/terraform";
import type { SpokeFact } from "../facts/spoke-facts";

/** Who somebody is on a spoke. */
export interface SpokeNames {
  /** Names of the user; more than one where cloud and spoke may use either. */
  readonly users: readonly string[];
  /** Names of its groups. */
  readonly groups: readonly string[];
}

/** The refusal of a spoke's API server. */
const FORBIDDEN = "is forbidden: User cannot list resource at the cluster scope";

/** Whether a binding of the spoke names the user or one of its groups. */
export function boundAnswer(
  spoke: string,
  { users, groups }: SpokeNames,
  { bound, isWhole }: SpokeFact,
): Answer {
  const all = bound.filter(({ kind, name }) =>
    kind === "User" ? users.includes(name) : kind === "Group" && groups.includes(name),
  );
  const found = all.find(({ rules }) => rules?.isEmpty !== true);
  if (found)
    return pass(
      `RBAC of ${spoke} binds ${found.kind.toLowerCase()} ${shown(found.name)} to ${found.role}`,
      seen(found.role, found.source),
    );
  const [idle] = all;
  if (idle)
    return broken(
      `RBAC of ${spoke} binds ${idle.kind.toLowerCase()} ${shown(idle.name)} to ${idle.role}, which allows nothing`,
      `give ${idle.role} the rules that the controller needs`,
      FORBIDDEN,
      seen(idle.role, idle.source),
    );
  const names = [...users, ...groups];
  const who = names.map(shown).join(" or ");
  const remedy = `bind a role to ${who} on the spoke, or name the manifests that do`;
  const [first] = bound;
  if (!first || !isWhole || names.some(isLateText) || bound.some(({ name }) => isLateText(name)))
    return unknown(
      `no binding for ${who} was read of ${spoke}`,
      `${remedy}; of manifests of one's own, file or folder must have the spoke's name`,
    );
  return broken(
    `no binding of ${spoke} names ${who}`,
    remedy,
    FORBIDDEN,
    seen(`binds ${[...new Set(bound.map(({ name }) => shown(name)))].slice(0, 5).join(", ")}`, first.source),
  );
}

function shown(name: string): string {
  return isLateText(name) ? "a name that Terraform tells" : name;
}
