import { shown } from "../../model/known";
import { namespacedName, serviceAccountUser } from "../../model/namespaced-name";
import { findRbacGrant } from "../../rules/rbac/evaluate";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AskedRight } from "../cloud";
import type { ClusterArtefacts } from "../read/clusters";
import { lateName } from "../read/late-text";
import { inAnyOrder, unlessPerhaps } from "./links";

/** Whether RBAC gives a service account a right in the whole cluster. */
export function rightGranted(artefacts: ClusterArtefacts, key: string, asked: AskedRight): Answer {
  const { verb, apiGroup, resource } = asked;
  const { namespace, name } = namespacedName(key);
  const user = serviceAccountUser({ namespace, name });
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  const request = { user, groups, verb, apiGroup, resource: lateName(resource), name: "", namespace: "" };
  const what = `${verb} on ${shown(resource)} of the API group ${apiGroup}`;
  return inAnyOrder(artefacts, (rbac) => {
    const { binding } = findRbacGrant(rbac, request) ?? {};
    if (binding)
      return pass(
        `${binding.kind} ${binding.name} allows ${user} ${what}`,
        seen(binding.kind, artefacts.rbacSources.get(`${binding.kind} /${binding.name}`)),
      );
    const remedy = `bind a ClusterRole with the verb ${verb}, the API group ${apiGroup} and the resource ${shown(resource)} to the service account by a ClusterRoleBinding`;
    // Within a namespace, no source says whether it counts.
    if (findRbacGrant(rbac, { ...request, namespace }))
      return unknown(`only a RoleBinding allows ${user} ${what}`, remedy);
    const rules = [...rbac.bound.values()].flat().flatMap((each) => each.rules);
    return rules.every(({ apiGroups }) => !apiGroups.includes(apiGroup))
      ? unknown(`no ClusterRole for the API group ${apiGroup} was read with its binding`, remedy)
      : unlessPerhaps(artefacts, broken(`nothing allows ${user} ${what}`, remedy, `${verb} is forbidden`));
  });
}
