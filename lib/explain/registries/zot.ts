/*
 * zot's configuration: which tokens it accepts, and what their bearers may read.
 *
 * Source: project-zot/zot, pkg/api (bearer_auth.go, bearer_oidc.go, authz.go) and pkg/cel; what is decided here was tried
 * with a build of August 2026. The longest of the patterns that match decides alone. Groups of the configuration and
 * anonymous policies do not apply to bearers of tokens, and a user `*` is nobody in particular.
 */

import { type Known, type Ternary, and, is, joined, known, not, orElse, same } from "../../model/known";
import {
  type Tree,
  type TreeObject,
  entriesOf,
  hasOther,
  isTreeObject,
  itemsAt,
  optionalText,
  textAt,
  treeAt,
} from "../../model/tree";
import type { AskedName } from "../../rules/asked-names";
import { literalPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { TokenQuestion } from "../cloud";
import type { RegistryFile } from "../read/cluster-record";
import { type TokenPolicy, UNAUTHORIZED, equal, has, overAll, subjectOf } from "./policy";

const BEARER = ["http", "auth", "bearer"] as const;
const OIDC = ["issuer", "audiences", "certificateAuthority", "certificateAuthorityFile"];
const REMEDY = "correct zot's configuration";

/** The policy of the host that the configuration names as its service; `undefined` for any other host. */
export function zotPolicy(host: string, { value, isPart, source }: RegistryFile): TokenPolicy | undefined {
  const bearer = treeAt(value, ...BEARER);
  if (is(optionalText(treeAt(bearer, "service")), host) !== "yes") return undefined;
  const where = seen("by zot's configuration", source);
  const providers = itemsAt(bearer, "oidc");
  const odd = providers.some((each) => hasOnly(each, OIDC) !== "yes") || hasOnly(bearer, [...KEYS]) !== "yes";
  const doubt = odd
    ? unknown(
        "zot's configuration has settings for tokens that are not judged",
        "remove claimMapping and the like",
        where,
      )
    : undefined;
  const realm = optionalText(treeAt(bearer, "realm"));
  const issuers = providers.map((each) => textAt(treeAt(each, "issuer")));
  return {
    isStated: isPart,
    issuers,
    trust: (token) => {
      const provider = providers.find(
        (_, place) => same(issuers[place] ?? known(""), token.issuer) === "yes",
      );
      const audiences = itemsAt(provider ?? known(undefined), "audiences").map(textAt);
      const [first = known("none")] = issuers;
      const audience =
        audiences.find((each) => same(each, token.audience) !== "no") ?? audiences[0] ?? known("none");
      return {
        issuer:
          doubt ??
          loginAnswer(realm, host, where) ??
          equal(
            "the issuer",
            token.issuer,
            issuers.find((each) => same(each, token.issuer) !== "no") ?? first,
            REMEDY,
            where,
          ),
        audience: doubt ?? equal("the audience", token.audience, audience, REMEDY, where),
        subject: doubt ?? pass("zot admits every subject of the issuer, and decides by repository", where),
      };
    },
    repository: (token, repository) => {
      const user = joined(token.issuer, "/", subjectOf(token));
      const rules = new Rules(treeAt(value, "http", "accessControl"), user);
      return (
        doubt ??
        overAll(repository, (path) => repositoryAnswer(rules, path, `${host}/${path.example}`, where))
      );
    },
    reach: (token) => reachOf(treeAt(value, "http", "accessControl"), token),
  };
}

const KEYS = ["realm", "service", "cert", "oidc", "upstreamTokenEndpoint"] as const;

/** Without a realm zot sends no challenge, and the runtime never hands over the token. */
function loginAnswer(realm: Known<string | undefined>, host: string, where: Evidence): Answer | undefined {
  const wanted = `https://${host}/zot/auth/token`;
  const answer = is(realm, wanted);
  if (answer === "yes") return undefined;
  return is(realm, undefined) === "yes"
    ? broken(
        "zot has no `realm`, so it asks nobody for a token",
        `set realm to ${wanted}`,
        UNAUTHORIZED,
        where,
      )
    : unknown("where zot's `realm` sends the token is not judged", `set realm to ${wanted}`, where);
}

function repositoryAnswer(rules: Rules, path: AskedName, name: string, where: Evidence): Answer {
  const answer = rules.reads(path);
  if (answer === "yes") return pass(`zot lets it read ${name}`, where);
  return answer === "no"
    ? broken(`no policy of zot lets it read ${name}`, REMEDY, "zot answers 403 Forbidden", where)
    : unknown(
        `whether a policy of zot lets it read ${name} is not known`,
        "write plain patterns and users",
        where,
      );
}

/** What `accessControl` says of one user. */
class Rules {
  readonly #control: TreeObject | undefined;
  readonly #isClear: boolean;
  readonly #user: Known<string>;
  readonly #globs: readonly (readonly [glob: string, rule: Tree])[];

  constructor(control: Tree, user: Known<string>) {
    const value = orElse(control, () => undefined);
    this.#control = isTreeObject(value) && entriesOf(value).length > 0 ? value : undefined;
    this.#isClear = hasOnly(control, ["repositories", "adminPolicy", "metrics", "groups"]) !== "unknown";
    this.#user = user;
    this.#globs = [...rulesOf(control)].sort(([one], [other]) => other.length - one.length);
  }

  /** Without access control, who is admitted may read everything. */
  reads(path: AskedName): Ternary {
    if (!this.#isClear) return "unknown";
    if (this.#control === undefined) return "yes";
    const admin = treeAt(known<TreeObject>(this.#control) as Tree, "adminPolicy");
    return this.#permits([admin]) === "yes" ? "yes" : this.#byRepository(path);
  }

  #byRepository(path: AskedName): Ternary {
    let decided: readonly [length: number, answer: Ternary] | undefined;
    for (const [glob, rule] of this.#globs) {
      if (decided && glob.length < decided[0]) break;
      const matches = globMatches(glob, path);
      if (matches === "no") continue;
      const answer = matches === "yes" ? this.#ruleReads(rule) : "unknown";
      if (decided && decided[1] !== answer) return "unknown";
      decided = [glob.length, answer];
    }
    return decided?.[1] ?? "no";
  }

  #ruleReads(rule: Tree): Ternary {
    if (hasOnly(rule, ["policies", "defaultPolicy", "anonymousPolicy"]) !== "yes") return "unknown";
    const byDefault = has(itemsAt(rule, "defaultPolicy").map(textAt), "read");
    return byDefault === "yes" ? "yes" : this.#permits(itemsAt(rule, "policies"));
  }

  /** Conditions of a policy are not evaluated. */
  #permits(policies: readonly Tree[]): Ternary {
    const answers = policies.map((policy): Ternary => {
      const named = and(
        has(itemsAt(policy, "users").map(textAt), this.#user),
        has(itemsAt(policy, "actions").map(textAt), "read"),
      );
      return named === "no" || hasOnly(policy, ["users", "groups", "actions"]) === "yes" ? named : "unknown";
    });
    return answers.includes("yes") ? "yes" : answers.includes("unknown") ? "unknown" : "no";
  }
}

/** The patterns and their rules; a pattern that is not known is none of zot's, so that nothing is decided by the others. */
function rulesOf(control: Tree): readonly (readonly [glob: string, rule: Tree])[] {
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

/** Whether an object has no keys but these; an absent one has none. */
function hasOnly(tree: Tree, keys: readonly string[]): Ternary {
  const value = orElse(tree, () => "unknown");
  if (value === "unknown") return "unknown";
  return isTreeObject(value) ? not(hasOther(value, keys)) : "yes";
}

function reachOf(control: Tree, token: TokenQuestion): readonly string[] {
  const user = joined(token.issuer, "/", subjectOf(token));
  return rulesOf(control).flatMap(([glob, rule]) =>
    itemsAt(rule, "policies").some((policy) => has(itemsAt(policy, "users").map(textAt), user) === "yes")
      ? [glob.replace(/\*\*$/, "*")]
      : [],
  );
}
