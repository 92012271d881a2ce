/*
 * Clusters, each with the objects and setups of nodes that were read for it.
 */

import { PER_CLUSTER_VERSION } from "../../artefact/workload-identity-file";
import { grouped } from "../../model/grouped";
import { type Known, andThen, known, unread, same } from "../../model/known";
import { at, list, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import type { Misfilled } from "./bound-copies";
import type { ClusterFacts, ClusterRecord } from "./cluster-record";
import { type RegistryFile, registryFiles } from "./registry-facts";
import {
  type DeclaredCluster,
  type MeantCluster,
  inferredCluster,
  servedIssuer,
  unknownCluster,
} from "./inferred-cluster";
import { signingIssuer } from "../../rules/node/issuers";
import type { AuthenticationFact } from "./component-facts";
import { type KubernetesFacts, readKubernetes } from "./kubernetes-facts";
import { plainLateReader } from "./late-text";
import { isNodeDocument } from "./node-forms";
import { type KubernetesDocument, type Objects, isKubernetesDocument, objectsOf } from "./objects";
import type { PodFact } from "./pods";
import { followedRecord, readClusterRecord } from "./read-record";
import type { Scope } from "./scope";
import { below } from "./source";
import { SpokeFacts } from "./spoke-facts";
import type { StackDocuments } from "./stack-documents";
import type { Terraform } from "./terraform";
import type { PerhapsObjects } from "./unread-files";

export interface ClusterArtefacts extends KubernetesFacts {
  /**
   * The stack, or `<stack>/<cluster>` if it has folders per cluster; empty for manifests outside of stacks.
   */
  readonly stack: string;
  readonly cluster: ClusterFacts;
  /**
   * `iss` of its service account tokens: from `Authentication/cluster` if it states one, else as recorded, else
   * unknown.
   */
  readonly issuer: Known<string>;
  /** The declared needs of a service account's pods, by `namespace/name`. */
  readonly podFragments: ReadonlyMap<string, PodFact>;
  readonly spokes: SpokeFacts;
  readonly outputs: ReadonlyMap<string, Known<string>>;
  /** By the document's `sourceText`. */
  readonly misfilled: ReadonlyMap<string, Misfilled>;
  /** Resources of Terraform and files that were not read and may hold objects of the cluster. */
  readonly perhaps: PerhapsObjects;
}

/** Objects, and setups of nodes. */
export interface SortedDocuments {
  readonly objects: Objects;
  readonly setups: readonly KubernetesDocument[];
  readonly registries: readonly RegistryFile[];
}

export function sorted(documents: readonly KubernetesDocument[]): SortedDocuments {
  const items = (all: readonly KubernetesDocument[]): readonly KubernetesDocument[] =>
    all.flatMap((each) => [...itemsOf(each)]);
  const objects = items(documents.filter(({ value }) => isKubernetesDocument(value)));
  return {
    registries: registryFiles(documents),
    objects: objectsOf(objects.filter(({ value }) => !isNodeDocument(value))),
    setups: items(documents).filter(
      ({ value, forNodes, spoke }) =>
        isNodeDocument(value) || (forNodes === true && (spoke !== undefined || !isKubernetesDocument(value))),
    ),
  };
}

/** The object, or those of a list: `List`, or of one kind, as `kubectl get -o yaml` and API servers print them. */
function* itemsOf(document: KubernetesDocument): Generator<KubernetesDocument> {
  const { value, source } = document;
  const kind = text(at(value, "kind"));
  const items = at(value, "items");
  if (!kind.endsWith("List") || !Array.isArray(items)) {
    yield document;
    return;
  }
  const ofItems = kind.slice(0, -"List".length);
  for (const [place, item] of (items as readonly unknown[]).entries()) {
    // Items of a typed list need not repeat the kind.
    const isShort = ofItems !== "" && isRecord(item) && item["kind"] === undefined;
    const whole = isShort ? { apiVersion: at(value, "apiVersion"), kind: ofItems, ...item } : item;
    yield* itemsOf({ ...document, value: whole, source: below(source, `items[${place}]`) });
  }
}

/** What tells the cluster of manifests outside of stacks. */
export interface Inference extends MeantCluster {
  readonly clusters: readonly DeclaredCluster[];
}

type StackCluster = Omit<ClusterArtefacts, "misfilled" | "perhaps">;

/** One cluster for each stack that has one, or each of its clusters if it has folders for them; without stacks a single one of everything that was read. */
export function clustersOf(
  stacks: readonly StackDocuments[],
  any: SortedDocuments,
  terraform: Terraform,
  record: ClusterRecord,
  inference: Inference,
): readonly StackCluster[] {
  const clusters = stacks
    .filter(({ identity, written }) => identity !== undefined || written.length > 0)
    .flatMap((stack) => stackClusters(stack, any, record, inference.clusters));
  if (clusters.length > 0) return withIssuersElsewhere(meantOf(clusters, inference.which));
  const stated = followedRecord(record, plainLateReader(terraform));
  const printed = inference.printed ?? servedIssuer(any.objects.of("Pod"));
  const cluster = inferredCluster(stated, inference.clusters, any.objects.of("Node"), {
    ...inference,
    printed,
  });
  const outputs = outputsOf(terraform.scopes);
  return [{ ...clusterOf("", any, any, cluster, inference.clusters), podFragments: new Map(), outputs }];
}

/** The clusters with a name or an issuer; all if it is empty. */
function meantOf(clusters: readonly StackCluster[], which: string): readonly StackCluster[] {
  const meant = clusters.filter(
    ({ cluster: { name, issuer } }) =>
      which === "" || name === which || (issuer !== undefined && same(issuer, known(which)) === "yes"),
  );
  return meant.length > 0
    ? meant
    : unknownCluster(
        which,
        clusters.map(({ cluster: { name } }) => ({ name: known(name) })),
      );
}

/** Stacks with one name and a common issuer are for one cluster, so each must expect the issuers of all. */
function withIssuersElsewhere(clusters: readonly StackCluster[]): readonly StackCluster[] {
  const byName = grouped(clusters, ({ cluster }) => cluster.name ?? "");
  return clusters.map((own) => {
    const { name = "" } = own.cluster;
    const accepted = acceptedBy(own);
    const isOwn = (issuer: Known<string>): boolean => accepted.some((each) => same(each, issuer) === "yes");
    const alike = name === "" ? [] : (byName.get(name) ?? []).map(acceptedBy);
    const issuersElsewhere = alike
      .filter((issuers) => issuers.some(isOwn))
      .flatMap((issuers) => issuers.filter((each) => !isOwn(each)));
    return issuersElsewhere.length === 0 ? own : { ...own, cluster: { ...own.cluster, issuersElsewhere } };
  });
}

function acceptedBy({ cluster: { issuer, additionalIssuers = [] } }: StackCluster): readonly Known<string>[] {
  return issuer === undefined ? additionalIssuers : [issuer, ...additionalIssuers];
}

/** The clusters of a stack, each with what is recorded for it. */
function stackClusters(
  stack: StackDocuments,
  any: SortedDocuments,
  record: ClusterRecord,
  declared: readonly DeclaredCluster[],
): readonly StackCluster[] {
  const records = list(at(stack.identity, "clusters"));
  if (stack.identity?.version !== PER_CLUSTER_VERSION)
    return [stackCluster(stack, records[0], any, record, declared)];
  return records.map((recorded) => {
    const name = text(at(recorded, "name"));
    const isIts = (each: { readonly cluster?: string | undefined }): boolean =>
      each.cluster === undefined || each.cluster === name;
    const { written, controlPlane, registries, fragments } = stack;
    const documents = {
      ...stack,
      name: `${stack.name}/${name}`,
      written: written.filter(isIts),
      controlPlane: controlPlane.filter(isIts),
      registries: registries.filter(isIts),
      fragments: fragments.filter(isIts),
    };
    return stackCluster(documents, recorded, any, record, declared);
  });
}

function stackCluster(
  stack: StackDocuments,
  record: unknown,
  any: SortedDocuments,
  given: ClusterRecord,
  declared: readonly DeclaredCluster[],
): StackCluster {
  const { name, scope, late, written, fragments } = stack;
  const recorded = { ...readClusterRecord(record), ...given };
  const withAny = (documents: readonly KubernetesDocument[]): SortedDocuments => {
    const { objects, setups } = sorted(documents);
    return { objects: objects.and(any.objects), setups: [...setups, ...any.setups], registries: [] };
  };
  // Objects of a spoke do not belong to the hub, even if they have the same names.
  const ofCluster = withAny(written.filter(({ spoke }) => spoke === undefined));
  const registries = [...registryFiles(stack.registries), ...any.registries];
  const ofSpokes = withAny(written.filter(({ spoke }) => spoke !== undefined));
  return {
    ...clusterOf(
      name,
      { ...ofCluster, registries },
      ofSpokes,
      followedRecord(recorded, late),
      declared,
      signingFact(stack.controlPlane),
    ),
    podFragments: new Map(fragments.map(({ account, pod }) => [account, pod])),
    outputs: outputsOf(scope ? [scope] : []),
  };
}

/** The issuer by what the API servers of a self-managed control plane are told; `undefined` if no file tells them. */
function signingFact(documents: readonly KubernetesDocument[]): AuthenticationFact | undefined {
  const [first] = documents;
  if (first === undefined) return undefined;
  const issuers = documents.map(({ value, late }): Known<string | undefined> => {
    const issuer = signingIssuer(value);
    return issuer === undefined ? unread("a file for the control plane names no issuer") : late(issuer);
  });
  const isOne = issuers.every((each) => same(each, issuers[0] ?? each) === "yes");
  return {
    title: "the file for the control plane",
    issuer:
      (isOne ? issuers[0] : undefined) ?? unread("the files for the control plane name different issuers"),
    source: first.source,
  };
}

function clusterOf(
  stack: string,
  own: SortedDocuments,
  ofSpokes: SortedDocuments,
  stated: ClusterFacts,
  declared: readonly DeclaredCluster[],
  signing?: AuthenticationFact,
): Omit<StackCluster, "podFragments" | "outputs"> {
  const cluster = own.registries.length > 0 ? { ...stated, registryFiles: own.registries } : stated;
  const read = readKubernetes(own.objects, own.setups, cluster, declared);
  const facts = { ...read, authentication: read.authentication ?? signing };
  const recorded = cluster.issuer ?? unread("no issuer is recorded");
  const issuer = andThen(facts.authentication?.issuer ?? known(undefined), (written) =>
    written === undefined ? recorded : known(written),
  );
  const spokes = new SpokeFacts(ofSpokes.objects, ofSpokes.setups);
  const skipped = [...facts.skipped, ...ofSpokes.objects.skipped];
  const webhooks = new Map([...(cluster.webhooksOn ?? []), ...facts.webhooks]);
  return { ...facts, stack, cluster, issuer, spokes, skipped, webhooks };
}

function outputsOf(scopes: readonly Scope[]): ReadonlyMap<string, Known<string>> {
  const rows = scopes.flatMap((scope) =>
    [...scope.outputs.keys()].map((name) => [name, scope.output(name) ?? unread(`output ${name}`)] as const),
  );
  return new Map(rows);
}
