import { DEFAULT_NODE_GROUPS } from "../../rules/rbac/node-audience";
import { type RbacPolicy, rbacAllows } from "../../rules/rbac/evaluate";
import { type Answer, broken, pass, unknown } from "../answer";
import { inAnyOrder } from "../any-order";
import { apiServerRules } from "./api-server-rules";
import { NODE_USER, type PullCheck } from "./check";

const GATE = "KubeletServiceAccountTokenForCredentialProviders";

/** May the kubelet get the service account? */
export const serviceAccountReadable: PullCheck = {
  id: "service-account-readable",
  asks: "May the kubelet get the service account?",
  why: "It reads the annotations live before each token; older API servers do not let nodes do that by themselves.",
  run: ({ artefacts, namespace, name }) => {
    // Asked first, since what the version says is known once for all.
    const apiServer = apiServerRules(artefacts.cluster);
    if (apiServer?.needsServiceAccountGet === false)
      return pass(`the node authorizer of kube-apiserver ${apiServer.version} lets nodes get it`);
    return inAnyOrder(artefacts, (rbac) => grantedBy(rbac, namespace, name, apiServer?.version));
  },
};

/** Without a version where that of the API server is not known. */
function grantedBy(rbac: RbacPolicy, namespace: string, name: string, version: string | undefined): Answer {
  const granted = rbacAllows(rbac, {
    user: NODE_USER,
    groups: DEFAULT_NODE_GROUPS,
    verb: "get",
    apiGroup: "",
    resource: "serviceaccounts",
    name,
    namespace,
  });
  if (granted) return pass(`RBAC lets nodes get the service account ${namespace}/${name}`);
  if (version === undefined)
    return unknown(
      "whether nodes may get service accounts depends on the API server's version, which is not known",
      "state the version of kube-apiserver",
    );
  return broken(
    `kube-apiserver ${version} does not let nodes get service accounts, and no RBAC does`,
    `grant get on serviceaccounts to the group system:nodes in namespace ${namespace}, or switch ${GATE} on in kube-apiserver`,
    `failed to get service account: serviceaccounts "${name}" is forbidden: User "system:node:…" cannot get resource "serviceaccounts" …`,
  );
}
