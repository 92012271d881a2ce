/*
 * A role's trust policy, read once for the questions that are asked of it.
 */

import { repeatedKey } from "../../../model/repeated-key";
import { type Json, blocks, list, record, text, texts } from "../../facts/access";

/** An OIDC provider that a trust policy lets in. */
export interface TrustedOidcProvider {
  /** ARN of the OIDC provider. */
  readonly arn: string;
  /** Partition of that ARN, `aws`. */
  readonly partition: string;
  /** The issuer without `https://`. */
  readonly hostPath: string;
  /** Account id. */
  readonly account: string;
}

/** A trust policy, taken apart. */
export interface TrustPolicy {
  /** As written. */
  readonly text: string;
  /** For the evaluator: parsed where it is a JSON object without a key twice, else as written. */
  readonly document: unknown;
  /** The OIDC providers that its statements let in, in their order. */
  readonly trusted: readonly TrustedOidcProvider[];
  /** True where a statement lets in everybody, or every OIDC provider, by `*`. */
  readonly isOpen: boolean;
  /** For the evaluator: without conditions on the subject in statements that allow. */
  readonly withoutSubject: () => unknown;
}

/** Never throws: a policy that is no JSON lets nobody in, and the evaluator says why. */
export function readTrustPolicy(policy: string): TrustPolicy {
  const document = parsed(policy);
  const statements = statementsOf(document ?? {});
  // The evaluator says of the text that it cannot be told which of the two counts.
  const isRepeating = document !== undefined && repeatedKey(policy) !== undefined;
  return {
    text: policy,
    document: isRepeating ? policy : (document ?? policy),
    trusted: statements.flatMap(trustedOf),
    isOpen: statements.some(letsEverybodyIn),
    withoutSubject: () => (isRepeating ? policy : (withoutKey(statements, ":sub") ?? document ?? policy)),
  };
}

function parsed(policy: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text(policy));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? record(value) : undefined;
  } catch {
    return undefined;
  }
}

function statementsOf({ Statement: statements }: Json): readonly Json[] {
  return Array.isArray(statements) ? list(statements).map(record) : blocks(statements);
}

const OIDC_PROVIDER = /^arn:([a-z-]+):iam::(\d{12}):oidc-provider\/(.+)$/s;

function trustedOf({ Effect: effect, Principal: principal }: Json): readonly TrustedOidcProvider[] {
  if (effect !== "Allow") return [];
  const federated = record(principal)["Federated"];
  return (typeof federated === "string" ? [federated] : texts(federated)).flatMap((arn) => {
    const [, partition, account, hostPath] = OIDC_PROVIDER.exec(arn) ?? [];
    if (partition === undefined || account === undefined || hostPath === undefined) return [];
    return [{ arn, partition, account, hostPath }];
  });
}

function letsEverybodyIn({ Effect: effect, Principal: principal }: Json): boolean {
  if (effect !== "Allow") return false;
  const { AWS: accounts, Federated: federated } = record(principal);
  return [principal, accounts, federated].some((names) => names === "*" || texts(names).includes("*"));
}

/** What the other conditions alone would say; `undefined` where there is no statement. */
function withoutKey(statements: readonly Json[], ending: string): unknown {
  if (statements.length === 0) return undefined;
  const relaxed = statements.map((statement) => {
    if (statement["Effect"] !== "Allow") return statement;
    const condition = Object.entries(record(statement["Condition"])).map(([operator, keys]) => [
      operator,
      Object.fromEntries(Object.entries(record(keys)).filter(([key]) => !key.toLowerCase().endsWith(ending))),
    ]);
    return {
      ...statement,
      Condition: Object.fromEntries(condition.filter(([, keys]) => Object.keys(record(keys)).length > 0)),
    };
  });
  return { Version: "2012-10-17", Statement: relaxed };
}
