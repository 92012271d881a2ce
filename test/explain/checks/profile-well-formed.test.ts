/* Sources: KEP-4322 and KEP-5339; argoproj/argo-cd:docs/operator-manual/declarative-setup.md, "Clusters". */

import { expect, it } from "vitest";
import { inDocument, put } from "../../fixtures/explain/documents";
import { damaged } from "../../fixtures/explain/fleet";
import { entered, fleetChecks, spokeOf } from "../../fixtures/explain/fleet-checks";
import { CLUSTER_SECRETS, config } from "../../fixtures/explain/cluster-secrets";
import { type Damage, PROFILES, STATUS, profile } from "../../fixtures/explain/fleet-damages";
import { argoFleet, entering } from "../../fixtures/explain/one-spoke";

const ID = "profile-well-formed";
const EXEC = "clusterprofiles.multicluster.x-k8s.io/exec";
const NO_AUTHORITY = "has no certificate authority";

const main =
  (name: string, path: readonly string[], value: string): Damage =>
  (all) =>
    inDocument(all, PROFILES, ["ClusterProfile", name], put(path, value));
const cluster = (key: string, value: unknown): Damage => profile("own", [0, "cluster", key], value);

fleetChecks(ID, "the profile", spokeOf("own"), [
  ["as written", [], "pass"],
  ["http", cluster("server", "http://own.example:6443"), "fail", "http://own.example:6443"],
  [
    "a certificate that is none",
    cluster("certificate-authority-data", Buffer.from("x").toString("base64")),
    "fail",
    "the certificate authority of a spoke is not base64",
  ],
  ["no certificate", cluster("certificate-authority-data", undefined), "unknown", NO_AUTHORITY],
  ["no check of it", cluster("insecure-skip-tls-verify", true), "unknown", "others refuse beside"],
  ["a check of it", cluster("insecure-skip-tls-verify", false), "pass"],
  [
    "a key that the CRD does not have",
    [STATUS, "certificate-authority-data:", "certificateAuthorityData:"],
    "fail",
    "certificateAuthorityData",
  ],
  [
    "arguments, which nothing can store",
    cluster("extensions", [{ name: `${EXEC}/additional-args`, extension: { a: 1 } }]),
    "fail",
    "which no version can store",
  ],
  [
    "a version that is not known",
    main("own", ["apiVersion"], "multicluster.x-k8s.io/v1beta1"),
    "unknown",
    "the rules of ClusterProfile v1beta1 are not known",
  ],
  [
    "another cluster manager in the label",
    main("own", ["metadata", "labels", "x-k8s.io/cluster-manager"], "x"),
    "fail",
    "differs from spec.clusterManager.name",
  ],
]);

const EKS_CERTIFICATE = "@late(data.aws_eks_cluster.eksc.certificate_authority[0].data";

fleetChecks(ID, "what apply tells", spokeOf("gke-d"), [
  [
    "the certificate of another cluster",
    (all) =>
      damaged(all, STATUS, (text) =>
        text.replace(/@late\(data\.google_container_cluster\.gkec\.master_auth[^)]*/, EKS_CERTIFICATE),
      ),
    "fail",
    "but certificate-authority-data that of data.aws_eks_cluster.eksc",
  ],
]);

const waiting = (value: boolean): readonly [string, string, string] => [
  "workload-identity.json",
  '"isDistroless": true',
  `"isDistroless": true, "needsHealthy": ${value}`,
];

fleetChecks(ID, "a controller of another name", { artefacts: entering(), spoke: "own" }, [
  ["does not wait for healthy profiles", waiting(false), "pass"],
  ["waits for healthy profiles, by the record", waiting(true), "fail"],
]);

fleetChecks(ID, "Argo CD", { artefacts: argoFleet(), spoke: "a" }, [
  [
    "its own access provider for AWS without the cluster's name",
    profile("a", [], (list: unknown) => [
      ...(list as readonly object[]),
      { ...(list as readonly object[])[0], name: "argo-cd-builtin-aws" },
    ]),
    "fail",
    "without --cluster-name",
  ],
]);

fleetChecks(ID, "a cluster Secret", { artefacts: CLUSTER_SECRETS, spoke: "eks-g" }, [
  ["as written", [], "pass"],
  ["no check of certificates", config(["tlsClientConfig", "insecure"], true), "fail", "insecure"],
  ["no certificate authority", config(["tlsClientConfig", "caData"], undefined), "unknown", NO_AUTHORITY],
]);

// The appendix of the ClusterProfile API has `clusterName` in the extension, which stock binaries do not read.
it.each([
  ["data for a plugin", "client.authentication.k8s.io/exec", "profile-config-without-cluster-info"],
  ["variables for a plugin", `${EXEC}/additional-envs`, "profile-env-without-policy"],
  ["data of someone else", "acme.example/x", "fleet-extension-invalid"],
])("warns of %s that it does not need", (_, name, warning) => {
  const damage = profile("eks-g", [0, "cluster", "extensions"], [{ name, extension: { A: "b" } }]);
  const { verdict, warnings } = entered(spokeOf("eks-g"), damage);
  expect([verdict, warnings?.map(({ id }) => id)]).toEqual(["allowed", [warning]]);
});
