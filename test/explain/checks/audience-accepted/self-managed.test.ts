/* Whether a self-managed spoke accepts the audience of the hub's token, and a cloud that of the controller's. */

import { inDocument, put } from "../../../fixtures/explain/documents";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { HUB, authentication, token } from "../../../fixtures/explain/fleet-damages";

const ID = "audience-accepted";
const REFUSED = "which the spoke does not accept";

fleetChecks(ID, "a self-managed spoke", spokeOf("own"), [
  ["as written", [], "pass"],
  [
    "another one of the token",
    token("spoke-tokens", "audience", "x"),
    "fail",
    `the token is for x, ${REFUSED}`,
  ],
  [
    "another one of the spoke",
    authentication(put(["jwt", 0, "issuer", "audiences"], ["x"])),
    "fail",
    REFUSED,
  ],
  ["none", token("spoke-tokens", "audience", undefined), "unknown", "audience of the token is not known"],
]);

fleetChecks(ID, "a controller's token for a cloud", spokeOf("eks-p"), [
  [
    "another one in the annotation of the service account",
    (all) =>
      inDocument(
        all,
        HUB,
        ["ServiceAccount", "kueue-controller-manager"],
        put(["metadata", "annotations", "eks.amazonaws.com/audience"], "x"),
      ),
    "fail",
    "the OIDC provider accepts sts.amazonaws.com, but the token is for x",
  ],
  [
    "another one in the volume",
    token("google-credentials", "audience", "x"),
    "fail",
    "but the token is for x",
    { spoke: "gke-d" },
  ],
]);
