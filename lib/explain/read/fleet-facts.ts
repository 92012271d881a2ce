/*
 * The fleet in a hub's objects: ClusterProfiles, and the controllers' lists of access providers.
 */

import { propertyPath } from "../../model/property-path";
import { grouped } from "../../model/grouped";
import { type Known, all, andThen, isAbsent, known, map, unread } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { at, record, text } from "../../model/parsed";
import { shownAt } from "../../model/parsed-tree";
import { type Tree, isTreeList, sameTree, treeAt, treeOf } from "../../model/tree";
import { CLUSTER_PROFILE_GROUP } from "../../rules/fleet/names";
import { embedded } from "./documents";
import { lateTree } from "./late-text";
import { type KubernetesObject, type Objects, contested, keyOf } from "./objects";
import { type Source, below } from "./source";

/** An object, with late values as references. */
export interface ObjectFact {
  readonly value: Tree;
  readonly source: Source;
}

export interface ProfileFact {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** The main object; `undefined` if only its status was read. */
  readonly main: ObjectFact | undefined;
  /**
   * The document with the status: a separate manifest, or an object that was read from a cluster. Its `value` is
   * unknown if several documents differ.
   */
  readonly status: ObjectFact | undefined;
  /** A status in the same manifest as the main object: the API server drops it. */
  readonly dropped: ObjectFact | undefined;
  /** True for an Argo CD cluster Secret, read as an equivalent profile. */
  readonly isSecret: boolean;
  /** The ConfigMap from which a Job writes the status, `namespace/name`; `undefined` if the status has a manifest. */
  readonly writtenFrom: string | undefined;
}

export interface ProviderListFact {
  readonly form: "file" | "kueue" | "secrets";
  /** `ConfigMap fleet/providers`. */
  readonly title: string;
  readonly namespace: string;
  /** Its name; empty for the cluster Secrets of a namespace. */
  readonly configMap: string;
  readonly key: string;
  /** The entries as written; unknown if the text cannot be read or the documents of the ConfigMap differ. */
  readonly providers: Known<readonly Tree[]>;
  /** The configuration around the list, Kueue's `featureGates` included; an empty object for a file. */
  readonly configuration: Tree;
  readonly source: Source;
}

export interface WorkerClusterFact {
  /** Name of the profile, in Kueue's namespace. */
  readonly profile: string;
  readonly source: Source;
}

export interface FleetFacts {
  readonly profiles: readonly ProfileFact[];
  readonly lists: readonly ProviderListFact[];
  readonly workerClusters: readonly WorkerClusterFact[];
  /** Where Argo CD is configured to impersonate service accounts of the spokes, by its namespace. */
  readonly impersonation: ReadonlyMap<string, Source>;
}

const KUEUE_KEY = "controller_manager_config.yaml";

export function readFleetFacts(objects: Objects): FleetFacts {
  const configMaps = objects.of("ConfigMap");
  const written = objects.of("ClusterProfile").map(({ value, source, late }): ProfileDocument => {
    return { key: keyOf(value), value: lateTree(value, late), source, writtenFrom: undefined };
  });
  const profiles = grouped([...written, ...configMaps.flatMap(writtenStatuses)], ({ key }) => key);
  return {
    profiles: [...profiles].map(([key, documents]) => profileFact(key, documents)),
    lists: objects.byKey("ConfigMap").flatMap(([key, documents]) => {
      const names = new Set(documents.flatMap(({ value }) => Object.keys(record(value["data"]))));
      return [...names].flatMap((name) => providerList(key, name, documents) ?? []);
    }),
    workerClusters: objects.of("MultiKueueCluster").flatMap(({ value, source }) => {
      const profile = text(at(value, "spec", "clusterSource", "clusterProfileRef", "name"));
      return profile === "" ? [] : [{ profile, source }];
    }),
    impersonation: new Map(
      configMaps.filter(impersonates).map(({ value, source }) => [keyOf(value).replace(/\/.*/, ""), source]),
    ),
  };
}

/** Source: argoproj/argo-cd, docs/operator-manual/app-sync-using-impersonation.md. */
function impersonates({ value }: KubernetesObject): boolean {
  return (
    at(value, "metadata", "name") === "argocd-cm" &&
    String(at(value, "data", "application.sync.impersonation.enabled")) === "true"
  );
}

interface ProfileDocument extends ObjectFact {
  /** The profile's. */
  readonly key: string;
  readonly writtenFrom: string | undefined;
}

/** The statuses of profiles that a Job writes from a ConfigMap. */
function writtenStatuses({ value, source, late }: KubernetesObject): readonly ProfileDocument[] {
  return Object.entries(record(value["data"])).flatMap(([key, written]): readonly ProfileDocument[] => {
    if (typeof written !== "string" || !written.includes('"ClusterProfile"')) return [];
    const content = embedded(late(written));
    const version = shownAt(content, "apiVersion");
    if (shownAt(content, "kind") !== "ClusterProfile" || !version.startsWith(`${CLUSTER_PROFILE_GROUP}/`))
      return [];
    const profile = `${shownAt(content, "metadata", "namespace") || "default"}/${shownAt(content, "metadata", "name")}`;
    const place = below(source, propertyPath(["data", key]));
    return [{ key: profile, value: content, source: place, writtenFrom: keyOf(value) }];
  });
}

/** Tells which documents of one name are the main object, and which the status. */
function profileFact(key: string, documents: readonly ProfileDocument[]): ProfileFact {
  const { namespace, name } = namespacedName(key);
  const [mains, others] = [documents.filter(isMain), documents.filter((each) => !isMain(each))];
  const isStatus = ({ value, writtenFrom }: ProfileDocument): boolean =>
    mains.length > 0 || writtenFrom !== undefined || isAbsent(treeAt(value, "spec"));
  const written = others.filter((each) => isStatus(each) && each.writtenFrom === undefined);
  const live = documents.filter((each) => isLive(each) && !isAbsent(treeAt(each.value, "status")));
  const byJobs = others.filter((each) => isStatus(each) && each.writtenFrom !== undefined);
  const statuses = [written, live, byJobs].find((each) => each.length > 0) ?? [];
  return {
    key,
    namespace,
    name,
    main: one(`the ClusterProfile ${key}`, mains),
    status: one(`the status of the ClusterProfile ${key}`, statuses),
    dropped: others.find((each) => !isStatus(each)),
    isSecret: false,
    writtenFrom: statuses.at(-1)?.writtenFrom,
  };
}

function one(what: string, documents: readonly ProfileDocument[]): ObjectFact | undefined {
  const last = documents.at(-1);
  if (last === undefined || documents.every(({ value }) => sameTree(value, last.value) === "yes"))
    return last;
  return { value: contested(what, documents), source: last.source };
}

/** True for a main object; an object that was read from a cluster is main object and status. */
function isMain(document: ProfileDocument): boolean {
  return (
    document.writtenFrom === undefined && (isLive(document) || isAbsent(treeAt(document.value, "status")))
  );
}

function isLive({ value }: ProfileDocument): boolean {
  return !isAbsent(treeAt(value, "metadata", "uid"));
}

function providerList(
  configMap: string,
  key: string,
  documents: readonly KubernetesObject[],
): ProviderListFact | undefined {
  const last = documents.at(-1);
  const texts = documents.map(({ value }) => at(value, "data", key));
  const written = text(texts.findLast((each) => typeof each === "string"));
  const form = key === KUEUE_KEY && written.includes("clusterProfile") ? "kueue" : "file";
  const { namespace, name } = namespacedName(configMap);
  if (last === undefined || name === "" || written.includes('"ClusterProfile"')) return undefined;
  if (form === "file" && !isProviderFile(key, written)) return undefined;
  const differ = texts.some((each) => each !== written);
  const content: Tree = differ
    ? contested(`${key} of the ConfigMap ${configMap}`, documents)
    : embedded(last.late(written));
  return {
    form,
    title: `ConfigMap ${configMap}`,
    namespace,
    configMap: name,
    key,
    providers: form === "kueue" ? kueueProviders(content) : fileProviders(content),
    configuration: form === "kueue" ? content : treeOf({}),
    source: below(last.source, propertyPath(["data", key])),
  };
}

function isProviderFile(key: string, written: string): boolean {
  const [, ...after] = key.toLowerCase().split("clusterprofile");
  return (
    after.some((each) => each.includes("provider")) ||
    (/\bproviders"?:/.test(written) && /\bexecConfig"?:/.test(written))
  );
}

function fileProviders(content: Tree): Known<readonly Tree[]> {
  return andThen(treeAt(content, "providers"), (value) =>
    isTreeList(value) ? known(value) : unread("it has no list of providers"),
  );
}

function kueueProviders(content: Tree): Known<readonly Tree[]> {
  const part = treeAt(content, "multiKueue", "clusterProfile");
  const lists = [treeAt(part, "accessProviders"), treeAt(part, "credentialsProviders")];
  return map(all(lists), (values) => values.flatMap((value) => (isTreeList(value) ? value : [])));
}
