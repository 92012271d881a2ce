import { type Answer, broken, pass, seen, unknown } from "../answer";
import { isLateText } from "../facts/terraform";
import type { SpokeFact } from "../facts/spoke-facts";

/** The refusal of a spoke's API server. */
const FORBIDDEN = "is forbidden: User cannot list resource at the cluster scope";

/** Whether a binding of the spoke names one of these users or groups. `names` are as the spoke sees them. */
export function boundAnswer(spoke: string, names: readonly string[], { bound }: SpokeFact): Answer {
  const found = bound.find(({ kind, name }) => kind !== "ServiceAccount" && names.includes(name));
  if (found)
    return pass(
      `RBAC of ${spoke} binds ${found.kind.toLowerCase()} ${shown(found.name)} to ${found.role}`,
      seen(found.role, found.source),
    );
  const remedy = `bind a role to ${names.map(shown).join(" or ")} on the spoke, or name the manifests that do`;
  if (bound.length === 0 || names.some(isLateText) || bound.some(({ name }) => isLateText(name)))
    return unknown(`no binding for ${names.map(shown).join(" or ")} was read of ${spoke}`, remedy);
  const [first] = bound;
  return broken(
    `no binding of ${spoke} names ${names.map(shown).join(" or ")}`,
    remedy,
    FORBIDDEN,
    seen(`binds ${[...new Set(bound.map(({ name }) => shown(name)))].slice(0, 5).join(", ")}`, first?.source),
  );
}

function shown(name: string): string {
  return isLateText(name) ? "a name that Terraform tells" : name;
}
