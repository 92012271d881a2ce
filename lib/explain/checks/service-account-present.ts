import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { ProviderEntry } from "../facts/node-configuration";
import type { WorkloadFact } from "../facts/workload-facts";
import type { PullCheck } from "./check";
import { placedElsewhere } from "./pod-placement";

/** Is the service account among the objects of the cluster? */
export const serviceAccountPresent: PullCheck = {
  id: "service-account-present",
  asks: "Is the service account among the objects of the cluster?",
  why: "The token is the service account's, and the plugin learns from its annotations whom to become.",
  run: ({ artefacts, account, namespace, name, origin, workload, entry }) => {
    if (workload?.isStatic) return staticPod(workload, entry);
    const elsewhere = workload && placedElsewhere(workload, artefacts);
    if (elsewhere) return elsewhere;
    const { serviceAccounts } = artefacts;
    const key = `${namespace}/${name}`;
    if (account?.patch)
      return unknown(
        `a patch of ${key} with $patch was read, which deletes or replaces fields of it; whether it is applied is not known`,
        "read the manifests as kustomize writes them (kubectl kustomize)",
        seen("ServiceAccount with $patch", account.patch),
      );
    if (account?.source)
      return pass(`the service account ${key} exists`, seen("ServiceAccount", account.source));
    if (account)
      return pass(
        `the service account ${key} exists, as every namespace has one of that name; no manifest annotates it`,
      );
    // Where no service account was read at all, or a workload is somebody else's, it may be written elsewhere.
    if (origin === "workload" || (origin === "asked" && serviceAccounts.size === 0))
      return unknown(`the service account ${key} is not among what was read`, "name its manifest as well");
    return broken(
      `the service account ${key} is in none of the manifests`,
      `add a ServiceAccount ${name} with its annotations in namespace ${namespace}, or name the manifest that has it`,
      `failed to get service account: serviceaccounts "${name}" not found`,
    );
  },
};

/** The kubelet runs it from a file; the API server knows but its shadow, which may name no service account. */
function staticPod({ title, source }: WorkloadFact, entry: ProviderEntry | undefined): Answer {
  const runs = entry?.tokenAttributes?.requireServiceAccount === false;
  return broken(
    `${title} is a static pod, which has no service account and gets no token; ${runs ? "requireServiceAccount is false, so the plugin runs without one" : "requireServiceAccount skips the plugin"}`,
    "run it as a DaemonSet, or pull its images by the node's own means",
    `${SILENT}: at verbosity 5 "Service account name is empty"`,
    seen("annotations of the pod", source),
  );
}
