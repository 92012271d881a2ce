/*
 * What HyperShift's HostedCluster says of the hosted cluster, as the objects that say the same within a cluster.
 *
 * Source: openshift/hypershift, api/hypershift/v1beta1/hostedcluster_types.go (`HostedClusterSpec`,
 * `ClusterConfiguration`).
 */

import { at, own, text } from "./access";
import type { ClusterRecord } from "./cluster-record";
import type { Source } from "./source";

/** A document of a cluster, or of its management cluster. */
interface Document {
  readonly value: unknown;
  readonly source: Source;
  readonly management: boolean;
}

const CONFIG = "config.openshift.io/v1";

/** The objects that HostedClusters of this cluster stand for; none where there is no HostedCluster. */
export function hostedObjects<D extends Document>(
  documents: readonly D[],
  cluster: ClusterRecord,
): readonly D[] {
  const all = documents.filter(({ value }) => own(value, "kind") === "HostedCluster");
  if (all.length === 0) return [];
  const named = all.filter((each) => isOf(each.value, cluster));
  const [only, ...more] = all;
  const ours =
    named.length === 0 && only && more.length === 0 && issuerOf(only.value) === "" ? [only] : named;
  return ours.flatMap(objectsOf);
}

/** One management cluster has many. */
function isOf(value: unknown, { name, issuer }: ClusterRecord): boolean {
  return text(at(value, "metadata", "name")) === name || (issuer !== undefined && issuerOf(value) === issuer);
}

function issuerOf(value: unknown): string {
  return text(at(value, "spec", "issuerURL"));
}

function objectsOf<D extends Document>(document: D): readonly D[] {
  const { value, source } = document;
  const name = text(at(value, "metadata", "name"));
  const configuration = at(value, "spec", "configuration");
  const object = (kind: string, key: string, spec: unknown, path: string): readonly D[] =>
    spec === undefined
      ? []
      : [
          {
            ...document,
            management: false,
            value: { apiVersion: CONFIG, kind, metadata: { name: key }, spec },
            source: { ...source, path: `${path} (as ${kind}/${key})` },
          },
        ];
  const sources = at(value, "spec", "imageContentSources");
  const issuer = issuerOf(value);
  return [
    ...object("Image", "cluster", own(configuration, "image"), "spec.configuration.image"),
    ...object("FeatureGate", "cluster", own(configuration, "featureGate"), "spec.configuration.featureGate"),
    ...object(
      "ImageDigestMirrorSet",
      name,
      sources === undefined ? undefined : { imageDigestMirrors: sources },
      "spec.imageContentSources",
    ),
    ...object(
      "Authentication",
      "cluster",
      issuer === "" ? undefined : { serviceAccountIssuer: issuer },
      "spec.issuerURL",
    ),
  ];
}
