/*
 * Lines of intent (who pulls from where, who may do what) and the identities that clouds declare for them. A service
 * account is annotated once and a cloud is called once, however many lines name them.
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

/** A service account and everything that it asks for, in any cloud. */
export interface AccountLine<Asked> extends AccountRequest<Asked> {
  /** Whether the manifests declare the service account or only annotate it. */
  readonly declare: boolean;
}

/** Everything that is asked of one cloud. */
export interface CloudGroup<Asked, Identities> {
  /** The cloud's key. */
  readonly cloud: string;
  /** How the cloud's identities are declared. */
  readonly identities: Identities;
  /** Service accounts that ask something of this cloud, with their requests; sorted. */
  readonly accounts: readonly AccountRequest<Asked>[];
}

/** The same lines, grouped by service account and by cloud. */
export interface GroupedLines<Asked, Identities> {
  /** Sorted by `namespace/name`, each service account once. */
  readonly accounts: readonly AccountLine<Asked>[];
  /** Sorted by the cloud's key. */
  readonly clouds: readonly CloudGroup<Asked, Identities>[];
}

/** What the lines of a job are called in errors. */
export interface LineWords {
  /** The property that holds the lines, for example `pulls`. */
  readonly lines: string;
  /** The property of a line that holds its requests, for example `from`. */
  readonly asks: string;
  /** A sample of that property for the remedy. */
  readonly example: string;
}

/** The part that every line of intent has. */
export interface ServiceAccountLine {
  /** `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /**
   * Whether the manifests declare the service account. Set `false` if a Helm chart, an operator or another team owns
   * it: the manifests then hold only its annotations, for server-side apply. All lines of a service account in a stack
   * must agree.
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

/** A line as the caller wrote it, with one request or a list. */
export interface StatedLine<Asked> extends ServiceAccountLine {
  readonly asks: Asked | readonly Asked[];
}

/** Groups the lines; a cloud without an entry in `stated` gets its default identities. */
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

/** Declares the identities of each cloud in a child construct named after the cloud. */
export function declareIdentities<Asked, Declaration>(
  construct: Construct,
  clouds: readonly CloudGroup<Asked, IIdentities<Construct, AccountsRequest<Asked>, Declaration>>[],
  clusterFor: (cloud: string) => IdentityRequest,
): Readonly<Record<string, Declaration>> {
  return Object.fromEntries(
    clouds.map(({ cloud, identities, accounts }) => [
      cloud,
      at(construct, () =>
        identities.declare(new Construct(construct, cloud), { ...clusterFor(cloud), accounts }),
      ),
    ]),
  );
}

/** Refuses a service account that one line declares and another leaves to another owner. */
export function refuseTwoOwners({ key }: Subject): never {
  return fail("identities-conflict", {
    problem: "one line declares this service account, and another has `declareServiceAccount: false`",
    value: key,
    remedy:
      "write the same `declareServiceAccount` in every line of the service account, in all constructs of the stack",
  });
}

/** Refuses a second entry for the same cloud in `identities`. */
export function refuseSecond(cloud: string): never {
  return fail("identities-conflict", {
    problem: "`identities` has two entries for one cloud",
    value: cloud,
    allowed: "at most one entry per cloud",
    remedy: "merge them into one; for identities in two accounts use two stacks",
  });
}

/** Refuses an entry of `identities` for a cloud that no line needs. */
export function refuseIdle(cloud: string, asked: readonly string[], lines: string): never {
  return fail("identities-unused", {
    problem: `\`identities\` has an entry for a cloud that no line of \`${lines}\` needs`,
    value: cloud,
    allowed: asked.join(", "),
    remedy: `remove the entry, or add the missing line to \`${lines}\``,
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
        allowed: `one entry or several, for example ${example}`,
        remedy: "state what the service account needs, or remove the line",
      });
}

/** Joins the lines of each service account; sorted by `namespace/name`. */
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
  const byCloud = grouped(
    accounts.flatMap(({ asks }) => asks),
    ({ cloud }) => cloud,
  );
  const idle = [...stated.keys()].find((cloud) => !byCloud.has(cloud));
  if (idle !== undefined) refuseIdle(idle, [...byCloud.keys()].sort(), lines);
  return [...byCloud]
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
