/*
 * Who opens connections to spokes: the workloads that run the plugin, found by what was recorded, else by who mounts a
 * list of access providers and by the names that the known consumers have.
 * Sources: kubernetes-sigs/kueue:config/components; argoproj-labs/clusterprofile-integration-for-argocd.
 */

import { orElse } from "../../model/known";
import { type Json, at, list, record, text } from "../../model/parsed";
import {
  type Tree,
  type TreeValue,
  childOf,
  entriesOf,
  isTreeList,
  isTreeObject,
  itemsOf,
  treeOf,
} from "../../model/tree";
import { ARGO_NAMESPACES, PROVIDER_FILE_FLAG } from "../../rules/fleet/names";
import type { ClusterArtefacts } from "../read/facts";
import type { ProviderListFact } from "../read/fleet-facts";
import type { DeclaredController, DeclaredFleet } from "../read/fleet-record";
import { hasLateName, namedTree } from "../read/late-text";
import { type WorkloadFact, isPartial } from "../read/pods";
import { listEntries, withFields } from "./fleet-profile";

/** A workload that runs the plugin. */
export interface ControllerPods {
  readonly pods: WorkloadFact;
  readonly spec: Json;
  /** The container that runs the plugin; empty where it may be any. */
  readonly container: string;
  /** True where no manifest with images of it was read, so that others may say more. */
  readonly isPartial: boolean;
  /** The service account that its pods run as, `namespace/name`; `undefined` where no manifest says it. */
  readonly runsAs: string | undefined;
}

/** A service account with which a controller enters spokes. */
export interface Controller {
  /** `namespace/name`; the name is `*` where nothing says who reads the list. */
  readonly account: string;
  readonly title: string;
  readonly kind: "kueue" | "argocd" | "other";
  /** The service account that reads profiles; `undefined` where it is not known. */
  readonly reader: string | undefined;
  readonly workloads: readonly ControllerPods[];
  readonly readers: readonly ControllerPods[];
  /** The list; `undefined` where none was read. */
  readonly list: ProviderListFact | undefined;
  /** Programs on the PATH of its image; `undefined` where they are not known. */
  readonly onPath: readonly string[] | undefined;
  /** True for an image with neither shell nor libraries; `undefined` where that is not known. */
  readonly isDistroless: boolean | undefined;
  /** True where it is recorded. */
  readonly declared: boolean;
}

/** What is known of each kind of controller: its image, the container that runs the plugin, its service accounts. */
interface KnownController extends Pick<Controller, "onPath" | "isDistroless"> {
  readonly title: string;
  readonly container: (title: string) => string;
  readonly accounts: readonly string[];
}

const KUEUE = "kueue-controller-manager";
const ARGO_READER = "argocd-clusterprofile-controller";
const ARGO: readonly string[] = ["argocd-application-controller", "argocd-server"];
const KINDS: Readonly<Record<Controller["kind"], KnownController>> = {
  argocd: {
    title: "Argo CD",
    onPath: ["argocd-k8s-auth"],
    isDistroless: false,
    container: nameOf,
    accounts: ARGO,
  },
  kueue: {
    title: "MultiKueue",
    onPath: [],
    isDistroless: true,
    container: () => "manager",
    accounts: [KUEUE],
  },
  other: {
    title: "the controller",
    onPath: undefined,
    isDistroless: undefined,
    container: () => "",
    accounts: [],
  },
};

/** The controllers of a hub, sorted by service account. */
export function controllersOf(artefacts: ClusterArtefacts): readonly Controller[] {
  const { cluster, fleet } = artefacts;
  const workloads = mergedPods(artefacts.workloads);
  const declared = cluster.fleet ? declaredControllers(cluster.fleet, fleet.lists, workloads) : [];
  const known = new Set(declared.map((controller) => controller.list));
  const found = fleet.lists
    .filter((each) => !known.has(each))
    .flatMap((each) => controllersOfList(each, artefacts, workloads));
  return [...declared, ...found].sort((a, b) => (a.account < b.account ? -1 : 1));
}

function declaredControllers(
  fleet: Omit<DeclaredFleet<unknown>, "spokes">,
  lists: readonly ProviderListFact[],
  workloads: readonly WorkloadFact[],
): readonly Controller[] {
  const { workloads: recorded, reader, title, configMap, onPath, isDistroless } = fleet;
  const namespaces = new Set(
    [...recorded, ...(reader ? [reader] : [])].map(({ serviceAccount }) => namespaceOf(serviceAccount)),
  );
  const read = lists.find(
    (each) =>
      namespaces.has(each.namespace) &&
      (configMap === "" ? each.form === "kueue" : each.configMap === configMap),
  );
  const podsOf = (wanted: DeclaredController): readonly ControllerPods[] =>
    workloads
      .filter((each) => each.title === wanted.title)
      .map((pods) => controllerPods(pods, wanted.container));
  return [...new Set(recorded.map(({ serviceAccount }) => serviceAccount))].map((account) => ({
    account,
    title,
    kind: title === "MultiKueue" ? "kueue" : title === "Argo CD" ? "argocd" : "other",
    reader: reader?.serviceAccount,
    workloads: recorded.filter(({ serviceAccount }) => serviceAccount === account).flatMap(podsOf),
    readers: reader ? podsOf(reader) : [],
    list: read,
    onPath,
    isDistroless,
    declared: true,
  }));
}

function controllersOfList(
  read: ProviderListFact,
  artefacts: ClusterArtefacts,
  all: readonly WorkloadFact[],
): readonly Controller[] {
  const here = all.filter(({ namespace }) => namespace === read.namespace);
  const readers = here.filter(
    (each) => mounts(each, read.configMap) || (nameOf(each.title) === KUEUE && read.form === "kueue"),
  );
  const kind = read.form === "kueue" ? "kueue" : isArgo(read, readers) ? "argocd" : "other";
  const executing = kind === "argocd" ? here.filter(({ title }) => ARGO.includes(nameOf(title))) : readers;
  const byAccount = new Map<string, WorkloadFact[]>();
  for (const each of executing) {
    const account = accountOf(each, artefacts);
    byAccount.set(account, [...(byAccount.get(account) ?? []), each]);
  }
  const { title, onPath, isDistroless, accounts } = KINDS[kind];
  for (const name of accounts) {
    const account = `${read.namespace}/${name}`;
    const isThere = kind === "kueue" ? byAccount.size === 0 : artefacts.serviceAccounts.has(account);
    if (isThere && !byAccount.has(account)) byAccount.set(account, []);
  }
  if (byAccount.size === 0) byAccount.set(`${read.namespace}/*`, []);
  const [reader] = readers;
  return [...byAccount].map(([account, run]) => ({
    account,
    title,
    kind,
    reader: reader ? accountOf(reader, artefacts) : kind === "kueue" ? account : undefined,
    workloads: run.map((pods) => controllerPods(pods, containerOf(pods, kind))),
    readers: readers.map((pods) => controllerPods(pods, "")),
    list: read,
    onPath,
    isDistroless,
    declared: false,
  }));
}

/** Name of the container that runs the plugin; empty where no container of that name is there. */
function containerOf({ title, spec }: WorkloadFact, kind: Controller["kind"]): string {
  const name = KINDS[kind].container(title);
  return itemsOf(childOf(spec, "containers")).some((each) => wordAt(each, "name") === name) ? name : "";
}

/** The list of Argo CD is read by a controller of its own, or calls what only Argo CD's image has. */
function isArgo(read: ProviderListFact, readers: readonly WorkloadFact[]): boolean {
  return (
    readers.some(({ title }) => nameOf(title) === ARGO_READER) ||
    listEntries(read).some((each) => at(each, "execConfig", "command") === "argocd-k8s-auth")
  );
}

/** A manifest of a few fields names no service account; the workload is named like it then, as all known ones are. */
function accountOf(pods: WorkloadFact, { serviceAccounts }: ClusterArtefacts): string {
  const name = nameOf(pods.title);
  if (statedAccount(pods.spec) !== "" || !isPartial(pods)) return `${pods.namespace}/${pods.serviceAccount}`;
  const others = [...serviceAccounts.keys()].filter((key) => namespaceOf(key) === pods.namespace);
  const named = `${pods.namespace}/${name}`;
  return others.length === 1 && !others.includes(named) ? (others[0] ?? named) : named;
}

function controllerPods(pods: WorkloadFact, container: string): ControllerPods {
  const partial = isPartial(pods);
  const isSilent = statedAccount(pods.spec) === "" && partial;
  return {
    pods,
    spec: record(namedTree(pods.spec)),
    container,
    isPartial: partial,
    runsAs: isSilent ? undefined : `${pods.namespace}/${pods.serviceAccount}`,
  };
}

function statedAccount(spec: Tree): string {
  return wordAt(spec, "serviceAccountName") || wordAt(spec, "serviceAccount");
}

function wordAt(tree: Tree, key: string): string {
  return text(orElse(childOf(tree, key), () => ""));
}

function mounts({ spec }: WorkloadFact, configMap: string): boolean {
  return itemsOf(childOf(spec, "volumes")).some((volume) =>
    [volume, ...itemsOf(childOf(volume, "projected", "sources"))].some(
      (each) => orElse(childOf(each, "configMap", "name"), () => "") === configMap,
    ),
  );
}

function nameOf(title: string): string {
  return title.slice(title.indexOf("/") + 1);
}

function namespaceOf(key: string): string {
  return key.split("/")[0] ?? "";
}

/**
 * One fact per workload: what several manifests say of it, a release's and fields that are added to it, is put together
 * as server-side apply does it, lists by name.
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
  const account = [other, one].find(({ spec }) => wordAt(spec, "serviceAccountName") !== "");
  return {
    ...one,
    serviceAccount: account?.serviceAccount ?? one.serviceAccount,
    images: [...one.images, ...other.images],
    labels: new Map([...one.labels, ...other.labels]),
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
  const added: TreeValue = orElse(other, () => undefined);
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
    const name = wordAt(item, key);
    byKey.set(name, mergedObjects(byKey.get(name) ?? treeOf({}), item));
  }
  return treeOf([...byKey.values()]);
}

/** Variables that count where an option is left out: argoproj-labs/clusterprofile-integration-for-argocd, README. */
const VARIABLES: Readonly<Record<string, string>> = {
  [PROVIDER_FILE_FLAG]: "ARGOCD_CLUSTERPROFILE_CONTROLLER_CLUSTERPROFILE_PROVIDER_FILE",
  [ARGO_NAMESPACES]: "ARGOCD_CLUSTERPROFILE_CONTROLLER_NAMESPACES",
  "--dry-run": "ARGOCD_CLUSTERPROFILE_CONTROLLER_DRY_RUN",
};

/** The containers that run the plugin, or read the list. */
export function containersIn({ spec, container }: ControllerPods): readonly unknown[] {
  return list(spec["containers"]).filter((each) => container === "" || at(each, "name") === container);
}

/** What these containers are started with. */
export function argumentsOf(reader: ControllerPods): readonly string[] {
  return containersIn(reader)
    .flatMap((each) => [...list(at(each, "command")), ...list(at(each, "args"))])
    .map(text);
}

/** True for the value of an option that stands elsewhere, in a variable or behind a reference. */
export function isElsewhere(value: string): boolean {
  return value.includes("$(") || hasLateName(value);
}

/** The value of the last of these flags; `undefined` where none is there. */
function flagOf(args: readonly string[], ...flags: readonly string[]): string | undefined {
  const values = args.flatMap((argument, index) => {
    if (flags.includes(argument)) return args[index + 1] ?? [];
    const flag = flags.find((each) => argument.startsWith(`${each}=`));
    return flag === undefined ? [] : [argument.slice(flag.length + 1)];
  });
  return values.at(-1);
}

/** The value of an option, {@link isElsewhere} or not, by any of its spellings; `undefined` where it is left out. */
export function settingOf(
  reader: ControllerPods,
  flag: string,
  ...others: readonly string[]
): string | undefined {
  const variable = VARIABLES[flag];
  const given = flagOf(argumentsOf(reader), flag, ...others);
  return given ?? (variable === undefined ? undefined : variableOf(reader, variable));
}

/** Whether a switch is on, as Go reads it; `undefined` where that stands elsewhere. */
export function isSwitchedOn(reader: ControllerPods, flag: string): boolean | undefined {
  const given = argumentsOf(reader).findLast((each) => each === flag || each.startsWith(`${flag}=`));
  const value =
    given === flag ? "true" : (given?.slice(flag.length + 1) ?? variableOf(reader, VARIABLES[flag] ?? ""));
  if (value !== undefined && isElsewhere(value)) return undefined;
  return /^(?:1|t|true)$/i.test(value ?? "");
}

/** Variables of a whole ConfigMap or Secret are not looked for. */
function variableOf(reader: ControllerPods, variable: string): string | undefined {
  const containers = containersIn(reader);
  const entry = containers
    .flatMap((each) => list(at(each, "env")))
    .findLast((each) => at(each, "name") === variable);
  const elsewhere = `$(${variable})`;
  if (entry !== undefined) return at(entry, "valueFrom") === undefined ? text(at(entry, "value")) : elsewhere;
  return containers.some((each) => list(at(each, "envFrom")).length > 0) ? elsewhere : undefined;
}
