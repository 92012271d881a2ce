import { basename } from "node:path";
import {
  COMPONENT_AUDIENCE,
  COMPONENT_TOKEN_PATH,
  type ComponentGrant,
  type IComponentIdentities,
} from "../model/components";
import type { RequestSource } from "../model/credentials-request";
import type { CredentialsRequestSelection } from "../openshift";

/**
 * What `workload-identity.json` says of a cluster's components: which tokens they present, as what they act, what they
 * asked for and were meant to get, and which requests of the release were left out and why.
 */
export function componentRecord(
  { cloud }: Pick<IComponentIdentities<unknown>, "cloud">,
  grants: readonly ComponentGrant[],
  { skipped }: CredentialsRequestSelection,
): Readonly<Record<string, unknown>> {
  return {
    cloud,
    audience: COMPONENT_AUDIENCE,
    granted: grants.map(({ request, identity, intends, places }) => ({
      request: request.name,
      ...placeOf(request.source),
      secret: `${request.secret.namespace}/${request.secret.name}`,
      serviceAccounts: request.subjects.map(({ key }) => key),
      tokenPath: request.cloudTokenPath ?? COMPONENT_TOKEN_PATH,
      identity,
      asks: { kind: request.providerKind, ...request.providerSpec },
      ...(intends && { intends }),
      ...(places && { places }),
    })),
    skipped: skipped.map(({ name, source, reason }) => ({ name, ...placeOf(source), reason })),
  };
}

/** Without folders, which differ from machine to machine. */
function placeOf({ file, document }: RequestSource): Readonly<Record<string, unknown>> {
  return {
    ...(file !== undefined && { file: basename(file.replaceAll("\\", "/")) }),
    ...(document !== undefined && { document }),
  };
}
