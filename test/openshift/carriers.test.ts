import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { LateEncoding, LateText } from "../../lib/model/late";
import type { NodeSetup } from "../../lib/model/node-file";
import {
  MachineConfigCarrier,
  type MachineConfigCarrierProps,
  NodePoolCarrier,
  NodePoolConfigMap,
} from "../../lib/openshift";
import type { IgnitionConfig } from "../../lib/rules/openshift/machine-config";
import { ignitionFiles } from "../support/ignition";
import { type Manifest, RecordingSink } from "./recording-sink";
import { refusal } from "../support/refusal";

const DIRECTORY = "/etc/kubernetes/credential-providers";
const BIN = "/usr/libexec/kubelet-image-credential-provider-plugins";
const AZURE_JSON = { path: "/etc/kubernetes/acr-azure.json", mode: 0o600, content: '{"tenantId":"t"}' };

function setup(file: string, ...further: NodeSetup["files"]): NodeSetup {
  const path = `${DIRECTORY}/${file}-credential-provider.yaml`;
  return {
    files: [...further, { path, mode: 0o644, content: "kind: CredentialProviderConfig\n" }],
    kubeletFlags: { "image-credential-provider-bin-dir": BIN, "image-credential-provider-config": path },
  };
}

function carried(props: Partial<MachineConfigCarrierProps>, carriedSetup: NodeSetup): RecordingSink {
  const sink = new RecordingSink();
  const carrier = new MachineConfigCarrier({ version: "4.22", platform: "aws", pools: ["worker"], ...props });
  carrier.carry(sink, carriedSetup);
  return sink;
}

const decoded = (manifest: Manifest | undefined) =>
  ignitionFiles((manifest?.spec["config"] ?? {}) as IgnitionConfig);

const policyPaths = (sink: RecordingSink): string[] =>
  (
    sink.manifests("node-disruption-policy")[0]?.spec["nodeDisruptionPolicy"] as { files: { path: string }[] }
  ).files.map(({ path }) => path);

describe("MachineConfigCarrier", () => {
  it("writes one MachineConfig per pool, each with the very files", () => {
    const files = setup("ecr");
    const sink = carried({ pools: ["worker", "infra"] }, files);
    const manifests = sink.manifests("machine-configs");
    expect(manifests.map(({ kind, metadata }) => [kind, metadata["name"], metadata["labels"]])).toEqual([
      [
        "MachineConfig",
        "99-worker-kubelet-credential-provider",
        { "machineconfiguration.openshift.io/role": "worker" },
      ],
      [
        "MachineConfig",
        "99-infra-kubelet-credential-provider",
        { "machineconfiguration.openshift.io/role": "infra" },
      ],
    ]);
    expect(manifests.map(decoded)).toEqual([files.files, files.files]);
  });

  // pkg/apihelpers/apihelpers.go of release-4.21 (none) and release-4.22 (the directory and the drop-in).
  it.each([
    ["4.21", "aws", setup("ecr"), [DIRECTORY]],
    ["4.21", "azure", setup("acr", AZURE_JSON), [AZURE_JSON.path, DIRECTORY]],
    ["4.22", "azure", setup("acr", AZURE_JSON), [AZURE_JSON.path]],
  ] as const)("%s on %s: applies the node disruption policy first", (version, platform, files, paths) => {
    const sink = carried({ version, platform }, files);
    expect(sink.files).toEqual(["30-node-disruption-policy", "40-machine-configs"]);
    expect(policyPaths(sink)).toEqual(paths);
    expect(sink.options.get("node-disruption-policy")?.comment?.join(" ")).toMatch(
      /singleton.*--server-side/,
    );
    expect(sink.options.get("machine-configs")?.comment?.[0]).toMatch(/without drain or reboot/);
  });

  it.each([
    ["4.22", "aws", setup("ecr")],
    ["4.23", "aws", setup("ecr")],
    ["5.0", "vsphere", setup("generic")],
  ] as const)("%s on %s needs no policy", (version, platform, files) => {
    expect(carried({ version, platform }, files).files).toEqual(["40-machine-configs"]);
  });

  // pkg/apihelpers/apihelpers.go of release-4.21 and release-4.22: the operator's default node disruption policies.
  it.each([
    [
      "4.21",
      {},
      /^nodes of worker, OpenShift 4\.21: a change restarts .* once the node disruption policy is applied\.$/,
    ],
    [
      "4.21",
      { nodeDisruptionPolicy: false },
      /^nodes of worker, OpenShift 4\.21: a change drains and reboots/,
    ],
    [
      "4.22",
      {},
      /^nodes of worker, OpenShift 4\.22: a change restarts the kubelet .* without drain or reboot\.$/,
    ],
  ] as const)("says for the summary what a change does on %s with %o", (version, settings, expected) => {
    const { options } = carried({ version, ...settings }, setup("ecr"));
    expect(options.get("machine-configs")?.effect).toMatch(expected);
  });

  it("says that nodes reboot when the policy is left out", () => {
    const sink = carried({ version: "4.21", nodeDisruptionPolicy: false }, setup("ecr"));
    expect(sink.files).toEqual(["40-machine-configs"]);
    expect(sink.options.get("machine-configs")?.comment?.[0]).toMatch(/drains and reboots/);
  });

  it("sets the flags on-premises through the drop-in", () => {
    const [manifest] = carried({ platform: "vsphere" }, setup("generic")).manifests("machine-configs");
    expect(decoded(manifest).map(({ path, mode }) => [path, mode])).toEqual([
      [`${DIRECTORY}/generic-credential-provider.yaml`, 0o644],
      ["/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf", 0o644],
    ]);
  });

  it.each([
    ["4.22", undefined, false, /Overrides what a CRIOCredentialProviderConfig/],
    ["4.22", "50-acr", false, /Sorts before 97-worker-generated-credentialproviderconfig/],
    ["4.22", undefined, true, undefined],
    ["4.21", undefined, false, undefined],
  ])("%s, name %s, crio entry %s: the comment explains the collision", (version, name, crio, text) => {
    const sink = carried(
      { version, ...(name ? { machineConfigName: name } : {}), crioCredentialProvider: crio },
      setup("ecr"),
    );
    const comment = sink.options.get("machine-configs")?.comment ?? [];
    const shown = comment.findIndex((line) => line.startsWith("/etc/"));
    expect(comment.slice(1, shown).join(" ")).toEqual(text ? expect.stringMatching(text) : "");
  });

  it("repeats the kubelet's command line with the flags where the unit has no place for them", () => {
    const kubeletCommand = "/usr/bin/kubelet --config=/etc/kubernetes/kubelet.conf";
    const sink = carried({ version: "4.22", platform: "none", kubeletCommand }, setup("generic"));
    const [manifest] = sink.manifests("machine-configs");
    const dropIn = decoded(manifest).find(({ path }) => path.endsWith(".conf"));
    expect(dropIn?.content.split("\n")).toEqual([
      "[Service]",
      "ExecStart=",
      `ExecStart=${kubeletCommand} --image-credential-provider-bin-dir=/usr/libexec/kubelet-image-credential-provider-plugins --image-credential-provider-config=/etc/kubernetes/credential-providers/generic-credential-provider.yaml`,
      "",
    ]);
    expect(sink.options.get("machine-configs")?.comment?.join(" ")).toContain(
      "Before an upgrade, compare it",
    );
  });

  it("shows the encoded files to the reviewer, and only names what is late", () => {
    const late = { path: "/etc/kubernetes/acr-azure.json", mode: 0o600, content: "${TfToken[TOKEN.1]}" };
    const plain = setup("ecr");
    const sink = carried({}, { ...plain, files: [...plain.files, late] });
    const comment = sink.options.get("machine-configs")?.comment ?? [];
    expect(comment).toContain(`${DIRECTORY}/ecr-credential-provider.yaml (mode 0644):`);
    expect(comment).toContain("  kind: CredentialProviderConfig");
    expect(comment.at(-1)).toBe("/etc/kubernetes/acr-azure.json (mode 0600): filled in by `bind`");
  });

  it.each([
    [{ pools: [] }, "openshift-missing: is named"],
    [{ pools: ["worker", "infra"], machineConfigName: "99-x" }, "property-conflict"],
    [{ machineConfigName: "99-<pool>-ssh" }, "openshift-invalid: name of a MachineConfig"],
    [{ version: "4.20" }, "version-unsupported"],
    [{ platform: "gcp" }, "openshift-unsupported: cannot pull with service account tokens"],
    [
      { version: "4.21", platform: "vsphere" },
      "openshift-unsupported: cannot pull with service account tokens",
    ],
  ] as const)("refuses %j with %s", (wrong, code) => {
    expect(() => carried(wrong, setup("ecr"))).toThrowError(refusal(code));
  });

  it("refuses flags that the operator's unit does not have, before it writes anything", () => {
    const sink = new RecordingSink();
    const carrier = new MachineConfigCarrier({ version: "4.22", platform: "azure", pools: ["worker"] });
    expect(() => carrier.carry(sink, setup("ecr"))).toThrowError(
      refusal("openshift-unsupported: cannot be set"),
    );
    expect(sink.files).toEqual([]);
  });
});

describe("NodePoolCarrier", () => {
  const props = {
    version: "4.22",
    platform: "azure",
    nodePools: ["blue", "green"],
    namespace: "clusters",
  } as const;

  it("writes one ConfigMap per NodePool, for the management cluster", () => {
    const sink = new RecordingSink();
    const files = setup("acr", AZURE_JSON);
    new NodePoolCarrier(props).carry(sink, files);
    expect(sink.files).toEqual(["50-node-pool-config"]);
    expect(sink.options.get("node-pool-config")?.appliesTo).toBe("management-cluster");
    const manifests = sink.manifests("node-pool-config");
    expect(manifests.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ["ConfigMap", { name: "blue-kubelet-credential-provider", namespace: "clusters" }],
      ["ConfigMap", { name: "green-kubelet-credential-provider", namespace: "clusters" }],
    ]);
    for (const { data } of manifests) {
      expect(Object.keys(data)).toEqual(["config"]);
      const inner = parse(data["config"] ?? "", { version: "1.1" }) as Manifest;
      expect(inner).toMatchObject({
        apiVersion: "machineconfiguration.openshift.io/v1",
        kind: "MachineConfig",
        metadata: {
          name: "99-kubelet-credential-provider",
          labels: { "machineconfiguration.openshift.io/role": "worker" },
        },
      });
      expect(decoded(inner)).toEqual(files.files);
    }
  });

  it("shares one ConfigMap when its name does not name the NodePool", () => {
    const sink = new RecordingSink();
    new NodePoolCarrier({ ...props, configMapName: "pulls", machineConfigName: "50-pulls" }).carry(
      sink,
      setup("acr"),
    );
    const [manifest, ...others] = sink.manifests("node-pool-config");
    expect(others).toEqual([]);
    expect(manifest?.metadata["name"]).toBe("pulls");
    expect((parse(manifest?.data["config"] ?? "") as Manifest).metadata["name"]).toBe("50-pulls");
  });

  it.each([
    [{ nodePools: [] }, "openshift-missing: is named"],
    [{ nodePools: ["a", "a"] }, "openshift-invalid: or occurs twice"],
    [{ configMapName: "No" }, "openshift-invalid: or occurs twice"],
    [{ machineConfigName: "00-x" }, "openshift-invalid: name of a MachineConfig"],
    [{ namespace: "a/b" }, "identities-invalid"],
    [{ version: "4.20" }, "version-unsupported"],
    [{ platform: "kubevirt" }, "openshift-unsupported: cannot pull with service account tokens"],
  ] as const)("refuses %j with %s", (wrong, code) => {
    expect(() => new NodePoolCarrier({ ...props, ...wrong })).toThrowError(refusal(code));
  });
});

describe("NodePoolConfigMap", () => {
  it("leaves late contents to a resolver, as part of its text", () => {
    const sink = new RecordingSink();
    const content = '{"tenantId":"${TfToken[TOKEN.1]}"}';
    const map = new NodePoolConfigMap(sink.chart("x", { order: 50 }), "map", {
      name: "pulls",
      namespace: "clusters",
      machineConfig: { name: "99-x", files: [{ ...AZURE_JSON, content }] },
    });
    const { config } = (map.resource as unknown as { props: { data: { config: LateText } } }).props.data;
    expect(config.parts.filter((part) => part instanceof LateEncoding)).toEqual([
      new LateEncoding("data-url", content),
    ]);
    expect(() => map.resource.toJson()).toThrowError(/LateValueResolver/);
  });
});
