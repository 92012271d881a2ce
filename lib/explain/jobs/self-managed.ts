/*
 * Spokes that accept the hub's own tokens: whether the pods have the token, whether the spoke's API servers accept it,
 * and as which user. Source: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver and
 * pkg/authentication/cel, and plugin/pkg/authenticator/token/oidc.
 */

import {
  type Known,
  type Ternary,
  all,
  andThen,
  is,
  isAbsent,
  isKnown,
  known,
  map,
  match,
  anyOf,
  orElse,
  same,
  shown,
  unread,
  whyNot,
} from "../../model/known";
import { namespacedName, serviceAccountUser } from "../../model/namespaced-name";
import { sameTree, treeOf } from "../../model/tree";
import { isOwnInEachCluster } from "../../rules/fleet/authentication";
import { UNKNOWN_CLAIM } from "../../rules/google/cel-claims";
import { evaluateCel } from "../../rules/google/cel-evaluation";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AccountReading, SpokeReading, TokenQuestion, TrustAnswer } from "../cloud";
import type { AuthenticatorFact, SpokeFact } from "../read/spoke-facts";
import { containersOf } from "../shared/pods";
import { boundAnswer } from "../shared/spokes";
import type { Controller, ControllerPods } from "./fleet-controllers";
import { withFields } from "./fleet-profile";

/** What a spoke outside any cloud says about a controller. */
export interface SelfManagedReading {
  readonly reading: AccountReading;
  readonly trust: TrustAnswer;
  readonly spoke: SpokeReading;
  /** Name of the user on the spoke; `undefined` if none is admitted or it is not known. */
  readonly user: string | undefined;
}

/** Key of spokes that accept the hub's own tokens, as in the table of plugins. */
export const SELF_MANAGED: "kubernetes" = "kubernetes";

/** What a client of the spoke sees whenever the API server refuses the token or cannot use the issuer's documents. */
export const UNAUTHORIZED: string = "Unauthorized";

const READ_IT =
  "also give explain the AuthenticationConfiguration of the spoke's API servers, in a file or folder of the spoke's name";

/** An entry for the issuer, and whether it accepts the audience. */
interface Asked {
  readonly entry: AuthenticatorFact;
  readonly takes: Ternary;
}

/** Judges the token that the plugin reads from the file, at the spoke's API server. */
export function selfManaged(
  controller: Controller,
  spokeName: string,
  file: Known<string>,
  issuer: Known<string>,
  spoke: SpokeFact,
): SelfManagedReading {
  const { answer: pods, audience } = tokenAt(controller, file);
  const authenticators = spoke.authenticators
    .filter((entry) => same(entry.issuer, issuer) === "yes")
    .map((entry): Asked => {
      const takes = (texts: readonly Known<string>[]): Ternary =>
        anyOf(texts.map((each) => same(each, audience)));
      return { entry, takes: match(entry.audiences, takes, () => "unknown") };
    });
  const one = authenticators.find(({ takes }) => takes === "yes")?.entry;
  const { namespace, name } = namespacedName(controller.account);
  const token: TokenQuestion = { namespace, name, issuer, audience };
  const user = one ? userName(one, token) : unread("no entry accepts the token");
  const subject = subjectAnswer(one, user, token);
  return {
    reading: {
      answer: pass("the controller enters with its service account's own token"),
      identity: undefined,
      pods,
      audiences: isKnown(audience) ? [audience] : [],
    },
    trust: {
      issuer: refusedAnswer(spoke.refused) ?? issuerAnswer(issuer, spoke.authenticators, authenticators),
      audience: audienceAnswer(audience, authenticators),
      subject,
    },
    spoke: {
      admitted: one
        ? pass("the spoke's API servers accept the token", seen("jwt", one.source))
        : unknown("whether the spoke accepts the token is not known", READ_IT),
      authorized: isKnown(user)
        ? boundAnswer(spokeName, { users: [user], groups: [] }, spoke)
        : unknown("the name of the user on the spoke is not known", READ_IT),
      warnings: one && !namesUsers(one, token) ? [unpinned(one)] : [],
    },
    user: orElse<string, undefined>(user, () => undefined),
  };
}

/** An API server does not start with such a file, and one that runs keeps its old configuration. */
function refusedAnswer(refused: SpokeFact["refused"]): Answer | undefined {
  const [first] = refused;
  if (!first) return undefined;
  return broken(
    `the spoke's API servers refuse the AuthenticationConfiguration: it ${first.problem}`,
    "correct the file",
    "invalid authentication configuration",
    refused.map(({ problem, source }) => seen(problem, source)),
  );
}

function issuerAnswer(
  issuer: Known<string>,
  every: readonly AuthenticatorFact[],
  authenticators: readonly Asked[],
): Answer {
  const [first, ...others] = authenticators.map(({ entry }) => entry);
  // A configuration names an issuer only once, so a second entry belongs to another server.
  if (first && others.some((each) => sameTree(each.entry, first.entry) !== "yes"))
    return unknown(
      "the spoke's API servers treat the issuer's tokens differently",
      READ_IT,
      authenticators.map(({ entry }) => seen("issuer.url", entry.source)),
    );
  if (first)
    return orElse(map(issuer, isOwnInEachCluster), () => false)
      ? ownIssuerAnswer(shown(issuer), first)
      : pass(`the spoke trusts the issuer ${shown(issuer)}`, seen("issuer.url", first.source));
  if ((whyNot(issuer)?.kind ?? "apply") !== "apply")
    return unknown("the issuer of the hub is not known", "state cluster.issuer with --facts");
  if (every.length === 0) return unknown("no AuthenticationConfiguration of the spoke was read", READ_IT);
  const evidence = every.map((each) => seen(`trusts ${shown(each.issuer)}`, each.source));
  if (every.some((each) => same(each.issuer, issuer) === "unknown"))
    return unknown(
      "whether the spoke trusts the issuer is known only after apply",
      "bind the outputs",
      evidence,
    );
  return broken(
    `the spoke does not trust the issuer ${shown(issuer)}`,
    "add exactly the issuer to jwt of the spoke's AuthenticationConfiguration",
    UNAUTHORIZED,
    evidence,
  );
}

/** Without a discovery URL the spoke asks itself for the keys; with one, it does not start if the issuer is its own. */
function ownIssuerAnswer(issuer: string, { discoveryUrl, source }: AuthenticatorFact): Answer {
  const isOwn = orElse(discoveryUrl, () => "") === undefined;
  const where = seen(isOwn ? "issuer.url" : `discoveryURL ${shown(discoveryUrl)}`, source);
  const remedy = "give the hub its own issuer, which spokes can reach, with --service-account-issuer";
  if (isOwn)
    return broken(
      `at the spoke, the issuer ${issuer} is the spoke itself, which has other keys`,
      remedy,
      UNAUTHORIZED,
      where,
    );
  const reason = `whether ${issuer} is also the spoke's own issuer is not known; if it is, the spoke's API servers do not start`;
  return unknown(reason, remedy, where);
}

function audienceAnswer(audience: Known<string>, authenticators: readonly Asked[]): Answer {
  const entry = authenticators.find(({ takes }) => takes === "yes")?.entry;
  if (entry)
    return pass(`the spoke accepts tokens for ${shown(audience)}`, seen("issuer.audiences", entry.source));
  const evidence = authenticators.map(({ entry: { audiences, source } }) => {
    const texts = orElse(audiences, () => [] as const);
    return seen(`accepts ${texts.map(shown).join(", ")}`, source);
  });
  if (authenticators.length === 0 || authenticators.some(({ takes }) => takes === "unknown"))
    return unknown("the audience of the token is not known", "see the earlier checks", evidence);
  return broken(
    `the token is for ${shown(audience)}, which the spoke does not accept`,
    "project the token with the audience of the spoke",
    UNAUTHORIZED,
    evidence,
  );
}

function subjectAnswer(
  entry: AuthenticatorFact | undefined,
  user: Known<string>,
  token: TokenQuestion,
): Answer {
  if (!entry) return unknown("who is admitted is not known", "see the earlier checks");
  if (!isKnown(user))
    return unknown(
      "how the user's name is made cannot be determined",
      "make it from the claim sub with a prefix, without an expression",
      seen("claimMappings", entry.source),
    );
  const where = seen("userValidationRules", entry.source);
  const judged = entry.rules.map((rule) => [rule, ruleOutcome(rule, entry, user)] as const);
  const refusing = judged.find(([, outcome]) => outcome === "no");
  if (refusing)
    return broken(
      `the spoke does not admit ${shown(user)}`,
      `add ${serviceAccountUser(token)} to the rule of the spoke's AuthenticationConfiguration`,
      UNAUTHORIZED,
      where,
      seen(shown(refusing[0]), entry.source),
    );
  const open = judged.find(([, outcome]) => outcome === "unknown");
  return open
    ? unknown(`the result of a rule is not known: ${shown(open[0])}`, "write user.username in […]", where)
    : pass(`the spoke admits ${shown(user)}`, where);
}

function unpinned(one: AuthenticatorFact): SpokeReading["warnings"][number] {
  return {
    id: "subject-unpinned",
    reason: "no rule names the users, so every service account of the hub with this audience is admitted",
    evidence: [seen("jwt", one.source)],
    remedy: "add userValidationRules that name the controllers",
  };
}

/** Name of the user; not known if it is made from anything but the claim `sub` behind a prefix. */
function userName({ claim, prefix, expression }: AuthenticatorFact, token: TokenQuestion): Known<string> {
  const isOfSubject = isAbsent(expression) && is<string | undefined>(claim, "sub") === "yes";
  return isOfSubject
    ? map(prefix, (start) => (start ?? "") + serviceAccountUser(token))
    : unread("it is made from something else");
}

/** Whether a rule admits the user; one that looks at other claims is not evaluated. */
function ruleOutcome(written: Known<string>, { hasGroups }: AuthenticatorFact, user: Known<string>): Ternary {
  return match(
    all([written, user]),
    ([rule = "", username = ""]) => {
      if (UNJUDGED.test(rule)) return "unknown";
      const groups = hasGroups ? UNKNOWN_CLAIM : [];
      const answer = evaluateCel(rule, {
        user: { username, groups, uid: UNKNOWN_CLAIM, extra: UNKNOWN_CLAIM },
      });
      return answer.kind !== "value" || typeof answer.value !== "boolean"
        ? "unknown"
        : answer.value
          ? "yes"
          : "no";
    },
    () => "unknown",
  );
}

/** The claims of the token, and a function that only Google has, and an API server does not know. */
const UNJUDGED = /\bclaims\b|\.extract\s*\(/;

/** False if all rules also admit another service account of the hub. */
function namesUsers(entry: AuthenticatorFact, token: TokenQuestion): boolean {
  const user = userName(entry, { ...token, namespace: "other", name: "other" });
  return entry.rules.some((rule) => ruleOutcome(rule, entry, user) !== "yes");
}

/** The projected token at a path, in every workload of the controller. */
function tokenAt(
  { workloads, title }: Controller,
  path: Known<string>,
): { readonly answer: Answer; readonly audience: Known<string> } {
  const file = shown(path);
  const nothing = unread("the audience of the token is not known");
  const audiences = workloads.map((each) => (isKnown(path) ? audienceAt(each, file) : nothing));
  const evidence = workloads.map(({ where }) => where);
  const without = workloads.find((_, place) => audiences[place] === undefined);
  if (without)
    return {
      audience: nothing,
      answer: broken(
        `${without.pods.title} has no service account token at ${file}`,
        "mount a projected volume with a serviceAccountToken there",
        `can't open ${file}: no such file`,
        evidence,
      ),
    };
  const audience = one(audiences.map((each) => each ?? nothing));
  if (isKnown(audience))
    return { audience, answer: pass(`its pods have a token for ${shown(audience)} at ${file}`, evidence) };
  const answer =
    workloads.length === 0
      ? unknown(`no workload of ${title} was read`, "also give explain its manifest")
      : unknown(
          `the audience of the token at ${file} cannot be determined`,
          "write the audience that the spoke accepts into the volume",
          evidence,
        );
  return { audience, answer };
}

/** The value that all have; not known if they differ. */
function one(values: readonly Known<string>[]): Known<string> {
  const [first = unread("there is none")] = values;
  return values.every((each) => same(each, first) === "yes") ? first : unread("containers differ");
}

/** If nothing shows which container runs the plugin, each must have the token; `undefined` if none has it. */
function audienceAt({ pods, container }: ControllerPods, file: string): Known<string> | undefined {
  const containers = containersOf(withFields(pods.spec, { initContainers: treeOf([]) })).filter(
    ({ name }) => container === "" || name === container,
  );
  const tokens = containers.map(
    ({ files }) => files.find(({ path, token }) => path === file && token)?.token,
  );
  if (tokens.every((token) => token === undefined))
    return containers.some(({ isOpen }) => isOpen)
      ? unread("a path is known only in the cluster")
      : undefined;
  return one(
    tokens.map((token) => {
      const none = unread("a container has no token there, or one for the API server");
      return token ? andThen(token.audience, (audience) => (audience ? known(audience) : none)) : none;
    }),
  );
}
