import type { Construct } from "constructs";
import { fail } from "../errors";
import { Subject } from "../model/subject";
import type { IAccess, IWorkloadIdentities } from "../model/workloads";
import { type AccountLine, type CloudGroup, cloudGroups, joinedAccounts, oneOrMany } from "./account-groups";
import type { Workload, WorkloadAccessProps } from "./workload-access-props";

type Access = IAccess<Construct>;

/** The lines sorted by service account and by cloud, both in a stable order. */
export interface GroupedWorkloads {
  /** Sorted by `namespace/name`. */
  readonly accounts: readonly AccountLine<Access>[];
  /** Sorted by the cloud's key. */
  readonly clouds: readonly CloudGroup<Access, IWorkloadIdentities<Construct>>[];
}

const UNUSED = { unused: "in which nobody may do anything", line: "line" } as const;

/**
 * Throws `workloads-empty`, `workload-without-access`, `service-account-ownership`, `identities-twice`,
 * `identities-unused`.
 */
export function groupedWorkloads({
  cluster,
  workloads,
  identities = [],
}: WorkloadAccessProps): GroupedWorkloads {
  if (workloads.length === 0) return fail("workloads-empty", cluster.name);
  const accounts = joinedAccounts(workloads.map(lineOf));
  return { accounts, clouds: cloudGroups(accounts, identities, UNUSED) };
}

/** Also of callers whose values no compiler saw; {@link Subject.of} refuses what is missing. */
function lineOf({
  serviceAccount,
  declareServiceAccount: declare = true,
  may,
}: Workload): AccountLine<Access> {
  const subject = Subject.of(serviceAccount);
  const asked = oneOrMany(may);
  return asked.length > 0 ? { subject, declare, asked } : fail("workload-without-access", subject.key, may);
}

/** Also for callers whose values no compiler saw. */
