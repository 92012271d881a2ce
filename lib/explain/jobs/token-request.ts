/*
 * What the kubelet and the API server do between an entry that matches and a token: the service account, its
 * annotations, the audience.
 */

import { type Known, type Ternary, anyOf, orElse, same, shown, whyNot } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { once } from "../../model/once";
import { knownJson, treeAt } from "../../model/tree";
import { compareVersions } from "../../model/version";
import { featureGateDefault, nodeNeedsServiceAccountGet } from "../../rules/kubelet/feature-gates";
import {
  findRbacGrant,
  rbacAllows,
  DEFAULT_NODE_GROUPS,
  TOKEN_AUDIENCE_VERB,
} from "../../rules/rbac/evaluate";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { ClusterFacts } from "../read/cluster-record";
import type { ClusterArtefacts } from "../read/clusters";
import { lateName } from "../read/late-text";
import type { ProviderEntry } from "../read/node-configuration";
import type { WorkloadFact } from "../read/pods";
import { apiServerGates, isKnownMinor } from "../read/read-record";
import type { ServiceAccountFact } from "../read/service-accounts";
import { type Source, sourceText } from "../read/source";
import { listedKeys } from "../shared/handed-annotations";
import { mayBeForWindows } from "../shared/pods";
import { beginning } from "../shared/words";
import { accountWritten, inAnyOrder, unlessPerhaps } from "./links";
import { type PullFacts, type Puller, declaredPullers } from "./pull-questions";

/** Is the service account among the objects of the cluster? */
export function accountPresent({
  artefacts,
  entry,
  puller: { key, account, workload, origin },
}: Pick<PullFacts, "artefacts" | "entry" | "puller">): Answer {
  if (workload?.isStatic) return staticPod(workload, entry);
  const elsewhere = workload && placedElsewhere(workload, artefacts);
  if (elsewhere) return elsewhere;
  // If no service account was read at all, or the workload is another team's, it may be written elsewhere; that of a
  // declared pull may not, however one asks about it.
  const isDeclared = declaredPullers(artefacts).has(key);
  const mayBeElsewhere = !isDeclared && (origin === "workload" || artefacts.serviceAccounts.size === 0);
  return accountWritten(artefacts, key, account, mayBeElsewhere, "failed to get service account");
}

/** The kubelet runs it from a file; the API server knows only its mirror, which may name no service account. */
function staticPod({ title, source }: WorkloadFact, entry: ProviderEntry | undefined): Answer {
  const runs = entry?.tokenAttributes?.requireServiceAccount === false;
  return broken(
    `${title} is a static pod, which has no service account and gets no token; ${runs ? "requireServiceAccount is false, so the plugin runs without one" : "requireServiceAccount skips the plugin"}`,
    "run it as a DaemonSet, or pull its images by the node's own means",
    `${SILENT}: at verbosity 5 "Service account name is empty"`,
    seen("annotations of the pod", source),
  );
}

const ROLE = /^node-role\.kubernetes\.io\/(.+)$/;
/** Pools that do not get the MachineConfigs of workers, by the roles of their nodes. */
const POOLS: Readonly<Record<string, string>> = {
  master: "master",
  "control-plane": "master",
  arbiter: "arbiter",
};

/** The answer if a workload's pods run on nodes of which nothing was read; `undefined` if nothing says that they do. */
function placedElsewhere(
  { title, spec, source }: WorkloadFact,
  { cluster, nodes }: ClusterArtefacts,
): Answer | undefined {
  if (mayBeForWindows(spec))
    return unknown(
      `the pods of ${title} may run on Windows nodes, whose kubelets are not judged here`,
      "check the kubelets' flags on those nodes",
      seen("os, nodeSelector or affinity", source),
    );
  // Nodes of other platforms are not named by pools, and those of a hosted cluster have one role.
  if (cluster.openShift === undefined || cluster.openShift.nodePools !== undefined) return undefined;
  // Only a literal placement is judged.
  const selector: unknown = orElse(knownJson(treeAt(spec, "nodeSelector")), () => undefined);
  const pool = Object.keys(Object(selector))
    .map((label) => POOLS[ROLE.exec(label)?.[1] ?? ""])
    .find((each) => each !== undefined && !nodes.some(({ name }) => name === each));
  if (pool === undefined) return undefined;
  return unknown(
    `the pods of ${title} run on nodes of the pool ${pool} by nodeSelector, whose files were not read`,
    `configure the nodes of the pool ${pool} as well, or name the manifests that do`,
    seen("nodeSelector", source),
  );
}

/** What kube-apiserver allows nodes to do, by its version and gates. */
interface ApiServerRules {
  readonly version: string;
  /** Whether nodes need RBAC to get service accounts. */
  readonly needsServiceAccountGet: boolean;
  /** Whether it gives nodes only audiences that the pod references or that RBAC grants. */
  readonly restrictsAudiences: boolean;
}

const RESTRICTION = "ServiceAccountNodeAudienceRestriction";
/** Since this version it asks RBAC about audiences; 1.32 with the gate on asks no authorizer. */
const ASKS_SINCE = "1.33";

/** `undefined` if the version is not known. Remembered, since thousands of pulls ask about a handful of clusters. */
const apiServerRules = once((cluster: ClusterFacts): ApiServerRules | undefined => {
  const { apiServer: version } = cluster;
  if (version === undefined || !isKnownMinor(version)) return undefined;
  const gates = apiServerGates(cluster);
  return {
    version,
    needsServiceAccountGet: nodeNeedsServiceAccountGet(version, gates),
    restrictsAudiences: gates[RESTRICTION] ?? featureGateDefault(RESTRICTION, version) ?? false,
  };
});

/** Any node, because a pull by any node cannot rely on rules about single nodes. */
const NODE = { user: "system:node:*", groups: DEFAULT_NODE_GROUPS, apiGroup: "" } as const;

export function accountReadable(artefacts: ClusterArtefacts, key: string): Answer {
  // The version comes first, since its answer is the same for all service accounts.
  const apiServer = apiServerRules(artefacts.cluster);
  if (apiServer?.needsServiceAccountGet === false)
    return pass(`the node authorizer of kube-apiserver ${apiServer.version} lets nodes get it`);
  const { namespace, name } = namespacedName(key);
  return inAnyOrder(artefacts, (rbac) => {
    if (rbacAllows(rbac, { ...NODE, verb: "get", resource: "serviceaccounts", name, namespace }))
      return pass(() => `RBAC lets nodes get the service account ${key}`);
    if (apiServer === undefined)
      return unknown(
        "whether nodes may get service accounts depends on the API server's version, which is not known",
        "state the version of kube-apiserver, with --facts as cluster.apiServer",
      );
    return unlessPerhaps(
      artefacts,
      broken(
        `kube-apiserver ${apiServer.version} does not let nodes get service accounts, and no RBAC does`,
        `grant get on serviceaccounts to the group system:nodes in namespace ${namespace}, or switch KubeletServiceAccountTokenForCredentialProviders on in kube-apiserver`,
        `failed to get service account: serviceaccounts "${name}" is forbidden: User "system:node:…" cannot get resource "serviceaccounts" …`,
      ),
    );
  });
}

const ANNOTATED = pass("the service account has each required annotation");

/** Does the service account have the annotations without which the kubelet does not run the plugin? */
export function requiredAnnotations(entry: ProviderEntry, account: ServiceAccountFact): Answer {
  const { requiredKeys = [] } = entry.tokenAttributes ?? {};
  const [contested] = listedKeys(entry).flatMap((key) => contestedAnnotation(account, key) ?? []);
  if (contested) return contested;
  const [open] = requiredKeys.flatMap((each) => unreadAnnotation(account, each) ?? []);
  if (open) return open;
  const key = requiredKeys.find((each) => !account.annotations.has(each));
  if (key === undefined) return ANNOTATED;
  // Annotations of the same domain, or the same key in other letter case.
  const near = [...account.annotations.keys()].filter(
    (each) => each.toLowerCase() === key.toLowerCase() || each.split("/")[0] === key.split("/")[0],
  );
  return broken(
    `the service account ${account.key} lacks the required annotation ${key}${near.length > 0 ? `; it has ${near.join(", ")}` : ""}`,
    `annotate ${account.key} with ${key}, letter case included`,
    `${SILENT}: at verbosity 5 "Failed to get service account data" err="required annotation ${key} not found"`,
    seen("annotations of the service account", account.source),
    seen("requiredServiceAccountAnnotationKeys", entry.source),
  );
}

/** The answer if documents contradict each other about an annotation; `undefined` if they do not. */
function contestedAnnotation(
  { key, annotations, documents }: ServiceAccountFact,
  name: string,
): Answer | undefined {
  const value = annotations.get(name);
  if (value === undefined || whyNot(value)?.kind !== "contested") return undefined;
  return unknown(
    `documents of ${key} contradict each other about the annotation ${name} (${documents.map(sourceText).join(", ")}): what the cluster has depends on how and when each is applied`,
    "keep the annotation in one document; make that the service account's only document, or apply it with kubectl apply --server-side",
    documents.map((source) => seen("ServiceAccount", source)),
  );
}

/** The answer if an annotation was not read, so that it may be absent; `undefined` if it was. */
function unreadAnnotation(
  { key, annotations, source }: ServiceAccountFact,
  name: string,
): Answer | undefined {
  const value = annotations.get(name);
  const why = value === undefined ? undefined : whyNot(value);
  if (why?.kind !== "unread") return undefined;
  return unknown(
    `the required annotation ${name} of the service account ${key} is not known: ${why.what}`,
    "write it as a literal, or also give explain what `terraform show -json` prints of the plan",
    seen("annotations of the service account", source),
  );
}

/** May the node request a token of the service account for the audience? */
export function audienceGranted(
  artefacts: ClusterArtefacts,
  puller: Puller,
  audience: Known<string>,
): Answer {
  const { key, workload } = puller;
  const referenced = workload ? anyOf(workload.audiences.map((each) => same(each, audience))) : "no";
  if (referenced === "yes")
    return pass(
      `the pod references the audience ${shown(audience)} itself`,
      seen("volumes", workload?.source),
    );
  const { namespace, name } = namespacedName(key);
  const request = { ...NODE, verb: TOKEN_AUDIENCE_VERB, resource: lateName(audience), name, namespace };
  const apiServer = apiServerRules(artefacts.cluster);
  return inAnyOrder(artefacts, (rbac) => {
    const grant = findRbacGrant(rbac, request);
    if (grant === undefined) return withoutGrant(artefacts, puller, audience, referenced);
    if (apiServer?.restrictsAudiences && compareVersions(apiServer.version, ASKS_SINCE) < 0)
      return broken(
        `kube-apiserver ${apiServer.version} restricts audiences to those in the pod's volumes and does not ask RBAC`,
        "use kube-apiserver 1.33 or newer",
        "audience … not found in pod spec volume",
      );
    const { kind, namespace: where, name: binding } = grant.binding;
    const source = (): Source | undefined => artefacts.rbacSources.get(`${kind} ${where}/${binding}`);
    return pass(
      () => `${kind} ${binding} grants nodes ${shown(audience)}`,
      () => seen(kind, source()),
    );
  });
}

/** The text of NodeRestriction, which names the audience last since 1.37. */
function refusedAudience(audience: string, apiServer: string | undefined): string {
  return apiServer !== undefined && compareVersions(apiServer, SHORT_REFUSAL_SINCE) >= 0
    ? `system:node:… is not authorized to request tokens for audience "${audience}"`
    : `audience "${audience}" not found in pod spec volume, system:node:… is not authorized to request tokens for this audience`;
}

const SHORT_REFUSAL_SINCE = "1.37";

function withoutGrant(
  artefacts: ClusterArtefacts,
  { key, workload }: Puller,
  audience: Known<string>,
  referenced: Ternary,
): Answer {
  const { namespace, name } = namespacedName(key);
  const what = shown(audience);
  const apiServer = apiServerRules(artefacts.cluster);
  if (apiServer?.restrictsAudiences === false)
    return pass(`kube-apiserver ${apiServer.version} does not restrict audiences`);
  // Source: kubernetes:plugin/pkg/admission/noderestriction/admission.go, `podReferencesAudience`.
  if (workload && (workload.hasDrivers || referenced === "unknown"))
    return unknown(
      `whether a volume of the pod, or the CSI driver behind one, requests tokens for ${what} is not known`,
      "grant the audience by RBAC",
      seen("volumes", workload.source),
    );
  if (apiServer === undefined && !artefacts.hasAudienceRules)
    return unknown(
      "no RBAC for audiences was read, and the version of the API server is not known",
      "also give explain the manifests with the RBAC, and state the version of kube-apiserver, with --facts as cluster.apiServer",
    );
  return unlessPerhaps(
    artefacts,
    broken(
      `nothing lets nodes request tokens of ${key} for ${what}`,
      `bind a role with verb ${TOKEN_AUDIENCE_VERB} on resource ${what}, apiGroup "", to the group system:nodes in namespace ${namespace}`,
      `failed to get service account token: failed to fetch token: serviceaccounts "${name}" is forbidden: ${refusedAudience(what, apiServer?.version)}`,
      beginning([...artefacts.rbacSources].map(([title, source]) => seen(title, source))),
    ),
  );
}
