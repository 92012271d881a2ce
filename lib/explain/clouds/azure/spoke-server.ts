import { AKS_SERVER_ID } from "../../../rules/fleet/plugin-exec";
import { type Answer, type Evidence, broken, unknown } from "../../answer";
import type { SpokeCall } from "../cloud-spokes";
import { flagOf } from "../plugin-flags";

/** Servers of AKS that nobody recorded, by name or by the resource of Terraform that has them. */
const AKS = /\.azmk8s\.io(?::\d+)?\/?$|\$\{\d+#(?:module\.[\w-]+\.)*(?:data\.)?azurerm_kubernetes_cluster\./;

/**
 * What is wrong with the application that a token is asked for, by kubelogin's flag or argocd-k8s-auth's variable;
 * `undefined` where nothing is, or none is named. Microsoft Entra has one for the API servers of all AKS clusters.
 */
export function serverProblem(
  { args, env, server, recorded }: SpokeCall,
  where: readonly Evidence[],
): Answer | undefined {
  const id = flagOf(args, "--server-id") ?? env.get("AAD_SERVER_APPLICATION_ID");
  if (id === undefined || id === AKS_SERVER_ID) return undefined;
  const reason = `the token is for the application ${id}, and not for ${AKS_SERVER_ID}, which all AKS clusters take`;
  const remedy = `give the server id ${AKS_SERVER_ID}`;
  return recorded || AKS.test(server)
    ? broken(reason, remedy, "Unauthorized", ...where)
    : unknown(`${reason}; whether the spoke takes it is not known`, remedy, ...where);
}
