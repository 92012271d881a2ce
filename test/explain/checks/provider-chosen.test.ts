import { withoutDocument } from "../../fixtures/explain/fleet";
import { fleetChecks, spokeIn, spokeOf } from "../../fixtures/explain/fleet-checks";
import { CLUSTER_SECRETS, secret, stored } from "../../fixtures/explain/cluster-secrets";
import { type Damage, HUB, STATUS, both, profile, unrecorded } from "../../fixtures/explain/fleet-damages";

const ID = "provider-chosen";
const without =
  (file: string, word: string): Damage =>
  (all) =>
    withoutDocument(all, file, word);

fleetChecks(ID, "MultiKueue", spokeIn("fleet-multikueue", "cpu-1"), [
  ["the one that the profile names", [], "pass", "the list chooses aws-cpu-1"],
  ["another name in the profile", [STATUS, "name: aws-cpu-1", "name: aws-cpu-2"], "fail", "aws-cpu-2"],
  ["no list", without(HUB, "kind: ConfigMap"), "unknown", "no list of access providers was read"],
  [
    "no status of other people",
    both(without(STATUS, "name: cpu-1"), unrecorded),
    "unknown",
    "which access providers the profile kueue-system/cpu-1 names is not known",
  ],
]);

fleetChecks(ID, "Argo CD", spokeOf("eks-g", "argocd"), [
  [
    "its own access provider, which comes before the list, of an unknown name",
    profile("eks-g", [], (list: unknown) => [
      ...(list as readonly object[]),
      { ...(list as readonly object[])[0], name: "argo-cd-builtin-foo" },
    ]),
    "fail",
    'unsupported built-in access provider "argo-cd-builtin-foo"',
  ],
]);

fleetChecks(ID, "a cluster Secret that people wrote", { artefacts: CLUSTER_SECRETS, spoke: "shop" }, [
  [
    "is decoded",
    () => new Map(),
    "pass",
    "the list chooses cluster Secret shop",
    { others: stored([secret("shop"), secret("old", { bearerToken: "x" })]), verdict: "unknown" },
  ],
]);
