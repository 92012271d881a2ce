import { type Answer, type Evidence, broken, seen } from "../../answer";
import type { IdentityFact } from "./entra";

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * What Entra says to a token that asks in another tenant than the identity's; `undefined` where it is that one, or where
 * a tenant is not known, or stands by one of its domains.
 */
export function foreignTenant(
  identity: IdentityFact | undefined,
  key: string,
  tenant: string,
  remedy: string,
  where: Evidence,
): Answer | undefined {
  const home = identity?.tenant ?? "";
  if (!identity || !GUID.test(tenant) || !GUID.test(home) || home.toLowerCase() === tenant.toLowerCase())
    return undefined;
  return broken(
    `${key} is ${tenant}, and ${identity.label} is of the tenant ${home}`,
    remedy,
    "AADSTS700016: Application with identifier … was not found in the directory",
    where,
    seen("identity", identity.source),
  );
}
