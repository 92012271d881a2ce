import { fail } from "../../errors";
import { COMPONENT_AUDIENCE, type ComponentsRequest } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest } from "../../model/request-label";
import { type ComponentNaming, componentNames } from "./component-names";
import { type ClusterResourceGroups, componentScopes, statedScopes } from "./component-scopes";
import { type FederatedCredential, checkCredentials } from "./federated-credential";
import { componentCredentials } from "./component-credentials";
import { type ComponentPermissions, componentPermissions } from "./provider-spec";

/** What the caller wants otherwise for one request. */
export interface ComponentOverride {
  /**
   * Resource ids of what the roles count for, in place of the cluster's resource groups.
   *
   * @defaultValue - the resource groups that `ccoctl` goes by
   */
  readonly scopes?: readonly string[];
  /**
   * Permissions and data permissions of the request that are not granted.
   *
   * @defaultValue - none
   */
  readonly withoutPermissions?: readonly string[];
}

/** How components are planned. */
export interface ComponentPlanOptions {
  /** How things are named. */
  readonly naming: ComponentNaming;
  /** Where roles count by default. */
  readonly resourceGroups: ClusterResourceGroups;
  /** By the name of the request. */
  readonly overrides: Readonly<Record<string, ComponentOverride>>;
}

/** The identity of one request. */
export interface PlannedComponent {
  /** Its request. */
  readonly request: CredentialsRequest;
  /** Name of the identity and of its custom role. */
  readonly identityName: string;
  /** What it may do. */
  readonly permissions: ComponentPermissions;
  /** Resource ids of what the roles count for. */
  readonly scopes: readonly string[];
  /** Who acts as it. */
  readonly credentials: readonly FederatedCredential[];
}

/**
 * Checks all requests of a cluster and decides their identities, in the order of the requests.
 *
 * Throws `azure-request-unknown`, `azure-component-name-taken`, and naming the request what `componentPermissions`,
 * `componentScopes`, `statedScopes` and `checkCredentials` throw.
 */
export function planComponents(
  { clusterName, issuer, requests }: ComponentsRequest,
  { naming, resourceGroups, overrides }: ComponentPlanOptions,
): readonly PlannedComponent[] {
  checkKnown("overrides", Object.keys(overrides), requests);
  const names = componentNames(clusterName, requests, naming);
  return requests.map((request, index) => {
    const { scopes, withoutPermissions } = overrides[request.name] ?? {};
    const identityName = names[index] ?? "";
    const permissions = componentPermissions(request, withoutPermissions);
    return ofRequest(request, () => {
      const trust = { clusterName, issuer, audience: COMPONENT_AUDIENCE, subjects: request.subjects };
      const credentials = componentCredentials(trust, naming);
      checkCredentials(identityName, credentials, "split the request's service accounts over two requests");
      const places = scopes ? statedScopes(scopes) : componentScopes(request.name, resourceGroups);
      return { request, identityName, permissions, scopes: places, credentials };
    });
  });
}

/** Refuses a setting for a request that does not exist; throws `azure-request-unknown`. */
export function checkKnown(
  setting: string,
  names: readonly string[],
  requests: readonly CredentialsRequest[],
): void {
  const known = requests.map(({ name }) => name).sort();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) fail("azure-request-unknown", setting, unknown, known);
}
