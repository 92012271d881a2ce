/*
 * May a role log in to an ECR registry and read a repository, or every repository that matches a pattern?
 */

import { type Known, isKnown, match, orElse, partsOf, shown } from "../../model/known";
import { once, remembered } from "../../model/once";
import { readArnOf } from "../../rules/aws/arn";
import { parseEcrHost } from "../../rules/aws/registry";
import { partitions } from "../../rules/aws/partitions";
import type { Policy, Selection, Statement } from "../../rules/aws/policy/document";
import type { AskedName } from "../../rules/asked-names";
import { matchesPattern } from "../../rules/wildcard";
import { type Answer, badness, broken, later, pass, unknown } from "../answer";
import { type AskedRepository, askedPattern } from "../asked-image";
import type { HeldRight, IsAsked, PullRights, ReachedRepositories } from "../cloud";
import { plainAnswer } from "../shared/words";
import { heldRights } from "./held";
import { Owners } from "./owner";
import { type AskedPlace, type Registries, type Registry, onePlace, somePlace } from "./registry";
import { type AssumedRole, RoleJudge, pullActions } from "./role-judge";

export class AwsRights implements PullRights {
  readonly #role: AssumedRole;
  readonly #registries: Registries;
  readonly #judge: RoleJudge;
  readonly #owners: Owners;
  readonly #logins = new Map<string, Answer>();
  readonly #readable = new Map<string, boolean>();

  constructor(role: AssumedRole, registries: Registries) {
    this.#role = role;
    this.#registries = registries;
    this.#judge = new RoleJudge(role);
    this.#owners = new Owners(role, this.#judge, registries);
  }

  login(host: string): Answer {
    const registry = parseEcrHost(host);
    if (registry === undefined) return noEcrHost(host);
    const region = registry.kind === "private" ? registry.region : "";
    const { kind } = registry;
    return remembered(this.#logins, `${kind} ${region}`, () => this.#judge.login(kind, region));
  }

  /** May it read the repository, or every repository that matches a pattern? */
  repository(asked: AskedRepository): Answer {
    const { registry, place, answer } = placeOf(asked);
    if (registry === undefined) return answer;
    const foreign = otherPartition(this.#role.partition, registry.arn);
    if (foreign) return foreign;
    const { paths, name, host } = asked;
    if (place) return this.#judged(place, answer);
    const worst = paths.worst((each) => this.#judged(somePlace(registry, paths, each), answer), badness);
    if (worst === undefined)
      return unknown(
        `whether every repository of ${name} may be read is not known: no repository can have such a name, or the role's policies have too many wildcards`,
        "ask about repositories one by one",
      );
    const { said, example } = worst;
    if (said.status === "pass") return said;
    return later(said.status, () => ({
      ...plainAnswer(said),
      reason: `${host}/${example} is one of ${name}: ${said.reason}`,
    }));
  }

  /** What statements name, except patterns of which no repository can be read. */
  reach(isAsked: IsAsked = () => true): readonly ReachedRepositories[] {
    return this.#named().filter(
      (each) => isAsked(each) && (!each.comparable || this.#mayReadSome(each.pattern)),
    );
  }

  held(): readonly HeldRight[] {
    const { policies, boundary } = this.#role;
    const rights = heldRights(policies, boundary, undefined).map((right) => ({
      ...right,
      reads: reads(right),
      get bears() {
        return bears(right);
      },
    }));
    // Owners' policies on repositories matter for sets of repositories too.
    const owners = this.#registries.texts.map((text) => ({ text, limits: true, source: undefined }));
    const isNamed = owners.length === 0 || this.#named().every(({ comparable }) => comparable);
    return isNamed ? rights : [...rights, ...owners];
  }

  #named(): readonly ReachedRepositories[] {
    return this.#role.policies
      .filter(({ doubt }) => doubt === undefined)
      .flatMap(({ policy }) => reachOf(policy));
  }

  /** False if each repository of a pattern is certainly refused. */
  #mayReadSome(pattern: string): boolean {
    return remembered(this.#readable, pattern, () => this.#someIsRead(pattern));
  }

  #someIsRead(pattern: string): boolean {
    const { repository: asked } = askedPattern(pattern);
    if (asked === undefined) return true;
    const { registry, answer } = placeOf(asked);
    if (registry === undefined) return true;
    const judge = (each: AskedName): Answer => this.#judged(somePlace(registry, asked.paths, each), answer);
    return asked.paths.worst(judge, (said) => -badness(said))?.said.status !== "fail";
  }

  #judged(place: AskedPlace, answer: Answer): Answer {
    const answered = this.#mayRead(place, answer);
    return (answered.status === "pass" ? this.#owners.uncached(place) : undefined) ?? answered;
  }

  /** A certain refusal by the owner decides, even if the role's own policies are not known. */
  #mayRead(place: AskedPlace, answer: Answer): Answer {
    const refusal = this.#judge.refusal(place.region, place.resource);
    const refused = refusal && (this.#owners.granted(place) ?? refusal);
    if (refused && refused.status !== "unknown") return refused;
    if (!isKnown(this.#role.account)) return refused ?? NO_ROLE_ACCOUNT;
    const owner = this.#owners.said(place);
    if (owner?.status === "fail") return owner;
    return this.#registries.unread(place) ?? refused ?? owner ?? answer;
  }
}

const NO_ROLE_ACCOUNT = unknown(
  "whether the role and the registry are in one account is not known",
  "state the role's account, so that its ARN is a literal",
);

/** Partitions share nothing: credentials of one partition are unknown in another. */
function otherPartition(partition: Known<string>, repository: string): Answer | undefined {
  const name = orElse(partition, () => undefined);
  if (name === undefined || repository.startsWith(`arn:${name}:`)) return undefined;
  return broken(
    `the role is in partition ${name}, the repository is ${repository}…`,
    "name a role in the registry's partition; it cannot admit a role of another one",
    "InvalidClientTokenId: The security token included in the request is invalid",
  );
}

/** What was asked about, the same for all roles. */
interface Place {
  /** `undefined` if the answer does not depend on the role. */
  readonly registry: Registry | undefined;
  /** The repository, if the question is about a single one. */
  readonly place?: AskedPlace | undefined;
  /** The answer for every role that nothing keeps from reading it. */
  readonly answer: Answer;
}

const placeOf = once(({ host, paths, name }: AskedRepository): Place => {
  const found = parseEcrHost(host);
  if (found === undefined) return { registry: undefined, answer: noEcrHost(host) };
  if (found.kind === "public")
    return { registry: undefined, answer: pass("every repository of ECR Public may be read") };
  const { region, account } = found;
  const partition = partitions.find(({ regions }) => regions.test(region));
  if (partition === undefined)
    return {
      registry: undefined,
      answer: unknown(`the region ${region} is not known`, "check the image's host name"),
    };
  const arn = `arn:${partition.name}:ecr:${region}:${account}:repository/`;
  const what = paths.isOne ? `pull ${arn}${paths.text}` : `pull every repository of ${name}`;
  const registry = { account, region, arn };
  const place = paths.isOne ? onePlace(registry, paths.text) : undefined;
  return { registry, place, answer: pass(`the role may ${what}`) };
});

function noEcrHost(host: string): Answer {
  return unknown(
    `${host} is not an ECR host name, so the registry's account and region are not known`,
    "pull by the registry's own host name",
  );
}

function reachOf(policy: Policy): readonly ReachedRepositories[] {
  if (policy.kind === "refused") return [];
  if (policy.kind === "unread") return [NOT_READ];
  return policy.statements.flatMap((each) => ("unread" in each ? [NOT_READ] : reachOfStatement(each)));
}

const NOT_READ = { pattern: "a policy that was not read", comparable: false };

function reachOfStatement({ effect, actions, resources }: Statement): readonly ReachedRepositories[] {
  if (orElse(effect, () => "Allow") !== "Allow" || !mayPull(actions)) return [];
  return resources === undefined || resources.negated
    ? [{ pattern: "everything but some", comparable: false }]
    : resources.values.map((value) =>
        match(value, imagePattern, () => ({ pattern: shown(value), comparable: false })),
      );
}

function mayPull({ values, negated }: Selection): boolean {
  const named = values.some((value) => {
    const [text] = partsOf(value) ?? [];
    return typeof text !== "string" || matchesPattern(text.toLowerCase(), "ecr:batchgetimage") !== false;
  });
  return named !== negated;
}

const LOGIN = "ecr:getauthorizationtoken";
const READS: readonly string[] = pullActions.map((action) => action.toLowerCase());

/** The images of one registry that a right covers. */
function reads({ covers }: HeldRight): readonly string[] | undefined {
  if (covers === undefined || covers.under !== "") return undefined;
  if (covers.action === LOGIN) return [];
  const { pattern, comparable } = imagePattern(covers.on);
  return READS.includes(covers.action) && comparable ? [pattern] : undefined;
}

/** Only actions of pulls, which a wildcard in the action may cover, on repositories that are named. */
function bears({ covers }: HeldRight): readonly string[] | undefined {
  if (covers === undefined) return undefined;
  if (![LOGIN, ...READS].some((action) => matchesPattern(covers.action, action) !== false)) return [];
  const { pattern, comparable } = imagePattern(covers.on);
  return comparable ? [pattern] : undefined;
}

function imagePattern(arn: string): ReachedRepositories {
  const { region = "", account, name } = readArnOf(arn, "ecr", "repository/") ?? {};
  const partition = partitions.find(({ regions }) => regions.test(region));
  return account === undefined || name === undefined || partition === undefined
    ? { pattern: arn === "*" ? "every repository of ECR" : arn, comparable: false }
    : { pattern: `${account}.dkr.ecr.${region}.${partition.dnsSuffix}/${name}`, comparable: true };
}
