import { join, sep } from "node:path";
import { fail } from "../errors";
import type { Answer } from "../explain/answer";
import type { CheckId } from "../explain/check-ids";
import type { DeclaredIdentity } from "../explain/cloud";
import { cloudsOf, insideOf } from "../explain/explainer";
import type { PullResult } from "../explain/pull-result";
import { STACK_FILE } from "../explain/read/input-files";
import { type Verdict, compareVerdicts } from "../explain/result";
import { type Known, known, same, shown } from "../model/known";
import { isLate } from "../model/late";
import { type ObjectKind, checkGiven, object, optional, text } from "../model/shape";
import type { SynthesizedStack } from "./synth-stack";
import { renderText } from "../explain/render/text";
import { placeholdersIn } from "../artefact/placeholder";
import type { WorkloadIdentityFile } from "../artefact/workload-identity-file";

/** The claims of a service account token that clouds compare. */
export interface TokenClaims {
  /**
   * The issuer.
   *
   * @defaultValue - the issuer of the stack's cluster, which only apply tells where the stack publishes it
   */
  readonly iss?: string;
  /** The subject, `system:serviceaccount:<namespace>:<name>` for a service account. */
  readonly sub: string;
  /** The audience; tokens that a kubelet requests have one. */
  readonly aud: string;
}

/** A token that a test asks about. */
export interface ExpectedToken extends TokenClaims {
  /**
   * The identity to ask: its Terraform address, its name or, for a role, its ARN.
   *
   * @defaultValue - every role, federated identity credential and pool provider that the stack declares
   */
  readonly identity?: string;
}

const EXPECTED_TOKEN: ObjectKind<ExpectedToken> = object({
  iss: optional(text),
  sub: text,
  aud: text,
  identity: optional(text),
});

type Link = Pick<Answer, "status" | "reason"> & { readonly id: CheckId };

/**
 * Whether some identity of the stack admits the token. An OIDC provider of AWS that the stack only adopts is presumed
 * to exist.
 */
export function allowsAssume(stack: SynthesizedStack, token: ExpectedToken): Finding {
  const judged = judge(stack, token);
  return {
    holds: judged.identities.some(({ verdict }) => verdict === "allowed"),
    text: described(token, judged),
  };
}

/**
 * Whether every identity of the stack refuses the token; false if one may admit it, or if the stack declares no
 * identity.
 */
export function rejectsAssume(stack: SynthesizedStack, token: ExpectedToken): Finding {
  const judged = judge(stack, token);
  return {
    holds: judged.identities.length > 0 && judged.identities.every(({ verdict }) => verdict === "denied"),
    text: described(token, judged),
  };
}

function judge(stack: SynthesizedStack, token: ExpectedToken) {
  checkGiven("the expected token", EXPECTED_TOKEN, token, "token");
  for (const claim of ["iss", "sub", "aud"] as const) {
    const value = token[claim];
    if (value === undefined) continue;
    if (value === "" || value !== value.trim() || isLate(value))
      fail("testing-invalid", {
        problem: `claim ${claim} of the token is not a literal text`,
        value,
        allowed: "iss, sub and aud, each one text without white space around it",
        remedy: "write the claim exactly as the token has it",
      });
  }
  const tokenIssuer = token.iss === undefined ? issuerOf(stack) : known(token.iss);
  const claims = { issuer: tokenIssuer, subject: token.sub, audience: token.aud };
  const identities = named(identitiesOf(stack), token.identity).map(({ address, trust }) => {
    const { issuer, audience, subject } = trust(claims);
    const links: readonly Link[] = [
      { id: "issuer-trusted", status: issuer.status, reason: issuer.reason },
      { id: "audience-accepted", status: audience.status, reason: audience.reason },
      { id: "subject-admitted", status: subject.status, reason: subject.reason },
    ];
    return { address, links, verdict: verdictOf(links) };
  });
  return { issuer: tokenIssuer, identities };
}

/** The one issuer of the stack's clusters, as its files state it. */
function issuerOf({ name, explainer }: SynthesizedStack): Known<string> {
  const issuers = insideOf(explainer)
    .facts.clusters.filter(({ stack }) => stack === name)
    .map(({ issuer }) => issuer);
  const [first] = issuers;
  return first !== undefined && issuers.every((each) => same(each, first) === "yes")
    ? first
    : fail("testing-invalid", {
        problem: "the token states no issuer, and the stack does not have exactly one",
        value: issuers.map(shown).join(", ") || "none",
        allowed: "iss left out only in a stack with one cluster, or with clusters of one issuer",
        remedy: "write the issuer of the token as iss",
      });
}

/** The roles, federated identity credentials and pool providers that the stack declares. */
function identitiesOf({ explainer, dir }: SynthesizedStack): readonly DeclaredIdentity[] {
  const file = join(dir, STACK_FILE);
  return cloudsOf(explainer).flatMap(({ identities }) =>
    identities.filter(({ source }) => source.file === file),
  );
}

function named(all: readonly DeclaredIdentity[], identity: string | undefined): readonly DeclaredIdentity[] {
  if (identity === undefined) return all;
  const matching = all.filter(({ names }) => names.includes(identity));
  return matching.length > 0
    ? matching
    : fail("testing-unknown", {
        problem: "no identity of that name is declared in the stack",
        value: identity,
        allowed: all.map(({ address }) => address).join(", ") || "none is declared",
        remedy: "name one of them, or leave identity out",
      });
}

function verdictOf(links: readonly Link[]): Verdict {
  if (links.some(({ status }) => status === "fail")) return "denied";
  return links.every(({ status }) => status === "pass") ? "allowed" : "unknown";
}

const STATUS_WIDTH = 8;

function described({ sub, aud }: ExpectedToken, { issuer, identities }: ReturnType<typeof judge>): string {
  const sorted = [...identities].sort((one, other) => compareVerdicts(other.verdict, one.verdict));
  const lines = sorted.flatMap(({ address, verdict, links }) => [
    `${verdict}  ${address}`,
    ...links.map(({ id, status, reason }) => `  ${status.padEnd(STATUS_WIDTH)}${id}: ${reason}`),
  ]);
  const found = sorted[0]?.verdict ?? "not judged, because the stack declares no identity";
  return `the token of ${sub} (issuer ${shown(issuer)}, audience ${aud}) is ${found}\n\n${lines.join("\n")}\n`;
}

/** A pull that a test asks about. */
export interface ExpectedPull {
  /** The service account, `namespace/name`. */
  readonly serviceAccount: string;
  /** The image as a pod names it. */
  readonly image: string;
}

const EXPECTED_PULL: ObjectKind<ExpectedPull> = object({
  serviceAccount: text,
  image: text,
});

/** A pull that a test expects to be denied. */
export interface ExpectedDenial extends ExpectedPull {
  /**
   * The check that must be the first to fail.
   *
   * @defaultValue - any
   */
  readonly check?: CheckId;
}

const EXPECTED_DENIAL: ObjectKind<ExpectedDenial> = object({
  ...EXPECTED_PULL.shape,
  check: optional(text),
});

/**
 * Whether every link of the pull holds. False for a pull that works only with the node's identity, and for one that
 * the verifier cannot determine.
 */
export function allowsPull(stack: SynthesizedStack, pull: ExpectedPull): Finding {
  checkGiven("allowsPull()", EXPECTED_PULL, pull, "pull");
  const results = resultsOf(stack, pull);
  return {
    holds: results.every(({ verdict }) => verdict === "allowed"),
    text: explanation(stack, pull, results, ""),
  };
}

/** Whether a link of the pull is broken, and the named one is the first; `unknown` is not a denial. */
export function deniesPull(stack: SynthesizedStack, pull: ExpectedDenial): Finding {
  checkGiven("deniesPull()", EXPECTED_DENIAL, pull, "pull");
  const results = resultsOf(stack, pull);
  const { check } = pull;
  const failed = results.map(firstFailed);
  const failing = check === undefined ? "" : `, first failing check ${failed.join(", ") || "none"}`;
  return {
    holds:
      results.every(({ verdict }) => verdict === "denied") &&
      (check === undefined || failed.every((id) => id === check)),
    text: explanation(stack, pull, results, failing),
  };
}

function resultsOf(
  stack: SynthesizedStack,
  { serviceAccount, image }: ExpectedPull,
): readonly [PullResult, ...PullResult[]] {
  const [first, ...others] = stack.explain({ serviceAccount, image });
  // A selection with service account and image always asks one question of the stack's cluster.
  if (first === undefined) throw new RangeError("the verifier gave no result");
  return [first, ...others];
}

function firstFailed({ checks }: PullResult): CheckId | "none" {
  return checks.find(({ status }) => status === "fail")?.id ?? "none";
}

function explanation(
  { outdir }: SynthesizedStack,
  { serviceAccount, image }: ExpectedPull,
  results: readonly PullResult[],
  addition: string,
): string {
  // The folder differs from run to run.
  const chain = [...renderText(results, { verbose: true })].join("").replaceAll(outdir + sep, "");
  const verdicts = results.map(({ verdict }) => verdict).join(", ");
  return `the pull of ${image} by ${serviceAccount} is ${verdicts}${addition}\n\n${chain}`;
}

/** Whether the manifests and node files are final at synth, so that `bind` is not needed. */
export function hasNoLateValues(stack: SynthesizedStack): Finding {
  const placeholders = stack.identity?.placeholders ?? {};
  const late = stack.manifestFiles.flatMap((file) =>
    stack
      .text(file)
      .split("\n")
      .flatMap((line, index) => lateIn(line, placeholders).map((what) => `  ${file}:${index + 1}: ${what}`)),
  );
  const count = late.length === 1 ? "1 late value" : `${late.length} late values`;
  return {
    holds: late.length === 0,
    text:
      late.length === 0
        ? `${stack.name} holds no late value`
        : `${stack.name} holds ${count}\n\n${late.join("\n")}\n`,
  };
}

function lateIn(line: string, placeholders: WorkloadIdentityFile["placeholders"]): readonly string[] {
  const references = placeholdersIn(line).map((each) => {
    const entry = placeholders[each];
    if (entry === undefined) return each;
    if ("expression" in entry) return entry.expression;
    const within = [...new Set(placeholdersIn(entry.text))].join(", ");
    return `${entry.encoding} of a text with ${within}`;
  });
  return isLate(line) ? [...references, line.trim()] : references;
}

/** What a function for tests found; matchers only wrap it. */
export interface Finding {
  /** True where the expectation holds. */
  readonly holds: boolean;
  /** One line that says what was found, and below it the chain; the same whether it holds or not. */
  readonly text: string;
}
