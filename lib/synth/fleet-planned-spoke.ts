import type { Construct } from "constructs";
import { fail } from "../errors";
import type { ISpokeAccess } from "../model/fleet";
import { isLate, literal } from "../model/late";
import { isRecord } from "../model/record";
import { statedRecord, statedTexts } from "../model/stated";
import type { Subject } from "../model/subject";
import type { FleetSpoke, SpokeHub } from "./fleet-access-props";

/** A spoke with its access. */
export interface PlannedSpoke extends Omit<FleetSpoke, "access"> {
  /** Its access, made for this hub. */
  readonly access: ISpokeAccess<Construct>;
}

/**
 * A spoke, checked as far as it can be before identities are there.
 *
 * Throws `fleet-value-invalid`, `spoke-trust-differs`, `spoke-cluster-role-missing`, `spoke-cluster-role-unused`,
 * `spoke-namespaces-unused`, `spoke-namespaces-empty`, `late-value`, and what a function of the hub throws.
 */
export function plannedSpoke(spoke: FleetSpoke, hub: Omit<SpokeHub, "spoke">): PlannedSpoke {
  const name = literal(spoke.name, "name of a spoke");
  checkKeys(name, spoke);
  const { access: given } = spoke;
  const access = typeof given === "function" ? given({ ...hub, spoke: name }) : given;
  checkAccess(access);
  checkTrust(name, access, hub);
  checkRights(spoke, access, hub.serviceAccounts);
  return { ...spoke, access };
}

const KEYS: Readonly<Record<keyof FleetSpoke, true>> = {
  access: true,
  clusterRole: true,
  controlPlaneHealthySince: true,
  displayName: true,
  execExtension: true,
  kubernetesVersion: true,
  labels: true,
  name: true,
  namespaces: true,
  properties: true,
  providerName: true,
  proxyUrl: true,
  tlsServerName: true,
};

/** A property that nobody reads would be lost in silence. */
function checkKeys(name: string, spoke: FleetSpoke): void {
  const unknown = Object.keys(spoke).find((key) => !Object.hasOwn(KEYS, key));
  if (unknown !== undefined)
    fail("fleet-value-invalid", `property ${unknown} of spoke ${name}`, "none", Object.keys(KEYS).join(", "));
}

/** Also of callers whose values no compiler saw. */
function checkAccess(access: ISpokeAccess<Construct>): void {
  const { endpoint, parameters, declare } = statedRecord("access", access);
  statedRecord("endpoint of access", endpoint);
  statedRecord("parameters of access", parameters);
  if (typeof declare !== "function")
    fail(
      "fleet-value-invalid",
      "access",
      "no spoke",
      "what eksSpoke(), selfManagedSpoke() and the like return",
    );
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
    statedTexts("namespaces", namespaces);
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
