import type { Problem } from "./problem";

/** Refusals of OpenShift: versions, platforms, MachineConfigs, NodePools, the crio entry. */
export const openshiftMessages = {
  "openshift-platform-unknown": (value: unknown, known: readonly string[]): Problem => ({
    problem: "there is no such OpenShift platform",
    value,
    allowed: known.join(", "),
    remedy:
      "use `oc get infrastructure cluster -o jsonpath='{.status.platformStatus.type}'`, written in lower case",
  }),
  "openshift-platform-unsupported": (
    platform: string,
    version: string,
    reason: string,
    usable: readonly string[],
  ): Problem => ({
    problem: `OpenShift ${version} on ${platform} cannot do this: ${reason}`,
    value: platform,
    allowed: usable.join(", "),
    remedy: "leave this cluster out of this configuration",
  }),
  "openshift-nodes-newer": (nodes: string, controlPlane: string): Problem => ({
    problem: "the NodePools are newer than the hosted control plane, which HyperShift refuses",
    value: nodes,
    allowed: `at most ${controlPlane}`,
    remedy: "correct the versions; `version` is that of the NodePools",
  }),
  "pools-missing": (what: string): Problem => ({
    problem: `no ${what} is named, so no node would get the files`,
    allowed: 'at least one, each once, for example ["worker"]',
    remedy: "name the pools whose nodes pull images",
  }),
  "pool-invalid": (what: string, value: unknown): Problem => ({
    problem: `name of a ${what} is not a DNS subdomain, or occurs twice`,
    value,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "use the names as `oc get` prints them, each once",
  }),
  "machine-config-name-invalid": (value: string, reason: string): Problem => ({
    problem: `name of a MachineConfig ${reason}`,
    value,
    allowed: "a DNS subdomain from 02 on, not -generated-, not rendered-, not 99-<pool>-ssh",
    remedy:
      "use a name such as 99-<pool>-kubelet-credential-provider; the label, not the name, selects the pool",
  }),
  "machine-config-name-order": (name: string, generated: string): Problem => ({
    problem: `the MachineConfig sorts before ${generated}, which writes the same file, so the operator's version would win and drop the service account tokens`,
    value: name,
    allowed: `names that sort after ${generated}, such as 99-…`,
    remedy:
      "choose a later name, or leave `crioCredentialProvider` out and keep the CRIOCredentialProviderConfig empty",
  }),
  "machine-config-empty": (name: string): Problem => ({
    problem: "a MachineConfig without files changes nothing",
    value: name,
    allowed: "at least one file",
    remedy: "pass files, or leave the MachineConfig out",
  }),
  "ignition-path-taken": (path: string, by: string): Problem => ({
    problem: `Ignition refuses the file, since ${by}`,
    value: path,
    allowed: "each path once, no file below another file",
    remedy: "keep one of the files",
  }),
  "ignition-path-forbidden": (path: string): Problem => ({
    problem: "the Machine Config Operator refuses this path",
    value: path,
    allowed: "any other path",
    remedy: "leave the file out",
  }),
  "ignition-unreadable": (path: unknown, reason: string): Problem => ({
    problem: `the contents of an Ignition file cannot be read: ${reason}`,
    value: path,
    allowed: "a data URL without compression",
    remedy: "write the file as this library does: base64 data URL, compression empty",
  }),
  "kubelet-flags-fixed": (flag: string, value: unknown, expected: string | undefined): Problem => ({
    problem: `the kubelet flag ${flag} cannot be set: the operator's own kubelet unit decides it on this platform`,
    value,
    allowed: expected ?? "image-credential-provider-bin-dir and image-credential-provider-config",
    remedy: "use the `configPath` and `pluginDirectory` of the cluster's facts",
  }),
  "crio-unsupported": (version: string): Problem => ({
    problem: "the crio credential provider needs what the operator grants it from OpenShift 4.22 on",
    value: version,
    allowed: "4.22 and newer, not hosted",
    remedy: "leave `crioCredentialProvider` out, or upgrade",
  }),
  "crio-match-images-invalid": (value: unknown, reason: string): Problem => ({
    problem: `matchImages of the crio credential provider ${reason}`,
    value,
    allowed:
      "1 to 50 patterns as the CRIOCredentialProviderConfig takes them: host[:port][/path], `*` for one whole part of the host",
    remedy: "name the registries whose mirrors need secrets of the namespace",
  }),
  "node-disruption-paths-missing": (): Problem => ({
    problem: "node disruption policy names no path, and would be an empty list in a shared object",
    allowed: "at least one absolute path",
    remedy: "name the files that it is for, or leave the policy out",
  }),
};
