import { fail } from "../../errors";
import { oneOf } from "../../model/choice";
import type { CredentialsRequest } from "../../model/credentials-request";
import { requestLabel } from "../../model/request-label";
import { derivedName } from "../names";
import { IDENTITY_NAME } from "./identity-plan";

/**
 * How the identities, custom roles and credentials of components are named: `unique` adds a hash wherever a name would
 * be ambiguous or too long, `ccoctl` cuts, as `ccoctl` does.
 */
export type ComponentNaming = "unique" | "ccoctl";

/** Values of {@link ComponentNaming}. */
export const COMPONENT_NAMINGS: readonly ComponentNaming[] = ["unique", "ccoctl"];

const NAMES: Readonly<Record<ComponentNaming, (parts: readonly string[]) => string>> = {
  unique: (parts) => derivedName(parts, IDENTITY_NAME),
  // openshift/cloud-credential-operator, pkg/cmd/provisioning/azure/create_managed_identities.go.
  ccoctl: (parts) => parts.join("-").slice(0, IDENTITY_NAME.max),
};

/**
 * Name of each request's identity, which its custom role shares; in the order of the requests.
 *
 * Throws `azure-component-name-taken` where two requests would have one name (Azure does not regard letter case),
 * naming both.
 */
export function componentNames(
  clusterName: string,
  requests: readonly CredentialsRequest[],
  naming: ComponentNaming,
): readonly string[] {
  const name = NAMES[oneOf("naming", naming, COMPONENT_NAMINGS)];
  const holders = new Map<string, CredentialsRequest>();
  return requests.map((request) => {
    const { secret } = request;
    const own = name([clusterName, secret.namespace, secret.name]);
    const holder = holders.get(own.toLowerCase());
    if (holder) fail("azure-component-name-taken", own, requestLabel(holder), requestLabel(request));
    holders.set(own.toLowerCase(), request);
    return own;
  });
}
