/*
 * Objects that Terraform applies: those of a stack that delivers another stack's manifests, whose record says which
 * Terraform provider reaches which cluster; and those of plans, states and plain configurations.
 */

import type { DeliveryEntry } from "../../artefact/workload-identity-file";
import { fail } from "../../errors";
import { grouped } from "../../model/grouped";
import type { Resource } from "./block";
import { type BoundStack, isFilled } from "./bound-copies";
import {
  type ManifestResource,
  type ManifestResources,
  manifestResources,
  mayAnnotate,
  textOf,
} from "./manifest-resources";
import { type KubernetesDocument, OF_ANY } from "./objects";
import { type WrittenStack, contradictingCopies } from "./rendered-copies";
import type { SkippedDocument, Source } from "./source";
import { Terraform } from "./terraform";
import { readStackConfiguration } from "./terraform-configuration";
import type { UnreadText } from "./unread-files";

export interface Delivered {
  readonly byStack: ReadonlyMap<string, readonly KubernetesDocument[]>;
  /** Objects that may be of any cluster; of some it is not known of which. */
  readonly any: readonly KubernetesDocument[];
  readonly skipped: readonly SkippedDocument[];
  /** What may hold service accounts, roles or bindings of any cluster. */
  readonly perhaps: readonly Source[];
  /** The texts of resources that are not read. */
  readonly unread: readonly UnreadText[];
  /** True if some of these may add annotations to service accounts. */
  readonly mayAnnotate: boolean;
}

const OTHER_STACK =
  "no stack records that it delivers its objects, so it is not known which cluster they are for";
const SEVERAL =
  "several Kubernetes providers are configured in Terraform, so it is not known which cluster the object is for";

/** The objects of the resources in a stack's folder, sorted by address; late texts in them are placeholders. */
export function objectsInResources(folder: string): readonly unknown[] {
  const scope = readStackConfiguration(new Terraform([]), folder);
  return scope === undefined ? [] : manifestResources(scope).objects.map(({ value }) => value);
}

/** The objects of all resources, the documents that they give to pools of nodes, and copies that contradict files. */
export function deliveredObjects(
  stacks: readonly WrittenStack[],
  terraform: Terraform,
  pools: readonly KubernetesDocument[],
): Delivered {
  const { byStack, any, ...others } = objectsOfResources(stacks, terraform);
  const ofPools = poolsByStack(pools, stacks);
  const copies = contradictingCopies(stacks);
  const rows = stacks.flatMap((stack) => {
    const further = [...(ofPools.get(stack) ?? []), ...(copies.get(stack.name) ?? [])];
    return further.length > 0
      ? [[stack.name, [...(byStack.get(stack.name) ?? []), ...further]] as const]
      : [];
  });
  return {
    ...others,
    byStack: new Map([...byStack, ...rows]),
    any: [...any, ...(ofPools.get(undefined) ?? [])],
  };
}

function objectsOfResources(stacks: readonly BoundStack[], terraform: Terraform): Delivered {
  const read = new Map(terraform.scopes.map((scope) => [scope, manifestResources(scope)]));
  const ofStacks = new Set(stacks.map(({ scope }) => scope));
  const others = [...read].filter(([scope]) => !ofStacks.has(scope)).map(([, each]) => each);
  const byStack = new Map<string, readonly KubernetesDocument[]>();
  const taken = new Set<ManifestResources>();
  for (const { name, identity } of stacks) {
    const delivery = identity?.delivery;
    if (delivery === undefined) continue;
    const scope = stacks.find((each) => each.name === delivery.stack)?.scope;
    const sameStack = scope && read.get(scope);
    // A plan or state takes the place of the missing stack.
    const sources =
      sameStack === undefined ? others.filter(({ objects }) => objects.length > 0) : [sameStack];
    if (sources.length === 0) refuseAbsent(name, delivery);
    for (const each of sources) taken.add(each);
    const resources = sources.flatMap(({ objects }) => objects);
    const plans = sameStack === undefined ? [] : others.flatMap(({ objects }) => objects);
    const differing = plans.filter((each) => resources.some((other) => isOther(other, each)));
    const documents = [...resources, ...differing].flatMap((each) => documentOf(each, delivery));
    byStack.set(name, documents);
  }
  const delivered = new Set([...taken].flatMap(({ objects }) => objects.map(({ address }) => address)));
  const open = [...read].filter(([, each]) => !taken.has(each));
  const any = open.flatMap(([scope, { objects }]) =>
    ofStacks.has(scope)
      ? objects.map((each) => plainObject(each, OTHER_STACK))
      : plainObjects(objects.filter(({ address }) => !delivered.has(address))),
  );
  return { byStack, any, ...notRead([...read.values()], any) };
}

/** What is known of the resources that were not read, and of objects of which the cluster is not known. */
function notRead(
  read: readonly ManifestResources[],
  any: readonly KubernetesDocument[],
): Omit<Delivered, "byStack" | "any"> {
  const perhaps = unreadOf(read, (each) => each.perhaps);
  const elsewhere = any.filter((each) => each.elsewhere !== undefined);
  const unread = unreadOf(read, (each) => each.unread);
  return {
    mayAnnotate: perhaps.some(mayAnnotate),
    perhaps: [...perhaps, ...elsewhere].map(({ source }) => source),
    unread: unread.map((each) => ({ source: each.source, text: textOf(each) })),
    skipped: read.flatMap((each) => each.skipped),
  };
}

/** A pool that names no cluster is of the one that is declared beside it, if there is one. */
function poolsByStack<S extends BoundStack>(
  pools: readonly KubernetesDocument[],
  stacks: readonly S[],
): ReadonlyMap<S | undefined, readonly KubernetesDocument[]> {
  const declared = stacks.filter(({ identity }) => identity !== undefined);
  return grouped(pools, ({ pool }) =>
    pool?.cluster === undefined ? declared.find(({ folder }) => folder === pool?.folder) : undefined,
  );
}

/** Resources that were not read, without those whose objects a plan or state has. */
function unreadOf(
  all: readonly ManifestResources[],
  unread: (each: ManifestResources) => readonly Resource[],
): readonly Resource[] {
  const whole = ({ address }: { readonly address: string }): string =>
    address.replace(/\[(?:\d+|"[^"]*")\]$/, "");
  const read = new Set(all.flatMap(({ objects }) => objects.map(whole)));
  return all.flatMap(unread).filter((each) => !read.has(whole(each)));
}

/** Whether a plan's object is the configuration's, but differs from what its templates become. */
function isOther(configured: ManifestResource, planned: ManifestResource): boolean {
  return (
    configured.address === planned.address && !isFilled(configured.value, planned.value, () => undefined)
  );
}

function documentOf(each: ManifestResource, { clusters }: DeliveryEntry): readonly KubernetesDocument[] {
  const place = clusters.find(({ provider }) => provider === each.provider);
  if (place === undefined) return [];
  const { appliesTo, spoke, cluster } = place;
  return [{ ...each, management: appliesTo === "management-cluster", ofStack: true, spoke, cluster }];
}

function plainObjects(objects: readonly ManifestResource[]): readonly KubernetesDocument[] {
  const isOne = new Set(objects.map(({ provider }) => provider)).size <= 1;
  return objects.map((each) => plainObject(each, isOne ? undefined : SEVERAL));
}

function plainObject(each: ManifestResource, elsewhere: string | undefined): KubernetesDocument {
  return { ...each, ...OF_ANY, ...(elsewhere !== undefined && { elsewhere }) };
}

function refuseAbsent(stack: string, delivery: DeliveryEntry): never {
  return fail("explain-missing", {
    problem: `stack ${stack} delivers its Kubernetes objects through stack ${delivery.stack}, which was not read`,
    value: delivery.stack,
    allowed: "the folders of both stacks, or the one of the whole synth",
    remedy: "also give explain the synth output folder, or a plan of that stack",
  });
}
