import { fail } from "../../errors";
import { isRecord } from "../../model/record";
import { type ClusterProfileVersion, clusterProfileSchemas } from "./cluster-profile-schema";
import { CLUSTER_PROFILE_GROUP } from "./names";
import { type Rejection, type SchemaResult, applySchema } from "./schema";

/** The versions of the API that {@link validateClusterProfile} knows. */
export const clusterProfileVersions: readonly ClusterProfileVersion[] = ["v1alpha1", "v1alpha2"];

/** Returns a version of the API; throws `version-unknown`. */
export function clusterProfileVersion(version: string): ClusterProfileVersion {
  const known = clusterProfileVersions.find((candidate) => candidate === version);
  return known ?? fail("version-unknown", "ClusterProfile", version, clusterProfileVersions.join(", "));
}

/**
 * What an API server with the CRD of that version does with a parsed ClusterProfile: which fields it drops in silence,
 * and why it would reject it. Both empty for a document that is stored as it is.
 *
 * A status that is sent with the main object is dropped whole by the API server, which this function does not regard:
 * it looks at the document as one of the two resources. Throws `version-unknown` for another version.
 */
export function validateClusterProfile(document: unknown, version: ClusterProfileVersion): SchemaResult {
  const schema = clusterProfileSchemas[clusterProfileVersion(version)];
  const { dropped, rejected } = applySchema(document, schema);
  return { dropped, rejected: [...typeRejections(document, version), ...rejected] };
}

function typeRejections(document: unknown, version: ClusterProfileVersion): readonly Rejection[] {
  const { apiVersion, kind } = isRecord(document) ? document : {};
  const wanted = `${CLUSTER_PROFILE_GROUP}/${version}`;
  return [
    ...(apiVersion === wanted ? [] : [{ field: "apiVersion", message: `must be ${wanted}` }]),
    ...(kind === "ClusterProfile" ? [] : [{ field: "kind", message: "must be ClusterProfile" }]),
  ];
}
