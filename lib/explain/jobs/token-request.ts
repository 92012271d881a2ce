/*
 * What the kubelet and the API server do between an entry that matches and a token: the service account, its
 * annotations, the audience.
 */

import { type Known, type Ternary, match, or, same, shown } from "../../model/known";
import { at } from "../../model/parsed";
import { fieldOf, isTreeObject, knownJson } from "../../model/tree";
import { DEFAULT_NODE_GROUPS, TOKEN_AUDIENCE_VERB } from "../../rules/rbac/node-audience";
import { findRbacGrant, rbacAllows } from "../../rules/rbac/evaluate";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { ClusterFacts } from "../read/cluster-record";
import type { ClusterArtefacts } from "../read/facts";
import { lateName } from "../read/late-text";
import type { ProviderEntry } from "../read/node-configuration";
import type { WorkloadFact } from "../read/pods";
import type { ServiceAccountFact } from "../read/service-accounts";
import { sourceText } from "../read/source";
import { NODE_USER, apiServerRules, inAnyOrder } from "./api-server";

/** Whose service account is asked about, and in which cluster. */
export interface AccountQuestion {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** `namespace/name`. */
  readonly key: string;
  /** The service account; `undefined` where it was not read. */
  readonly account: ServiceAccountFact | undefined;
  /** The workload, where one is asked about. */
  readonly workload: WorkloadFact | undefined;
  /** The entry whose plugin is to run; `undefined` where none matches. */
  readonly entry: ProviderEntry | undefined;
  /** True where it may be written elsewhere: it stands in the workload of another team, or was asked about by name. */
  readonly mayBeElsewhere: boolean;
}

function nameOf(key: string): readonly [namespace: string, name: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}

/** Is the service account among the objects of the cluster? */
export function accountPresent(question: AccountQuestion): Answer {
  const { artefacts, key, account, workload, entry, mayBeElsewhere } = question;
  if (workload?.isStatic) return staticPod(workload, entry);
  const elsewhere = workload && placedElsewhere(workload, artefacts);
  if (elsewhere) return elsewhere;
  const [namespace, name] = nameOf(key);
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
  const refused = artefacts.refused.get(`ServiceAccount ${key}`) ?? [];
  if (refused.length === 0 && mayBeElsewhere)
    return unknown(`the service account ${key} is not among what was read`, "name its manifest as well");
  return broken(
    `the service account ${key} is in none of the manifests${refused.length > 0 ? " that the API server takes" : ""}`,
    `add a ServiceAccount ${name} with its annotations in namespace ${namespace}, or name the manifest that has it`,
    `failed to get service account: serviceaccounts "${name}" not found`,
    ...refused.map(({ reason, source }) => seen(reason, source)),
  );
}

/** The kubelet runs it from a file; the API server knows but its mirror, which may name no service account. */
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
const OS: readonly string[] = ["kubernetes.io/os", "beta.kubernetes.io/os"];
/** Pools that take no MachineConfigs of worker's, by the roles of their nodes. */
const POOLS: Readonly<Record<string, string>> = {
  master: "master",
  "control-plane": "master",
  arbiter: "arbiter",
};

/** Where a workload's pods come to nodes of which nothing was read; `undefined` where nothing says that they do. */
function placedElsewhere(
  { title, spec, source }: WorkloadFact,
  { cluster, nodes }: ClusterArtefacts,
): Answer | undefined {
  const [selector, os] = [field(spec, "nodeSelector"), at(field(spec, "os"), "name")];
  if (os === "windows" || OS.some((label) => at(selector, label) === "windows"))
    return unknown(
      `the pods of ${title} run on nodes with Windows, whose kubelets are not read here`,
      "see the kubelets' flags on those nodes",
      seen("os or nodeSelector", source),
    );
  // The nodes of others are not named by pools, and those of a hosted cluster have one role.
  if (cluster.openShift === undefined || cluster.openShift.nodePools !== undefined) return undefined;
  const pool = Object.keys(Object(selector))
    .map((label) => POOLS[ROLE.exec(label)?.[1] ?? ""])
    .find((each) => each !== undefined && !nodes.some(({ name }) => name === each));
  return pool === undefined
    ? undefined
    : unknown(
        `the pods of ${title} run on nodes of the pool ${pool} by nodeSelector, whose files were not read`,
        `configure the nodes of the pool ${pool} as well, or name the manifests that do`,
        seen("nodeSelector", source),
      );
}

/** A field of a pod's spec, without what only apply tells: where pods go is written, or it is not judged. */
function field(spec: WorkloadFact["spec"], key: string): unknown {
  return match(
    spec,
    (value) =>
      isTreeObject(value)
        ? match(
            knownJson(fieldOf(value, key)),
            (json) => json,
            () => undefined,
          )
        : undefined,
    () => undefined,
  );
}

const TOKENS_GATE = "KubeletServiceAccountTokenForCredentialProviders";

/** May the kubelet get the service account? */
export function accountReadable(artefacts: ClusterArtefacts, key: string): Answer {
  // Asked first, since what the version says is known once for all.
  const apiServer = apiServerRules(artefacts.cluster);
  if (apiServer?.needsServiceAccountGet === false)
    return pass(`the node authorizer of kube-apiserver ${apiServer.version} lets nodes get it`);
  const [namespace, name] = nameOf(key);
  return inAnyOrder(artefacts, (rbac) => {
    const request = {
      user: NODE_USER,
      groups: DEFAULT_NODE_GROUPS,
      verb: "get",
      apiGroup: "",
      resource: "serviceaccounts",
    };
    if (rbacAllows(rbac, { ...request, name, namespace }))
      return pass(`RBAC lets nodes get the service account ${key}`);
    if (apiServer === undefined)
      return unknown(
        "whether nodes may get service accounts depends on the API server's version, which is not known",
        "state the version of kube-apiserver",
      );
    return broken(
      `kube-apiserver ${apiServer.version} does not let nodes get service accounts, and no RBAC does`,
      `grant get on serviceaccounts to the group system:nodes in namespace ${namespace}, or switch ${TOKENS_GATE} on in kube-apiserver`,
      `failed to get service account: serviceaccounts "${name}" is forbidden: User "system:node:…" cannot get resource "serviceaccounts" …`,
    );
  });
}

/** Does the service account have the annotations without which the kubelet does not run the plugin? */
export function requiredAnnotations(
  { tokenAttributes, source }: ProviderEntry,
  account: ServiceAccountFact,
): Answer {
  const { requiredKeys = [], optionalKeys = [] } = tokenAttributes ?? {};
  const contested = [...requiredKeys, ...optionalKeys].flatMap(
    (key) => contestedAnnotation(account, key) ?? [],
  );
  if (contested[0]) return contested[0];
  const key = requiredKeys.find((each) => !account.annotations.has(each));
  if (key === undefined) return pass("the service account has each required annotation");
  const near = [...account.annotations.keys()].filter((each) => isNear(each, key));
  return broken(
    `the service account ${account.key} lacks the required annotation ${key}${near.length > 0 ? `; it has ${near.join(", ")}` : ""}`,
    `annotate ${account.key} with ${key}, letter case included`,
    `${SILENT}: at verbosity 5 "Failed to get service account data" err="required annotation ${key} not found"`,
    seen("annotations of the service account", account.source),
    seen("requiredServiceAccountAnnotationKeys", source),
  );
}

/** What is said where documents contradict each other about an annotation; `undefined` where they do not. */
export function contestedAnnotation(account: ServiceAccountFact, name: string): Answer | undefined {
  const value = account.annotations.get(name);
  const isContested =
    value !== undefined &&
    match(
      value,
      () => false,
      ({ kind }) => kind === "contested",
    );
  if (!isContested) return undefined;
  const { key, documents } = account;
  return unknown(
    `documents of ${key} contradict each other about the annotation ${name} (${documents.map(sourceText).join(", ")}): what the cluster has depends on how and when each is applied`,
    "keep the annotation in one document, and that the only one of the service account or applied with kubectl apply --server-side",
    ...documents.map((source) => seen("ServiceAccount", source)),
  );
}

/** Same domain, or the same key in other letter case. */
function isNear(key: string, wanted: string): boolean {
  return key.toLowerCase() === wanted.toLowerCase() || key.split("/")[0] === wanted.split("/")[0];
}

/** May the node request a token of the service account for the audience? */
export function audienceGranted(
  { artefacts, key, workload }: Pick<AccountQuestion, "artefacts" | "key" | "workload">,
  audience: Known<string>,
): Answer {
  const referenced = workload ? or(...workload.audiences.map((each) => same(each, audience))) : "no";
  if (referenced === "yes")
    return pass(
      `the pod references the audience ${shown(audience)} itself`,
      seen("volumes", workload?.source),
    );
  const [namespace, name] = nameOf(key);
  return inAnyOrder(artefacts, (rbac) => {
    const grant = findRbacGrant(rbac, {
      user: NODE_USER,
      groups: DEFAULT_NODE_GROUPS,
      verb: TOKEN_AUDIENCE_VERB,
      apiGroup: "",
      resource: lateName(audience),
      name,
      namespace,
    });
    if (grant === undefined) return withoutGrant({ artefacts, key, workload }, audience, referenced);
    const { kind, namespace: where, name: binding } = grant.binding;
    const source = artefacts.rbacSources.get(`${kind} ${where}/${binding}`);
    return (
      withoutAuthorizer(artefacts.cluster) ??
      pass(`${kind} ${binding} grants nodes ${shown(audience)}`, seen(kind, source))
    );
  });
}

function withoutGrant(
  { artefacts, key, workload }: Pick<AccountQuestion, "artefacts" | "key" | "workload">,
  audience: Known<string>,
  referenced: Ternary,
): Answer {
  const [namespace, name] = nameOf(key);
  const what = shown(audience);
  const apiServer = apiServerRules(artefacts.cluster);
  if (apiServer?.restrictsAudiences === false)
    return pass(`kube-apiserver ${apiServer.version} does not restrict audiences`);
  const driver = workload ? or(referenced, driverReferences(artefacts, workload, audience)) : "no";
  const volumes = seen("volumes", workload?.source);
  if (driver === "yes")
    return pass(`a CSI driver behind the pod's volumes requests tokens for ${what}`, volumes);
  if (driver === "unknown")
    return unknown(
      `a CSI driver behind the pod's volumes may request tokens for ${what}; its CSIDriver, or the claim's volume, was not read`,
      "name the CSIDriver (and PersistentVolumeClaim and PersistentVolume) as well, or grant the audience by RBAC",
      volumes,
    );
  const [perhaps] = artefacts.rbacPerhaps;
  if (perhaps)
    return unknown(
      `whether nodes may request tokens for ${what} is not known: a role or binding holds a value that only apply tells`,
      "explain the manifests that bind wrote",
      seen("role or binding", perhaps),
    );
  if (apiServer === undefined && !artefacts.hasAudienceRules)
    return unknown(
      "no RBAC for audiences was read, and the version of the API server is not known",
      "name the manifests with the RBAC as well, and state the version of kube-apiserver",
    );
  return broken(
    `nothing lets nodes request tokens of ${key} for ${what}`,
    `bind a role with verb ${TOKEN_AUDIENCE_VERB} on resource ${what}, apiGroup "", to the group system:nodes in namespace ${namespace}`,
    `failed to get service account token: failed to fetch token: serviceaccounts "${name}" is forbidden: audience "${what}" not found in pod spec volume, system:node:… is not authorized to request tokens for this audience`,
    ...[...artefacts.rbacSources].map(([title, source]) => seen(title, source)),
  );
}

/** Whether a CSI driver behind a pod's volumes asks for the audience; not known where one was not read. */
function driverReferences(
  { volumeDrivers: { audiences, ofClaim } }: ClusterArtefacts,
  { namespace, drivers, claims, hasGeneratedClaims }: WorkloadFact,
  audience: Known<string>,
): Ternary {
  const behind = claims.map((claim): Ternary => {
    const key = `${namespace}/${claim}`;
    const driver = ofClaim.get(key);
    if (driver !== undefined) return ofDriver(driver);
    return ofClaim.has(key) ? "no" : "unknown";
  });
  return or(...drivers.map(ofDriver), ...behind, hasGeneratedClaims ? "unknown" : "no");

  function ofDriver(driver: string): Ternary {
    const requested = audiences.get(driver);
    return requested ? or(...requested.map((each) => same(each, audience))) : "unknown";
  }
}

function withoutAuthorizer(cluster: ClusterFacts): Answer | undefined {
  const apiServer = apiServerRules(cluster);
  if (apiServer === undefined || apiServer.asksRbac || !apiServer.restrictsAudiences) return undefined;
  return broken(
    `kube-apiserver ${apiServer.version} restricts audiences to those in the pod's volumes and asks no RBAC`,
    "use kube-apiserver 1.33 or newer",
    "audience … not found in pod spec volume",
  );
}
