/*
 * zot's configuration: which tokens it accepts, and what their bearers may read.
 *
 * Source: project-zot/zot, pkg/api (bearer_auth.go, bearer_oidc.go, authz.go) and pkg/cel; what is decided here was tried
 * with a build of August 2026. The longest of the patterns that match decides alone. Groups of the configuration and
 * anonymous policies do not apply to bearers of tokens, and a user `*` is not a wildcard.
 */

import { type Known, type Ternary, and, anyOf, is, joined, not, orElse } from "../../model/known";
import { serviceAccountUser } from "../../model/namespaced-name";
import { type Tree, entriesOf, isTreeObject, itemsAt, optionalText, textAt, treeAt } from "../../model/tree";
import type { AskedName } from "../../rules/asked-names";
import { literalPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { TokenQuestion } from "../cloud";
import type { RegistryFile } from "../read/registry-facts";
import { sameAnswers } from "../shared/same-answers";
import { FORBIDDEN, type TokenPolicy, UNAUTHORIZED, admittedBy, has, hasOnly, overAll } from "./policy";

const BEARER = ["realm", "service", "cert", "oidc", "upstreamTokenEndpoint"];
const OIDC = ["issuer", "audiences", "certificateAuthority", "certificateAuthorityFile"];
const REMEDY = "correct zot's configuration";

/** The policy of the host that the configuration names as its service; `undefined` for any other host. */
export function zotPolicy(host: string, { value, isPart, source }: RegistryFile): TokenPolicy | undefined {
  const bearer = treeAt(value, "http", "auth", "bearer");
  if (is(optionalText(treeAt(bearer, "service")), host) !== "yes") return undefined;
  const where = seen("by zot's configuration", source);
  const providers = itemsAt(bearer, "oidc");
  const control = treeAt(value, "http", "accessControl");
  const isClear =
    hasOnly(bearer, BEARER) === "yes" &&
    providers.every((each) => hasOnly(each, OIDC) === "yes") &&
    isSpelled(treeAt(value, "http"), "accessControl");
  const doubt = isClear ? undefined : unknown(UNJUDGED, "remove claimMapping and the like", where);
  const admissions = providers.map((each) => ({
    issuers: [textAt(treeAt(each, "issuer"))],
    audiences: itemsAt(each, "audiences").map(textAt),
    subject: undefined,
    where,
  }));
  return {
    isStated: isPart,
    issuers: admissions.flatMap(({ issuers }) => issuers),
    trust: (token) => {
      if (doubt) return sameAnswers(doubt);
      const admitted = admittedBy(admissions, token, REMEDY) ?? sameAnswers(unknown(UNJUDGED, REMEDY, where));
      return { ...admitted, issuer: challengeAnswer(bearer, host, where) ?? admitted.issuer };
    },
    repository: (token, repository) => {
      const reads = readsOf(control, joined(token.issuer, "/", serviceAccountUser(token)));
      return (
        doubt ??
        overAll(repository, (path) => repositoryAnswer(reads(path), `${host}/${path.example}`, where))
      );
    },
    reach: (token) => reachOf(control, token),
  };
}

const UNJUDGED = "zot's configuration has settings for tokens that are not judged";

/** Without a realm zot sends no challenge, and the runtime never hands over the token. */
function challengeAnswer(bearer: Tree, host: string, where: Evidence): Answer | undefined {
  const realm = optionalText(treeAt(bearer, "realm"));
  const endpoint = `https://${host}/zot/auth/token`;
  if (is(realm, endpoint) === "yes") return undefined;
  return is(realm, undefined) === "yes"
    ? broken(
        "zot has no `realm`, so that it asks no one for a token",
        `set realm to ${endpoint}`,
        UNAUTHORIZED,
        where,
      )
    : unknown("where zot's `realm` sends the token is not judged", `set realm to ${endpoint}`, where);
}

function repositoryAnswer(answer: Ternary, name: string, where: Evidence): Answer {
  if (answer === "yes") return pass(`zot lets it read ${name}`, where);
  return answer === "no"
    ? broken(`no policy of zot lets it read ${name}`, REMEDY, FORBIDDEN, where)
    : unknown(
        `whether a policy of zot lets it read ${name} is not known`,
        "write plain patterns and users",
        where,
      );
}

/** What `accessControl` lets one user read; without it, who is admitted may read everything. */
function readsOf(control: Tree, user: Known<string>): (path: AskedName) => Ternary {
  const value = orElse(control, () => undefined);
  const isOpen = !isTreeObject(value) || entriesOf(value).length === 0;
  const isClear = hasOnly(control, ["repositories", "adminPolicy", "metrics", "groups"]) === "yes";
  const globs = [...rulesOf(control)].sort(([one], [other]) => other.length - one.length);
  return (path) => {
    if (!isClear) return "unknown";
    const isAdmin = (): boolean => permits([treeAt(control, "adminPolicy")], user) === "yes";
    return isOpen || isAdmin() ? "yes" : byRepository(globs, path, user);
  };
}

type Globs = readonly (readonly [glob: string, rule: Tree])[];

function byRepository(globs: Globs, path: AskedName, user: Known<string>): Ternary {
  let decided: readonly [length: number, answer: Ternary] | undefined;
  for (const [glob, rule] of globs) {
    if (decided && glob.length < decided[0]) break;
    const matches = globMatches(glob, path);
    if (matches === "no") continue;
    const answer = matches === "yes" ? ruleReads(rule, user) : "unknown";
    if (decided && decided[1] !== answer) return "unknown";
    decided = [glob.length, answer];
  }
  return decided?.[1] ?? "no";
}

function ruleReads(rule: Tree, user: Known<string>): Ternary {
  if (hasOnly(rule, ["policies", "defaultPolicy", "anonymousPolicy"]) !== "yes") return "unknown";
  const byDefault = has(itemsAt(rule, "defaultPolicy").map(textAt), "read");
  return byDefault === "yes" ? "yes" : permits(itemsAt(rule, "policies"), user);
}

/** Conditions of a policy are not evaluated. */
function permits(policies: readonly Tree[], user: Known<string>): Ternary {
  const answers = policies.map((policy): Ternary => {
    const named = and(
      has(itemsAt(policy, "users").map(textAt), user),
      has(itemsAt(policy, "actions").map(textAt), "read"),
    );
    return named === "no" || hasOnly(policy, ["users", "groups", "actions"]) === "yes" ? named : "unknown";
  });
  return anyOf(answers);
}

/** The patterns and their rules; a pattern that is not known is none of zot's, so that nothing is decided by the others. */
function rulesOf(control: Tree): Globs {
  const repositories = orElse(treeAt(control, "repositories"), () => undefined);
  if (!isTreeObject(repositories)) return [];
  return entriesOf(repositories).map(([glob, rule]) => [orElse(glob, () => UNREAD), rule] as const);
}

/** A glob that may match anything, and is longer than any other. */
const UNREAD = "[".repeat(512);

/** `**` at the end is any path, also none; `*` at the end is one part of it; other wildcards are not judged. */
function globMatches(glob: string, path: AskedName): Ternary {
  const fixed = glob.replace(/\/?\*\*?$/, "");
  if (/[*?[\]{}\\]/.test(fixed)) return "unknown";
  if (glob === fixed) return path.matches(literalPattern(glob));
  if (glob === "**") return "yes";
  if (!/\/\*\*?$/.test(glob) && glob !== "*") return "unknown";
  const below = path.matches(patternOf(fixed === "" ? "*" : `${fixed}/*`));
  if (glob.endsWith("**")) return below === "no" ? path.matches(literalPattern(fixed)) : below;
  return and(below, not(path.matches(patternOf(fixed === "" ? "*/*" : `${fixed}/*/*`))));
}

/** False if an object has the key in other letters, which zot reads as the same. */
function isSpelled(tree: Tree, key: string): boolean {
  const value = orElse(tree, () => undefined);
  if (!isTreeObject(value)) return false;
  return entriesOf(value).every(([each]) => {
    const own = orElse(each, () => "");
    return own === key || own.toLowerCase() !== key.toLowerCase();
  });
}

function reachOf(control: Tree, token: TokenQuestion): readonly string[] {
  const user = joined(token.issuer, "/", serviceAccountUser(token));
  return rulesOf(control).flatMap(([glob, rule]) =>
    itemsAt(rule, "policies").some((policy) => has(itemsAt(policy, "users").map(textAt), user) === "yes")
      ? [glob.replace(/\*\*$/, "*")]
      : [],
  );
}
