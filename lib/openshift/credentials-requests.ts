import { readCredentialsRequests } from "../artefact/credentials-requests-folder";
import { fail } from "../errors";
import {
  type CredentialsRequestSelection,
  selectCredentialsRequests,
} from "../rules/openshift/credentials-request-selection";
import { type CredentialsRequestFilter, checkedFilter } from "../rules/openshift/request-filter";

/**
 * The CredentialsRequests of a cluster, from a folder as `oc adm release extract --credentials-requests` writes it.
 *
 * Files `.yaml`, `.yml` and `.json` in the order of their names, several documents per file; folders in it are not
 * read. Whether the requests were extracted with `--included` does not matter: the filter decides the same again.
 * What is not for the cluster is in `skipped`, with the reason.
 *
 * Throws `credentials-requests-folder`, `credentials-requests-file`, and what {@link credentialsRequestsOf} throws.
 */
export function credentialsRequests(
  folder: string,
  filter: CredentialsRequestFilter,
): CredentialsRequestSelection {
  const checked = checkedFilter(filter);
  return selectCredentialsRequests(readCredentialsRequests(folder), checked);
}

/**
 * The CredentialsRequests of a cluster among parsed objects.
 *
 * Throws `credentials-requests-none`, `credentials-request-invalid`, `credentials-request-field-unknown`,
 * `credentials-request-service-accounts`, `credentials-request-secret-taken`, `credentials-request-gate-unknown`,
 * `credentials-request-version`, `credentials-request-kind`, `credentials-request-foreign`, `credentials-requests-list`,
 * `credentials-requests-filter`, or `late-value`; each names the request.
 */
export function credentialsRequestsOf(
  objects: readonly unknown[],
  filter: CredentialsRequestFilter,
): CredentialsRequestSelection {
  if (!Array.isArray(objects)) fail("credentials-requests-list", typeof objects);
  const numbered = objects.map((value, index) => ({
    value,
    source: objects.length === 1 ? {} : { document: index + 1 },
  }));
  return selectCredentialsRequests(numbered, filter);
}
