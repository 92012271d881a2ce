/*
 * Which chains of a cluster rest on Kubernetes objects that are not understood: objects with fields that no table lists,
 * webhooks and policies that may change or refuse objects, and objects that are not read and name a service account.
 */

import { grouped } from "../../model/grouped";
import { remembered } from "../../model/once";
import { type Json, at, record, text } from "../../model/parsed";
import { CLUSTER_PROFILE_GROUP } from "../../rules/fleet/names";
import { WORKLOAD_KINDS, podSpecPath } from "../../rules/pod-specs";
import { type Answer, seen, unknown } from "../answer";
import { type Admission, type Admitted, isAdmission, labelsIn, readAdmission } from "../read/admission";
import type { Contradiction } from "../read/contradictions";
import type { FileDocument } from "../read/documents";
import { accountsIn } from "../read/named-accounts";
import {
  type KubernetesDocument,
  type KubernetesObject,
  type Objects,
  keyOf,
  titleOf,
} from "../read/objects";
import { NOWHERE, type Source } from "../read/source";
import { type Rows, notUnderstood } from "./coverage";
import { HOSTED_CLUSTER, IMAGE_CHANGERS, KINDS, NODE_CHANGERS, NODE_KINDS, USERS } from "./kinds";

/** What every chain of the cluster rests on. */
const ANY = "";
/** What every pull of the cluster rests on. */
export const NODES = "nodes";
/** What every component of the cluster rests on. */
const COMPONENTS = "components";

/** What a component rests on, by the key of its Secret. */
export function ofComponent(secretKey: string): readonly string[] {
  return [`Secret ${secretKey}`, COMPONENTS];
}

const ROWS: Rows = { ...KINDS, ...NODE_KINDS, HostedCluster: HOSTED_CLUSTER };
/** Kinds of the management cluster, which may hold those of many clusters. */
const HOSTING: readonly string[] = ["HostedCluster", "NodePool"];

interface Opening {
  readonly reason: string;
  readonly remedy: string;
  readonly source: Source;
}

const ACCEPT = "if it does not matter here, accept the finding (--baseline)";

export class OpenObjects {
  readonly #objects: Objects;
  readonly #unread: readonly FileDocument[];
  readonly #hosting: readonly KubernetesObject[];
  readonly #contradictions: readonly Contradiction[];
  #found: Found | undefined;

  /** `unread` are the objects of kinds that are not read, `hosting` the cluster's own of the management cluster. */
  constructor(
    objects: Objects,
    unread: readonly FileDocument[],
    hosting: readonly KubernetesObject[],
    contradicted: readonly Contradiction[],
  ) {
    this.#objects = objects;
    this.#contradictions = contradicted;
    this.#unread = unread;
    this.#hosting = hosting;
  }

  /**
   * The answer if something bears on one of the objects, `ServiceAccount shop/web`, {@link NODES} or those of
   * {@link ofComponent}, and is not understood; otherwise `undefined`. Roles and bindings that are not understood grant
   * nothing for certain, which those who ask for rights see.
   */
  answer(titles: readonly string[]): Answer | undefined {
    const found = (this.#found ??= this.#find());
    if (found.isEmpty) return undefined;
    const title = [ANY, ...titles].find((each) => found.openings.has(each));
    const opening = title === undefined ? admitted(titles, found) : found.openings.get(title);
    return opening && unknown(opening.reason, opening.remedy, seen("not understood", opening.source));
  }

  /** The labels of service accounts as one text each, by title. */
  get accountLabels(): ReadonlyMap<string, string> {
    const accounts = this.#objects.of("ServiceAccount").map(({ value, kind }): [string, string] => {
      const rows = Object.entries(labelsIn(value)).sort(([one], [other]) => (one < other ? -1 : 1));
      return [titleOf(value, kind), JSON.stringify(rows)];
    });
    return new Map(accounts);
  }

  get webhooks(): readonly KubernetesDocument[] {
    return this.#objects.of("MutatingWebhookConfiguration");
  }

  /** Whom EKS lets into the cluster besides access entries, which is not judged. */
  get entrants(): readonly KubernetesDocument[] {
    return this.#objects
      .of("ConfigMap")
      .filter(({ value, kind }) => titleOf(value, kind) === "ConfigMap kube-system/aws-auth");
  }

  #find(): Found {
    const read = this.#objects.of(...Object.keys(KINDS));
    const naming = this.#unread.filter(({ value }) => !isAdmission(value)).flatMap(ofNames);
    const ofNodes = this.#objects
      .of(...Object.keys(NODE_KINDS))
      .filter(({ kind }) => !HOSTING.includes(kind));
    const contradicted = this.#contradictions.map(({ reason, of, source }): readonly [string, Opening] => [
      of,
      { reason, remedy: `state what the cluster runs (--facts); ${ACCEPT}`, source },
    ]);
    const ofObjects = [...ofNodes, ...this.#hosting, ...read].flatMap(ofFields);
    const openings = new Map([...naming, ...contradicted, ...ofObjects]);
    const admissions = readAdmission([...this.webhooks, ...this.#unread]);
    const admitted = admissions.length === 0 ? [] : read;
    const byAccount = grouped(
      admitted.filter(({ kind }) => WORKLOAD_KINDS.includes(kind)),
      accountOf,
    );
    const byTitle = grouped(admitted, ({ value, kind }) => titleOf(value, kind));
    const isEmpty = openings.size + admissions.length === 0;
    return { openings, admissions, byKind: new Map(), byAccount, byTitle, isEmpty };
  }
}

interface Found {
  readonly openings: ReadonlyMap<string, Opening>;
  readonly admissions: readonly Admission[];
  /** Those that are for a kind, filled as chains ask for it. */
  readonly byKind: Map<string, readonly Admission[]>;
  readonly byTitle: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** The objects with pods, by the title of their service account. */
  readonly byAccount: ReadonlyMap<string, readonly KubernetesObject[]>;
  readonly isEmpty: boolean;
}

const PLURALS: Readonly<Record<string, string>> = {
  Pod: "pods",
  ServiceAccount: "service accounts",
  "ServiceAccount/token": "tokens of service accounts",
};

/** The first that may change or refuse one of the objects, or one that comes with a service account. */
function admitted(titles: readonly string[], found: Found): Opening | undefined {
  if (found.admissions.length === 0) return undefined;
  const objects = titles.filter((title) => title.includes(" "));
  const all = objects.flatMap((title) =>
    objectsOf(title, found.byTitle.get(title) ?? [], found.byAccount.get(title) ?? []),
  );
  for (const object of all) {
    const what = PLURALS[object.kind] ?? `${object.kind} objects`;
    const ofKind = forKind(object, found);
    if (ofKind.length > COMPARED_MAX)
      return {
        reason: `more than ${COMPARED_MAX} webhooks and policies may change or refuse ${what}`,
        remedy: ACCEPT,
        source: NOWHERE,
      };
    const first = ofKind.find(({ covers }) => covers(object));
    if (first === undefined) continue;
    const { title, changes, source } = first;
    return {
      reason: `${title} may ${changes ? "change" : "refuse"} ${what} in namespace ${object.namespace}`,
      remedy: `see what it ${changes ? "changes" : "refuses"}; ${ACCEPT}`,
      source,
    };
  }
  return undefined;
}

/** With thousands, comparing each with each service account would take minutes. */
const COMPARED_MAX = 200;

/** Those that are for a kind in any namespace. */
function forKind({ kind, group }: Admitted, { admissions, byKind }: Found): readonly Admission[] {
  const any = { kind, group, namespace: undefined, labels: undefined };
  return remembered(byKind, `${group}/${kind}`, () => admissions.filter(({ covers }) => covers(any)));
}

/** Groups of kinds whose objects are not looked up here, other than the core group. */
const GROUPS: Readonly<Record<string, readonly string[]>> = { ClusterProfile: [CLUSTER_PROFILE_GROUP] };

/** The title of the service account with whose tokens the pods of a workload act. */
function accountOf({ value, kind }: KubernetesObject): string {
  const spec = at(value, ...(podSpecPath(kind) ?? []));
  const name = text(at(spec, "serviceAccountName")) || text(at(spec, "serviceAccount")) || "default";
  return `ServiceAccount ${keyOf({ metadata: { namespace: at(value, "metadata", "namespace"), name } })}`;
}

/** Kinds whose object `cluster` every chain rests on. */
const OF_CLUSTER: readonly string[] = ["Authentication", "KubeAPIServer"];

/** What an object with such a field bears on. */
function borneOn(object: KubernetesObject): string {
  const { value, kind } = object;
  if (OF_CLUSTER.includes(kind) && at(value, "metadata", "name") === "cluster") return ANY;
  if (kind === "HostedCluster") return ANY;
  if (Object.hasOwn(NODE_KINDS, kind)) return NODES;
  if (WORKLOAD_KINDS.includes(kind)) return accountOf(object);
  const secret = at(value, "spec", "secretRef");
  return kind === "CredentialsRequest" ? `Secret ${keyOf({ metadata: secret })}` : titleOf(value, kind);
}

function ofFields(object: KubernetesObject): readonly (readonly [on: string, opening: Opening])[] {
  const { value, kind, source } = object;
  const [path] = [...notUnderstood(value, ROWS[kind] ?? {}, "written"), ...changedImages(value, kind)];
  if (path === undefined) return [];
  const title = titleOf(value, kind);
  return [
    [
      borneOn(object),
      path === "metadata.deletionTimestamp"
        ? { reason: `${title} is being deleted`, remedy: "see whether it comes back", source }
        : {
            reason: `the field ${path} of ${title} is not judged, and kubectl refuses an object with a field that its API server does not know`,
            remedy: `correct its spelling, or look up what it does; ${ACCEPT}`,
            source,
          },
    ],
  ];
}

/** Annotations of an object with pods, or of its pods, with which other images get into these. */
function changedImages(value: Json, kind: string): readonly string[] {
  const ofPods = at(value, ...(podSpecPath(kind) ?? []).slice(0, -1), "metadata", "annotations");
  const all = { ...record(at(value, "metadata", "annotations")), ...record(ofPods) };
  return IMAGE_CHANGERS.filter((name) => name in all).map((name) => `metadata.annotations["${name}"]`);
}

function ofNames({ value, source }: FileDocument): readonly (readonly [on: string, opening: Opening])[] {
  const kind = text(at(value, "kind"));
  if (USERS.has(kind) || Object.hasOwn(KINDS, kind))
    return kind === "ServiceAccount" ? [again(value, source)] : [];
  const { name = "", namespace = "default" } = record(at(value, "metadata"));
  if (NODE_CHANGERS.includes(kind)) {
    const reason = `${kind} ${text(name)}, which is not read, may change what nodes run or may do`;
    return [[NODES, { reason, remedy: `see what it changes; ${ACCEPT}`, source }]];
  }
  const { metadata: _, status: __, ...others } = record(value);
  return accountsIn(others, text(namespace)).map((key) => [
    `ServiceAccount ${key}`,
    {
      reason: `${kind} ${text(name)}, which is not read, names the service account ${key}, so what becomes of it is not known`,
      remedy: `see what it changes; ${ACCEPT}`,
      source,
    },
  ]);
}

/** A service account of which it is not known in which cluster it is. */
function again(value: unknown, source: Source): readonly [on: string, opening: Opening] {
  const title = titleOf(value, "ServiceAccount");
  return [
    title,
    {
      reason: `Terraform also has ${title}, and it is not known for which cluster`,
      remedy: `explain each cluster with its own Terraform; ${ACCEPT}`,
      source,
    },
  ];
}

/** What webhooks and policies see of an object, and of the tokens and pods of a service account. */
function objectsOf(
  title: string,
  documents: readonly KubernetesObject[],
  workloads: readonly KubernetesObject[],
): readonly Admitted[] {
  const [kind = "", key = ""] = title.split(" ");
  const [namespace = ""] = key.split("/");
  const of = (each: string, all: readonly Json[]): readonly Admitted[] => {
    // What the cluster itself shows has been admitted.
    if (all.length > 0 && all.every(isShown)) return [];
    const labels = all.length === 0 ? undefined : all.map(labelsIn);
    const [group = ""] = /^.*(?=\/)/.exec(text(all[0]?.["apiVersion"])) ?? GROUPS[each] ?? [];
    return [{ kind: each, group, namespace, labels }];
  };
  const values = documents.map(({ value }) => value);
  if (kind !== "ServiceAccount") return of(kind, values);
  const controllers = workloads.filter((each) => each.kind !== "Pod");
  return [
    ...of("ServiceAccount", values),
    ...of("ServiceAccount/token", []),
    ...of("Pod", workloads.map(podOf)),
    ...controllers.flatMap((each) => of(each.kind, [each.value])),
  ];
}

function isShown(object: Json): boolean {
  return text(at(object, "metadata", "uid")) !== "";
}

/** The pod itself, or the template of pods. */
function podOf({ value, kind }: KubernetesObject): Json {
  return record(at(value, ...(podSpecPath(kind) ?? []).slice(0, -1)));
}
