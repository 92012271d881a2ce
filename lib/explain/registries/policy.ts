/* What a registry decides about tokens: by what is stated, or by its own configuration. */

import {
  type Known,
  type Ternary,
  allOf,
  anyOf,
  is,
  known,
  not,
  orElse,
  same,
  shown,
} from "../../model/known";
import { type Tree, hasOther, isTreeObject } from "../../model/tree";
import { namespacedName, serviceAccountUser } from "../../model/namespaced-name";
import { type Pattern, literalPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, badness, broken, pass, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { TokenQuestion, TrustAnswer } from "../cloud";
import type { FollowedRegistry } from "../read/registry-facts";

export interface TokenPolicy {
  /** True if the registry itself may say otherwise. */
  readonly isStated: boolean;
  /** True if it decides whom the registry takes the bearer for, and what that one may read is stated. */
  readonly hasStatedRights?: true;
  /** Issuers whose tokens it may accept. */
  readonly issuers: readonly Known<string>[];
  trust(token: TokenQuestion): TrustAnswer;
  /** What it lets the bearer read: one object for each subject and issuer. */
  repository(token: TokenQuestion, repository: AskedRepository): Answer;
  /** Patterns of repositories below the host that the bearer may read, as far as they are known. */
  reach(token: TokenQuestion): readonly string[];
}

/** Whether two texts that must be equal are; `what` begins a sentence. */
export function equal(
  what: string,
  actual: Known<string>,
  expected: Known<string>,
  remedy: string,
  where: Evidence,
): Answer {
  const answer = same(actual, expected);
  if (answer === "yes") return pass(`${what} is ${shown(expected)}, ${where.text}`, where);
  return answer === "no"
    ? broken(
        `${what} must be ${shown(expected)}, ${where.text}, but is ${shown(actual)}`,
        remedy,
        UNAUTHORIZED,
        where,
      )
    : unknown(`whether ${what} is ${shown(expected)}, ${where.text}, is not known`, remedy, where);
}

/** Tokens that a registry accepts. */
export interface Admission {
  /** Each of them must be the token's. */
  readonly issuers: readonly Known<string>[];
  /** One of them must be the token's; `undefined` if the registry compares none. */
  readonly audiences: readonly Known<string>[] | undefined;
  /** `undefined` if every subject is accepted, and repositories decide. */
  readonly subject: Known<string> | undefined;
  readonly where: Evidence;
}

/** Whether one of these accepts a token; if none does, the one that is nearest to it tells why. */
export function admittedBy(
  admissions: readonly Admission[],
  token: TokenQuestion,
  remedy: string,
): TrustAnswer | undefined {
  const ranked = admissions.map((each) => ({ each, value: rank(accepts(each, token)) }));
  const best = ranked.sort((one, other) => other.value - one.value)[0]?.each;
  if (best === undefined) return undefined;
  const { issuers, audiences, subject, where } = best;
  const issuer = issuers.find((each) => same(each, token.issuer) !== "yes") ?? issuers[0] ?? token.issuer;
  const audience = audiences?.find((each) => same(each, token.audience) !== "no") ?? audiences?.[0];
  return {
    issuer: equal("the issuer", token.issuer, issuer, remedy, where),
    audience: audiences
      ? equal("the audience", token.audience, audience ?? known("none"), remedy, where)
      : pass("the registry does not compare audiences", where),
    subject:
      subject !== undefined
        ? equal("the subject", known(serviceAccountUser(token)), subject, remedy, where)
        : pass("the registry admits every subject of the issuer, and decides by repository", where),
  };
}

export function accepts(
  { issuers, audiences, subject }: Admission,
  token: TokenQuestion,
): readonly [issuer: Ternary, subject: Ternary, audience: Ternary] {
  return [
    allOf(issuers.map((each) => same(each, token.issuer))),
    subject === undefined ? "yes" : is(subject, serviceAccountUser(token)),
    audiences ? has(audiences, token.audience) : "yes",
  ];
}

/** Certain before possible, and otherwise what fails last. */
function rank(answers: readonly Ternary[]): number {
  const first = answers.indexOf("no");
  if (first >= 0) return first;
  return answers.length + (answers.includes("unknown") ? 0 : 1);
}

/** Whether an object has no keys but these; an absent one has none. */
export function hasOnly(tree: Tree, keys: readonly string[]): Ternary {
  const value = orElse(tree, () => "unknown");
  if (value === "unknown") return "unknown";
  return isTreeObject(value) ? not(hasOther(value, keys)) : "yes";
}

export const UNAUTHORIZED = "the registry answers 401 Unauthorized";
export const FORBIDDEN = "the registry answers 403 Forbidden";

/** The worst answer for all repositories that are asked about. */
export function overAll(
  { paths, name }: AskedRepository,
  judge: Parameters<typeof paths.worst<Answer>>[0],
): Answer {
  return (
    paths.worst(judge, badness)?.said ??
    unknown(
      `${name} covers too many images to try each`,
      "declare the repositories by name, or by a shorter pattern",
    )
  );
}

/** What is stated in the record, or in the caller's facts. */
export function statedPolicy(host: string, { audience, issuer, pulls }: FollowedRegistry): TokenPolicy {
  const where = seen(`as stated of the registry ${host}`, undefined);
  const ofToken = (token: TokenQuestion): FollowedRegistry["pulls"] =>
    pulls.filter(
      ({ serviceAccount }) =>
        serviceAccountUser(namespacedName(serviceAccount)) === serviceAccountUser(token),
    );
  return {
    isStated: true,
    issuers: [issuer],
    trust: (token) => ({
      issuer: equal("the issuer", token.issuer, issuer, "let the registry trust the cluster's issuer", where),
      audience: equal(
        "the audience",
        token.audience,
        audience,
        "write the audience that the registry accepts",
        where,
      ),
      subject: admitted(serviceAccountUser(token), ofToken(token).length > 0, where),
    }),
    repository: (token, repository) =>
      covered(
        ofToken(token).flatMap(({ repositories }) => repositories.map(starPattern)),
        repository,
        where,
      ),
    reach: (token) => ofToken(token).flatMap(({ repositories }) => repositories),
  };
}

function admitted(subject: string, isStated: boolean, where: Evidence): Answer {
  return isStated
    ? pass(`the registry admits ${subject}, ${where.text}`, where)
    : broken(
        `${subject} is not among the subjects that the registry admits, ${where.text}`,
        "let the registry's owner admit it, and state it",
        UNAUTHORIZED,
        where,
      );
}

function covered(patterns: readonly Pattern[], repository: AskedRepository, where: Evidence): Answer {
  return overAll(repository, (path) => {
    const name = `${repository.host}/${path.example}`;
    const answer = anyOf(patterns.map((pattern) => path.matches(pattern)));
    if (answer === "unknown")
      return unknown(`whether it may read ${name} is not known`, "state a shorter pattern");
    return answer === "yes"
      ? pass(`it may read ${name}, ${where.text}`, where)
      : broken(
          `it may not read ${name}: what is stated of the registry does not cover it`,
          "let the registry's owner permit it, and state it",
          FORBIDDEN,
          where,
        );
  });
}

/** In what users state, only the star is a wildcard. */
function starPattern(text: string): Pattern {
  return text.includes("?") ? literalPattern(text) : patternOf(text);
}

export function has(list: readonly Known<string>[], text: Known<string> | string): ReturnType<typeof is> {
  return anyOf(list.map((each) => (typeof text === "string" ? is(each, text) : same(each, text))));
}
