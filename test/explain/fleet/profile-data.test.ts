/*
 * What a profile brings along that no one needs. Source: KEP-5339, and the appendix of the ClusterProfile API with
 * `clusterName` in the extension for the plugin, which stock binaries do not read.
 */

import { expect, it } from "vitest";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { explained } from "../../fixtures/explain/artefacts";
import { profile } from "../../fixtures/explain/fleet-damages";

it.each([
  ["data for a plugin", "client.authentication.k8s.io/exec", "profile-config-without-cluster-info"],
  [
    "variables for a plugin",
    "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs",
    "profile-env-without-policy",
  ],
  ["data of someone else", "acme.example/x", "fleet-extension-invalid"],
])("warns of %s that it does not need", (_, name, warning) => {
  const artefacts = profile(
    "eks-g",
    [0, "cluster", "extensions"],
    [{ name, extension: { A: "b" } }],
  )(allSpokes("eks", "kueue"));
  const [result] = explained(artefacts, { spoke: "eks-g" });
  expect([result?.verdict, result?.warnings?.map(({ id }) => id)]).toEqual(["allowed", [warning]]);
});
