/*
 * The cluster that manifests outside of stacks belong to, by what was read beside them: Terraform that declares clusters,
 * the cluster's own discovery document, and its nodes.
 *
 * Manifests may be of another cluster than the one whose Terraform was read, so what is inferred may allow, and denies
 * nothing by the issuer.
 */

import { fail } from "../../errors";
import { type Known, isAbsent, isKnown, known, orElse, same } from "../../model/known";
import { at, record, text } from "../../model/parsed";
import { nearestName } from "../../model/nearest-name";
import { isRecord } from "../../model/record";
import { minorOf } from "../../model/version";
import { signingIssuer } from "../../rules/node/issuers";
import type { ClusterCandidate, ClusterFacts } from "./cluster-record";
import type { KubernetesObject } from "./objects";
import { isKnownMinor } from "./read-record";
import type { Source } from "./source";

/** A cluster that Terraform declares or looks up. */
export interface DeclaredCluster extends ClusterCandidate {
  readonly cloud: string;
  /** Version of its API server. */
  readonly version: Known<string | undefined>;
  /** The clouds whose pod identity webhook it runs. */
  readonly webhooks: readonly string[];
  /** The clouds whose pod identity webhook it could run, and does not. */
  readonly webhooksOff: readonly string[];
}

/** Whose tokens are meant. */
export interface MeantCluster {
  /** Name or issuer, as the caller says it; empty if the caller does not. */
  readonly which: string;
  /** The issuer that the cluster itself prints, or its API server runs with; `undefined` if that was not read. */
  readonly printed: Known<string> | undefined;
}

/** What is known of the cluster of manifests outside of stacks. */
export function inferredCluster(
  stated: ClusterFacts,
  all: readonly DeclaredCluster[],
  nodes: readonly KubernetesObject[],
  { which, printed }: MeantCluster,
): ClusterFacts {
  const clusters = distinct(all);
  const issuer = stated.issuer ?? (which.includes("://") ? known(which) : printed);
  const kubelet = stated.kubelet ?? kubeletOf(nodes);
  const facts: ClusterFacts = { ...(kubelet === undefined ? {} : { kubelet }), ...stated };
  if (issuer !== undefined) {
    const own = clusters.filter((each) => same(each.issuer, issuer) === "yes");
    return { ...(own[0] ? factsOf(own[0]) : {}), ...facts, issuer };
  }
  const name = which || (stated.name ?? "");
  if (name !== "") {
    const own = clusters.filter((each) => orElse(each.name, () => undefined) === name);
    if (own.length === 0 && which !== "") return unknownCluster(which, clusters);
    if (own.length === 1 && own[0]) return { ...factsOf(own[0]), ...facts };
    if (own.length > 1) return { ...facts, candidates: own };
  }
  const candidates = clusters.filter((each) => !isContradicted(each, nodes));
  const [only, ...others] = candidates;
  if (only === undefined) return facts;
  if (others.length === 0) return { ...factsOf(only), ...facts, candidates };
  const shared = only.webhooks.filter((cloud) => others.every((each) => each.webhooks.includes(cloud)));
  return { ...facts, webhooksOn: webhooksOf(only, shared), candidates };
}

function webhooksOf({ source }: DeclaredCluster, clouds: readonly string[]): ReadonlyMap<string, Source> {
  return new Map(clouds.map((cloud) => [cloud, source]));
}

/**
 * The issuer with which the API server signs, by its static pods among the objects of the cluster; `undefined` if none
 * was read, or they differ.
 */
export function servedIssuer(pods: readonly KubernetesObject[]): Known<string> | undefined {
  const [first, ...others] = pods.flatMap(({ value }) => signingIssuer(value) ?? []);
  return first !== undefined && others.every((each) => each === first) ? known(first) : undefined;
}

/** True for what `kubectl get --raw /.well-known/openid-configuration` prints. */
export function isDiscovery(value: unknown): boolean {
  return isRecord(value) && ["issuer", "jwks_uri", "response_types_supported"].every((key) => key in value);
}

/** Refuses a name that none of these have. */
export function unknownCluster(
  which: string,
  all: readonly { readonly name: Known<string | undefined> }[],
): never {
  const names = all.flatMap(({ name }) => orElse(name, () => undefined) ?? []);
  const nearest = nearestName(which, names);
  return fail("explain-unknown", {
    problem: "no cluster of this name was read",
    value: which,
    allowed:
      names.length > 0
        ? [...new Set(names)].join(", ")
        : "the URL of the cluster's issuer: no Terraform of a cluster was read",
    remedy: `${nearest === undefined ? "name one of them" : `name ${nearest}, if that was meant`}, or give the URL of the issuer`,
  });
}

/** What a resource says of its cluster. */
function factsOf(cluster: DeclaredCluster): ClusterFacts {
  const { name, issuer, version, webhooks, webhooksOff } = cluster;
  const [plainName, plainVersion] = [name, version].map((each) => orElse(each, () => undefined));
  const minor = minorIn(plainVersion);
  return {
    ...(isAbsent(issuer) ? {} : { issuer: issuer as Known<string> }),
    ...(plainName === undefined ? {} : { name: plainName }),
    ...(minor === undefined ? {} : { apiServer: minor }),
    webhooksOn: webhooksOf(cluster, webhooks),
    webhooksOff,
  };
}

function minorIn(version: string | undefined): string | undefined {
  const [minor] = /^v?\d+\.\d+/.exec(version ?? "") ?? [];
  return isKnownMinor(minor) ? minorOf("Kubernetes", minor) : undefined;
}

/** A configuration, its plan and its state declare one cluster; clusters of one name with two issuers are two. */
function distinct(all: readonly DeclaredCluster[]): readonly DeclaredCluster[] {
  const kept: DeclaredCluster[] = [];
  for (const cluster of [...all].sort(
    (one, other) => Number(isKnown(other.issuer)) - Number(isKnown(one.issuer)),
  )) {
    const isSame = (other: DeclaredCluster): boolean =>
      other.cloud === cluster.cloud &&
      same(other.name, cluster.name) === "yes" &&
      same(other.issuer, cluster.issuer) !== "no";
    if (!kept.some(isSame)) kept.push(cluster);
  }
  return kept;
}

/** By scheme of `providerID`. Source: the cloud providers of Kubernetes. */
const CLOUDS: Readonly<Record<string, string>> = { aws: "aws", azure: "azure", gce: "google" };
/** Labels with the name of the cluster. Source: eksctl; Amazon EKS and Karpenter. */
const NAMES: readonly string[] = ["alpha.eksctl.io/cluster-name", "eks.amazonaws.com/cluster-name"];

/** Whether a node says that it is of another cluster. */
function isContradicted({ cloud, name }: DeclaredCluster, nodes: readonly KubernetesObject[]): boolean {
  return nodes.some(({ value }) => {
    const [scheme = ""] = text(at(value, "spec", "providerID")).split(":");
    const of = Object.hasOwn(CLOUDS, scheme) ? CLOUDS[scheme] : undefined;
    const labels = record(at(value, "metadata", "labels"));
    const names = NAMES.flatMap((label) => (typeof labels[label] === "string" ? [known(labels[label])] : []));
    return (of !== undefined && of !== cloud) || names.some((each) => same(each, name) === "no");
  });
}

/** The minor version of all kubelets; `undefined` if they differ, or one does not say it. */
function kubeletOf(nodes: readonly KubernetesObject[]): string | undefined {
  const minors = nodes.map(({ value }) => minorIn(text(at(value, "status", "nodeInfo", "kubeletVersion"))));
  const [first] = minors;
  return minors.every((each) => each === first) ? first : undefined;
}
