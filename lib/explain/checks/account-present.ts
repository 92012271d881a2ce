import { broken, pass, seen, unknown } from "../answer";
import type { AccessCheck } from "./access-check";

/** Is the workload's service account among the objects of the cluster? */
export const accountPresent: AccessCheck = {
  id: "account-present",
  asks: "Is the workload's service account among the objects of the cluster?",
  why: "The token is the service account's; a pod that names one that does not exist is not created.",
  run: ({ account, named, namespace, name }) => {
    const key = `${namespace}/${name}`;
    if (account?.source)
      return pass(`the service account ${key} exists`, seen("ServiceAccount", account.source));
    if (account) return pass(`the service account ${key} exists, as every namespace has one of that name`);
    // Where nothing on it is needed, it may be somebody else's, who writes it elsewhere.
    return named?.status === "pass"
      ? unknown(`the service account ${key} is not among what was read`, "name its manifest as well")
      : broken(
          `the service account ${key} is in none of the manifests`,
          `add a ServiceAccount ${name} in namespace ${namespace}, or name the manifest that has it`,
          `error looking up service account ${key}: serviceaccount "${name}" not found`,
        );
  },
};
