/*
 * Sorts lines of intent: per service account (to annotate it once) and per cloud (to make its identities once).
 */

import type { Construct } from "constructs";
import { fail } from "../errors";
import type { ClusterFacts } from "../model/cluster";
import type {
  DeclaredPull,
  IPullIdentities,
  IPullSource,
  PullDeclaration,
  PullRequest,
} from "../model/pulls";
import { Subject } from "../model/subject";
import type { ImagePull, ImagePullsProps } from "./image-pulls-props";

/** One service account with all its registries, whatever the cloud. */
export interface DeclaredAccount extends DeclaredPull<Construct> {
  /** Whether the manifests declare it, or only annotate it. */
  readonly declare: boolean;
}

/** All that one cloud has to do for the cluster. */
export interface CloudPulls {
  /** The cloud's key. */
  readonly cloud: string;
  /** The cloud's maker. */
  readonly identities: IPullIdentities<Construct>;
  /** What it is asked to declare. */
  readonly request: PullRequest<Construct>;
}

/** The lines sorted by service account and by cloud, both in a stable order. */
export interface GroupedPulls {
  /** Sorted by `namespace/name`. */
  readonly accounts: readonly DeclaredAccount[];
  /** Sorted by the cloud's key. */
  readonly clouds: readonly CloudPulls[];
}

/** Throws `pulls-empty`, `pull-without-registry`, `service-account-ownership`, `identities-twice` or `identities-unused`. */
export function groupedPulls(props: ImagePullsProps): GroupedPulls {
  if (!Array.isArray(props.pulls) || props.pulls.length === 0) return fail("pulls-empty", props.cluster.name);
  const accounts = byAccount(props.pulls);
  return { accounts, clouds: byCloud(props.cluster, accounts, props.identities ?? []) };
}

/** The declared images by the key of the plugin that must be asked for them. */
export function imagesByPlugin(
  clouds: readonly CloudPulls[],
  declarations: Readonly<Record<string, PullDeclaration>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    clouds.flatMap(({ cloud, request }) => {
      const plugin = declarations[cloud]?.provider.plugin;
      const images = request.pulls.flatMap(({ sources }) => sources.flatMap((source) => source.images));
      return plugin === undefined ? [] : [[plugin, [...new Set(images)]]];
    }),
  );
}

function byAccount(pulls: readonly ImagePull[]): readonly DeclaredAccount[] {
  const accounts = new Map<
    string,
    { subject: Subject; declare: boolean; sources: IPullSource<Construct>[] }
  >();
  for (const pull of pulls) {
    const subject = Subject.of(pull.serviceAccount);
    const declare = pull.declareServiceAccount ?? true;
    const sources: readonly unknown[] = Array.isArray(pull.from) ? pull.from : [pull.from];
    if (sources.length === 0 || !sources.every(isPullSource))
      return fail("pull-without-registry", subject.key, pull.from);
    const known = accounts.get(subject.key);
    if (known && known.declare !== declare) return fail("service-account-ownership", subject.key);
    if (known) known.sources.push(...sources);
    else accounts.set(subject.key, { subject, declare, sources: [...sources] });
  }
  return [...accounts.values()].sort((a, b) => order(a.subject.key, b.subject.key));
}

function byCloud(
  cluster: ClusterFacts,
  accounts: readonly DeclaredAccount[],
  stated: readonly IPullIdentities<Construct>[],
): readonly CloudPulls[] {
  const makers = new Map<string, IPullIdentities<Construct>>();
  for (const maker of stated) {
    if (makers.has(maker.cloud)) return fail("identities-twice", maker.cloud);
    makers.set(maker.cloud, maker);
  }
  const first = new Map<string, IPullSource<Construct>>();
  for (const source of accounts.flatMap(({ sources }) => sources))
    first.set(source.cloud, first.get(source.cloud) ?? source);
  const unused = [...makers.keys()].find((cloud) => !first.has(cloud));
  if (unused !== undefined) return fail("identities-unused", unused, [...first.keys()].sort());
  return [...first]
    .sort(([a], [b]) => order(a, b))
    .map(([cloud, source]) => ({
      cloud,
      identities: makers.get(cloud) ?? source.defaultIdentities(),
      request: { cluster, pulls: pullsOf(cloud, accounts) },
    }));
}

function pullsOf(cloud: string, accounts: readonly DeclaredAccount[]): readonly DeclaredPull<Construct>[] {
  return accounts
    .map(({ subject, sources }) => ({ subject, sources: sources.filter((source) => source.cloud === cloud) }))
    .filter(({ sources }) => sources.length > 0);
}

/** Also for callers whose values no compiler saw. */
function isPullSource(source: unknown): source is IPullSource<Construct> {
  return typeof source === "object" && source !== null && "cloud" in source && "images" in source;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
