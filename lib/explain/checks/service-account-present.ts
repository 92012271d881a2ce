import { broken, pass, seen, unknown } from "../answer";
import type { PullCheck } from "./check";

/** Is the service account among the objects of the cluster? */
export const serviceAccountPresent: PullCheck = {
  id: "service-account-present",
  asks: "Is the service account among the objects of the cluster?",
  why: "The token is the service account's, and the plugin learns from its annotations whom to become.",
  run: ({ artefacts: { serviceAccounts }, account, namespace, name, origin }) => {
    if (account)
      return pass(`the service account ${account.key} exists`, seen("ServiceAccount", account.source));
    const key = `${namespace}/${name}`;
    // Where no service account was read at all, or a workload is somebody else's, it may be written elsewhere.
    if (origin === "workload" || (origin === "asked" && serviceAccounts.size === 0))
      return unknown(`the service account ${key} is not among what was read`, "name its manifest as well");
    return broken(
      `the service account ${key} is in none of the manifests`,
      "write it with its annotations, or annotate the existing one",
      `failed to get service account: serviceaccounts "${name}" not found`,
    );
  },
};
