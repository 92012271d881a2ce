import { inDocument, put } from "../../fixtures/explain/documents";
import { withoutResource } from "../../fixtures/explain/fleet";
import { fleetChecks, spokeOf } from "../../fixtures/explain/fleet-checks";
import {
  type Damage,
  HUB,
  both,
  listed,
  profile,
  resource,
  told,
} from "../../fixtures/explain/fleet-damages";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { argoFleet } from "../../fixtures/explain/one-spoke";

const ID = "identity-named";
const OTHER_ROLE = "arn:aws:iam::111122223333:role/x";

const account =
  (path: readonly string[], value: unknown): Damage =>
  (all) =>
    inDocument(all, HUB, ["ServiceAccount", "kueue-controller-manager"], put(["metadata", ...path], value));
const NO_ANNOTATION = "has no eks.amazonaws.com/role-arn";
const ROLE_ARN = ["annotations", "eks.amazonaws.com/role-arn"];
const NOT_READ = "is not among what was read";

fleetChecks(ID, "AWS", spokeOf("eks-p"), [
  ["as written", [], "pass"],
  ["no annotation", account(ROLE_ARN, undefined), "fail", NO_ANNOTATION],
  ["a service account elsewhere", account(["namespace"], "x"), "fail", NO_ANNOTATION],
  ["no role", (all) => withoutResource(all, "aws_iam_role"), "unknown", NOT_READ],
  [
    "an annotation for a role of a like name",
    account(ROLE_ARN, (arn: unknown) => `${String(arn)}x`),
    "unknown",
    "; the nearest is hub-eks_kueue-system_kueue-controller-manager_access",
  ],
  // kubernetes-sigs/cluster-inventory-api: variables of the entry are above those of the pod.
  ["another role for the plugin", told("aws-eks-p", "AWS_ROLE_ARN", OTHER_ROLE), "unknown", OTHER_ROLE],
]);

fleetChecks(
  ID,
  "AWS, for a custom controller",
  { artefacts: allSpokes("openshift", "generic"), spoke: "eks-p" },
  [
    [
      "a role of the profile's own",
      both(
        listed("fc", "aws-eks-p", ["profileSourcedEnvVarsPolicy"], "Replace"),
        profile(
          "eks-p",
          [0, "cluster", "extensions"],
          [
            {
              name: "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs",
              extension: { AWS_ROLE_ARN: OTHER_ROLE },
            },
          ],
        ),
      ),
      "unknown",
      OTHER_ROLE,
    ],
  ],
);

fleetChecks(ID, "Google", spokeOf("gke-d"), [
  ["as written", [], "pass"],
  ["a disabled account", resource("google_service_account", "disabled", true), "fail", "is disabled"],
]);

const builtin = (name: string): Damage =>
  profile("a", [], (list: unknown) => [
    ...(list as readonly object[]),
    { ...(list as readonly object[])[0], name: `argo-cd-builtin-${name}` },
  ]);

fleetChecks(ID, "Argo CD's own access provider", { artefacts: argoFleet(), spoke: "a" }, [
  ["for Google", builtin("gcp"), "fail", "no ConfigMap with a credential file"],
  ["for Azure", builtin("azure"), "fail", "has no azure.workload.identity"],
]);
