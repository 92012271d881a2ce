/*
 * Where Argo CD's cluster profile controller reads profiles, and what it makes of them.
 * Source: argoproj-labs/clusterprofile-integration-for-argocd, README and controller.go (`renderSecret`).
 */

import { describe, expect, it } from "vitest";
import type { ArgoCdProps } from "../../../../lib/fleet";
import type { ControllerWorkload } from "../../../../lib/model/fleet";
import { allSpokes } from "../../../fixtures/explain/all-spokes";
import { explained } from "../../../fixtures/explain/artefacts";
import { inDocument, put } from "../../../fixtures/explain/documents";
import { withoutDocument } from "../../../fixtures/explain/fleet";
import { fleetChecks, spokeIn } from "../../../fixtures/explain/fleet-checks";
import { HUB } from "../../../fixtures/explain/fleet-damages";
import { argoFleet } from "../../../fixtures/explain/one-spoke";
import { CLUSTER_SECRETS, secret, stored } from "../../../fixtures/explain/cluster-secrets";
import { CA } from "../../../fixtures/fleet/ca";

const ID = "controller-configured";
const READER = "argocd-clusterprofile-controller";
const PATH = "/etc/clusterprofile/clusterprofile-provider-file.json";
const FILE = `--clusterprofile-provider-file=${PATH}`;
const VARIABLE = "ARGOCD_CLUSTERPROFILE_CONTROLLER_";

const workload = (
  kind: ControllerWorkload["kind"],
  namespace: string,
  name: string,
  container = name,
): ControllerWorkload => ({ kind, namespace, name, container, serviceAccount: name });

const GITOPS: ArgoCdProps["workloads"] = [
  workload(
    "StatefulSet",
    "openshift-gitops",
    "openshift-gitops-application-controller",
    "argocd-application-controller",
  ),
  workload("Deployment", "openshift-gitops", "openshift-gitops-server", "argocd-server"),
];

describe("profiles are in the namespace of Argo CD", () => {
  it.each<[string, Partial<ArgoCdProps>, string]>([
    ["as its manifests have it", {}, "argocd"],
    ["as OpenShift GitOps has it", { workloads: GITOPS }, "openshift-gitops"],
    [
      "whose controller is elsewhere",
      { workloads: GITOPS, profileController: workload("Deployment", "argocd", READER) },
      "openshift-gitops",
    ],
  ])("%s", (_, more, namespace) => {
    const artefacts = argoFleet(more);
    const text = (file: string): string => [...artefacts].find(([path]) => path.endsWith(file))?.[1] ?? "";
    expect(text("60-cluster-profiles.yaml")).toContain(`namespace: ${namespace}\n`);
    expect(explained(artefacts).map(({ verdict }) => verdict)).toEqual(["allowed", "allowed"]);
    const header = `# --cluster-profile-namespaces=${namespace}\n`;
    expect(text(HUB).includes(header)).toBe(more.profileController !== undefined);
  });
});

const base = { artefacts: argoFleet(), spoke: "a" };

/** The whole manifest of the controller, beside what this library writes. */
const reader = (args: readonly string[], container: object = {}): { others: Record<string, string> } => ({
  others: {
    "reader.json": JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace: "argocd", name: READER },
      spec: {
        template: {
          spec: {
            serviceAccountName: READER,
            containers: [
              {
                name: READER,
                image: "ghcr.io/argoproj-labs/clusterprofile-integration-for-argocd:v0.1.0",
                args,
                ...container,
              },
            ],
          },
        },
      },
    }),
  },
});

const env = (name: string, value: string): object => ({ env: [{ name: VARIABLE + name, value }] });
const elsewhere = (name: string): object => ({
  env: [{ name: VARIABLE + name, valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }],
});
const NAMESPACES = "--cluster-profile-namespaces";
const PROVIDER_FILE = "CLUSTERPROFILE_PROVIDER_FILE";

fleetChecks(ID, "the whole manifest of the controller", base, [
  ["with the file alone", [], "pass", "uses profiles", reader([FILE])],
  ["with other namespaces", [], "fail", "only profiles of other", reader([FILE, `${NAMESPACES}=other`])],
  ["with its namespace among others", [], "pass", "uses", reader([FILE, `${NAMESPACES}=other,argocd`])],
  ["with all namespaces", [], "pass", "uses", reader([FILE, NAMESPACES, "*"])],
  ["with no text", [], "pass", "uses", reader([FILE, `${NAMESPACES}=`])],
  ["with namespaces of a variable", [], "unknown", "is not known", reader([FILE, `${NAMESPACES}=$(N)`])],
  [
    "with other namespaces by variable",
    [],
    "fail",
    "only profiles of other",
    reader([FILE], env("NAMESPACES", "other")),
  ],
  ["with namespaces of a ConfigMap", [], "unknown", "is not known", reader([FILE], elsewhere("NAMESPACES"))],
  [
    "with variables of a ConfigMap",
    [],
    "unknown",
    "is not known",
    reader([FILE], { envFrom: [{ configMapRef: { name: "c" } }] }),
  ],
  ["in a dry run", [], "fail", "writes no Secret", reader([FILE, "--dry-run"])],
  ["in a dry run that is off", [], "pass", "uses", reader([FILE, "--dry-run", "--dry-run=false"])],
  ["in a dry run by variable", [], "fail", "writes no Secret", reader([FILE], env("DRY_RUN", "true"))],
  ["in a dry run of a ConfigMap", [], "unknown", "is not known", reader([FILE], elsewhere("DRY_RUN"))],
  ["with the file by variable", [], "pass", "uses", reader([], env(PROVIDER_FILE, PATH))],
  ["with another file by variable", [], "fail", "reads /x", reader([], env(PROVIDER_FILE, "/x"))],
  ["with the file of a ConfigMap", [], "unknown", "is not known", reader([], elsewhere(PROVIDER_FILE))],
]);

fleetChecks(ID, "the list", spokeIn("fleet-argocd", "shop-aws"), [
  [
    "is not mounted",
    [
      HUB,
      "mountPath: /etc/clusterprofile\n              name: clusterprofile-provider-file",
      "mountPath: /etc/clusterprofile\n              name: other",
    ],
    "fail",
    "does not mount the ConfigMap",
  ],
  [
    "is mounted by no workload that was read",
    (all) => withoutDocument(all, HUB, "checksum/clusterprofile-provider-file"),
    "unknown",
    "which workload of Argo CD reads the list",
  ],
]);

/** A profile as it is read from a cluster. */
const lab = {
  apiVersion: "multicluster.x-k8s.io/v1alpha1",
  kind: "ClusterProfile",
  metadata: { namespace: "argocd", name: "lab", uid: "1", labels: { "x-k8s.io/cluster-manager": "acme" } },
  spec: { displayName: "lab", clusterManager: { name: "acme" } },
  status: {
    accessProviders: [
      {
        name: "argo-cd-builtin-azure",
        cluster: {
          server: "https://k.hcp.westeurope.azmk8s.io:443",
          "certificate-authority-data": CA,
        },
      },
    ],
  },
};
const unlisted = inDocument(
  new Map([...allSpokes("eks", "argocd")].filter(([path]) => !path.includes("cluster-profile"))),
  HUB,
  ["ConfigMap"],
  put(["kind"], "Other"),
);

fleetChecks(ID, "cluster Secrets", { artefacts: CLUSTER_SECRETS, spoke: "lab" }, [
  // argoproj-labs/clusterprofile-integration-for-argocd: a controller of its own writes Secrets from profiles.
  [
    "beside a profile, which Argo CD itself does not read",
    [],
    "unknown",
    "Argo CD uses its cluster Secrets, and no controller was read that writes one from the profile argocd/lab",
    { others: stored([lab]) },
  ],
  [
    "in place of a declared profile, where the list of access providers was not read either",
    [],
    "unknown",
    "no list of access providers was read",
    { artefacts: unlisted, spoke: "eks-g", others: stored([secret("eks-g")]), verdict: "denied" },
  ],
]);
