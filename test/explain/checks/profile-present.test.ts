import { inDocument, put } from "../../fixtures/explain/documents";
import { withoutDocument } from "../../fixtures/explain/fleet";
import { fleetChecks, spokeIn, spokeOf } from "../../fixtures/explain/fleet-checks";
import { type Damage, PROFILES, STATUS, both, unrecorded } from "../../fixtures/explain/fleet-damages";

const ID = "profile-present";

const noStatus: Damage = (all) => withoutDocument(all, STATUS, "name: gpu-1");

fleetChecks(ID, "an example", spokeIn("fleet-multikueue", "gpu-1"), [
  ["main object and status", [], "pass"],
  ["no status", noStatus, "fail", "nothing that was read writes the status"],
  ["no status of other people", both(unrecorded, noStatus), "unknown"],
  [
    "no main object, of whose spec the status says nothing either",
    (all) =>
      both(
        (now) => withoutDocument(now, PROFILES, "name: gpu-1"),
        (now) => inDocument(now, STATUS, ["ClusterProfile", "gpu-1"], put(["spec"], undefined)),
      )(all),
    "unknown",
    "the main object of the profile kueue-system/gpu-1",
  ],
]);

const main =
  (key: string, value: string): Damage =>
  (all) =>
    inDocument(all, PROFILES, ["ClusterProfile", "eks-p"], put(["metadata", key], value));
const DROPPED = "written together with its main object, so the API server drops it";

fleetChecks(ID, "the main object", spokeOf("eks-p"), [
  ["has another namespace", main("namespace", "other"), "fail", DROPPED],
  ["has another name", main("name", "zz"), "fail", DROPPED],
]);
