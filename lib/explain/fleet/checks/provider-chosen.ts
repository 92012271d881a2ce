import type { WorkloadIdentityError } from "../../../errors";
import { providerNameMatchIssues } from "../../../rules/fleet/provider-checks";
import { broken, pass, seen, unknown } from "../../answer";
import type { FleetCheck, FleetContext } from "../fleet-context";
import { providersFor } from "../plugin-call";
import { unlessRefused } from "../refused";

/** Does the list of the controller have an access provider that the profile names? */
export const providerChosen: FleetCheck = {
  id: "provider-chosen",
  asks: "Does the list of the controller have an access provider that the profile names?",
  why: "The name is the only thing that joins the two, and the order of the list decides.",
  run: (context) => {
    const { controller, profile, resolution } = context;
    const { list: read } = controller;
    if (!read && controller.kind !== "argocd")
      return unknown("no list of access providers was read", "name the ConfigMap that holds it as well");
    if (!profile.status)
      return unknown(
        `which access providers the profile ${profile.key} names is not known`,
        "name the manifest of its status as well",
      );
    const where = [
      ...(read ? [seen(`ConfigMap ${read.namespace}/${read.configMap}`, read.source)] : []),
      ...(profile.status ? [seen("status", profile.status.source)] : []),
    ];
    const unnamed = matchIssues(context);
    if (unnamed.length > 0) return unlessRefused(unnamed, "", ...where);
    if (resolution.outcome === "refused")
      return broken(
        `the controller gives up: ${resolution.reason}`,
        "correct the entry",
        resolution.reason,
        ...where,
      );
    const { provider, others } = resolution.exec;
    const more = others.length === 0 ? "" : `, before ${others.join(", ")}`;
    return pass(`the list chooses ${provider}${more}`, ...where);
  },
};

/** The profile's side only: entries that this profile does not name are for other profiles. */
function matchIssues({ controller, document, resolution }: FleetContext): readonly WorkloadIdentityError[] {
  if (resolution.outcome === "resolved") return [];
  const issues = providerNameMatchIssues(providersFor(controller, document), [document]);
  return issues.filter(({ code }) => code === "access-provider-unlisted");
}
