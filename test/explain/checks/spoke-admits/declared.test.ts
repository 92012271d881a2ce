/* Whether the list leads to what the spoke was declared with, whatever its cloud. */

import { CLUSTER_SECRETS, SECRETS_FILE } from "../../../fixtures/explain/cluster-secrets";
import { inDocument, put } from "../../../fixtures/explain/documents";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { profile } from "../../../fixtures/explain/fleet-damages";

const ID = "spoke-admits";

fleetChecks(ID, "a profile", spokeOf("own"), [
  ["as written", [], "pass"],
  [
    "the access provider of another spoke",
    profile("own", [], (list: unknown) => [
      { ...(list as object[])[0], name: "aws-eks-p" },
      ...(list as object[]),
    ]),
    "fail",
    "the list chooses aws-eks-p, but the spoke own was declared with kubernetes-own",
  ],
  [
    "the access provider of another spoke in the same cloud",
    profile("eks-g", [0, "name"], "aws-eks-p"),
    "fail",
    "the list chooses aws-eks-p, but the spoke eks-g was declared with aws-eks-g",
    { spoke: "eks-g" },
  ],
  [
    "another server",
    profile("eks-g", [0, "cluster", "server"], "https://x.example"),
    "unknown",
    "the profile leads to https://x.example, but eks-g was declared with the server https://eksg.example.com",
    { spoke: "eks-g" },
  ],
]);

fleetChecks(ID, "a cluster Secret", { artefacts: CLUSTER_SECRETS, spoke: "eks-g" }, [
  ["as written", [], "pass"],
  [
    "another server",
    (all) =>
      inDocument(
        all,
        SECRETS_FILE,
        ["Secret", "cluster-eks-g"],
        put(["stringData", "server"], "https://x.example"),
      ),
    "unknown",
    "declared with the server",
  ],
]);
