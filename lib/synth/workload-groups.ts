import type { Construct } from "constructs";
import { fail } from "../errors";
import { SWITCH, oneOf } from "../model/choice";
import { isRecord } from "../model/record";
import { Subject } from "../model/subject";
import type { IAccess, IWorkloadIdentities } from "../model/workloads";
import { type AccountLine, type CloudGroup, cloudGroups, joinedAccounts, statedList } from "./account-groups";
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
 * `identities-unused` or `choice-unknown`.
 */
export function groupedWorkloads({
  cluster,
  workloads,
  identities = [],
}: WorkloadAccessProps): GroupedWorkloads {
  if (!Array.isArray(workloads) || workloads.length === 0) return fail("workloads-empty", cluster.name);
  const accounts = joinedAccounts(
    workloads.map((line: unknown) => lineOf(isRecord(line) ? (line as Partial<Workload>) : {})),
  );
  return { accounts, clouds: cloudGroups(accounts, identities, UNUSED) };
}

/** Also of callers whose values no compiler saw; {@link Subject.of} refuses what is missing. */
function lineOf(line: Partial<Workload>): AccountLine<Access> {
  const { serviceAccount, declareServiceAccount = true, may } = line;
  const subject = Subject.of(serviceAccount as Workload["serviceAccount"]);
  const asked = statedList(may);
  const declare = oneOf("declareServiceAccount", declareServiceAccount, SWITCH);
  return asked.length > 0 && asked.every(isAccess)
    ? { subject, declare, asked }
    : fail("workload-without-access", subject.key, may);
}

/** Also for callers whose values no compiler saw. */
function isAccess(access: unknown): access is Access {
  return typeof access === "object" && access !== null && "cloud" in access && "permissions" in access;
}
