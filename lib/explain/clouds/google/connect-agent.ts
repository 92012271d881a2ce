import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { SpokeFact } from "../../facts/spoke-facts";
import { isLateText } from "../../facts/terraform";

/** The service account of the Connect agent. */
const AGENT = "gke-connect/connect-agent-sa";

/** Whether the Connect agent of a member that is no GKE cluster may act as a user there. */
export function agentAnswer(spoke: string, user: string, { bound, isWhole }: SpokeFact): Answer {
  const ofAgent = bound.filter(({ kind, name }) => kind === "ServiceAccount" && name === AGENT);
  const found = ofAgent.find(
    ({ rules }) => rules && (rules.impersonates === "any" || rules.impersonates.includes(user)),
  );
  if (found) return pass(`the Connect agent of ${spoke} may act as the user`, seen(found.role, found.source));
  const remedy =
    "apply the ClusterRole that lets connect-agent-sa of gke-connect impersonate the user, bound to it";
  const isOpen = bound.length === 0 || isLateText(user) || ofAgent.some(({ rules }) => rules === undefined);
  return isOpen || !isWhole
    ? unknown(`whether the Connect agent of ${spoke} may act as the user was not read`, remedy)
    : broken(
        `the Connect agent of ${spoke} may not act as ${user}`,
        remedy,
        `users "${user}" is forbidden: User "system:serviceaccount:gke-connect:connect-agent-sa" cannot impersonate`,
      );
}
