import { readCredentialsRequests } from "../artefact/credentials-requests-folder";
import {
  type CredentialsRequestSelection,
  type CredentialsRequestFilter,
  selectCredentialsRequests,
  assertFilter,
  refuseNoList,
} from "../rules/openshift/credentials-request-selection";

/**
 * The CredentialsRequests of a cluster, from a folder as `oc adm release extract --credentials-requests` writes it.
 *
 * Files `.yaml`, `.yml` and `.json` in the order of their names, several documents per file; folders in it are not
 * read. Whether the requests were extracted with `--included` does not matter: the filter decides the same again.
 * What is not for the cluster is in `skipped`, with the reason.
 */
export function credentialsRequests(
  folder: string,
  filter: CredentialsRequestFilter,
): CredentialsRequestSelection {
  assertFilter(filter);
  return selectCredentialsRequests(readCredentialsRequests(folder), filter);
}

/** The CredentialsRequests of a cluster among parsed objects. */
export function credentialsRequestsOf(
  objects: readonly unknown[],
  filter: CredentialsRequestFilter,
): CredentialsRequestSelection {
  if (!Array.isArray(objects)) refuseNoList(objects);
  const numbered = objects.map((value, index) => ({
    value,
    source: objects.length === 1 ? {} : { document: index + 1 },
  }));
  return selectCredentialsRequests(numbered, filter);
}
