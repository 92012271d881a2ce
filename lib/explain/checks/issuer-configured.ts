import { broken, pass, seen, unknown } from "../answer";
import { isLateText, sameText } from "../facts/terraform";
import type { AccessCheck } from "./access-check";

/** Is the cluster told to write the issuer into its tokens? */
export const issuerConfigured: AccessCheck = {
  id: "issuer-configured",
  asks: "Is the cluster told to write the issuer into its tokens?",
  why: "Without Authentication/cluster the tokens are of https://kubernetes.default.svc, which no cloud can look up.",
  run: ({ artefacts: { authentication, cluster }, declared }) => {
    if (authentication === undefined)
      return declared
        ? broken(
            "no manifest Authentication/cluster says the issuer",
            "add cluster-authentication-02-config.yaml to the installer's manifests",
            undefined,
          )
        : unknown(
            "Authentication/cluster is not among what was read",
            "name its manifest as well; its serviceAccountIssuer is what the tokens say",
          );
    const { issuer, source } = authentication;
    const where = seen("serviceAccountIssuer", source);
    if (issuer === "")
      return broken(
        "Authentication/cluster has no serviceAccountIssuer",
        "write the issuer into spec.serviceAccountIssuer",
        undefined,
        where,
      );
    const recorded = cluster.issuer;
    if (recorded !== undefined && sameText(recorded, issuer) === "different")
      return broken(
        `Authentication/cluster says ${issuer}, recorded is ${recorded}`,
        "write the issuer to the letter into spec.serviceAccountIssuer",
        undefined,
        where,
      );
    return pass(
      `the cluster's tokens are of ${isLateText(issuer) ? "an issuer that Terraform tells" : issuer}`,
      where,
    );
  },
};
