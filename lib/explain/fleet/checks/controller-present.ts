import { broken, pass, seen, unknown } from "../../answer";
import { serviceAccountOf } from "../../facts/kubernetes-facts";
import type { FleetCheck } from "../fleet-context";

/** Is the controller that opens the connection among what was read? */
export const controllerPresent: FleetCheck = {
  id: "controller-present",
  asks: "Is the controller that opens the connection among what was read?",
  why: "Plugin and identity must be in every workload that opens connections, not only in the one that reads profiles.",
  run: ({ artefacts, controller }) => {
    const { account, workloads, title, list: read } = controller;
    const evidence = workloads.map(({ pods }) => seen(pods.title, pods.source));
    const other = workloads.find(({ runsAs }) => runsAs !== undefined && runsAs !== account);
    if (other && !account.endsWith("/*"))
      return broken(
        `the pods of ${other.pods.title} run as ${other.runsAs ?? ""}, not as ${account}`,
        `write serviceAccountName: ${account.slice(account.indexOf("/") + 1)} into the pod template`,
        undefined,
        seen(other.pods.title, other.pods.source),
      );
    if (workloads.length > 0) return pass(`${title} opens connections as ${account}`, ...evidence);
    const written = serviceAccountOf(artefacts, account);
    if (written?.source)
      return pass(`${title} opens connections as ${account}`, seen("ServiceAccount", written.source));
    return unknown(
      read === undefined
        ? "no list of access providers was read, so that nobody is known who would enter"
        : `no workload of ${title} was read`,
      "name the manifests of the controller and its list of access providers as well",
      ...(read ? [seen(`ConfigMap ${read.namespace}/${read.configMap}`, read.source)] : []),
    );
  },
};
