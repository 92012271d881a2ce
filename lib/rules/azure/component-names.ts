import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest, requestLabel } from "../../model/request-label";
import { derivedName, stableHash } from "../names";
import { IDENTITY_NAME } from "./pull";

/**
 * How the identities, custom roles and credentials of components are named: `unique` adds a hash wherever a name would
 * be ambiguous or too long, `ccoctl` cuts, as `ccoctl` does.
 */
export type ComponentNaming = "unique" | "ccoctl";

/** Values of {@link ComponentNaming}. */
export const COMPONENT_NAMINGS: readonly ComponentNaming[] = ["unique", "ccoctl"];

/** What the identity of a request and its custom role are called. */
export interface NamedComponent {
  /** The request. */
  readonly request: CredentialsRequest;
  /** Name of the identity, in its resource group. */
  readonly identityName: string;
  /** Name of the custom role, in its tenant. */
  readonly roleName: string;
}

const LEGAL = /^[A-Za-z0-9][A-Za-z0-9_-]{2,127}$/;
const NAMES: Readonly<Record<ComponentNaming, (parts: readonly string[]) => string>> = {
  unique: (parts) => derivedName(parts, IDENTITY_NAME),
  // openshift/cloud-credential-operator, pkg/cmd/provisioning/azure/create_managed_identities.go.
  ccoctl: (parts) => parts.join("-").slice(0, IDENTITY_NAME.max),
};

/**
 * Names for each request; in the order of the requests.
 *
 * A tenant has one custom role of a name, over all its subscriptions, which `ccoctl` does not regard: with `unique` the
 * role's name ends with a hash of the subscription.
 */
export function componentNames(
  clusterName: string,
  subscriptionId: string,
  requests: readonly CredentialsRequest[],
  naming: ComponentNaming,
): readonly NamedComponent[] {
  const name = NAMES[naming];
  const holders = new Map<string, CredentialsRequest>();
  return requests.map((request) => {
    const { secret } = request;
    const own = name([clusterName, secret.namespace, secret.name]);
    if (!LEGAL.test(own)) ofRequest(request, () => invalidCcoctlName("an identity", own));
    const holder = holders.get(own.toLowerCase());
    if (holder)
      fail("azure-conflict", {
        problem: `${requestLabel(holder)} and ${requestLabel(request)} would have the same identity`,
        value: own,
        allowed: "an identity of its own for each request, letter case aside",
        remedy:
          'leave `naming: "ccoctl"` out, which cuts names at 128 characters, shorten the cluster name, or leave out the request that is there twice',
      });
    holders.set(own.toLowerCase(), request);
    const roleName = naming === "ccoctl" ? own : `${own}_${stableHash([subscriptionId.toLowerCase()])}`;
    return { request, identityName: own, roleName };
  });
}

/** Refuses a name that `ccoctl` would give and Azure does not take. */
export function invalidCcoctlName(what: string, value: string): never {
  return fail("azure-invalid", {
    problem: `the name that ccoctl would give ${what} is not one that Azure takes`,
    value,
    allowed: "3 to 128 of A-Z, a-z, 0-9, _ and -, for a credential at most 120",
    remedy:
      'leave `naming: "ccoctl"` out; a request that ccoctl could not make an identity for has nothing to adopt',
  });
}
