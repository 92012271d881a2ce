/*
 * Whether the role that a component's Secret names is in the account and partition of the cluster: those of the role as
 * it is declared, and of the Secrets beside it.
 */

import { type Answer, broken, seen, unknown } from "../../answer";
import type { SecretFact } from "../../facts/component-facts";
import { isAwsSecret, roleArnOf } from "./component-secret";
import type { RoleFact } from "./role-fact";

const ARN = /^arn:([a-z-]+):iam::(\d{12}):role\//;
const AS_OTHERS = "write the ARN that Terraform tells of the role";

/** What speaks against it; `undefined` where nothing does. */
export function homeAnswer(
  secret: SecretFact,
  arn: string,
  role: RoleFact | undefined,
  beside: ReadonlyMap<string, SecretFact>,
): Answer | undefined {
  const [, partition, account] = ARN.exec(arn) ?? [];
  if (role === undefined || partition === undefined || account === undefined) return undefined;
  const where = seen(`Secret ${secret.key}`, secret.source);
  if (role.partition !== undefined && role.partition !== partition)
    return broken(
      `the Secret names the role ${arn} of partition ${partition}, and Terraform declares it in ${role.partition}`,
      AS_OTHERS,
      undefined,
      where,
      seen("IAM role", role.source),
    );
  // An account that is known was compared when the role was looked for.
  if (role.account !== "") return undefined;
  const rival = rivalOf(`${partition}:${account}`, secret, beside);
  return (
    rival &&
    unknown(
      `the Secret names the role ${arn}, and that of ${rival.key} is ${roleArnOf(rival)}`,
      `${AS_OTHERS}, or limit its Terraform provider to one account (allowed_account_ids)`,
      where,
      seen(`Secret ${rival.key}`, rival.source),
    )
  );
}

/** One of the other Secrets where more of them agree on another place than on this one. */
function rivalOf(
  own: string,
  { key }: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
): SecretFact | undefined {
  const counts = new Map<string, SecretFact[]>();
  for (const other of beside.values()) {
    if (other.key === key || !isAwsSecret(other)) continue;
    const [, partition, account] = ARN.exec(roleArnOf(other)) ?? [];
    const place = account === undefined ? undefined : `${partition}:${account}`;
    if (place !== undefined) counts.set(place, [...(counts.get(place) ?? []), other]);
  }
  const alike = counts.get(own)?.length ?? 0;
  counts.delete(own);
  const [most = []] = [...counts.values()].sort((one, other) => other.length - one.length);
  return most.length > alike ? most[0] : undefined;
}
