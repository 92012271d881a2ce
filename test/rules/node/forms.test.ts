/*
 * What each form is taken for, and what the program that reads it would say. The texts of problems are those of the programs
 * where they were run: Talos' machinery, Butane with --strict; else the source is beside the row.
 */

import { describe, expect, it } from "vitest";
import type { NodeSetup } from "../../../lib/model/node-file";
import { NODE_FORMS, nodeFormOf } from "../../../lib/rules/node/forms";
import { rancherFlags, rancherHost } from "../../../lib/rules/node/rancher";
import { microShiftFlags, microShiftHost } from "../../../lib/rules/node/microshift";
import { kopsSpec } from "../../../lib/rules/node/kops";
import { checkKubeadm, kubeadmTemplateSpec } from "../../../lib/rules/node/kubeadm";
import { pluginSource } from "../../../lib/rules/node/plugin-source";
import { checkTalos, talosPatch } from "../../../lib/rules/node/talos";
import { refusal } from "../../support/refusal";

const CONFIG = "image-credential-provider-config";
const BIN = "image-credential-provider-bin-dir";
const TALOS = {
  [CONFIG]: "/etc/kubernetes/kubelet-credentialproviderconfig.yaml",
  [BIN]: "/usr/local/lib/kubelet/credentialproviders",
};
const TOKENS = { providers: [{ name: "ecr", tokenAttributes: { serviceAccountTokenAudience: "a" } }] };

const kubelet = (settings: object): object => ({ machine: { kubelet: settings } });
const EMPTY = { credentialProviderConfig: {} };

function setup(path: string, rest: Partial<NodeSetup> = {}): NodeSetup {
  return {
    files: [{ path, mode: 0o644, content: "kind: X\n" }],
    kubeletFlags: { [CONFIG]: path, [BIN]: "/usr/libexec/p" },
    ...rest,
  };
}

describe("a document", () => {
  it.each<[string, unknown, string | undefined]>([
    ["cloud-init", { write_files: [] }, "cloud-init"],
    ["Ignition", { ignition: { version: "3.4.0" } }, "ignition"],
    [
      "a MachineConfig",
      { kind: "MachineConfig", spec: { config: { ignition: { version: "3.2.0" } } } },
      undefined,
    ],
    ["Butane", { variant: "flatcar", version: "1.0.0" }, "butane"],
    ["Talos", { version: "v1alpha1", machine: {} }, "talos"],
    ["a patch of Talos", { machine: { files: [] } }, "talos"],
    ["Talos' own document", { apiVersion: "v1alpha1", kind: "KubeCredentialProviderConfig" }, "talos"],
    ["kubeadm", { apiVersion: "kubeadm.k8s.io/v1beta4", kind: "JoinConfiguration" }, "kubeadm"],
    [
      "kubeadm's ClusterConfiguration",
      { apiVersion: "kubeadm.k8s.io/v1beta4", kind: "ClusterConfiguration" },
      undefined,
    ],
    [
      "Cluster API",
      { apiVersion: "bootstrap.cluster.x-k8s.io/v1beta2", kind: "KubeadmConfigTemplate" },
      "kubeadm-config-template",
    ],
    ["kOps", { apiVersion: "kops.k8s.io/v1alpha2", kind: "Cluster", spec: { fileAssets: [] } }, "kops"],
    ["plain data", { files: [], kubeletFlags: {} }, "files"],
    ["a Kubernetes object", { apiVersion: "v1", kind: "ConfigMap", data: {} }, undefined],
    ["a text", "machine:", undefined],
    ["nothing", null, undefined],
  ])("%s", (_, document, form) => {
    expect(nodeFormOf(document)?.id).toBe(form);
    expect(NODE_FORMS.filter((each) => each.is(document))).toHaveLength(form === undefined ? 0 : 1);
  });

  const join = (version: string, kubeletExtraArgs: unknown): object => ({
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: "JoinConfiguration",
    nodeRegistration: { kubeletExtraArgs },
  });
  const template = (file: object): object => ({
    apiVersion: "bootstrap.cluster.x-k8s.io/v1beta2",
    kind: "KubeadmConfig",
    spec: { files: [{ path: "/etc/x", ...file }] },
  });
  const legacy = { machine: { kubelet: {} } };
  const own = { apiVersion: "v1alpha1", kind: "KubeCredentialProviderConfig", configuration: {} };
  const talosFile = { path: "/etc/x", op: "create", content: "" };
  const [v4, v3] = [join("v1beta4", { a: "b" }), join("v1beta3", [])];

  it.each<[string, readonly object[], "problem" | "doubt", string]>([
    // V1Alpha1ConflictValidate
    ["Talos with both kinds of configuration", [legacy, own], "problem", "legacy kubelet configuration"],
    // WriteUserFiles
    ["Talos with a file outside of /var", [{ machine: { files: [talosFile] } }], "problem", "/etc/x"],
    // k8s.io/kubelet v0.34: cacheType is written even where it is empty
    [
      "Talos with tokens and no cacheType",
      [kubelet({ credentialProviderConfig: TOKENS })],
      "doubt",
      "cacheType",
    ],
    ["kubeadm v1beta4 with a map", [v4], "problem", "list of name and value"],
    ["kubeadm v1beta3 with a list", [v3], "problem", "as a map"],
    ["Ignition of another major version", [{ ignition: { version: "2.3.0" } }], "doubt", "2.3.0"],
    [
      "Talos with another file in extraArgs",
      [kubelet({ ...EMPTY, extraArgs: { [CONFIG]: "/x" } })],
      "doubt",
      CONFIG,
    ],
    ["Talos with two kubelets", [kubelet(EMPTY), kubelet({ extraArgs: {} })], "doubt", "several documents"],
  ])("%s", (_, documents, field, part) => {
    expect(nodeFormOf(documents[0])?.read(documents)).toMatchObject({
      [field]: expect.stringContaining(part) as unknown,
    });
  });

  // File.contentFormat
  it("of Cluster API may have a file that is a template", () => {
    const document = template({ contentFormat: "Template", content: "{{ a }}" });
    expect(nodeFormOf(document)?.read([document]).files).toMatchObject([{ encoding: "other" }]);
  });

  // cc_write_files.py, canonicalize_extraction: an unknown encoding is taken for plain text, with a warning.
  it.each([
    ["gz+b64", "gzip+base64"],
    ["B64", "base64"],
    ["text/plain", "plain"],
    ["rot13", "plain"],
    ["gzip", "other"],
  ])("cloud-init's encoding %s is %s", (encoding, expected) => {
    const document = { write_files: [{ path: "/a", content: "x", encoding }] };
    expect(nodeFormOf(document)?.read([document]).files[0]?.encoding).toBe(expected);
  });
});

describe("flags in files of a distribution", () => {
  const ROOT = "/var/lib/rancher/credentialprovider";
  // k3s-io/k3s, pkg/configfilearg/parser.go and pkg/daemons/agent/agent_linux.go.
  it.each<[string, readonly unknown[], object]>([
    ["nothing stated: the defaults", [{}], { [CONFIG]: `${ROOT}/config.yaml`, [BIN]: `${ROOT}/bin` }],
    ["a later file replaces", [{ [CONFIG]: "/a" }, { [CONFIG]: "/b" }], { [CONFIG]: "/b" }],
    ["kubelet-arg wins", [{ [CONFIG]: "/a", "kubelet-arg": [`${CONFIG}=/c`] }], { [CONFIG]: "/c" }],
    [
      "a later list replaces",
      [{ "kubelet-arg": ["v=1"] }, { "kubelet-arg": [`${BIN}=/c`] }],
      { [BIN]: "/c" },
    ],
    ["+ adds", [{ "kubelet-arg": [`${BIN}=/c`] }, { "kubelet-arg+": ["v=1"] }], { [BIN]: "/c", v: "1" }],
    ["dashes do not count", [{ "kubelet-arg": "--v=2" }], { v: "2" }],
  ])("K3s and RKE2: %s", (_, documents, expected) => {
    expect(rancherFlags(documents)).toMatchObject(expected);
  });

  // enhancements/microshift/microshift-kubelet-image-credential-provider.md: a JSON merge patch, null and "" are unset.
  it.each<[string, readonly unknown[], object]>([
    [
      "keys in two files",
      [
        { kubelet: { imageCredentialProviderConfigPath: "/c" } },
        { kubelet: { imageCredentialProviderBinDir: "/b" } },
      ],
      { [CONFIG]: "/c", [BIN]: "/b" },
    ],
    ["nothing stated", [{ dns: {} }], { [CONFIG]: "", [BIN]: "" }],
    ["a misspelled key", [{ kubelet: { imageCredentialProviderConfig: "/c" } }], { [CONFIG]: "" }],
  ])("MicroShift: %s", (_, documents, expected) => {
    expect(microShiftFlags(documents)).toEqual(expect.objectContaining(expected));
  });
});

const microShift = (path: string, kubeletFlags: Readonly<Record<string, string>>): unknown =>
  microShiftHost("5.0").files(setup(path, { kubeletFlags }));
const plugin = (url: string, sha256: string): unknown =>
  pluginSource("ecr", { url, sha256: sha256.repeat(64) });
const FETCHED = { path: "/p", url: "https://a/b", sha256: "0" };
const WRITABLE = { path: "/etc/a", mode: 0o664, content: "" };
const LONG = { path: "/a", mode: 0o644, content: "x".repeat(10_241) };
const talos = (rest: Partial<NodeSetup>): unknown =>
  talosPatch(setup("/etc/kubernetes/a.json", { kubeletFlags: TALOS, ...rest }), "1.12");

describe("refusals", () => {
  it.each<[string, () => unknown, string]>([
    ["Talos before tokens", () => checkTalos("1.9", "1.34"), "version-unsupported: drops tokenAttributes"],
    [
      "Talos that is not known",
      () => checkTalos("1.15", "1.34"),
      "version-unsupported: is not a known version",
    ],
    [
      "Talos, a newer kubelet",
      () => checkTalos("1.11", "1.35"),
      "version-unsupported: does not run kubelet 1.35",
    ],
    ["Talos with kubelet 1.33", () => checkTalos("1.12", "1.33"), "version-unsupported: empty cacheType"],
    [
      "Talos, another path",
      () => talosPatch(setup("/etc/x"), "1.12"),
      "node-unsupported: Talos sets the kubelet flag",
    ],
    ["Talos, a file outside of /var", () => talos({}), "node-unsupported: below /var"],
    [
      "Talos that fetches",
      () => talos({ files: [], executables: [FETCHED] }),
      "node-unsupported: cannot download",
    ],
    ["MicroShift 4.22", () => microShiftHost("4.22"), "version-unsupported: MicroShift 4.22"],
    [
      "MicroShift, SELinux",
      () => microShift("/etc/microshift/c.yaml", { [BIN]: "/opt/p" }),
      "node-unsupported: SELinux",
    ],
    [
      "MicroShift, writable",
      () => microShiftHost("5.0").files({ files: [WRITABLE], kubeletFlags: {} }),
      "node-unsupported: writable by group",
    ],
    [
      "MicroShift, a flag",
      () => microShift("/etc/a", { [BIN]: "/usr/libexec/p", v: "2" }),
      "node-unsupported: no setting",
    ],
    [
      "RKE2, another flag",
      () => rancherHost("rke2").files(setup("/etc/a", { kubeletFlags: { v: "2" } })),
      "node-unsupported: does not configure credential providers",
    ],
    [
      "MicroShift, an older kubelet",
      () => microShiftHost("5.0").checkKubelet?.("1.35"),
      "version-unsupported: newer kubelet",
    ],
    [
      "RKE2 1.33",
      () => rancherHost("rke2").checkKubelet?.("1.33"),
      "version-unsupported: RKE2 1.33 itself reads",
    ],
    [
      "kubeadm 1.37 with v1beta3",
      () => checkKubeadm("v1beta3", "1.37"),
      "version-unsupported: does not read",
    ],
    [
      "Cluster API, a long file",
      () => kubeadmTemplateSpec({ files: [LONG], kubeletFlags: {} }, { version: "v1beta2" }),
      "node-unsupported: too long",
    ],
    [
      "kOps' own file",
      () => kopsSpec(setup("/var/lib/kubelet/credential-provider.conf"), "/k"),
      "node-conflict: kOps writes this file",
    ],
    ["a plugin by http", () => plugin("http://a/b", "0"), "node-invalid: url of the plugin ecr"],
    ["an address that a shell would take apart", () => plugin("https://a/b;rm", "0"), "node-invalid: url"],
    [
      "an address after an option of curl",
      () => plugin("-o/etc/passwd https://a/b", "0"),
      "node-invalid: url",
    ],
    ["a checksum in capitals", () => plugin("https://a/b", "A"), "node-invalid: sha256"],
  ])("%s", (_, run, expected) => {
    expect(run).toThrow(refusal(expected) as Error);
  });

  it("not what works", () => {
    expect(() => checkTalos("1.10", "1.33")).not.toThrow();
    expect(() => checkTalos("v1.14.0", "1.36")).not.toThrow();
    expect(() => checkKubeadm("v1beta3", "1.36")).not.toThrow();
  });
});
