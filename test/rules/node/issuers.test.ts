import { describe, expect, it } from "vitest";
import {
  kubeadmControlPlaneIssuers,
  kubeadmIssuers,
  plainIssuers,
  rancherIssuers,
  signingIssuer,
  talosIssuers,
} from "../../../lib/rules/node/issuers";
import { refusal } from "../../support/refusal";

const [NEW, OLD] = ["https://new.example.com", "https://old.example.com"];
const FLAG = "service-account-issuer";

describe("the issuers of API servers", () => {
  it.each<[string, (issuers: readonly string[]) => object, object, object | undefined]>([
    [
      "kubeadm v1beta4",
      (issuers) => kubeadmIssuers(issuers, "v1beta4"),
      { apiServer: { extraArgs: [{ name: FLAG, value: NEW }] } },
      {
        apiServer: {
          extraArgs: [
            { name: FLAG, value: NEW },
            { name: FLAG, value: OLD },
          ],
        },
      },
    ],
    [
      "kubeadm v1beta3, whose arguments are a map",
      (issuers) => kubeadmIssuers(issuers, "v1beta3"),
      { apiVersion: "kubeadm.k8s.io/v1beta3", apiServer: { extraArgs: { [FLAG]: NEW } } },
      undefined,
    ],
    [
      "Cluster API v1beta1",
      (issuers) => kubeadmControlPlaneIssuers(issuers, "v1beta1"),
      {
        spec: { kubeadmConfigSpec: { clusterConfiguration: { apiServer: { extraArgs: { [FLAG]: NEW } } } } },
      },
      undefined,
    ],
    [
      "Cluster API v1beta2",
      (issuers) => kubeadmControlPlaneIssuers(issuers, "v1beta2"),
      { apiVersion: "controlplane.cluster.x-k8s.io/v1beta2", kind: "KubeadmControlPlane" },
      {},
    ],
    [
      "K3s and RKE2",
      rancherIssuers,
      { "kube-apiserver-arg+": [`${FLAG}=${NEW}`] },
      { "kube-apiserver-arg+": [`${FLAG}=${NEW}`, `${FLAG}=${OLD}`] },
    ],
    [
      "Talos before 1.13",
      (issuers) => talosIssuers(issuers, "1.12"),
      { cluster: { apiServer: { extraArgs: { [FLAG]: NEW } } } },
      undefined,
    ],
    [
      "Talos 1.13, which has lists",
      (issuers) => talosIssuers(issuers, "1.13"),
      { cluster: { apiServer: { extraArgs: { [FLAG]: NEW } } } },
      { cluster: { apiServer: { extraArgs: { [FLAG]: [NEW, OLD] } } } },
    ],
    [
      "Talos 1.14, which has a document",
      (issuers) => talosIssuers(issuers, "1.14"),
      { apiVersion: "v1alpha1", kind: "KubeServiceAccountConfig", issuer: { issuerURL: NEW } },
      { issuer: { issuerURL: NEW }, accepted: { issuers: [OLD] } },
    ],
    ["data", plainIssuers, { kubeApiserverArguments: [`--${FLAG}=${NEW}`] }, {}],
  ])("are written for %s, the signing one first, and read back", (_, written, one, two) => {
    expect(written([NEW])).toMatchObject(one);
    expect(signingIssuer(written([NEW]))).toBe(NEW);
    if (two === undefined) {
      expect(() => written([NEW, OLD])).toThrow(
        refusal("node-unsupported: several issuers cannot be written for"),
      );
      return;
    }
    expect(written([NEW, OLD])).toMatchObject(two);
    expect(signingIssuer(written([NEW, OLD]))).toBe(NEW);
    expect(signingIssuer(written([OLD, NEW]))).toBe(OLD);
  });

  it.each<[string, unknown]>([
    ["another configuration of kubeadm", { apiVersion: "kubeadm.k8s.io/v1beta4", kind: "InitConfiguration" }],
    ["other arguments", { "kube-apiserver-arg": ["audit-log-path=-"] }],
    ["an object", { apiVersion: "v1", kind: "ConfigMap", "kube-apiserver-arg": [`${FLAG}=${NEW}`] }],
    ["arguments of another program", { cluster: { scheduler: { extraArgs: { [FLAG]: NEW } } } }],
    ["nothing", undefined],
  ])("are not stated by %s", (_, document) => {
    expect(signingIssuer(document)).toBeUndefined();
  });
});
