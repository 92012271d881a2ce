import { type WorkloadIdentityError, refusal } from "../../errors";
import type { FleetConsumer } from "./consumer";

/**
 * `kueue-profile-namespace` or `fleet-profile-namespace` where the consumer does not take profiles of the namespace.
 * Never throws.
 */
export function profileNamespaceIssues(
  { title, form, profileNamespace: wanted }: Pick<FleetConsumer, "title" | "form" | "profileNamespace">,
  namespace: string,
): readonly WorkloadIdentityError[] {
  if (wanted === undefined || namespace === wanted) return [];
  return form.kind === "kueue"
    ? [refusal("kueue-profile-namespace", namespace)]
    : [refusal("fleet-profile-namespace", title, namespace, wanted)];
}
