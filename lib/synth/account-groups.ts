/*
 * Lines of intent (who pulls from where, who may do what) and the identities that clouds declare for them. A service
 * account is annotated once and a cloud is called once, however many lines name them.
 */

import { Construct } from "constructs";
import { at, fail } from "../errors";
import { grouped } from "../model/grouped";
import {
  type AccountRequest,
  type AccountsRequest,
  type IExistingIdentity,
  type IIdentities,
  type IIdentitySource,
  type IdentityRequest,
  EXISTING_IDENTITY,
} from "../model/identity";
import { type ObjectKind, boolean, either, list, object, optional } from "../model/shape";
import { Subject, SUBJECT } from "../model/subject";

/** A service account and everything that it asks for, in any cloud. */
export interface AccountLine<Asked> extends Omit<AccountRequest<Asked>, "existing"> {
  /** The identities that it acts as, at most one per cloud. */
  readonly as: readonly IExistingIdentity[];
  /** Whether the manifests declare the service account or only annotate it. */
  readonly declare: boolean;
}

/** Everything that is asked of one cloud. */
export interface CloudGroup<Asked, Identities> {
  readonly cloud: string;
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
  /** Functions that return identities, for a cloud in which lines ask for nothing; `undefined` if all lines must ask. */
  readonly makers: string | undefined;
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
  /**
   * Existing identities that the service account acts as, at most one per cloud. They keep the rights that they have:
   * nothing is granted to them. All lines of the service account that concern this cloud must state the same.
   *
   * @defaultValue - an identity is declared in each cloud
   */
  readonly as?: IExistingIdentity | readonly IExistingIdentity[];
}

export const SERVICE_ACCOUNT_LINE: ObjectKind<ServiceAccountLine> = object({
  serviceAccount: SUBJECT,
  declareServiceAccount: optional(boolean),
  as: optional(either(EXISTING_IDENTITY, list(EXISTING_IDENTITY))),
});

/** A line as the caller wrote it, with one request or a list. */
export interface StatedLine<Asked> extends ServiceAccountLine {
  readonly asks: Asked | readonly Asked[] | undefined;
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
  return { accounts, clouds: cloudGroups(accounts, stated, words) };
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

/** The entries of `identities` by cloud; refuses a second one for a cloud, and one for a cloud that no line needs. */
export function statedByCloud<Identities extends { cloud: string }>(
  stated: readonly Identities[],
  needed: readonly string[],
  lines: string,
): ReadonlyMap<string, Identities> {
  const byCloud = new Map<string, Identities>();
  for (const identities of stated) {
    const { cloud } = identities;
    if (byCloud.has(cloud))
      fail("identities-conflict", {
        problem: "`identities` has two entries for one cloud",
        value: cloud,
        allowed: "at most one entry per cloud",
        remedy: "merge them into one; for identities in two accounts use two stacks",
      });
    if (!needed.includes(cloud))
      fail("identities-unused", {
        problem: `\`identities\` has an entry for a cloud that no line of \`${lines}\` needs`,
        value: cloud,
        allowed: needed.join(", "),
        remedy: `remove the entry, or add the missing line to \`${lines}\``,
      });
    byCloud.set(cloud, identities);
  }
  return byCloud;
}

function accountLine<Asked extends { readonly cloud: string }>(
  { serviceAccount, declareServiceAccount: declare = true, asks: stated, as: acting = [] }: StatedLine<Asked>,
  words: LineWords,
): AccountLine<Asked> {
  const subject = Subject.of(serviceAccount);
  const asks = stated === undefined ? [] : listOf(stated);
  const as = listOf(acting);
  if (asks.length === 0 && (stated !== undefined || as.length === 0))
    fail("identities-missing", {
      problem:
        stated === undefined
          ? `the line of service account ${subject.key} has neither \`${words.asks}\` nor \`as\``
          : `\`${words.asks}\` of service account ${subject.key} is an empty list`,
      allowed: `one entry or several, for example ${words.example}`,
      remedy: "state what the service account needs, or remove the line",
    });
  const clouds = asks.map(({ cloud }) => cloud);
  const idle = as.find(({ cloud }) => !clouds.includes(cloud));
  if (idle !== undefined && words.makers === undefined)
    fail("identities-unused", {
      problem: `\`as\` of service account ${subject.key} has an identity of a cloud from which \`${words.asks}\` has nothing`,
      value: idle.cloud,
      allowed: [...new Set(clouds)].sort().join(", "),
      remedy: `remove the identity, or add what it is for to \`${words.asks}\``,
    });
  return { subject, declare, asks, as };
}

/** Joins the lines of each service account; sorted by `namespace/name`. */
function joinedAccounts<Asked extends { readonly cloud: string }>(
  lines: readonly AccountLine<Asked>[],
): readonly AccountLine<Asked>[] {
  return [...grouped(lines, ({ subject }) => subject.key).values()]
    .map(([first, ...more]) => joined(first as AccountLine<Asked>, more))
    .sort((a, b) => order(a.subject.key, b.subject.key));
}

function joined<Asked extends { readonly cloud: string }>(
  first: AccountLine<Asked>,
  more: readonly AccountLine<Asked>[],
): AccountLine<Asked> {
  if (more.some(({ declare }) => declare !== first.declare)) refuseTwoOwners(first.subject);
  const lines = [first, ...more];
  const as = [...new Set(lines.flatMap((line) => line.as))];
  for (const { cloud } of as) {
    const isOf = (each: { readonly cloud: string }): boolean => each.cloud === cloud;
    const concerned = lines.filter((line) => [...line.asks, ...line.as].some(isOf));
    const same = as.filter(isOf).length === 1 && concerned.every((line) => line.as.some(isOf));
    if (!same)
      fail("identities-conflict", {
        problem: `service account ${first.subject.key} does not act as one identity in this cloud: \`as\` has two, or not all of its lines that concern the cloud have the same`,
        value: cloud,
        allowed: "one identity per cloud, in each of these lines the same object",
        remedy: "keep the one that its pods act as, or give each its own service account",
      });
  }
  return { ...first, as, asks: lines.flatMap(({ asks }) => asks) };
}

function cloudGroups<Asked extends IIdentitySource<Identities>, Identities extends { cloud: string }>(
  accounts: readonly AccountLine<Asked>[],
  stated: readonly Identities[],
  words: LineWords,
): readonly CloudGroup<Asked, Identities>[] {
  const needed = accounts.flatMap(({ asks, as }) => [...asks, ...as].map(({ cloud }) => cloud));
  const clouds = [...new Set(needed)].sort(order);
  const makers = statedByCloud(stated, clouds, words.lines);
  return clouds.map((cloud) => {
    const ofCloud = accounts.flatMap(({ subject, asks, as }): readonly AccountRequest<Asked>[] => {
      const existing = as.find((each) => each.cloud === cloud);
      const asked = asks.filter((each) => each.cloud === cloud);
      if (existing) return [{ subject, asks: asked, existing }];
      return asked.length > 0 ? [{ subject, asks: asked }] : [];
    });
    const [first] = ofCloud.flatMap(({ asks }) => asks);
    const identities = makers.get(cloud) ?? first?.defaultIdentities() ?? refuseNoMaker(cloud, words);
    return { cloud, identities, accounts: ofCloud };
  });
}

/** Only what asks for something knows the defaults of its cloud. */
function refuseNoMaker(cloud: string, { lines, makers }: LineWords): never {
  return fail("identities-missing", {
    problem: `\`${lines}\` name existing identities of a cloud for which \`identities\` has no entry`,
    value: cloud,
    ...(makers !== undefined && { allowed: makers }),
    remedy: "add the entry of this cloud to `identities`",
  });
}

function listOf<A>(stated: A | readonly A[]): readonly A[] {
  return Array.isArray(stated) ? (stated as readonly A[]) : [stated as A];
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
