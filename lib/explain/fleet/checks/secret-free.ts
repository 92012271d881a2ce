import { secretIssues } from "../../../rules/fleet/secret-material";
import { list, own } from "../../facts/access";
import { seen } from "../../answer";
import type { FleetCheck } from "../fleet-context";
import { listIssues } from "../list-issues";
import { unlessRefused } from "../refused";

/** Are profile, list and environment free of tokens, keys and passwords? */
export const secretFree: FleetCheck = {
  id: "secret-free",
  asks: "Are profile, list and environment free of tokens, keys and passwords?",
  why: "All of them are stored in plain text and readable by many.",
  run: ({ controller, document, profile }) => {
    const { list: read, workloads } = controller;
    const issues = [
      ...secretIssues(`ClusterProfile ${profile.key}`, document),
      ...(read ? listIssues(read).secrets : []),
      ...workloads.flatMap(({ pods, container }) =>
        list(own(pods.spec, "containers"))
          .filter((each) => container === "" || own(each, "name") === container)
          .flatMap((each) => secretIssues(pods.title, own(each, "env"))),
      ),
    ];
    const where = profile.status ?? profile.main;
    return unlessRefused(
      issues,
      "no secret material was found",
      ...(where ? [seen("ClusterProfile", where.source)] : []),
    );
  },
};
