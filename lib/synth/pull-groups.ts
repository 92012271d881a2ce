import type { Construct } from "constructs";
import { fail } from "../errors";
import type {
  DeclaredPull,
  IPullIdentities,
  IPullSource,
  PullDeclaration,
  PullRequest,
} from "../model/pulls";
import { Subject } from "../model/subject";
import { type AccountLine, cloudGroups, joinedAccounts, oneOrMany } from "./account-groups";
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

const UNUSED = { unused: "from which nothing is pulled", line: "pull" } as const;

/** Throws `pulls-empty`, `pull-without-registry`, `service-account-ownership`, `identities-twice` or `identities-unused`. */
export function groupedPulls(props: ImagePullsProps): GroupedPulls {
  const { cluster, pulls, identities = [] } = props;
  if (pulls.length === 0) return fail("pulls-empty", cluster.name);
  const accounts = joinedAccounts(pulls.map(lineOf));
  return {
    accounts: accounts.map(({ subject, declare, asked }) => ({ subject, declare, sources: asked })),
    clouds: cloudGroups(accounts, identities, UNUSED).map(({ cloud, identities: maker, accounts: own }) => ({
      cloud,
      identities: maker,
      request: { cluster, pulls: own.map(({ subject, asked }) => ({ subject, sources: asked })) },
    })),
  };
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

function lineOf({
  serviceAccount,
  declareServiceAccount = true,
  from,
}: ImagePull): AccountLine<IPullSource<Construct>> {
  const subject = Subject.of(serviceAccount);
  const asked = oneOrMany(from);
  return asked.length > 0
    ? { subject, declare: declareServiceAccount, asked }
    : fail("pull-without-registry", subject.key, from);
}

/** Also for callers whose values no compiler saw. */
