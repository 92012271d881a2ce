import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { type Verdict, compareVerdicts } from "../../explain/verdict";
import type { Finding } from "../finding";
import type { SynthesizedStack } from "../synthesized-stack";
import { awsRoles } from "./aws-roles";
import { azureCredentials } from "./azure-credentials";
import { googlePoolProviders } from "./google-pool-providers";
import {
  type AssumeLink,
  type ReadIdentities,
  type TokenClaims,
  type TrustingIdentity,
  TOKEN_CLAIMS,
} from "./identity";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";

/** A token that a test speaks of. */
export interface ExpectedToken extends TokenClaims {
  /**
   * The identity: Terraform address, name or, for a role, ARN.
   *
   * @defaultValue - every role, federated identity credential and pool provider that the stack declares
   */
  readonly identity?: string;
}

const EXPECTED_TOKEN: ObjectKind<ExpectedToken> = object({
  ...TOKEN_CLAIMS.shape,
  identity: optional(text),
});

/** The clouds; one more is one more line. */
const READERS: readonly ReadIdentities[] = [awsRoles, azureCredentials, googlePoolProviders];

interface Judged {
  readonly address: string;
  readonly verdict: Verdict;
  readonly links: readonly AssumeLink[];
}

/**
 * Whether some identity of the stack admits the token. An OIDC provider of AWS that the stack only adopts is presumed
 * to be there. Throws `testing-claims-invalid` or `testing-identity-unknown`.
 */
export function allowsAssume(stack: SynthesizedStack, token: ExpectedToken): Finding {
  const judged = judge(stack, token);
  return { holds: judged.some(({ verdict }) => verdict === "allowed"), text: told(token, judged) };
}

/**
 * Whether every identity of the stack refuses the token: where one may admit it, or where the stack declares none, the
 * answer is no. Throws `testing-claims-invalid` or `testing-identity-unknown`.
 */
export function rejectsAssume(stack: SynthesizedStack, token: ExpectedToken): Finding {
  const judged = judge(stack, token);
  return {
    holds: judged.length > 0 && judged.every(({ verdict }) => verdict === "denied"),
    text: told(token, judged),
  };
}

function judge(stack: SynthesizedStack, token: ExpectedToken): readonly Judged[] {
  checkGiven("the expected token", EXPECTED_TOKEN, token, "token");
  for (const claim of ["iss", "sub", "aud"] as const) {
    const value = token[claim];
    if (value === "" || value !== value.trim() || isLate(value)) fail("testing-claims-invalid", claim, value);
  }
  return named(stack, token.identity).map(({ address, admits }) => {
    const links = admits(token);
    return { address, links, verdict: verdictOf(links) };
  });
}

function named(stack: SynthesizedStack, identity: string | undefined): readonly TrustingIdentity[] {
  const { resources, configurationFile } = stack;
  const all = READERS.flatMap((read) =>
    read(resources, (type) =>
      resources.ofType(type).filter(({ adopted, source }) => !adopted && source.file === configurationFile),
    ),
  );
  if (identity === undefined) return all;
  const found = all.filter(({ names }) => names.includes(identity));
  return found.length > 0
    ? found
    : fail(
        "testing-identity-unknown",
        identity,
        all.map(({ address }) => address),
      );
}

function verdictOf(links: readonly AssumeLink[]): Verdict {
  if (links.some(({ status }) => status === "fail")) return "denied";
  return links.every(({ status }) => status === "pass") ? "allowed" : "unknown";
}

const STATUS_WIDTH = 8;

function told({ iss, sub, aud }: ExpectedToken, judged: readonly Judged[]): string {
  const lines = [...judged]
    .sort((one, other) => compareVerdicts(other.verdict, one.verdict))
    .flatMap(({ address, verdict, links }) => [
      `${verdict}  ${address}`,
      ...links.map(({ id, status, reason }) => `  ${status.padEnd(STATUS_WIDTH)}${id}: ${reason}`),
    ]);
  const best = judged
    .map(({ verdict }) => verdict)
    .sort(compareVerdicts)
    .at(-1);
  const found = best === undefined ? "met by no identity, for the stack declares none" : best;
  return `the token of ${sub} (issuer ${iss}, audience ${aud}) is ${found}\n\n${lines.join("\n")}\n`;
}
