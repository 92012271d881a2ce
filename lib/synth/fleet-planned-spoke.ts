import type { Construct } from "constructs";
import { fail } from "../errors";
import { type ISpokeAccess, SPOKE_ACCESS } from "../model/fleet";
import { isLate, literal } from "../model/late";
import { isRecord } from "../model/record";
import type { Subject } from "../model/subject";
import type { FleetSpoke, SpokeHub } from "./fleet-access-props";
import { checkGiven } from "../model/shape";

/** A spoke with its access. */
export interface PlannedSpoke extends Omit<FleetSpoke, "access"> {
  /** Its access, made for this hub. */
  readonly access: ISpokeAccess<Construct>;
}

/**
 * A spoke, checked as far as it can be before identities are there.
 */
export function plannedSpoke(spoke: FleetSpoke, hub: Omit<SpokeHub, "spoke">): PlannedSpoke {
  const name = literal(spoke.name, "name of a spoke");
  const { access: given } = spoke;
  const access = typeof given === "function" ? given({ ...hub, spoke: name }) : given;
  checkGiven(`spoke ${name}`, SPOKE_ACCESS, access, "access");
  checkTrust(name, access, hub);
  checkRights(spoke, access, hub.serviceAccounts);
  return { ...spoke, access };
}

/** Who trusts more of the hub's service accounts lets its other controllers in as well. */
function checkTrust(
  name: string,
  { trusts }: ISpokeAccess<Construct>,
  { issuer, serviceAccounts }: Omit<SpokeHub, "spoke">,
): void {
  if (!isRecord(trusts)) return;
  const known = !isLate(trusts.issuer) && !isLate(issuer.url);
  if (known && trusts.issuer !== issuer.url)
    fail("spoke-trust-differs", name, "tokens", trusts.issuer, issuer.url);
  const keys = serviceAccounts.map(({ key }) => key);
  if (!keys.every((key) => trusts.serviceAccounts.includes(key)))
    fail("spoke-trust-differs", name, "service accounts", trusts.serviceAccounts, keys);
}

function checkRights(
  { name, clusterRole, namespaces }: FleetSpoke,
  { authorizes = false }: ISpokeAccess<Construct>,
  subjects: readonly Subject[],
): void {
  if (namespaces !== undefined) {
    if (clusterRole === undefined) fail("spoke-namespaces-unused", name, namespaces);
    if (namespaces.length === 0) fail("spoke-namespaces-empty", name);
  }
  if (clusterRole === undefined && !authorizes)
    fail(
      "spoke-cluster-role-missing",
      name,
      subjects.map(({ key }) => key),
    );
  if (clusterRole !== undefined && authorizes) fail("spoke-cluster-role-unused", name, clusterRole);
}
