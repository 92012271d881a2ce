/*
 * Cluster Secrets of Argo CD, as this library writes them and as people do.
 * Source: argoproj/argo-cd:docs/operator-manual/declarative-setup.md, "Clusters".
 */

import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Status, explain } from "../../../lib/explain";
import { type Artefacts, explained, folderOf } from "../../fixtures/explain/artefacts";
import { SPOKES, allSpokes } from "../../fixtures/explain/all-spokes";
import { inDocument, put, within } from "../../fixtures/explain/documents";
import { CA } from "../../fixtures/fleet/ca";

const FILE = "60-cluster-secrets.yaml";
const written = allSpokes("eks", "argocd-secrets");

const secrets = (artefacts: Artefacts): readonly Record<string, Record<string, string>>[] => {
  const [, text = ""] = [...artefacts].find(([path]) => path.endsWith(FILE)) ?? [];
  return parseAllDocuments(text).map((document) => document.toJS());
};

/** The Secret of the EKS spoke with a ClusterRole, changed. */
const config =
  (path: readonly (string | number)[], value: unknown): ((all: Artefacts) => Artefacts) =>
  (all) =>
    inDocument(
      all,
      FILE,
      ["Secret", "cluster-eks-g"],
      put(["stringData", "config"], within(put([...path], value))),
    );

describe("what is written", () => {
  it("is one Secret per spoke, and neither profiles nor a list", () => {
    const all = secrets(written);
    expect(all.map(({ metadata }) => metadata?.["name"])).toEqual(SPOKES.map((name) => `cluster-${name}`));
    expect([...written].map(([path]) => path).join(" ")).not.toMatch(/cluster-profile/);
    expect(all[1]).toMatchObject({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "argocd", labels: { "argocd.argoproj.io/secret-type": "cluster" } },
      type: "Opaque",
      stringData: { name: "eks-g", server: "https://eksg.example.com" },
    });
    expect(JSON.parse(all[1]?.["stringData"]?.["config"] ?? "")).toEqual({
      execProviderConfig: {
        command: "argocd-k8s-auth",
        args: ["aws", "--cluster-name", "eksg"],
        env: { AWS_REGION: "eu-west-1" },
        apiVersion: "client.authentication.k8s.io/v1beta1",
      },
      tlsClientConfig: { insecure: false, caData: CA },
    });
  });

  it.each(["eks", "openshift", "gke"] as const)("is allowed on %s as profiles are", (hub) => {
    const said = (consumer: "argocd" | "argocd-secrets"): readonly unknown[] =>
      explained(allSpokes(hub, consumer)).map(({ subject, target, verdict, as }) => [
        subject,
        target,
        verdict,
        as,
      ]);
    expect(said("argocd-secrets")).toEqual(said("argocd"));
  });
});

it.each<[string, (all: Artefacts) => Artefacts, string, Status, string]>([
  [
    "another cluster",
    config(["execProviderConfig", "args", 2], "other"),
    "spoke-admits",
    "unknown",
    "no access entry for",
  ],
  [
    "no cluster",
    config(["execProviderConfig", "args"], ["aws"]),
    "plugin-called",
    "fail",
    "is called without --cluster-name",
  ],
  [
    "a plugin that its image does not have",
    config(["execProviderConfig", "command"], "kubelogin"),
    "plugin-present",
    "fail",
    "neither an absolute path nor on the PATH",
  ],
  ["a stored token", config(["bearerToken"], "x"), "secret-free", "fail", "secret material"],
  [
    "no check of certificates",
    config(["tlsClientConfig", "insecure"], true),
    "profile-well-formed",
    "fail",
    "insecure",
  ],
  [
    "no certificate authority",
    config(["tlsClientConfig", "caData"], undefined),
    "profile-well-formed",
    "unknown",
    "has no certificate authority",
  ],
  [
    "awsAuthConfig",
    config([], { awsAuthConfig: { clusterName: "eksg" }, tlsClientConfig: { caData: CA } }),
    "plugin-called",
    "pass",
    "argocd-k8s-auth",
  ],
  [
    "a role that the plugin assumes",
    config([], { awsAuthConfig: { clusterName: "eksg", roleARN: "arn:aws:iam::1:role/x" } }),
    "spoke-admits",
    "unknown",
    "assumes the role",
  ],
  [
    "another server",
    (all) =>
      inDocument(all, FILE, ["Secret", "cluster-eks-g"], put(["stringData", "server"], "https://x.example")),
    "spoke-admits",
    "unknown",
    "declared with the server",
  ],
])("%s", (_, damage, id, status, reason) => {
  const [first] = explained(damage(written), { spoke: "eks-g" });
  const check = first?.checks.find((each) => each.id === id);
  expect([check?.status, check?.reason]).toEqual([status, expect.stringContaining(reason)]);
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secret = (name: string, given: object): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "argocd", name, labels: { "argocd.argoproj.io/secret-type": "cluster" } },
  data: {
    name: base64(name),
    server: base64("https://k.hcp.westeurope.azmk8s.io:443"),
    config: base64(JSON.stringify(given)),
  },
});
const exec = {
  command: "argocd-k8s-auth",
  args: ["azure"],
  apiVersion: "client.authentication.k8s.io/v1beta1",
};
const AZURE = { execProviderConfig: exec, tlsClientConfig: { caData: CA } };
/** A profile as it is read from a cluster. */
const profile = {
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
const listOf = (items: readonly object[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items });

it("reads Secrets that people wrote, decoded, and leaves stored credentials out", () => {
  const items = [secret("shop", AZURE), secret("old", { bearerToken: "x" })];
  const results = explain([folderOf({ "hub.json": listOf(items) })]);
  expect(results.map(({ target, verdict }) => [target, verdict])).toEqual([["shop", "unknown"]]);
  const chosen = results[0]?.checks.find(({ id }) => id === "provider-chosen");
  expect([chosen?.status, chosen?.reason]).toEqual(["pass", "the list chooses cluster Secret shop"]);
});

it("judges each Secret by itself", () => {
  const damages = [
    config(["execProviderConfig", "env"], { AWS_SECRET_ACCESS_KEY: "x" }),
    config(["execProviderConfig", "apiVersion"], "v1"),
    config([], "no object"),
  ];
  for (const damage of damages) {
    const verdicts = explained(damage(written)).filter(({ subject }) => subject.endsWith("server"));
    expect(verdicts.map(({ target, verdict }) => `${target} ${verdict === "allowed"}`)).toEqual(
      SPOKES.map((name) => `${name} ${name !== "eks-g"}`),
    );
  }
});

/** Which link of each controller's way into a spoke does not hold first, with other people's objects beside the stack. */
function firstDoubts(artefacts: Artefacts, item: object, spoke: string): readonly unknown[] {
  const results = explain([folderOf(artefacts), folderOf({ "more.json": listOf([item]) })], { spoke });
  return results.map(({ subject, checks }) => {
    const { id, reason } = checks.find(({ status }) => status !== "pass") ?? {};
    return [subject, id, reason];
  });
}

describe("Secrets and profiles beside those of the stack", () => {
  const CASES: readonly (readonly [string, Artefacts, object, string, string, string])[] = [
    [
      "a Secret, which the declared Argo CD uses too",
      written,
      secret("shop", AZURE),
      "shop",
      "spoke-admits",
      "whether the cluster of shop is integrated with Entra was not read",
    ],
    // argoproj-labs/clusterprofile-integration-for-argocd: a controller of its own writes Secrets from profiles.
    [
      "a profile, which Argo CD itself does not read",
      written,
      profile,
      "lab",
      "controller-configured",
      "Argo CD uses its cluster Secrets, and no controller was read that writes one from the profile argocd/lab",
    ],
    [
      "a Secret in place of a declared profile, where the list of access providers was not read either",
      inDocument(
        new Map([...allSpokes("eks", "argocd")].filter(([path]) => !path.includes("cluster-profile"))),
        "65-fleet-controller.yaml",
        ["ConfigMap"],
        put(["kind"], "Other"),
      ),
      secret("eks-g", AZURE),
      "eks-g",
      "controller-configured",
      "no list of access providers was read",
    ],
  ];
  it.each(CASES)("%s", (_, artefacts, item, spoke, id, reason) => {
    const accounts = ["argocd/argocd-application-controller", "argocd/argocd-server"];
    expect(firstDoubts(artefacts, item, spoke)).toEqual(accounts.map((account) => [account, id, reason]));
  });
});
