/*
 * Who opens connections to spokes: the workloads that were recorded, or those of Argo CD where its cluster Secrets are.
 * Who reads any other list is not known without a record.
 */

import { grouped } from "../../model/grouped";
import {
  type Known,
  afterPrefix,
  is,
  isAbsent,
  isKnown,
  known,
  orElse,
  same,
  shown,
  unread,
} from "../../model/known";
import { plainAt, shownAt, wordAt } from "../../model/parsed-tree";
import {
  type Tree,
  childOf,
  entriesOf,
  isTreeList,
  isTreeObject,
  itemsAt,
  itemsOf,
  treeOf,
} from "../../model/tree";
import { type FleetConsumerKind, ARGO_CD } from "../../rules/fleet/consumer";
import { ARGO_NAMESPACES, PROVIDER_FILE_FLAG } from "../../rules/fleet/names";
import { type Evidence, seen } from "../answer";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProviderListFact } from "../read/fleet-facts";
import type { DeclaredController, DeclaredFleet } from "../read/cluster-record";
import { type WorkloadFact, isPartial } from "../read/pods";
import { withFields } from "./fleet-profile";

export interface ControllerPods {
  /** The workload, merged from all manifests of it. */
  readonly pods: WorkloadFact;
  readonly where: Evidence;
  /** The container that runs the plugin; empty if it may be any. */
  readonly container: string;
  /** True if no manifest with its images was read, so manifests that were not read may say more. */
  readonly isPartial: boolean;
  /** The service account that its pods run as, `namespace/name`; `undefined` if no manifest names it. */
  readonly runsAs: string | undefined;
}

/** A service account with which a controller enters spokes. */
export interface Controller {
  /** `namespace/name`; the name is `*` if nothing shows who reads the list: it may be any of the namespace. */
  readonly account: string;
  readonly title: string;
  readonly kind: FleetConsumerKind;
  /** True if it waits for the condition ControlPlaneHealthy of profiles. */
  readonly needsHealthy: boolean;
  readonly reader: string | undefined;
  readonly workloads: readonly ControllerPods[];
  readonly readers: readonly ControllerPods[];
  /** `undefined` if none was read. */
  readonly list: ProviderListFact | undefined;
  /** Programs on the PATH of its image; `undefined` if they are not known. */
  readonly onPath: readonly string[] | undefined;
  /** True for an image with neither shell nor libraries; `undefined` if that is not known. */
  readonly isDistroless: boolean | undefined;
  readonly declared: boolean;
}

/** The workloads of Argo CD that enter the clusters of its Secrets. */
const ARGO: readonly string[] = ["argocd-application-controller", "argocd-server"];

/** The controllers of a hub, sorted by service account. */
export function controllersOf(artefacts: ClusterArtefacts): readonly Controller[] {
  const { cluster, fleet } = artefacts;
  const workloads = mergedPods(artefacts.workloads);
  const declared = cluster.fleet ? declaredControllers(cluster.fleet, fleet.lists, workloads) : [];
  const known = new Set(declared.map((controller) => controller.list));
  const undeclared = fleet.lists
    .filter((each) => !known.has(each))
    .flatMap((each) =>
      each.form === "secrets" ? controllersOfSecrets(each, artefacts, workloads) : [unreadController(each)],
    );
  return [...declared, ...undeclared].sort((a, b) => (a.account < b.account ? -1 : 1));
}

/** Who reads a list, or enters the profiles of a namespace, where only a record would say who that is. */
export function unreadController(where: ProviderListFact | string): Controller {
  const list = typeof where === "string" ? undefined : where;
  return {
    account: `${list ? list.namespace : where}/*`,
    title: "the controller",
    kind: "other",
    ...UNDECLARED,
    list,
    onPath: undefined,
    isDistroless: undefined,
  };
}

const UNDECLARED = {
  needsHealthy: false,
  reader: undefined,
  workloads: [],
  readers: [],
  declared: false,
} as const;

function declaredControllers(
  fleet: Omit<DeclaredFleet<unknown>, "spokes">,
  lists: readonly ProviderListFact[],
  workloads: readonly WorkloadFact[],
): readonly Controller[] {
  const { workloads: recorded, reader, title, kind, needsHealthy, configMap, onPath, isDistroless } = fleet;
  const accounts = [...new Set(recorded.map(({ serviceAccount }) => serviceAccount))];
  const namespaces = [...accounts, ...(reader ? [reader.serviceAccount] : [])].map(
    (key) => key.split("/")[0],
  );
  const podsOf = (wanted: DeclaredController): readonly ControllerPods[] =>
    workloads
      .filter((each) => each.title === wanted.title)
      .map((pods) => controllerPods(pods, wanted.container));
  const shared = {
    title,
    kind,
    needsHealthy,
    reader: reader?.serviceAccount,
    readers: reader ? podsOf(reader) : [],
    list: lists.find(
      (each) =>
        namespaces.includes(each.namespace) &&
        (configMap === "" ? each.form !== "file" : each.configMap === configMap),
    ),
    onPath,
    isDistroless,
    declared: true,
  } as const;
  return accounts.map((account) => {
    const running = recorded.filter(({ serviceAccount }) => serviceAccount === account);
    return { ...shared, account, workloads: running.flatMap(podsOf) };
  });
}

function controllersOfSecrets(
  list: ProviderListFact,
  { serviceAccounts }: ClusterArtefacts,
  all: readonly WorkloadFact[],
): readonly Controller[] {
  const { namespace } = list;
  const here = all.filter((each) => each.namespace === namespace && ARGO.includes(nameOf(each.title)));
  // A manifest with only some fields names no service account; those of Argo CD have the names of its workloads.
  const executing = grouped(here, (each) => statedAccount(each) ?? each.title);
  const present = ARGO.map((name) => `${namespace}/${name}`).filter((key) => serviceAccounts.has(key));
  const accounts = [...new Set([...executing.keys(), ...present])];
  return (accounts.length > 0 ? accounts : [`${namespace}/*`]).map((account) => ({
    account,
    title: ARGO_CD.title,
    kind: "argocd",
    ...UNDECLARED,
    workloads: (executing.get(account) ?? []).map((pods) =>
      controllerPods(pods, containerOf(pods, nameOf(pods.title))),
    ),
    list,
    onPath: ["argocd-k8s-auth"],
    isDistroless: false,
  }));
}

/** `undefined` if no manifest that was read names it. */
function statedAccount(pods: WorkloadFact): string | undefined {
  const { spec, namespace, serviceAccount } = pods;
  const name = plainAt(spec, "serviceAccountName") || plainAt(spec, "serviceAccount");
  return name === "" && isPartial(pods) ? undefined : `${namespace}/${serviceAccount}`;
}

/** The name if a container has it; otherwise empty, because any may be meant. */
function containerOf({ spec }: WorkloadFact, name: string): string {
  return itemsOf(childOf(spec, "containers")).some((each) => plainAt(each, "name") === name) ? name : "";
}

function controllerPods(pods: WorkloadFact, container: string): ControllerPods {
  return {
    pods,
    where: seen(pods.title, pods.source),
    container,
    isPartial: isPartial(pods),
    runsAs: statedAccount(pods),
  };
}

function nameOf(title: string): string {
  return title.slice(title.indexOf("/") + 1);
}

/**
 * One fact per workload: merges its manifests (a release's, and added fields) as server-side apply does, lists by
 * name.
 */
function mergedPods(workloads: readonly WorkloadFact[]): readonly WorkloadFact[] {
  const byTitle = new Map<string, WorkloadFact>();
  for (const each of workloads) {
    const before = byTitle.get(each.title);
    byTitle.set(each.title, before ? merged(before, each) : each);
  }
  return [...byTitle.values()];
}

function merged(one: WorkloadFact, other: WorkloadFact): WorkloadFact {
  const account = [other, one].find(({ spec }) => plainAt(spec, "serviceAccountName") !== "");
  return {
    ...one,
    serviceAccount: account?.serviceAccount ?? one.serviceAccount,
    images: [...one.images, ...other.images],
    labels: new Map([...one.labels, ...other.labels]),
    annotations: new Map([...one.annotations, ...other.annotations]),
    spec: mergedObjects(one.spec, other.spec),
  };
}

/** The key of each list that server-side apply merges; all other lists belong to one owner. */
const KEYS: Readonly<Record<string, string>> = {
  containers: "name",
  env: "name",
  initContainers: "name",
  volumeMounts: "mountPath",
  volumes: "name",
};

function mergedObjects(one: Tree, other: Tree): Tree {
  const added = orElse(other, () => undefined);
  if (!isTreeObject(added)) return other;
  const fields = entriesOf(added).map(([known, child]) => {
    const name = orElse(known, () => "");
    const key = KEYS[name];
    const isList = key !== undefined && isTreeList(orElse(child, () => undefined));
    return [name, isList ? mergedLists(childOf(one, name), child, key) : child] as const;
  });
  return withFields(one, Object.fromEntries(fields));
}

function mergedLists(one: Tree, other: Tree, key: string): Tree {
  const byKey = new Map<string, Tree>();
  for (const item of [...itemsOf(one), ...itemsOf(other)]) {
    const name = plainAt(item, key);
    byKey.set(name, mergedObjects(byKey.get(name) ?? treeOf({}), item));
  }
  return treeOf([...byKey.values()]);
}

/** Variables that take effect if an option is left out: argoproj-labs/clusterprofile-integration-for-argocd, README. */
const VARIABLES: Readonly<Record<string, string>> = {
  [PROVIDER_FILE_FLAG]: "ARGOCD_CLUSTERPROFILE_CONTROLLER_CLUSTERPROFILE_PROVIDER_FILE",
  [ARGO_NAMESPACES]: "ARGOCD_CLUSTERPROFILE_CONTROLLER_NAMESPACES",
  "--dry-run": "ARGOCD_CLUSTERPROFILE_CONTROLLER_DRY_RUN",
};

export function containersIn({ pods, container }: ControllerPods): readonly Tree[] {
  return itemsAt(pods.spec, "containers").filter(
    (each) => container === "" || is(wordAt(each, "name"), container) === "yes",
  );
}

export function argumentsOf(reader: ControllerPods): readonly Known<string>[] {
  return containersIn(reader)
    .flatMap((each) => [...itemsAt(each, "command"), ...itemsAt(each, "args")])
    .map((word) => wordAt(word));
}

/** True for an option whose value is elsewhere, in a variable or behind a reference. */
export function isElsewhere(value: Known<string>): boolean {
  return !isKnown(value) || shown(value).includes("$(");
}

/**
 * The value of an option, {@link isElsewhere} or not, in any of its spellings; `undefined` if it is left out. A switch
 * has no value, and yields `true`.
 */
export function settingOf(
  reader: ControllerPods,
  flags: readonly string[],
  isSwitch = false,
): Known<string> | undefined {
  const args = argumentsOf(reader);
  const values = args.flatMap((argument, index) => {
    if (flags.some((flag) => is(argument, flag) === "yes"))
      return isSwitch ? known("true") : (args[index + 1] ?? []);
    return flags.flatMap((flag) => afterPrefix(argument, known(`${flag}=`)) ?? []).slice(0, 1);
  });
  return values.at(-1) ?? variableOf(reader, VARIABLES[flags[0] ?? ""]);
}

/** Variables that come from a whole ConfigMap or Secret are not read. */
function variableOf(reader: ControllerPods, variable: string | undefined): Known<string> | undefined {
  if (variable === undefined) return undefined;
  const containers = containersIn(reader);
  const elsewhere = known(`$(${variable})`);
  const values = containers
    .flatMap((each) => itemsAt(each, "env"))
    .filter((each) => is(wordAt(each, "name"), variable) === "yes")
    .map((each) => (isAbsent(childOf(each, "valueFrom")) ? wordAt(each, "value") : elsewhere));
  const isFromAll = containers.some((each) => itemsAt(each, "envFrom").length > 0);
  return values.at(-1) ?? (isFromAll ? elsewhere : undefined);
}

/** Variables of the containers that run the plugin; not known if workloads differ, or only the cluster shows them. */
export function containerVariables({ workloads }: Controller): ReadonlyMap<string, Known<string>> {
  const variables = new Map<string, Known<string>>();
  for (const each of workloads.flatMap(containersIn).flatMap((container) => itemsAt(container, "env"))) {
    const name = shownAt(each, "name");
    const written = wordAt(each, "value");
    const isMade = !isAbsent(childOf(each, "valueFrom")) || shown(written).includes("$(");
    const value = isMade
      ? unread(`the variable ${name} is made of others, or comes from another object`)
      : written;
    const before = variables.get(name);
    const differs = before !== undefined && same(before, value) !== "yes";
    variables.set(name, differs ? unread(`the variable ${name} differs between containers`) : value);
  }
  return variables;
}
