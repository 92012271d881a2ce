/*
 * What GKE decides about a cluster. Sources: Google Cloud documentation, "About Workload Identity Federation for GKE"
 * (issuer) and "Deploying to GKE" of Artifact Registry (pulls); the nodes' credential provider configuration is
 * kubernetes/kubernetes, cluster/gce/gci/configure-helper.sh, which GKE's nodes run at each start.
 */

import { type Problem, fail } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import type { PodFragment } from "../../model/workloads";
import { projectId } from "./names";
import { parseManagedIdentityProvider } from "./pull";

/** What a GKE cluster is called in Google's API. */
export interface GkeClusterName {
  readonly project: string;
  readonly location: string;
  readonly cluster: string;
}

/** Names the Google service account as which GKE's metadata server lets pods of a service account act. */
export const NATIVE_ANNOTATION = "iam.gke.io/gcp-service-account";

/** As whom GKE's metadata server lets pods of a service account act; the address may be late. */
export function nativeAnnotation(email: string): Readonly<Record<string, string>> {
  return { [NATIVE_ANNOTATION]: email };
}

/** What pods need that ask GKE's metadata server for their identity. */
export const NO_FRAGMENT: PodFragment = { labels: {}, env: [], volumeMounts: [], volumes: [] };

const LOCATION = /^[a-z]+-[a-z]+\d+(?:-[a-z])?$/;
const CLUSTER = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** The issuer of a GKE cluster, which its name decides. */
export function gkeIssuer({ project, location, cluster }: GkeClusterName): string {
  const checked = literal(location, "location of the GKE cluster");
  if (!LOCATION.test(checked))
    fail("google-invalid", {
      problem: "location of a GKE cluster is no region or zone",
      value: location,
      allowed: "for example europe-west1 or europe-west1-b",
      remedy: "use the `location` of `gcloud container clusters list`",
    });
  if (!CLUSTER.test(literal(cluster, "name of the GKE cluster")))
    fail("google-invalid", {
      problem: "name of a GKE cluster is none that GKE takes",
      value: cluster,
      allowed: "1 to 40 of a-z, 0-9 and -, starting with a letter, not ending with -",
      remedy: "use the `name` of `gcloud container clusters list`",
    });
  return `https://container.googleapis.com/v1/projects/${projectId(project)}/locations/${checked}/clusters/${cluster}`;
}

/** A stated issuer, which must be of GKE. */
export function statedGkeIssuer(issuer: Issuer): Issuer {
  return issuer.late || parseManagedIdentityProvider(issuer.url)?.kind === "gke"
    ? issuer
    : fail("google-invalid", {
        problem: "issuer is none that GKE gives a cluster",
        value: issuer.url,
        allowed:
          "https://container.googleapis.com/v1/projects/<project>/locations/<location>/clusters/<cluster>",
        remedy:
          "leave it out, so that it is made of project, location and name; for a cluster that is not of GKE use kubernetes()",
      });
}

/** GKE nodes pull as their node pool's service account, whatever service account a pod has. */
export function gkeWithoutPulls(name: string): Problem {
  return {
    problem:
      "GKE configures image credential providers on its nodes itself and takes no configuration for them, so that nodes cannot pull with service account tokens of your choice",
    value: name,
    allowed: "openShift(…), hostedOpenShift(…), eks(…), kubernetes(…)",
    remedy:
      "let the nodes pull: give the service account of the node pool roles/artifactregistry.reader on the repositories; for pods that need different rights use imagePullSecrets, or a cluster whose nodes you configure",
  };
}
