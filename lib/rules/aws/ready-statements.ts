/*
 * How rows of ready permissions write their statements.
 */

import { checkedText } from "../names";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { type ObjectKind, object, text } from "../../model/shape";
import type { ReadyPermissions } from "../../model/workloads";
import { noArn } from "./arn";
import { partitionOf } from "./partitions";
import type { PolicyCondition, PolicyStatement } from "./policy-document";

/** Settings of software that manages resources with the tag of one cluster. */
export interface TaggedClusterProps {
  /** Region of the cluster. */
  readonly region: string;
  /** Name of the cluster as in the software's configuration; it is part of the tags. */
  readonly clusterName: string;
}

export const TAGGED_CLUSTER_PROPS: ObjectKind<TaggedClusterProps> = object({
  region: text,
  clusterName: text,
});

export type Row<Props> = ReadyPermissions<Props, readonly PolicyStatement[]>;

/** Actions of one service: `sqs:DeleteMessage GetQueueUrl`. */
function actions(text: string): readonly string[] {
  const [service = "", names] = text.split(":");
  return names === undefined ? [text] : names.split(" ").map((name) => `${service}:${name}`);
}

/** Each text names one action or, with spaces between their names, several of a service. */
export function allow(
  action: string | readonly string[],
  Resource: string | readonly string[],
  Condition?: PolicyCondition,
): PolicyStatement {
  const isOne = typeof action === "string" && !action.includes(" ");
  const Action = isOne ? action : [action].flat().flatMap(actions);
  return { Effect: "Allow", Action, Resource, ...(Condition && { Condition }) };
}

/** Resources of the region in any account: subnets may be shared, and snapshots have none. */
export function arnIn(region: string, service: string, resource: string): string {
  return `arn:${partitionOf(region).name}:${service}:${region}:*:${resource}`;
}

/** ARNs of a service and type; late ones unchanged. Throws for one that covers everything of the type. */
export function arnsOf(
  service: string,
  type: string,
  arns: readonly string[],
  what: string,
): readonly string[] {
  const region = service === "iam" ? "" : "[^:]*";
  const form = new RegExp(`^arn:[a-z-]+:${service}:${region}:[^:]*:${type}(?![*?/]*$).+$`);
  const wrong = arns.find((arn) => !isLate(arn) && !form.test(arn));
  if (wrong !== undefined)
    fail(
      "aws-invalid",
      noArn(
        what,
        wrong,
        `arn:<partition>:${service}:${region && "<region>"}:<account>:${type}<name>`,
        "write the whole ARN, with a name or the beginning of one rather than only a wildcard",
      ),
    );
  return arns;
}

/** Source: EKS API reference, CreateCluster, `name`; a wildcard would widen the conditions that compare it. */
const CLUSTER = /^[0-9A-Za-z][A-Za-z0-9_.-]{0,99}$/;

/** The name of a cluster as a part of tags. */
export function tagPart(clusterName: string): string {
  return checkedText("aws-invalid", clusterName, {
    what: "clusterName",
    problem: "`clusterName` is not a cluster name that can be part of tags",
    pattern: CLUSTER,
    allowed: "1 to 100 letters, digits, hyphens, dots and underscores, beginning with a letter or digit",
    remedy: "use the name as in the software's configuration",
  });
}
