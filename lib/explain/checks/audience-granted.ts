import { DEFAULT_NODE_GROUPS, TOKEN_AUDIENCE_VERB } from "../../rules/rbac/node-audience";
import { type RbacPolicy, findRbacGrant } from "../../rules/rbac/evaluate";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import { inAnyOrder } from "../any-order";
import { apiServerRules } from "./api-server-rules";
import type { ClusterRecord } from "../facts/cluster-record";
import { driverReferences } from "../facts/volume-drivers";
import { NODE_USER, type PullCheck, type PullContext, missing } from "./check";

/** May the node request a token of the service account for the audience? */
export const audienceGranted: PullCheck = {
  id: "audience-granted",
  asks: "May the node request a token of the service account for the audience?",
  why: "From 1.33 on the API server gives a node only audiences that the pod references or that RBAC grants it.",
  run: (context) => {
    const { artefacts, entry, workload } = context;
    const audience = entry?.tokenAttributes?.audience;
    if (entry === undefined || audience === undefined) return missing("the audience");
    if (workload?.audiences.includes(audience))
      return pass(`the pod references the audience ${audience} itself`, seen("volumes", workload.source));
    return inAnyOrder(artefacts, (rbac) => grantedBy(rbac, context, audience));
  },
};

function grantedBy(rbac: RbacPolicy, context: PullContext, audience: string): Answer {
  const { artefacts, namespace, name } = context;
  const grant = findRbacGrant(rbac, {
    user: NODE_USER,
    groups: DEFAULT_NODE_GROUPS,
    verb: TOKEN_AUDIENCE_VERB,
    apiGroup: "",
    resource: audience,
    name,
    namespace,
  });
  if (grant === undefined) return withoutGrant(context, audience);
  const { kind, namespace: where, name: binding } = grant.binding;
  const source = artefacts.rbacSources.get(`${kind} ${where}/${binding}`);
  return (
    withoutEscape(artefacts.cluster) ??
    pass(`${kind} ${binding} grants nodes ${audience}`, seen(kind, source))
  );
}

function withoutGrant({ artefacts, namespace, name, workload }: PullContext, audience: string): Answer {
  const apiServer = apiServerRules(artefacts.cluster);
  if (apiServer?.restrictsAudiences === false)
    return pass(`kube-apiserver ${apiServer.version} does not restrict audiences`);
  const referenced = workload ? driverReferences(artefacts.volumeDrivers, workload, audience) : "no";
  const volumes = seen("volumes", workload?.source);
  if (referenced === "yes")
    return pass(`a CSI driver behind the pod's volumes requests tokens for ${audience}`, volumes);
  if (referenced === "unknown")
    return unknown(
      `a CSI driver behind the pod's volumes may request tokens for ${audience}; its CSIDriver, or the claim's volume, was not read`,
      "name the CSIDriver (and PersistentVolumeClaim and PersistentVolume) as well, or grant the audience by RBAC",
      volumes,
    );
  if (apiServer === undefined && !artefacts.hasAudienceRules)
    return unknown(
      "no RBAC for audiences was read, and the version of the API server is not known",
      "name the manifests with the RBAC as well, and state the version of kube-apiserver",
    );
  return broken(
    `nothing lets nodes request tokens of ${namespace}/${name} for ${audience}`,
    `bind a role with verb ${TOKEN_AUDIENCE_VERB} on resource ${audience}, apiGroup "", to the group system:nodes in namespace ${namespace}`,
    `failed to get service account token: failed to fetch token: serviceaccounts "${name}" is forbidden: audience "${audience}" not found in pod spec volume, system:node:… is not authorized to request tokens for this audience`,
    ...[...artefacts.rbacSources].map(([key, source]) => seen(key, source)),
  );
}

function withoutEscape(cluster: ClusterRecord): Answer | undefined {
  const apiServer = apiServerRules(cluster);
  if (apiServer === undefined || apiServer.asksRbac || !apiServer.restrictsAudiences) return undefined;
  return broken(
    `kube-apiserver ${apiServer.version} restricts audiences to those in the pod's volumes and asks no RBAC`,
    "use kube-apiserver 1.33 or newer",
    "audience … not found in pod spec volume",
  );
}
