import { type Answer, seen, unknown } from "../answer";
import { sameText } from "../facts/terraform";
import { type Check, missing } from "./check";
import type { TrustContext } from "./trust-context";

/** Does the cloud trust the issuer of the cluster's tokens? */
export const issuerTrusted: Check<TrustContext> = {
  id: "issuer-trusted",
  asks: "Does the cloud trust the issuer of the cluster's tokens?",
  why: "Clouds compare it to the letter; a slash at the end or another host makes it a stranger.",
  run: ({ trust, artefacts }) => {
    if (trust === undefined) return missing("the cloud");
    return (trust.issuer.status === "pass" && artefacts && contradicted(artefacts)) || trust.issuer;
  },
};

/** OpenShift's API server writes into tokens what Authentication/cluster says, whatever is recorded. */
function contradicted({
  authentication,
  cluster,
}: NonNullable<TrustContext["artefacts"]>): Answer | undefined {
  if (authentication === undefined || cluster.issuer === undefined) return undefined;
  const { issuer, source } = authentication;
  // Also where only apply tells the recorded one: it is no empty text.
  if (issuer !== "" && sameText(cluster.issuer, issuer) !== "different") return undefined;
  const says =
    issuer === ""
      ? "Authentication/cluster was read without serviceAccountIssuer, so that tokens are of https://kubernetes.default.svc unless the cluster has one that the manifest leaves as it is"
      : `Authentication/cluster says ${issuer}`;
  return unknown(
    `the cloud trusts ${cluster.issuer}, which is recorded, and ${says}: whose tokens the cluster issues is not known`,
    "write the issuer to the letter into spec.serviceAccountIssuer, or leave the manifest of another cluster out",
    seen("serviceAccountIssuer", source),
  );
}
