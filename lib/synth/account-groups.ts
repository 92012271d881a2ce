/*
 * Lines of intent (who pulls from where, who may do what) and the identities that clouds declare for them. Each service
 * account is annotated once, and each cloud is asked once.
 */

import { Construct } from "constructs";
import { at, fail } from "../errors";
import { grouped } from "../model/grouped";
import type {
  AccountRequest,
  AccountsRequest,
  IIdentities,
  IIdentitySource,
  IdentityRequest,
} from "../model/identity";
import { type ObjectKind, boolean, object, optional } from "../model/shape";
import { Subject, SUBJECT } from "../model/subject";

/** One line: a service account and what it asks for, of whatever cloud. */
export interface AccountLine<Asked> extends AccountRequest<Asked> {
  /** Whether the manifests declare it, or only annotate it. */
  readonly declare: boolean;
}

/** All that one cloud is asked for. */
export interface CloudGroup<Asked, Identities> {
  /** The cloud's key. */
  readonly cloud: string;
  /** How its identities are declared. */
  readonly identities: Identities;
  /** Each service account that asks it for something, and for what; sorted. */
  readonly accounts: readonly AccountRequest<Asked>[];
}

/** Lines sorted by service account and by cloud. */
export interface GroupedLines<Asked, Identities> {
  /** Sorted by `namespace/name`, each service account once. */
  readonly accounts: readonly AccountLine<Asked>[];
  /** Sorted by the cloud's key. */
  readonly clouds: readonly CloudGroup<Asked, Identities>[];
}

/** What the lines of a job are called in errors. */
export interface LineWords {
  /** The property that holds them, `pulls` say. */
  readonly lines: string;
  /** The property of one that says what it asks for, and an example. */
  readonly asks: string;
  readonly example: string;
}

/** What every line of intent says. */
export interface ServiceAccountLine {
  /** `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /**
   * Whether the manifests declare the service account. `false` for one with another owner: then they hold only its
   * annotations, for server-side apply. The same for each line of one service account, in all constructs of a stack.
   *
   * @defaultValue true
   */
  readonly declareServiceAccount?: boolean;
}

/** The kind of a {@link ServiceAccountLine}. */
export const SERVICE_ACCOUNT_LINE: ObjectKind<ServiceAccountLine> = object({
  serviceAccount: SUBJECT,
  declareServiceAccount: optional(boolean),
});

/** A line as a caller wrote it; what it asks for may be one thing or a list. */
export interface StatedLine<Asked> extends ServiceAccountLine {
  readonly asks: Asked | readonly Asked[];
}

/** The lines grouped; each cloud with the stated identities, or with its own default. */
export function groupedLines<Asked extends IIdentitySource<Identities>, Identities extends { cloud: string }>(
  cluster: string,
  lines: readonly StatedLine<Asked>[],
  stated: readonly Identities[],
  words: LineWords,
): GroupedLines<Asked, Identities> {
  if (lines.length === 0)
    fail("identities-missing", {
      problem: `${words.lines} of cluster ${cluster} is an empty list`,
      allowed: "at least one line",
      remedy: `write { serviceAccount: "shop/web", ${words.example} }`,
    });
  const accounts = joinedAccounts(lines.map((line) => accountLine(line, words)));
  return { accounts, clouds: cloudGroups(accounts, statedByCloud(stated), words) };
}

/** Declares the identities of each cloud in a construct named after the cloud. */
export function declareIdentities<Asked, Declaration>(
  construct: Construct,
  clouds: readonly CloudGroup<Asked, IIdentities<Construct, AccountsRequest<Asked>, Declaration>>[],
  cluster: IdentityRequest,
): Readonly<Record<string, Declaration>> {
  return Object.fromEntries(
    clouds.map(({ cloud, identities, accounts }) => [
      cloud,
      at(construct, () => identities.declare(new Construct(construct, cloud), { ...cluster, accounts })),
    ]),
  );
}

/** Refuses one service account that is declared here and said to be declared elsewhere. */
export function refuseTwoOwners({ key }: Subject): never {
  return fail("identities-conflict", {
    problem: "service account is declared by one line and said to be declared elsewhere by another",
    value: key,
    remedy:
      "write the same `declareServiceAccount` in every line of the service account, in all constructs of the stack",
  });
}

/** Refuses two entries of one cloud in `identities`. */
export function refuseSecond(cloud: string): never {
  return fail("identities-conflict", {
    problem: "`identities` has two entries for one cloud",
    value: cloud,
    allowed: "at most one entry per cloud",
    remedy: "join them; for identities in two accounts use two stacks",
  });
}

/** Refuses an entry of `identities` for a cloud that is not asked for anything. */
export function refuseIdle(cloud: string, asked: readonly string[], lines: string): never {
  return fail("identities-unused", {
    problem: `\`identities\` has an entry for a cloud that no line of \`${lines}\` needs`,
    value: cloud,
    allowed: asked.join(", "),
    remedy: `remove the entry, or add the line that is missing in \`${lines}\``,
  });
}

function accountLine<Asked>(
  { serviceAccount, declareServiceAccount: declare = true, asks: stated }: StatedLine<Asked>,
  { asks: property, example }: LineWords,
): AccountLine<Asked> {
  const subject = Subject.of(serviceAccount);
  const asks = isList(stated) ? stated : [stated];
  return asks.length > 0
    ? { subject, declare, asks }
    : fail("identities-missing", {
        problem: `\`${property}\` of service account ${subject.key} is an empty list`,
        allowed: `one or several, for example ${example}`,
        remedy: "say what the service account needs, or remove the line",
      });
}

/** The lines of one service account joined, sorted by `namespace/name`. */
function joinedAccounts<Asked>(lines: readonly AccountLine<Asked>[]): readonly AccountLine<Asked>[] {
  return [...grouped(lines, ({ subject }) => subject.key).values()]
    .map(([first, ...more]) => joined(first as AccountLine<Asked>, more))
    .sort((a, b) => order(a.subject.key, b.subject.key));
}

function joined<Asked>(first: AccountLine<Asked>, more: readonly AccountLine<Asked>[]): AccountLine<Asked> {
  if (more.some(({ declare }) => declare !== first.declare)) refuseTwoOwners(first.subject);
  return { ...first, asks: [first, ...more].flatMap(({ asks }) => asks) };
}

function statedByCloud<Identities extends { cloud: string }>(
  stated: readonly Identities[],
): ReadonlyMap<string, Identities> {
  const byCloud = new Map<string, Identities>();
  for (const identities of stated) {
    if (byCloud.has(identities.cloud)) refuseSecond(identities.cloud);
    byCloud.set(identities.cloud, identities);
  }
  return byCloud;
}

function cloudGroups<Asked extends IIdentitySource<Identities>, Identities>(
  accounts: readonly AccountLine<Asked>[],
  stated: ReadonlyMap<string, Identities>,
  { lines }: LineWords,
): readonly CloudGroup<Asked, Identities>[] {
  const asked = grouped(
    accounts.flatMap(({ asks }) => asks),
    ({ cloud }) => cloud,
  );
  const idle = [...stated.keys()].find((cloud) => !asked.has(cloud));
  if (idle !== undefined) refuseIdle(idle, [...asked.keys()].sort(), lines);
  return [...asked]
    .sort(([a], [b]) => order(a, b))
    .map(([cloud, [first]]) => ({
      cloud,
      identities: stated.get(cloud) ?? (first as Asked).defaultIdentities(),
      accounts: accounts
        .map(({ subject, asks }) => ({ subject, asks: asks.filter((each) => each.cloud === cloud) }))
        .filter(({ asks }) => asks.length > 0),
    }));
}

function isList<A>(stated: A | readonly A[]): stated is readonly A[] {
  return Array.isArray(stated);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
