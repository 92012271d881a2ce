/*
 * What access entries and access policies of EKS let people and programs do. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access (creating-access-entries.adoc, access-policy-reference.adoc).
 */

import { isLateText } from "../../facts/terraform";
import { EKS_ACCESS_POLICIES } from "../../../rules/aws/eks-access-policies";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";

/** An access policy of an entry. */
export interface EntryPolicy {
  /** Its ARN, a late one as reference. */
  readonly arn: string;
  /** Where it is associated. */
  readonly source: Source;
}

const ARN = /^arn:([a-z-]+):eks::aws:cluster-access-policy\/(.+)$/;

/**
 * True for the type of entries that let somebody in by rights of their own; the others are for nodes. `undefined` where
 * only apply tells it.
 */
export function isStandard(type: string): boolean | undefined {
  return isLateText(type) ? undefined : type === "" || type === "STANDARD";
}

/** Whether one of the policies gives rights; `undefined` without policies. */
export function judgedPolicies(
  policies: readonly EntryPolicy[],
  partition: string | undefined,
): Answer | undefined {
  if (policies.length === 0) return undefined;
  const read = policies.map(({ arn, source }) => {
    const [, of, name = arn] = ARN.exec(arn) ?? [];
    const isForeign = of !== undefined && partition !== undefined && of !== partition;
    return { name, source, isForeign, isKnown: EKS_ACCESS_POLICIES.some((each) => each === name) };
  });
  const evidence = read.map(({ source }) => seen("access policy", source));
  const names = read.map(({ name }) => (isLateText(name) ? "one that Terraform tells" : name)).join(", ");
  if (read.some(({ isKnown, isForeign }) => isKnown && !isForeign))
    return pass(`access policies of the entry: ${names}`, ...evidence);
  return read.every(({ isForeign }) => isForeign)
    ? broken(
        `the access policies of the entry, ${names}, are of another partition than the role`,
        `write arn:${partition ?? "aws"}:eks::aws:cluster-access-policy/…`,
        "The policyArn parameter format is not valid",
        ...evidence,
      )
    : unknown(
        `what the access policies of the entry, ${names}, allow is not known here`,
        `associate one of ${EKS_ACCESS_POLICIES.join(", ")}, or give the entry groups`,
        ...evidence,
      );
}
