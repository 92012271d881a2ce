/*
 * Which service accounts hold which identities, as the audit looks at them: not whether the intended one is admitted,
 * but who else would be.
 */

import { grouped } from "../../model/grouped";
import { type Known, orElse } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import type {
  Cloud,
  Granted,
  HeldRight,
  PullIdentity,
  ReachedRepositories,
  TokenQuestion,
  TrustTerms,
} from "../cloud";
import { declaredImages, exceedsImages } from "../compare/declared";
import { type Accesses, tokenOf } from "../jobs/access";
import type { Fleets } from "../jobs/fleet";
import { NOT_KNOWN, type Pulls, isDeclared, reachOf } from "../jobs/pull";
import { pullerOf } from "../jobs/pull-questions";
import type { ClusterArtefacts } from "../read/clusters";
import { type Source, sourceText } from "../read/source";
import { letsIn } from "../shared/same-answers";
import { step } from "../progress";

/** A service account with an identity that it names, and what the rows ask of both: thousands are kept. */
export interface Holder {
  readonly artefacts: ClusterArtefacts;
  /** `namespace/name`. */
  readonly key: string;
  readonly label: string;
  /** What tells the identity from all others: equal Terraform addresses of two stacks are two identities. */
  readonly identity: string;
  /** Where the identity is declared, or else the service account; `undefined` if neither was read. */
  readonly source: Source | undefined;
  /** False if the cloud certainly refuses its tokens. */
  readonly isAdmitted: boolean;
  /** Who else is certainly admitted, and not denied everything; `undefined` if no stranger is. */
  readonly strangers: string | undefined;
  /** What it may do by the identity beyond its declared pulls; nothing of identities for other jobs. */
  readonly beyond: readonly HeldRight[];
  /** True if the trust accepts a token for any audience of the OIDC provider. */
  readonly takesAnyAudience: boolean;
}

/** What puts questions to the clouds. */
export interface HolderJobs {
  readonly pulls: Pulls;
  readonly access: Accesses;
  readonly fleets: Fleets;
}

/** What a service account may read beyond its declared pulls, and as whom. */
export interface Beyond {
  readonly as: string;
  readonly pattern: string;
}

export interface Held {
  /** Once for each service account and identity. */
  readonly holders: readonly Holder[];
  /** By cluster and service account, of those with declared pulls; those who may read no more are left out. */
  readonly beyond: ReadonlyMap<ClusterArtefacts, ReadonlyMap<string, readonly Beyond[]>>;
}

/** All that is asked of an identity, while what was read of it is still remembered. */
interface Asking extends HolderJobs {
  readonly strangersOf: StrangersOf;
  /** By where the identity is declared. */
  readonly grants: ReadonlyMap<string, readonly Granted[]>;
  readonly beyond: Map<string, readonly Beyond[]>;
}

/** The holders of every identity that service accounts name. */
export function holdersOf(
  clusters: readonly ClusterArtefacts[],
  clouds: readonly Cloud[],
  granted: readonly Granted[],
  jobs: HolderJobs,
): Held {
  const strangersOf = strangersIn(clusters, clouds);
  const grants = grouped(granted, ({ at }) => (at ? sourceText(at) : ""));
  const all = clusters.map((artefacts) => {
    const asking: Asking = { ...jobs, strangersOf, grants, beyond: new Map() };
    return { artefacts, beyond: asking.beyond, holders: holdersIn(artefacts, asking) };
  });
  return {
    holders: all.flatMap(({ holders }) => holders),
    beyond: new Map(all.map(({ artefacts, beyond }) => [artefacts, beyond])),
  };
}

function holdersIn(artefacts: ClusterArtefacts, asking: Asking): readonly Holder[] {
  const keys = new Set([
    ...artefacts.serviceAccounts.keys(),
    ...(artefacts.cluster.pulls ?? []).map(({ serviceAccount }) => serviceAccount),
  ]);
  const pulls = [...keys].flatMap((key) => {
    step("service accounts audited");
    return pulling(artefacts, key, asking);
  });
  const all = [...pulls, ...acting(artefacts, asking)];
  return [...new Map(all.map((each) => [`${each.key} ${each.identity}`, each])).values()];
}

function pulling(
  artefacts: ClusterArtefacts,
  key: string,
  { pulls, strangersOf, grants, beyond }: Asking,
): readonly Holder[] {
  const puller = pullerOf(artefacts, key, "asked");
  const identities = pulls.identities(artefacts, puller);
  const declared = declaredImages(artefacts, key);
  const exceeds = exceedsImages(declared);
  const more = declared ? identities.flatMap((each) => beyondDeclared(each, declared)) : [];
  if (more.length > 0) beyond.set(key, more);
  return identities.flatMap((identity, place): readonly Holder[] => {
    const { label, id, source, trust, rights } = identity;
    if (label === undefined) return [];
    const admits = (namespace: string, name: string): boolean => {
      if (identity.admits) return identity.admits(namespace, name) && rights.reach().length > 0;
      const other = pulls.identities(artefacts, { ...puller, key: `${namespace}/${name}` })[place];
      return other !== undefined && letsIn(other.trust) && other.rights.reach().length > 0;
    };
    const isAdmitted = trust.subject.status !== "fail";
    const where = source ?? puller.account?.source;
    for (const each of (source && grants.get(sourceText(source))) ?? []) each.rights();
    return [
      {
        artefacts,
        key,
        label,
        identity: identityOf(label, id, where),
        source: where,
        isAdmitted,
        strangers: strangersOf(key, where, admits),
        beyond: isAdmitted ? rights.held().filter((right) => !right.reads && exceeds(right)) : [],
        takesAnyAudience: identity.admitsAnyAudience?.() ?? false,
      },
    ];
  });
}

function beyondDeclared(identity: PullIdentity, declared: readonly string[]): readonly Beyond[] {
  const isBeyond = (each: ReachedRepositories): boolean => !isDeclared(each, declared);
  return reachOf(identity, isBeyond).map(({ pattern }) => ({ as: identity.label ?? NOT_KNOWN, pattern }));
}

function identityOf(label: string, id: Known<string> | undefined, source: Source | undefined): string {
  return id === undefined ? label : orElse(id, () => `${label} ${source ? sourceText(source) : ""}`);
}

function acting(artefacts: ClusterArtefacts, { access, fleets, strangersOf }: Asking): readonly Holder[] {
  const entering = fleets.controllers(artefacts);
  return [...access.identities(artefacts, entering)].map(({ key, identity, audiences }): Holder => {
    const tokens = audiences.map((audience) => tokenOf(artefacts, key, [audience]));
    const isLetIn = (token: TokenQuestion): boolean =>
      letsIn(identity.trust(token)) && identity.permissions(undefined, token).status !== "fail";
    const source = identity.found.evidence[0]?.source ?? artefacts.serviceAccounts.get(key)?.source;
    return {
      artefacts,
      key,
      label: identity.label,
      identity: identityOf(identity.label, identity.id, source),
      source,
      isAdmitted: tokens.some((token) => identity.trust(token).subject.status !== "fail"),
      strangers: strangersOf(key, source, (namespace, name) =>
        tokens.some((token) => isLetIn({ ...token, namespace, name })),
      ),
      beyond: [],
      takesAnyAudience: tokens.some((token) => identity.admitsAnyAudience?.(token) === true),
    };
  });
}

/** What to do where strangers are admitted. */
export const EXACTLY = "name each service account exactly";

/** A label of RFC 1123 that no namespace or service account has. */
export const STRANGER = "zz-of-the-audit";

/** Who is certainly admitted besides the holder of an identity that is declared there. */
type StrangersOf = (
  key: string,
  source: Source | undefined,
  admits: (namespace: string, name: string) => boolean,
) => string | undefined;

/**
 * Names near the holder's own come first: patterns made from them are more common than patterns that admit everyone. A
 * trust without patterns treats all strangers alike, so only one is asked about.
 */
function strangersIn(clusters: readonly ClusterArtefacts[], clouds: readonly Cloud[]): StrangersOf {
  const accounts = clusters.flatMap(({ serviceAccounts }) => [...serviceAccounts.keys()]);
  const namespaces = new Set(accounts.map((each) => namespacedName(each).namespace));
  const named = namedOneByOne(clouds);
  return (key, source, admits) => {
    step("identities audited");
    const isNamed = source !== undefined && named.has(sourceText(source));
    for (const [namespace, name, who] of samplesFor(key, namespaces)) {
      if (admits(namespace, name)) return who;
      if (isNamed) return undefined;
    }
    return undefined;
  };
}

type Sample = readonly [namespace: string, name: string, who: string];

function* samplesFor(key: string, namespaces: ReadonlySet<string>): Generator<Sample> {
  const { namespace, name } = namespacedName(key);
  const all = `every service account of namespace ${namespace}`;
  yield [STRANGER, STRANGER, "every service account of every namespace"];
  yield [STRANGER, name, `the service account ${name} of every namespace`];
  yield [namespace, STRANGER, all];
  yield [namespace, `${name}-${STRANGER}`, `${all} whose name begins with ${name}`];
  yield [namespace, `${STRANGER}-${name}`, `${all} whose name ends with ${name}`];
  const near = name.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  yield [namespace, near, `${all} whose name differs from ${name} in its last character`];
  const alike = `the service account ${name} of every namespace whose name`;
  yield [`${namespace}-${STRANGER}`, name, `${alike} begins with ${namespace}`];
  yield [`${STRANGER}-${namespace}`, name, `${alike} ends with ${namespace}`];
  for (const each of namespaces)
    if (each !== namespace) yield [each, STRANGER, `every service account of namespace ${each}`];
}

/** Where identities are declared whose trust compares subjects only with whole names. */
function namedOneByOne(clouds: readonly Cloud[]): ReadonlySet<string> {
  const all = clouds.flatMap(({ identities }) => identities);
  return new Set(all.flatMap(({ source, terms }) => (isExact(terms) ? [sourceText(source)] : [])));
}

/** Wildcards and IAM's policy variables match more than the written text. */
function isExact({ subjects, maps, beyond }: TrustTerms): boolean {
  const isWhole = (text: Known<string>): boolean => orElse(text, () => "*").search(/[*?$]/) < 0;
  return maps === undefined && beyond.length === 0 && subjects.every(isWhole);
}
