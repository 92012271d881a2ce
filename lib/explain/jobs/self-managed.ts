/*
 * Spokes that take the hub's own tokens: whether the pods have the token, whether the API servers of the spoke take it,
 * and as whom. Source: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver.
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  isKnown,
  known,
  map,
  match,
  or,
  orElse,
  same,
  shown,
  unread,
} from "../../model/known";
import { at, text } from "../../model/parsed";
import { treeOf } from "../../model/tree";
import { isOwnInEachCluster } from "../../rules/fleet/spoke-issuer";
import { profileProviders } from "../../rules/fleet/resolve-exec";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AccountReading, FleetWarning, SpokeReading, TokenQuestion, TrustAnswer } from "../cloud";
import type { ClusterArtefacts } from "../read/facts";
import { lateName } from "../read/late-text";
import type { AuthenticatorFact, SpokeFact } from "../read/spoke-facts";
import { containersOf } from "../shared/pods";
import { boundAnswer } from "../shared/spokes";
import type { Controller, ControllerPods } from "./fleet-controllers";
import { profileDocument, withFields } from "./fleet-profile";
import { namesUsers, ruleOutcome, subjectOf, userName } from "./spoke-users";

/** What a spoke without a cloud says of a controller. */
export interface SelfManagedReading {
  /** Whether its pods have the token. */
  readonly reading: AccountReading;
  /** Whether the API server takes it. */
  readonly trust: TrustAnswer;
  /** Whether it may do something. */
  readonly spoke: SpokeReading;
  /** Name of the user on the spoke; `undefined` where none is let in or it is not known. */
  readonly user: string | undefined;
}

/** Key of spokes that take the hub's own tokens, as the plugin's table has it. */
export const SELF_MANAGED: "kubernetes" = "kubernetes";

/** What a client of the spoke sees, whatever the API server does not take, the issuer's documents too. */
export const UNAUTHORIZED: string = "Unauthorized";

const READ_IT =
  "name the AuthenticationConfiguration of the spoke's API servers as well, in a file or folder of the spoke's name";

/** Judges the token that the plugin reads, at the spoke's API server. */
export function selfManaged(
  controller: Controller,
  spokeName: string,
  file: Known<string>,
  issuer: Known<string>,
  spoke: SpokeFact,
): SelfManagedReading {
  const { answer, audience } = tokenAt(controller, file);
  const { authenticators, refused } = spoke;
  const ofIssuer = authenticators.filter((each) => same(each.issuer, issuer) === "yes");
  const takes = ofIssuer.map((each) => ({ each, takes: takesAudience(each, audience) }));
  const one = takes.find((row) => row.takes === "yes")?.each;
  const [namespace = "", name = ""] = controller.account.split("/");
  const token: TokenQuestion = { namespace, name, issuer, audience };
  const user = one ? userName(one, token) : unread("no entry takes the token");
  const subject = subjectAnswer(one, user, token);
  return {
    reading: {
      answer: pass("the controller enters with its service account's own token"),
      identity: undefined,
      pods: answer,
      audiences: isKnown(audience) ? [audience] : [],
    },
    trust: {
      issuer: refusedAnswer(refused) ?? issuerAnswer(issuer, authenticators, ofIssuer),
      audience: audienceAnswer(audience, takes),
      subject,
    },
    spoke: {
      admitted: one
        ? pass("the spoke's API servers take the token", seen("jwt", one.source))
        : unknown("whether the spoke takes the token is not known", READ_IT),
      authorized: isKnown(user)
        ? boundAnswer(spokeName, { users: [user], groups: [] }, spoke)
        : unknown("the name of the user on the spoke is not known", READ_IT),
      warnings: one && !namesUsers(one, token) ? [unpinned(one)] : [],
    },
    user: subject.status === "fail" ? undefined : orElse<string, undefined>(user, () => undefined),
  };
}

function takesAudience({ audiences }: AuthenticatorFact, audience: Known<string>): Ternary {
  return match(
    audiences,
    (texts) => or(...texts.map((each) => same(each, audience))),
    () => "unknown" as const,
  );
}

/** An API server does not start with it, and one that runs keeps what it had. */
function refusedAnswer(refused: SpokeFact["refused"]): Answer | undefined {
  const [first] = refused;
  if (!first) return undefined;
  return broken(
    `the spoke's API servers do not take the AuthenticationConfiguration: it ${first.problem}`,
    "correct the file",
    "invalid authentication configuration",
    ...refused.map(({ problem, source }) => seen(problem, source)),
  );
}

function issuerAnswer(
  issuer: Known<string>,
  every: readonly AuthenticatorFact[],
  ofIssuer: readonly AuthenticatorFact[],
): Answer {
  const [found, ...others] = ofIssuer;
  const where = ofIssuer.map((each) => seen("issuer.url", each.source));
  // A configuration names an issuer once, so that a second one is of another server.
  if (found && others.some((each) => sameEntry(each, found) !== "yes"))
    return unknown("the spoke's API servers do not take the issuer's tokens alike", READ_IT, ...where);
  if (found)
    return orElse(map(issuer, isOwnInEachCluster), () => false)
      ? ownIssuerAnswer(shown(issuer), found)
      : pass(`the spoke trusts the issuer ${shown(issuer)}`, seen("issuer.url", found.source));
  if (
    match(
      issuer,
      () => false,
      ({ kind }) => kind !== "apply",
    )
  )
    return unknown("the issuer of the hub is not known", "state cluster.issuer with --facts");
  if (every.length === 0) return unknown("no AuthenticationConfiguration of the spoke was read", READ_IT);
  const evidence = every.map((each) => seen(`trusts ${shown(each.issuer)}`, each.source));
  if (every.some((each) => same(each.issuer, issuer) === "unknown"))
    return unknown(
      "whether the spoke trusts the issuer is known only after apply",
      "bind the outputs",
      ...evidence,
    );
  return broken(
    `the spoke does not trust the issuer ${shown(issuer)}`,
    "add exactly the issuer to jwt of the spoke's AuthenticationConfiguration",
    UNAUTHORIZED,
    ...evidence,
  );
}

/** The spoke asks itself for the keys; elsewhere it finds them, and does not start where the issuer is its own. */
function ownIssuerAnswer(issuer: string, { discoveryUrl, source }: AuthenticatorFact): Answer {
  const isOwn = orElse(discoveryUrl, () => "") === undefined;
  const where = seen(isOwn ? "issuer.url" : `discoveryURL ${shown(discoveryUrl)}`, source);
  const remedy = "give the hub an issuer of its own that spokes reach, with --service-account-issuer";
  return isOwn
    ? broken(`the issuer ${issuer} is the spoke itself, which has other keys`, remedy, UNAUTHORIZED, where)
    : unknown(
        `whether ${issuer} is the spoke's own issuer as well is not known; it would not start`,
        remedy,
        where,
      );
}

function audienceAnswer(
  audience: Known<string>,
  entries: readonly { readonly each: AuthenticatorFact; readonly takes: Ternary }[],
): Answer {
  const found = entries.find(({ takes }) => takes === "yes")?.each;
  if (found)
    return pass(`the spoke takes tokens for ${shown(audience)}`, seen("issuer.audiences", found.source));
  const evidence = entries.map(({ each: { audiences, source } }) => {
    const texts = orElse(audiences, () => [] as const);
    return seen(`takes ${texts.map(shown).join(", ")}`, source);
  });
  if (entries.length === 0 || entries.some(({ takes }) => takes === "unknown"))
    return unknown("the audience of the token is not known", "see the checks before", ...evidence);
  return broken(
    `the token is for ${shown(audience)}, which the spoke does not take`,
    "project the token with the audience of the spoke",
    UNAUTHORIZED,
    ...evidence,
  );
}

function subjectAnswer(
  one: AuthenticatorFact | undefined,
  user: Known<string>,
  token: TokenQuestion,
): Answer {
  if (!one) return unknown("who is let in is not known", "see the checks before");
  if (!isKnown(user))
    return unknown(
      "what makes the user's name cannot be told",
      "make it of the claim sub",
      seen("claimMappings", one.source),
    );
  const where = seen("userValidationRules", one.source);
  const judged = one.rules.map((rule) => [rule, ruleOutcome(rule, one, user, token)] as const);
  const refusing = judged.find(([, outcome]) => outcome === "no");
  if (refusing)
    return broken(
      `the spoke does not let ${shown(user)} in`,
      `add ${subjectOf(token)} to the rule of the spoke's AuthenticationConfiguration`,
      UNAUTHORIZED,
      where,
      seen(shown(refusing[0]), one.source),
    );
  const open = judged.find(([, outcome]) => outcome === "unknown");
  return open
    ? unknown(`what a rule says cannot be told: ${shown(open[0])}`, "write user.username in […]", where)
    : pass(`the spoke lets ${shown(user)} in`, where);
}

function unpinned(one: AuthenticatorFact): FleetWarning {
  return {
    id: "subject-unpinned",
    reason: "no rule names the users, so that every service account of the hub with this audience gets in",
    evidence: [seen("jwt", one.source)],
    remedy: "add userValidationRules that name the controllers",
  };
}

/** Whether two entries take the same tokens alike. */
function sameEntry(one: AuthenticatorFact, other: AuthenticatorFact): Ternary {
  if (one === other) return "yes";
  return and(
    same(one.issuer, other.issuer),
    same(one.discoveryUrl, other.discoveryUrl),
    same(one.prefix, other.prefix),
    same(one.claim, other.claim),
    same(one.expression, other.expression),
    sameTexts(
      orElse(one.audiences, () => UNREAD),
      orElse(other.audiences, () => UNREAD),
    ),
    sameTexts(one.rules, other.rules),
    one.hasGroups === other.hasGroups ? "yes" : "no",
  );
}

const UNREAD: readonly Known<string>[] = [unread("the audiences are not known")];

function sameTexts(some: readonly Known<string>[], others: readonly Known<string>[]): Ternary {
  if (some.length !== others.length) return "no";
  return and(...some.map((each, place) => same(each, others[place] ?? each)));
}

interface TokenFile {
  readonly answer: Answer;
  readonly audience: Known<string>;
}

/** The projected token at a path, in every workload of the controller. */
function tokenAt({ workloads, title }: Controller, path: Known<string>): TokenFile {
  const nothing = unread("the audience of the token is not known");
  if (workloads.length === 0)
    return {
      audience: nothing,
      answer: unknown(`no workload of ${title} was read`, "name its manifest as well"),
    };
  const evidence = workloads.map(({ pods }) => seen(pods.title, pods.source));
  const file = shown(path);
  const found = workloads.map((each) => ({
    title: each.pods.title,
    audience: isKnown(path) ? audienceAt(each, file) : nothing,
  }));
  const without = found.find(({ audience }) => audience === undefined);
  if (without)
    return {
      audience: nothing,
      answer: broken(
        `${without.title} has no service account token at ${file}`,
        "mount a projected volume with a serviceAccountToken there",
        `can't open ${file}: no such file`,
        ...evidence,
      ),
    };
  const audience = one(found.map((each) => each.audience ?? nothing));
  return { audience, answer: audienceTold(audience, file, evidence) };
}

function audienceTold(audience: Known<string>, file: string, evidence: readonly Evidence[]): Answer {
  return isKnown(audience)
    ? pass(`its pods have a token for ${shown(audience)} at ${file}`, ...evidence)
    : unknown(
        `for which audience the token at ${file} is cannot be told`,
        "write the audience that the spoke takes into the volume",
        ...evidence,
      );
}

/** The one value of several; not known where they differ. */
function one(values: readonly Known<string>[]): Known<string> {
  const [first = unread("there is none")] = values;
  return values.every((each) => same(each, first) === "yes") ? first : unread("containers differ");
}

/** Where nothing says which container runs the plugin, each must have the token; `undefined` where none has it. */
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
    tokens.map((token) =>
      token === undefined
        ? unread("a container has no token there")
        : andThen(token.audience, (audience) =>
            audience === undefined || audience === ""
              ? unread("the audience is that of the API server")
              : known(audience),
          ),
    ),
  );
}

/**
 * What the stacks that were read write for API servers, by the address of these: they have one AuthenticationConfiguration,
 * so that of two stacks that each write one, the spoke has only one.
 */
export class SpokeFiles {
  readonly #byServer = new Map<string, Map<string, readonly AuthenticatorFact[]>>();

  /** Notes every recorded spoke that takes the hub's own tokens. */
  constructor(clusters: readonly ClusterArtefacts[]) {
    for (const { stack, cluster, fleet, spokes } of clusters)
      for (const { profile: key, cloud } of cluster.fleet?.spokes ?? []) {
        const profile = fleet.profiles.find((each) => each.key === key);
        if (cloud !== SELF_MANAGED || !profile) continue;
        for (const provider of profileProviders(profileDocument(profile).plain).values()) {
          const server = text(at(provider, "cluster", "server"));
          const stacks = this.#byServer.get(server) ?? new Map<string, readonly AuthenticatorFact[]>();
          this.#byServer.set(server, stacks.set(stack, spokes.of(profile.name).authenticators));
        }
      }
  }

  /** The answer where another stack writes a file that does not have all of this one's entries. */
  contested(server: Known<string>, stack: string, written: readonly AuthenticatorFact[]): Answer | undefined {
    const others = [...(this.#byServer.get(lateName(server)) ?? [])].filter(([name]) => name !== stack);
    const first = others.find(
      ([, theirs]) => !written.every((entry) => theirs.some((other) => sameEntry(other, entry) === "yes")),
    );
    if (!first) return undefined;
    const [name, [entry]] = first;
    return unknown(
      `the stack ${name} writes another AuthenticationConfiguration for the same API servers, and only one of the files can be there`,
      "put the entries of both hubs into both files (additionalAuthenticators)",
      ...[...written.slice(0, 1), ...(entry ? [entry] : [])].map((each) =>
        seen("AuthenticationConfiguration", each.source),
      ),
    );
  }
}
