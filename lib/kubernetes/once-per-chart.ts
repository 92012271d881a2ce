import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { fail } from "../errors";
import type { Subject } from "../model/subject";

/** Who writes each service account, by chart and by `namespace/name`. */
const WRITERS = new WeakMap<Chart, Map<string, Construct>>();

/**
 * Notes that a construct writes a service account; throws `service-account-twice` where another one of the chart does.
 *
 * A chart holds objects of one cluster; another chart may be for another one.
 */
export function writesServiceAccount(construct: Construct, subject: Subject): void {
  const chart = Chart.of(construct);
  const writers = WRITERS.get(chart) ?? new Map<string, Construct>();
  WRITERS.set(chart, writers);
  const { key } = subject;
  const other = writers.get(key);
  if (other) fail("service-account-twice", key, other.node.path);
  writers.set(key, construct);
}
