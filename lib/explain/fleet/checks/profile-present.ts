import { refusal } from "../../../errors";
import { Subject } from "../../../model/subject";
import { statusWriterIssues } from "../../../rules/fleet/access-checks";
import { broken, pass, seen, unknown } from "../../answer";
import { at, list, own, text } from "../../facts/access";
import type { FleetCheck, FleetContext } from "../fleet-context";
import { sentence, unlessRefused } from "../refused";

/** Is the profile there, and does something write its status? */
export const profilePresent: FleetCheck = {
  id: "profile-present",
  asks: "Is the profile there, and does something write its status?",
  why: "Address and access providers are status, which an ordinary apply drops without a word.",
  run: (context) => {
    const { profile, controller } = context;
    const { main, status, dropped, key } = profile;
    if (dropped && !status) {
      const issue = refusal("cluster-profile-status-in-main", key);
      return broken(sentence(issue), STATUS, SILENCE, seen("ClusterProfile", dropped.source));
    }
    if (!main)
      return unknown(
        `the main object of the profile ${key} is not among what was read`,
        "name its manifest as well: a status can only be written to an object that exists",
        ...(status ? [seen("status", status.source)] : []),
      );
    const where = seen("ClusterProfile", main.source);
    if (status && profile.writtenFrom !== undefined) return writerAnswer(context, profile.writtenFrom);
    if (status)
      return pass(`the profile ${key} and its status are there`, where, seen("status", status.source));
    const reason = `nothing that was read writes the status of the profile ${key}`;
    return controller.declared
      ? broken(reason, STATUS, SILENCE, where)
      : unknown(reason, "name the manifest of the status, or read the profile from the cluster", where);
  },
};

const STATUS =
  "put the status into a manifest of its own, and apply it with `kubectl apply --server-side --subresource=status`";
const SILENCE = "silent: the API server drops the status";

/** A Job that writes the status must be allowed to. */
function writerAnswer(
  { artefacts, profile }: FleetContext,
  configMap: string,
): ReturnType<FleetCheck["run"]> {
  const [namespace = "", name = ""] = configMap.split("/");
  const job = artefacts.workloads.find(
    (each) =>
      each.namespace === namespace &&
      list(own(each.spec, "volumes")).some((volume) => text(at(volume, "configMap", "name")) === name),
  );
  if (!job)
    return unknown(
      `the status stands in the ConfigMap ${configMap}, and no Job was read that writes it`,
      "name the manifest of the Job as well",
      ...(profile.status ? [seen("status", profile.status.source)] : []),
    );
  const subject = Subject.of(`${namespace}/${job.serviceAccount}`);
  return unlessRefused(
    statusWriterIssues(artefacts.rbac, subject, profile),
    `${job.title} writes the status of the profile ${profile.key}`,
    seen(job.title, job.source),
  );
}
