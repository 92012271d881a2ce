import type { RbacPolicy } from "../rules/rbac/evaluate";
import { type Answer, unknown } from "./answer";
import type { KubernetesFacts } from "./facts/kubernetes-facts";

/** The answer by what RBAC grants; unknown where that depends on which folder is applied last. */
export function inAnyOrder(
  { rbac, rbacOtherwise }: Pick<KubernetesFacts, "rbac" | "rbacOtherwise">,
  judge: (rbac: RbacPolicy) => Answer,
): Answer {
  const answer = judge(rbac);
  return rbacOtherwise.some((other) => judge(other).status !== answer.status) ? CONTESTED : answer;
}

const CONTESTED = unknown(
  "two folders declare one role or binding differently, and what RBAC grants here depends on which is applied last",
  "declare each role and binding once",
);
