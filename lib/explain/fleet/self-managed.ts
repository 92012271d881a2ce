/*
 * Spokes that take the hub's own tokens. Source: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver.
 */

import { isDeepStrictEqual } from "node:util";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import { boundAnswer } from "../clouds/bound-names";
import type { AccessTrust, AccountReading } from "../clouds/cloud-access";
import type { FleetWarning, SpokeReading } from "../clouds/cloud-spokes";
import { isOwnInEachCluster } from "../../rules/fleet/spoke-issuer";
import type { PodToken } from "../clouds/pod-token";
import { containersOf } from "../clouds/pod-containers";
import type { AuthenticatorFact, SpokeFact } from "../facts/spoke-facts";
import { isLateText, sameText } from "../facts/terraform";
import type { Controller, ControllerPods } from "./controllers";
import { namesUsers, ruleOutcome, userName } from "./spoke-users";

/** What a spoke without a cloud says of a controller. */
export interface SelfManagedReading {
  /** Whether its pods have the token. */
  readonly reading: AccountReading;
  /** Whether the API server takes it. */
  readonly trust: AccessTrust;
  /** Whether it may do something. */
  readonly spoke: SpokeReading;
  /** Name of the user on the spoke; `undefined` where nobody is let in. */
  readonly user: string | undefined;
}

/** Key of spokes that take the hub's own tokens, as the plugin's table has it. */
export const SELF_MANAGED = "kubernetes";

/** What a client of the spoke sees, whatever the API server does not take, the issuer's documents too. */
export const UNAUTHORIZED = "Unauthorized";

const READ_IT =
  "name the AuthenticationConfiguration of the spoke's API servers as well, in a file or folder of the spoke's name";
/** Judges the token that the plugin reads, at the spoke's API server. */
export function selfManaged(
  controller: Controller,
  spokeName: string,
  args: readonly string[],
  issuer: string | undefined,
  spoke: SpokeFact,
): SelfManagedReading {
  const file = args.at(-1) ?? "";
  const { answer, audience } = tokenAt(controller, file);
  const subject = `system:serviceaccount:${controller.account.replace("/", ":")}`;
  const { authenticators, refused } = spoke;
  const ofIssuer = authenticators.filter((each) => issuer !== undefined && each.issuer === issuer);
  const taking = ofIssuer.filter(({ audiences }) => audience !== undefined && audiences.includes(audience));
  const [one] = taking;
  const [namespace = "", name = ""] = controller.account.split("/");
  const token: PodToken = { subject, namespace, name, issuer, audience: audience ?? "" };
  const user = one && userName(one, token);
  const admitted = subjectAnswer(one, user, token);
  const reading: AccountReading = {
    answer: pass("the controller enters with its service account's own token"),
    identity: undefined,
    pods: answer,
    audiences: audience === undefined ? [] : [audience],
  };
  return {
    reading,
    trust: {
      issuer: refusedAnswer(refused) ?? issuerAnswer(issuer, authenticators, ofIssuer),
      audience: audienceAnswer(audience, ofIssuer, taking),
      subject: admitted,
    },
    spoke: {
      admitted: one
        ? pass("the spoke's API servers take the token", seen("jwt", one.source))
        : unknown("whether the spoke takes the token is not known", READ_IT),
      authorized:
        user === undefined
          ? unknown("the name of the user on the spoke is not known", READ_IT)
          : boundAnswer(spokeName, { users: [user], groups: [] }, spoke),
      warnings: one && !namesUsers(one, token) ? [unpinned(one)] : [],
    },
    user: admitted.status === "fail" ? undefined : user,
  };
}

/** An API server does not start with it, and one that runs keeps what it had. */
function refusedAnswer([first, ...others]: SpokeFact["refused"]): Answer | undefined {
  if (!first) return undefined;
  return broken(
    `the spoke's API servers do not take the AuthenticationConfiguration: it ${first.problem}`,
    "correct the file",
    "invalid authentication configuration",
    ...[first, ...others].map(({ problem, source }) => seen(problem, source)),
  );
}

function issuerAnswer(
  issuer: string | undefined,
  all: readonly AuthenticatorFact[],
  ofIssuer: readonly AuthenticatorFact[],
): Answer {
  if (issuer === undefined) return unknown("the issuer of the hub is not known", "state it with --cluster");
  const [found, ...others] = ofIssuer;
  const where = ofIssuer.map((each) => seen("issuer.url", each.source));
  // A configuration names an issuer once, so that a second one is of another server.
  if (others.some((each) => !isDeepStrictEqual({ ...each, source: found?.source }, found)))
    return unknown("the spoke's API servers do not take the issuer's tokens alike", READ_IT, ...where);
  if (found && isOwnInEachCluster(issuer)) return ownIssuerAnswer(issuer, found);
  if (found) return pass(`the spoke trusts the issuer ${issuer}`, seen("issuer.url", found.source));
  if (all.length === 0) return unknown("no AuthenticationConfiguration of the spoke was read", READ_IT);
  const evidence = all.map((each) => seen(`trusts ${each.issuer}`, each.source));
  if (all.some((each) => sameText(each.issuer, issuer) === "unknown"))
    return unknown(
      "whether the spoke trusts the issuer is known only after apply",
      "bind the outputs",
      ...evidence,
    );
  return broken(
    `the spoke does not trust the issuer ${issuer}`,
    "add the issuer to jwt of the spoke's AuthenticationConfiguration, to the letter",
    UNAUTHORIZED,
    ...evidence,
  );
}

/** The spoke asks itself for the keys; elsewhere it finds them, and does not start where the issuer is its own. */
function ownIssuerAnswer(issuer: string, { discoveryUrl, source }: AuthenticatorFact): Answer {
  const where = seen(discoveryUrl === "" ? "issuer.url" : `discoveryURL ${discoveryUrl}`, source);
  const remedy = "give the hub an issuer of its own that spokes reach, with --service-account-issuer";
  return discoveryUrl === ""
    ? broken(`the issuer ${issuer} is the spoke itself, which has other keys`, remedy, UNAUTHORIZED, where)
    : unknown(
        `whether ${issuer} is the spoke's own issuer as well is not known; it would not start`,
        remedy,
        where,
      );
}

function audienceAnswer(
  audience: string | undefined,
  ofIssuer: readonly AuthenticatorFact[],
  taking: readonly AuthenticatorFact[],
): Answer {
  const [found] = taking;
  if (found)
    return pass(`the spoke takes tokens for ${audience ?? ""}`, seen("issuer.audiences", found.source));
  const evidence = ofIssuer.map(({ audiences, source }) => seen(`takes ${audiences.join(", ")}`, source));
  if (audience === undefined || ofIssuer.length === 0)
    return unknown("the audience of the token is not known", "see the checks before", ...evidence);
  return broken(
    `the token is for ${audience}, which the spoke does not take`,
    "project the token with the audience of the spoke",
    UNAUTHORIZED,
    ...evidence,
  );
}

function subjectAnswer(
  one: AuthenticatorFact | undefined,
  user: string | undefined,
  token: PodToken,
): Answer {
  if (!one) return unknown("who is let in is not known", "see the checks before");
  if (user === undefined)
    return unknown(
      "what makes the user's name cannot be told",
      "make it of the claim sub",
      seen("claimMappings", one.source),
    );
  const where = seen("userValidationRules", one.source);
  const judged = one.rules.map((rule) => [rule, ruleOutcome(rule, one, user, token)] as const);
  const refusing = judged.find(([, outcome]) => outcome === false);
  if (refusing)
    return broken(
      `the spoke does not let ${user} in`,
      `add ${token.subject} to the rule of the spoke's AuthenticationConfiguration`,
      UNAUTHORIZED,
      where,
      seen(refusing[0], one.source),
    );
  const open = judged.find(([, outcome]) => outcome === undefined);
  return open
    ? unknown(`what a rule says cannot be told: ${open[0]}`, "write user.username in […]", where)
    : pass(`the spoke lets ${user} in`, where);
}

function unpinned(one: AuthenticatorFact): FleetWarning {
  return {
    id: "subject-unpinned",
    reason: "no rule names the users, so that every service account of the hub with this audience gets in",
    evidence: [seen("jwt", one.source)],
    remedy: "add userValidationRules that name the controllers",
  };
}

interface TokenFile {
  readonly answer: Answer;
  readonly audience: string | undefined;
}

/** The projected token at a path, in every workload of the controller. */
function tokenAt({ workloads, title }: Controller, file: string): TokenFile {
  const found = workloads.map((each) => ({ title: each.pods.title, audience: audienceAt(each, file) }));
  const [without] = found.filter(({ audience }) => audience === undefined);
  const audiences = [...new Set(found.map(({ audience }) => audience))];
  const [audience] = audiences;
  const evidence = workloads.map(({ pods }) => seen(pods.title, pods.source));
  if (workloads.length === 0)
    return { audience, answer: unknown(`no workload of ${title} was read`, "name its manifest as well") };
  if (without)
    return {
      audience,
      answer: broken(
        `${without.title} has no service account token at ${file}`,
        "mount a projected volume with a serviceAccountToken there",
        `can't open ${file}: no such file`,
        ...evidence,
      ),
    };
  if (audience === undefined || audience === "" || audiences.length > 1 || isLateText(audience))
    return {
      audience: undefined,
      answer: unknown(
        `for which audience the token at ${file} is cannot be told`,
        "write the audience that the spoke takes into the volume",
        ...evidence,
      ),
    };
  return { audience, answer: pass(`its pods have a token for ${audience} at ${file}`, ...evidence) };
}

/** Where nobody says which container runs the plugin, each must have the token. */
function audienceAt({ pods, container }: ControllerPods, file: string): string | undefined {
  const audiences = containersOf({ ...pods.spec, initContainers: [] })
    .filter(({ name }) => container === "" || name === container)
    .map(
      ({ files }) => files.find(({ path, token }) => path === file && token !== undefined)?.token?.audience,
    );
  return audiences.every((each) => each === audiences[0]) ? audiences[0] : "";
}
