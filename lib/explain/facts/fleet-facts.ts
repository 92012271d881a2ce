/*
 * What a hub's objects say of its fleet: ClusterProfiles, and the controllers' lists of access providers.
 */

import { propertyPath } from "../../artefact/property-path";
import { CLUSTER_PROFILE_GROUP } from "../../rules/fleet/names";
import { providersOf } from "../../rules/fleet/provider-file";
import { type Json, at, list, own, record, text } from "./access";
import { embedded } from "./embedded";
import type { LateReader } from "./late-text";
import { type Source, below } from "./source";

/** An object, late values as references. */
export interface ObjectFact {
  /** The object. */
  readonly value: Json;
  /** Where it stands. */
  readonly source: Source;
}

/** A ClusterProfile. */
export interface ProfileFact {
  /** `namespace/name`. */
  readonly key: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** The main object; `undefined` where only its status was read. */
  readonly main: ObjectFact | undefined;
  /** What writes the status: a manifest of its own, or an object that was read from a cluster. */
  readonly status: ObjectFact | undefined;
  /** A status that stands with the main object, in a manifest: the API server drops it. */
  readonly dropped: ObjectFact | undefined;
  /** The ConfigMap whose status a Job writes, `namespace/name`; `undefined` where the status has a manifest. */
  readonly writtenFrom: string | undefined;
}

/** A controller's list of access providers. */
export interface ProviderListFact {
  /** How the controller takes it. */
  readonly form: "file" | "kueue";
  /** The ConfigMap's namespace. */
  readonly namespace: string;
  /** The ConfigMap's name. */
  readonly configMap: string;
  /** Its key. */
  readonly key: string;
  /** The entries, as written; `undefined` where the text cannot be read. */
  readonly providers: readonly unknown[] | undefined;
  /** The configuration around the list; empty for a file. */
  readonly configuration: Json;
  /** Where it stands. */
  readonly source: Source;
}

/** What a hub's objects say of its fleet. */
export interface FleetFacts {
  /** Profiles, in the order in which they were read. */
  readonly profiles: readonly ProfileFact[];
  /** Lists of access providers. */
  readonly lists: readonly ProviderListFact[];
  /** Names of the profiles that MultiKueueClusters refer to, each with its object. */
  readonly workerClusters: readonly WorkerClusterFact[];
  /** Where Argo CD is told to sync as service accounts of the spokes, by its namespace. */
  readonly impersonation: ReadonlyMap<string, Source>;
}

/** A worker cluster of MultiKueue that is reached through a profile. */
export interface WorkerClusterFact {
  /** Name of the profile, in Kueue's namespace. */
  readonly profile: string;
  /** Where it stands. */
  readonly source: Source;
}

interface Document {
  readonly value: unknown;
  readonly source: Source;
  readonly late: LateReader;
}

const KUEUE_KEY = "controller_manager_config.yaml";

/** Reads the objects; of two of one name the later counts, as it does when both are applied. */
export function readFleetFacts(documents: readonly Document[]): FleetFacts {
  const profiles = new Map<string, ProfileDocument[]>();
  const lists = new Map<string, ProviderListFact>();
  for (const document of documents) {
    const kind = own(document.value, "kind");
    if (kind === "ClusterProfile") addProfile(profiles, document, undefined);
    else if (kind === "ConfigMap")
      for (const [key, written] of Object.entries(record(own(document.value, "data"))))
        if (typeof written === "string") addText(profiles, lists, document, key, written);
  }
  return {
    profiles: [...profiles].map(([key, each]) => profileFact(key, each)),
    lists: [...lists.values()],
    workerClusters: documents.flatMap(workerCluster),
    impersonation: new Map(documents.flatMap(impersonating)),
  };
}

/** Source: argoproj/argo-cd, docs/operator-manual/app-sync-using-impersonation.md. */
const IMPERSONATION = "application.sync.impersonation.enabled";

function impersonating({ value, source }: Document): readonly (readonly [string, Source])[] {
  if (own(value, "kind") !== "ConfigMap" || text(at(value, "metadata", "name")) !== "argocd-cm") return [];
  const isOn = String(at(value, "data", IMPERSONATION)) === "true";
  return isOn ? [[text(at(value, "metadata", "namespace")) || "default", source]] : [];
}

function workerCluster({ value, source }: Document): readonly WorkerClusterFact[] {
  if (own(value, "kind") !== "MultiKueueCluster") return [];
  const profile = text(at(value, "spec", "clusterSource", "clusterProfileRef", "name"));
  return profile === "" ? [] : [{ profile, source }];
}

function addText(
  profiles: Map<string, ProfileDocument[]>,
  lists: Map<string, ProviderListFact>,
  { value, source, late }: Document,
  key: string,
  written: string,
): void {
  const isStatus = written.includes('"ClusterProfile"');
  const form = key === KUEUE_KEY && written.includes("clusterProfile") ? "kueue" : "file";
  if (!isStatus && form === "file" && !isProviderFile(key, written)) return;
  const content = embedded(late(written));
  const [namespace = "", configMap = ""] = keyOf(value).split("/");
  const place = below(source, propertyPath(["data", key]));
  if (isStatus) {
    const plain = { value: content, source: place, late: (each: string) => each };
    if (own(content, "kind") === "ClusterProfile") addProfile(profiles, plain, keyOf(value));
  } else {
    const configuration = form === "kueue" ? record(content) : {};
    const providers = form === "kueue" ? kueueProviders(content) : fileProviders(content);
    if (configMap === "") return;
    const fact = { form, namespace, configMap, key, providers, configuration, source: place } as const;
    lists.set(`${namespace}/${configMap} ${key}`, fact);
  }
}

function isProviderFile(key: string, written: string): boolean {
  return (
    /clusterprofile.*provider/i.test(key) ||
    (/\bproviders"?:/.test(written) && /\bexecConfig"?:/.test(written))
  );
}

function fileProviders(content: unknown): readonly unknown[] | undefined {
  return Array.isArray(own(content, "providers")) ? providersOf(content) : undefined;
}

function kueueProviders(content: unknown): readonly unknown[] | undefined {
  const part = at(content, "multiKueue", "clusterProfile");
  if (content === undefined) return undefined;
  return [...list(own(part, "accessProviders")), ...list(own(part, "credentialsProviders"))];
}

interface ProfileDocument extends ObjectFact {
  readonly writtenFrom: string | undefined;
}

function addProfile(
  profiles: Map<string, ProfileDocument[]>,
  { value, source, late }: Document,
  writtenFrom: string | undefined,
): void {
  if (!text(own(value, "apiVersion")).startsWith(`${CLUSTER_PROFILE_GROUP}/`)) return;
  const fact = { value: record(followed(value, late)), source, writtenFrom };
  profiles.set(keyOf(value), [...(profiles.get(keyOf(value)) ?? []), fact]);
}

/** Which of the documents of one name is the main object, and which the status. */
function profileFact(key: string, documents: readonly ProfileDocument[]): ProfileFact {
  const [namespace = "", name = ""] = key.split("/");
  const [mains, others] = [documents.filter(isMain), documents.filter((each) => !isMain(each))];
  const live = documents.filter(
    ({ value }) => at(value, "metadata", "uid") !== undefined && "status" in value,
  );
  const isStatus = ({ value, writtenFrom }: ProfileDocument): boolean =>
    mains.length > 0 || writtenFrom !== undefined || value["spec"] === undefined;
  const statuses = [...others.filter(isStatus), ...live];
  const status = statuses.find(({ writtenFrom }) => writtenFrom === undefined) ?? statuses.at(-1);
  return {
    key,
    namespace,
    name,
    main: mains.at(-1),
    status,
    dropped: others.find((each) => !isStatus(each)),
    writtenFrom: status?.writtenFrom,
  };
}

/** An object that was read from a cluster is both. */
function isMain({ value, writtenFrom }: ProfileDocument): boolean {
  const isLive = at(value, "metadata", "uid") !== undefined;
  return writtenFrom === undefined && (isLive || value["status"] === undefined);
}

/** The value with its late texts as references. */
function followed(value: unknown, late: LateReader): unknown {
  if (typeof value === "string") return late(value);
  if (Array.isArray(value)) return value.map((item) => followed(item, late));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, followed(item, late)]));
}

function keyOf(value: unknown): string {
  return `${text(at(value, "metadata", "namespace")) || "default"}/${text(at(value, "metadata", "name"))}`;
}
