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
 * Reads `.yaml`, `.yml` and `.json` files in the order of their names, with any number of documents, but no subfolders.
 * It makes no difference whether they were extracted with `--included`: the filter is applied in any case.
 * Documents that do not apply to the cluster are in `skipped`, with the reason.
 */
export function credentialsRequests(
  folder: string,
  filter: CredentialsRequestFilter,
): CredentialsRequestSelection {
  assertFilter(filter);
  return selectCredentialsRequests(readCredentialsRequests(folder), filter);
}

/** Selects the CredentialsRequests of a cluster from parsed objects. */
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
