/*
 * Who opens connections to spokes: the workloads that run the plugin, found by what was recorded, else by who mounts a
 * list of access providers and by the names that the known consumers have.
 * Sources: kubernetes-sigs/kueue:config/components; argoproj-labs/clusterprofile-integration-for-argocd.
 */

import { at, list, own, text } from "../facts/access";
import type { ClusterArtefacts } from "../facts/facts";
import type { ProviderListFact } from "../facts/fleet-facts";
import type { DeclaredFleet } from "../facts/fleet-record";
import { type WorkloadFact, isPartial } from "../facts/workload-facts";
import { mergedPods } from "./merged-pods";

/** A workload that runs the plugin. */
export interface ControllerPods {
  /** The workload, what several manifests say of it put together. */
  readonly pods: WorkloadFact;
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
  /** Name of the controller for people. */
  readonly title: string;
  /** Which of the known ones it is. */
  readonly kind: "kueue" | "argocd" | "other";
  /** The service account that reads profiles; `undefined` where it is not known. */
  readonly reader: string | undefined;
  /** Its workloads. */
  readonly workloads: readonly ControllerPods[];
  /** The workloads that read the list. */
  readonly readers: readonly ControllerPods[];
  /** The list; `undefined` where none was read. */
  readonly list: ProviderListFact | undefined;
  /** Programs on the PATH of its image; `undefined` where they are not known. */
  readonly onPath: readonly string[] | undefined;
  /** True for an image with neither shell nor libraries; `undefined` where that is not known. */
  readonly isDistroless: boolean | undefined;
  /** True where somebody recorded it. */
  readonly declared: boolean;
}

/** What the images of the known controllers have. */
const IMAGES: Readonly<Record<Controller["kind"], Pick<Controller, "onPath" | "isDistroless">>> = {
  argocd: { onPath: ["argocd-k8s-auth"], isDistroless: false },
  kueue: { onPath: [], isDistroless: true },
  other: { onPath: undefined, isDistroless: undefined },
};

/** The container of the known controllers that runs the plugin; of any other it may be each. */
const CONTAINERS: Readonly<Record<Controller["kind"], (title: string) => string>> = {
  argocd: nameOf,
  kueue: () => "manager",
  other: () => "",
};

const KUEUE = "kueue-controller-manager";
const ARGO_READER = "argocd-clusterprofile-controller";
const ARGO: readonly string[] = ["argocd-application-controller", "argocd-server"];

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
  { workloads: recorded, reader, title, configMap, onPath, isDistroless }: DeclaredFleet,
  lists: readonly ProviderListFact[],
  workloads: readonly WorkloadFact[],
): readonly Controller[] {
  const namespaces = new Set(
    [...recorded, ...(reader ? [reader] : [])].map(({ serviceAccount }) => namespaceOf(serviceAccount)),
  );
  const read = lists.find(
    (each) =>
      namespaces.has(each.namespace) &&
      (configMap === "" ? each.form === "kueue" : each.configMap === configMap),
  );
  const podsOf = (wanted: string, container: string): readonly ControllerPods[] =>
    workloads.filter((each) => each.title === wanted).map((pods) => controllerPods(pods, container));
  return [...new Set(recorded.map(({ serviceAccount }) => serviceAccount))].map((account) => ({
    account,
    title,
    kind: kindOf(title),
    reader: reader?.serviceAccount,
    workloads: recorded
      .filter(({ serviceAccount }) => serviceAccount === account)
      .flatMap((each) => podsOf(each.title, each.container)),
    readers: reader ? podsOf(reader.title, reader.container) : [],
    list: read,
    onPath,
    isDistroless,
    declared: true,
  }));
}

function kindOf(title: string): Controller["kind"] {
  if (title === "MultiKueue") return "kueue";
  return title === "Argo CD" ? "argocd" : "other";
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
  for (const name of namesOf(kind)) {
    const account = `${read.namespace}/${name}`;
    const isThere = kind === "kueue" ? byAccount.size === 0 : artefacts.serviceAccounts.has(account);
    if (isThere && !byAccount.has(account)) byAccount.set(account, []);
  }
  if (byAccount.size === 0) byAccount.set(`${read.namespace}/*`, []);
  const [reader] = readers;
  return [...byAccount].map(([account, run]) => ({
    account,
    title: kind === "kueue" ? "MultiKueue" : kind === "argocd" ? "Argo CD" : "the controller",
    kind,
    reader: reader ? accountOf(reader, artefacts) : kind === "kueue" ? account : undefined,
    workloads: run.map((pods) => controllerPods(pods, containerOf(pods, kind))),
    readers: readers.map((pods) => controllerPods(pods, "")),
    list: read,
    ...IMAGES[kind],
    declared: false,
  }));
}

/** Name of the container that runs the plugin; empty where no container of that name is there. */
function containerOf({ title, spec }: WorkloadFact, kind: Controller["kind"]): string {
  const name = CONTAINERS[kind](title);
  return list(own(spec, "containers")).some((each) => own(each, "name") === name) ? name : "";
}

function namesOf(kind: Controller["kind"]): readonly string[] {
  if (kind === "kueue") return [KUEUE];
  return kind === "argocd" ? ARGO : [];
}

/** The list of Argo CD is read by a controller of its own, or calls what only Argo CD's image has. */
function isArgo({ providers = [] }: ProviderListFact, readers: readonly WorkloadFact[]): boolean {
  return (
    readers.some(({ title }) => nameOf(title) === ARGO_READER) ||
    providers.some((each) => text(at(each, "execConfig", "command")) === "argocd-k8s-auth")
  );
}

/** A manifest of a few fields names no service account; the workload is named like it then, as all known ones are. */
function accountOf(pods: WorkloadFact, { serviceAccounts }: ClusterArtefacts): string {
  const name = nameOf(pods.title);
  const stated = own(pods.spec, "serviceAccountName") ?? own(pods.spec, "serviceAccount");
  if (typeof stated === "string" || !isPartial(pods)) return `${pods.namespace}/${pods.serviceAccount}`;
  const others = [...serviceAccounts.keys()].filter((key) => namespaceOf(key) === pods.namespace);
  const named = `${pods.namespace}/${name}`;
  return others.length === 1 && !others.includes(named) ? (others[0] ?? named) : named;
}

function controllerPods(pods: WorkloadFact, container: string): ControllerPods {
  const partial = isPartial(pods);
  const stated = text(own(pods.spec, "serviceAccountName")) || text(own(pods.spec, "serviceAccount"));
  const runsAs = stated === "" && partial ? undefined : `${pods.namespace}/${pods.serviceAccount}`;
  return { pods, container, isPartial: partial, runsAs };
}

function mounts({ spec }: WorkloadFact, configMap: string): boolean {
  return list(own(spec, "volumes")).some((volume) =>
    [volume, ...list(at(volume, "projected", "sources"))].some(
      (each) => text(at(each, "configMap", "name")) === configMap,
    ),
  );
}

function nameOf(title: string): string {
  return title.slice(title.indexOf("/") + 1);
}

function namespaceOf(key: string): string {
  return key.split("/")[0] ?? "";
}
