/*
 * Tenants of Entra. One may also stand by one of its domains, which says nothing here.
 */

import { type Known, type Ternary, match, orElse, same, shown } from "../../model/known";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { lowered } from "./ids";
import { type Identity, statedTenant } from "./identity";

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for a GUID, and for what only apply tells, which may be one. */
export function isGuid(id: Known<string | undefined>): boolean {
  return match(
    id,
    (text = "") => GUID.test(text),
    () => true,
  );
}

/** Whether two tenants are one. */
export function sameTenant(one: Known<string | undefined>, other: Known<string | undefined>): Ternary {
  return same<string | undefined>(lowered(statedTenant(one)), lowered(statedTenant(other)));
}

/**
 * What Entra says to a token that asks in another tenant than the identity's; `undefined` where it is that one, or where
 * nothing states a tenant, or a domain stands for it.
 */
export function foreignTenant(
  identity: Identity | undefined,
  key: string,
  tenant: Known<string | undefined>,
  remedy: string,
  where: Evidence,
): Answer | undefined {
  const home = identity?.tenant;
  const isStated =
    home && orElse(home, () => "late") !== undefined && orElse(tenant, () => "late") !== undefined;
  if (!identity || !home || !isStated || !isGuid(home) || !isGuid(tenant)) return undefined;
  const isSame = sameTenant(home, tenant);
  if (isSame === "yes") return undefined;
  const reason = `${key} is ${shown(tenant)}, and ${identity.label} is of the tenant ${shown(home)}`;
  const places = [where, seen("identity", identity.source)];
  return isSame === "no"
    ? broken(
        reason,
        remedy,
        "AADSTS700016: Application with identifier … was not found in the directory",
        ...places,
      )
    : unknown(`${reason}: whether these are one is not known`, remedy, ...places);
}
