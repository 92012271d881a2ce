/*
 * What does a resource's own policy say to somebody who is no identity of IAM: everybody, or a service of AWS?
 * Source: "AWS JSON policy elements: Principal" in the IAM user guide.
 */

import { isRecord } from "../../../model/record";
import { conditionsHold } from "./conditions";
import { type AwsDecision, decideResource } from "./decide";
import { requestContext } from "./evaluate-permission";
import { type Match, any, cannotTell, no, not, yes } from "./match";
import { undefinedType } from "./principal";
import { coversAction, coversResource } from "./selection";
import { type Statement, texts } from "./statements";

/** Who asks a resource for what. */
export interface AwsOutsiderRequest {
  /**
   * The service, `cloudfront.amazonaws.com`.
   *
   * @defaultValue - somebody without credentials
   */
  readonly service?: string;
  /** The action, `s3:GetObject`. */
  readonly action: string;
  /** ARN of what is asked for. */
  readonly resource: string;
  /** Condition keys of the request; `null` for a key that it certainly lacks. */
  readonly context: Readonly<Record<string, string | null>>;
}

/**
 * Evaluates the policy of a resource, JSON text or parsed.
 *
 * Never throws. `unknown` where the policy holds a Terraform reference, or a condition that cannot be judged.
 */
export function evaluateAwsOutsider(
  policy: unknown,
  { service, action, resource, context }: AwsOutsiderRequest,
): AwsDecision {
  const known = requestContext(context);
  const { outcome, reason } = decideResource(
    policy,
    (statement) => [
      covers(statement, service),
      coversAction(statement.actions, action),
      coversResource(statement, resource, known),
      conditionsHold(statement, known),
    ],
    "the policy has no statement that allows anything",
  );
  return { outcome, reason };
}

function covers({ principal }: Statement, service: string | undefined): Match {
  if (!principal) return cannotTell("it has no Principal, which AWS refuses in a resource's policy");
  const found = covered(principal.value, service);
  return principal.negated
    ? not(found, found.holds ? "it excepts who asks" : "it is for everybody else")
    : found;
}

function covered(principal: unknown, service: string | undefined): Match {
  if (principal === "*") return yes("it is for everybody");
  if (!isRecord(principal)) return cannotTell("its Principal is neither * nor an object");
  const stray = undefinedType(principal);
  if (stray !== undefined)
    return cannotTell(`its Principal is of the kind ${stray}, which AWS does not define`);
  const named = [
    ...(texts(principal["AWS"] ?? []) ?? []).map((name) => [name, "*"] as const),
    ...(texts(principal["Service"] ?? []) ?? []).map((name) => [name, service] as const),
  ];
  return any(
    named.map(([name, asks]) => {
      if (name.includes("${")) return cannotTell("its Principal is known only after apply");
      return name === asks ? yes("it is for who asks") : no("another principal");
    }),
    service === undefined ? "its Principal is not everybody" : `its Principal is not ${service}`,
  );
}
