import { same, shown } from "../../model/known";
import { type Answer, seen, unknown } from "../answer";
import type { ClusterArtefacts } from "../read/facts";

/**
 * The answer of a cloud that trusts an issuer, where the cluster is that issuer: OpenShift's API server writes into
 * tokens what Authentication/cluster says, whatever is recorded.
 */
export function issuerConfirmed(
  answer: Answer,
  { authentication, cluster }: Pick<ClusterArtefacts, "authentication" | "cluster">,
): Answer {
  if (answer.status !== "pass" || authentication === undefined || cluster.issuer === undefined) return answer;
  const { issuer, source } = authentication;
  if (same<string | undefined>(cluster.issuer, issuer) === "yes") return answer;
  return unknown(
    `the cloud trusts ${shown(cluster.issuer)}, which is recorded, and ${stated(shown(issuer))}: whose tokens the cluster issues is not known`,
    "write exactly the issuer into spec.serviceAccountIssuer, or leave the manifest of another cluster out",
    seen("serviceAccountIssuer", source),
  );
}

function stated(issuer: string): string {
  return issuer === "undefined"
    ? "Authentication/cluster was read without serviceAccountIssuer, so that tokens are of https://kubernetes.default.svc unless the cluster has one that the manifest leaves as it is"
    : `Authentication/cluster says ${issuer}`;
}
