import { isDnsSubdomain } from "../../../model/kubernetes-name";
import { Subject } from "../../../model/subject";
import { profileReaderIssues } from "../../../rules/fleet/access-checks";
import { broken, pass, seen, unknown } from "../../answer";
import type { ClusterArtefacts } from "../../facts/facts";
import type { FleetCheck } from "../fleet-context";
import { unlessRefused } from "../refused";

/** May the controller read the profile? */
export const profileReadable: FleetCheck = {
  id: "profile-readable",
  asks: "May the controller read the profile?",
  why: "Without get, list and watch on clusterprofiles the controller sees no spoke at all.",
  run: ({ artefacts, controller, profile }) => {
    const { reader, readers, kind, title } = controller;
    if (kind === "kueue") return pass("Kueue's own manifests let it read profiles of its namespace");
    const name = reader?.split("/")[1];
    if (reader === undefined || !isDnsSubdomain(name))
      return unknown(
        `who reads profiles for ${title} is not known`,
        "name the manifests of the controller as well",
      );
    const other = readers.find(({ runsAs }) => runsAs !== undefined && runsAs !== reader);
    if (other)
      return broken(
        `the pods of ${other.pods.title} run as ${other.runsAs ?? ""}, not as ${reader}, which reads profiles`,
        `write serviceAccountName: ${name ?? ""} into the pod template`,
        undefined,
        seen(other.pods.title, other.pods.source),
      );
    const subject = Subject.of(reader);
    const issues = profileReaderIssues(artefacts.rbac, subject, profile.namespace);
    return issues.length > 0 && !isBound(artefacts, subject)
      ? unknown(
          `no binding was read that names ${reader}`,
          "name the RBAC manifests of the controller as well; it needs get, list and watch on clusterprofiles",
        )
      : unlessRefused(issues, `${reader} may read profiles in ${profile.namespace}`);
  },
};

/** Whether any binding names the service account, so that its rights are among what was read. */
function isBound({ rbac }: ClusterArtefacts, { namespace, name }: Subject): boolean {
  return [...rbac.bound.values()].some((each) =>
    each.some(({ binding }) =>
      binding.subjects.some(
        (subject) =>
          subject.kind === "ServiceAccount" &&
          subject.name === name &&
          (subject.namespace || binding.namespace) === namespace,
      ),
    ),
  );
}
