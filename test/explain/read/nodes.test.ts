import { describe, expect, it } from "vitest";
import type { ClusterFacts } from "../../../lib/explain/read/cluster-record";
import { readKubernetes } from "../../../lib/explain/read/kubernetes-facts";
import type { NodeConfiguration } from "../../../lib/explain/read/node-configuration";
import { isNodeDocument } from "../../../lib/explain/read/node-forms";
import { objectsOf } from "../../../lib/explain/read/objects";
import { known, match, whyText } from "../../../lib/model/known";

const AWS = "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml";
const openshift: ClusterFacts = { openShift: { version: "4.22", platform: "aws" } };

const config = (name: string): string =>
  JSON.stringify({ kind: "CredentialProviderConfig", providers: [{ name }] });
const base64 = (text: string): string =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`;

function machineConfig(name: string, role: string, contents: object, path = AWS): unknown {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name, labels: { "machineconfiguration.openshift.io/role": role } },
    spec: { config: { ignition: { version: "3.2.0" }, storage: { files: [{ path, contents }] } } },
  };
}

function read(values: readonly unknown[], cluster: ClusterFacts = {}): readonly NodeConfiguration[] {
  const documents = values.map((value) => ({
    value,
    source: { file: "m.yaml", path: "" },
    late: known<string>,
    management: false,
    ofStack: false,
    spoke: undefined,
  }));
  const setups = documents.filter(({ value }) => isNodeDocument(value));
  const objects = objectsOf(documents.filter((each) => !setups.includes(each)));
  return readKubernetes(objects, setups, cluster, []).nodes;
}

function nodes(values: readonly unknown[], cluster: ClusterFacts = {}): unknown {
  return read(values, cluster).map((node) => {
    const said = reason(node);
    return [node.name, node.entries.map((entry) => entry.name), said === NO_PLATFORM ? undefined : said];
  });
}

/** Why the kubelet does not read what stands there, or why that is not known. */
function reason({ isRead }: NodeConfiguration): string | undefined {
  return match(isRead, (read) => (read.reads ? undefined : read.reason), whyText);
}

const FLAG = "image-credential-provider-config";
const NO_PLATFORM =
  "neither kubelet flags nor a platform were read, so it is not known which file the kubelet reads";

function doubts(values: readonly unknown[], cluster: ClusterFacts): readonly (string | undefined)[] {
  return read(values, cluster).map(reason);
}

describe("MachineConfigs", () => {
  it("of one file: the later name wins, whatever the order of the documents", () => {
    const one = machineConfig("99-a", "worker", { source: base64(config("a")) });
    const other = machineConfig("99-b", "worker", { source: base64(config("b")) });
    expect(nodes([other, one])).toEqual([["worker", ["b"], undefined]]);
  });

  it("of one file: one without contents changes but the mode of the other's", () => {
    const one = machineConfig("99-a", "worker", { source: base64(config("a")) });
    const other = machineConfig("99-b", "worker", {});
    expect(nodes([one, other])).toEqual([["worker", ["a"], undefined]]);
  });

  it("of worker reach custom pools, whose own win; master has only its own", () => {
    expect(
      nodes([
        machineConfig("99-z", "worker", { source: base64(config("worker")) }),
        machineConfig("10-a", "infra", { source: base64(config("infra")) }),
        machineConfig("10-a", "gpu", { source: base64("x") }, "/etc/other"),
        machineConfig("10-a", "master", { source: base64("x") }, "/etc/other"),
      ]),
    ).toEqual([
      ["gpu", ["worker"], undefined],
      ["infra", ["infra"], undefined],
      ["worker", ["worker"], undefined],
    ]);
  });

  const one = (name: string): unknown => [["worker", [name], undefined]];
  const none = (words: string): unknown => [["worker", [], expect.stringContaining(words)]];

  it.each<[string, object, unknown]>([
    ["percent-encoded, in UTF-8", { source: `data:,${encodeURIComponent(config("é"))}` }, one("é")],
    ["percent signs alone", { source: `data:,${config("%zz").replaceAll(" ", "%20")}` }, one("%zz")],
    ["base64 of a wrong length", { source: `${base64("xyz")}A` }, none("odd path, mode or content")],
    ["compressed", { source: base64("x"), compression: "gzip" }, none("compressed")],
    ["not a data URL", { source: "https://example.com" }, none("odd path, mode or content")],
  ])("contents: %s", (_, contents, expected) => {
    expect(nodes([machineConfig("99-a", "worker", contents)], openshift)).toEqual(expected);
  });

  it("at a path that the platform's kubelet does not read", () => {
    expect(
      nodes(
        [machineConfig("99-a", "worker", { source: base64(config("a")) }, "/etc/kubernetes/mine.yaml")],
        openshift,
      ),
    ).toEqual([
      [
        "worker",
        ["a"],
        `the file is at /etc/kubernetes/mine.yaml, but the kubelet of this platform reads ${AWS}`,
      ],
    ]);
  });
});

describe("MachineConfigs beside the one with the configuration", () => {
  const ours = machineConfig("99-worker-credentials", "worker", { source: base64(config("a")) });
  const beside = (name: string, more: object, rest: object = {}): unknown => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name, labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: { config: { ignition: { version: "3.2.0" }, ...more }, ...rest },
  });
  const files = (...paths: readonly string[]): object => ({
    storage: { files: paths.map((path) => ({ path, mode: 0o644, contents: { source: "data:,x" } })) },
  });
  const unit = (name: string, more: object): object => ({ systemd: { units: [{ name, ...more }] } });
  const runs = { contents: "[Service]\nExecStart=/usr/local/bin/configure-ovs.sh\n" };
  const unknown = (what: string): string => `what ${what} does to the kubelet is not known`;

  it.each<[string, unknown, string | undefined]>([
    ["the operator's own files", beside("00-worker", files("/etc/tmpfiles.d/x.conf")), undefined],
    ["the operator's own units", beside("00-worker", unit("ovs.service", runs)), undefined],
    [
      "ssh keys",
      beside("98-x", { passwd: { users: [{ name: "core", sshAuthorizedKeys: ["a"] }] } }),
      undefined,
    ],
    ["chrony and sysctl", beside("98-x", files("/etc/chrony.conf", "/etc/sysctl.d/x.conf")), undefined],
    ["another unit that is masked", beside("98-x", unit("zincati.service", { mask: true })), undefined],
    [
      "a proxy for the kubelet",
      beside(
        "98-x",
        unit("kubelet.service", {
          dropins: [{ name: "p.conf", contents: '[Service]\nEnvironment="HTTPS_PROXY=a"\n' }],
        }),
      ),
      undefined,
    ],
    ["kernel arguments", beside("98-x", {}, { kernelArguments: ["hugepages=4"] }), undefined],
    [
      "other files of tmpfiles",
      beside("98-x", files("/etc/tmpfiles.d/x.conf")),
      unknown("/etc/tmpfiles.d/x.conf"),
    ],
    ["other units", beside("98-x", unit("ovs.service", runs)), unknown("/etc/systemd/system/ovs.service")],
    [
      "the kubelet's unit masked",
      beside("98-x", unit("kubelet.service", { mask: true })),
      "/etc/systemd/system/kubelet.service starts the kubelet with variables that were not read and may set the flags",
    ],
    [
      "another program in place of the kubelet",
      beside("98-x", files("/usr/local/bin/kubelet")),
      unknown("/usr/local/bin/kubelet"),
    ],
    [
      "a kernel argument for systemd",
      beside("98-x", {}, { kernelArguments: ["systemd.mask=kubelet.service"] }),
      unknown("the kernel argument systemd.mask=kubelet.service"),
    ],
    [
      "another image of the operating system",
      beside("98-x", {}, { osImageURL: "quay.io/a/b" }),
      unknown("spec.osImageURL of MachineConfig 98-x"),
    ],
  ])("%s", (_, other, expected) => {
    expect(doubts([ours, other], openshift)).toEqual([expected]);
  });
});

it("ConfigMaps of NodePools are nodes of their own", () => {
  const inner = machineConfig("99-a", "worker", { source: base64(config("a")) });
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "pool" },
    data: { config: JSON.stringify(inner) },
  };
  expect(nodes([map])).toEqual([["pool", ["a"], undefined]]);
});

describe("plain node setups", () => {
  const setup = (files: Readonly<Record<string, string>>, path: string): unknown => ({
    files: Object.entries(files).map(([name, content]) => ({ path: name, content })),
    kubeletFlags: { "image-credential-provider-config": path, "image-credential-provider-bin-dir": "/bin" },
  });

  it("with a folder: its files in byte order, nothing below it, no other endings", () => {
    const files = {
      "/d/b.yaml": config("b"),
      "/d/a.json": config("a"),
      "/d/sub/c.yaml": config("c"),
      "/d/x.conf": config("x"),
    };
    expect(nodes([setup(files, "/d")])).toEqual([["m", ["a", "b"], undefined]]);
  });

  it("read only the first document of a file", () => {
    expect(nodes([setup({ "/c": `${config("a")}\n---\n${config("b")}` }, "/c")])).toEqual([
      ["m", ["a"], undefined],
    ]);
  });
});

it("a pool of the cluster that no MachineConfig reaches is there without configuration", () => {
  const worker = machineConfig("99-a", "worker", { source: base64(config("a")) });
  const pools = (...names: string[]): ClusterFacts => ({
    openShift: { version: "4.22", platform: "aws", pools: names },
  });
  expect(nodes([worker], pools("worker", "infra"))).toEqual([["worker", ["a"], undefined]]);
  expect(nodes([worker], pools("worker", "master"))).toEqual([
    ["worker", ["a"], undefined],
    ["master", [], undefined],
  ]);
});

describe("what the kubelet reads is not known", () => {
  const written = machineConfig("99-a", "worker", { source: base64(config("a")) });
  const unit = (contents: string): unknown => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "99-unit", labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: {
      config: { ignition: { version: "3.2.0" }, systemd: { units: [{ name: "kubelet.service", contents }] } },
    },
  });
  const old = machineConfig("99-a", "worker", { source: base64(config("a")) }) as {
    spec: { config: object };
  };
  Object.assign(old.spec.config, { ignition: { version: "2.2.0" } });
  const flags = (path: string, bin: string): string =>
    `[Service]\nExecStart=/usr/bin/kubelet --v=2 \\\n  --image-credential-provider-config=${path} \\\n  ${bin}\n`;
  const on = (version: string, platform = "aws"): ClusterFacts => ({ openShift: { version, platform } });
  const KUBELET = "[Service]\nExecStart=/usr/bin/kubelet";
  const BIN = "--image-credential-provider-bin-dir=/x";

  it.each<[why: string, values: readonly unknown[], cluster: ClusterFacts, expected: string | undefined]>([
    ["no platform", [written], {}, NO_PLATFORM],
    ["platform and version", [written], openshift, undefined],
    ["a version without rules", [written], on("4.99"), "is known only for OpenShift"],
    ["a version that is too old", [written], on("4.20"), "is known only for OpenShift"],
    ["a platform without flags", [written], on("4.22", "none"), "does not accept the"],
    ["a platform of no table", [written], on("4.22", "x"), "the platform x is not known"],
    ["another kubelet", [written], { ...openshift, kubelet: "1.34" }, "has the kubelet 1.35, but 1.34"],
    ["an Ignition of old", [old], openshift, "is written for Ignition 2.2.0"],
    ["no flags", [written, unit(`${KUBELET}\n`)], openshift, "is not set; /etc/systemd/system/kubelet"],
    ["flags", [written, unit(flags(AWS, BIN))], openshift, undefined],
    ["another file", [written, unit(flags("/x.yaml", BIN))], openshift, "names /x.yaml, which is not"],
    ["one flag", [written, unit(flags(AWS, ""))], openshift, "provider-bin-dir is not set"],
    ["variables", [written, unit(`${KUBELET} $ARGS\n`)], openshift, "variables that were not read"],
  ])("%s", (_, values, cluster, expected) => {
    const [found] = doubts(values, cluster);
    expect(found).toEqual(expected === undefined ? undefined : expect.stringContaining(expected));
  });
});

it.each([
  ["/etc/k/", ["a"], undefined],
  ["/etc/k/../k//c.json", [], expect.stringContaining("explain does not resolve")],
  [
    "/etc/k/d.json",
    [],
    expect.stringContaining("names /etc/k/d.json, which is not among the files that were read"),
  ],
])("the flag %s is understood as the file system does", (path, entries, problem) => {
  const setup = {
    files: [{ path: "/etc/k/c.json", content: config("a") }],
    kubeletFlags: { "image-credential-provider-config": path, "image-credential-provider-bin-dir": "/bin" },
  };
  expect(nodes([setup])).toEqual([["m", problem === undefined ? entries : ["a"], problem]]);
});

/** path_resolution(7); kubernetes:pkg/credentialprovider/plugin stats the path as it is written. */
it.each([
  ["/etc/k//c.json", undefined],
  ["/etc/./k/c.json", undefined],
  ["/etc/k/c.json/", "names /etc/k/c.json/, which explain does not resolve"],
  ["/etc/k/c.json/.", "explain does not resolve"],
  ["/etc/k/c.json/../c.json", "explain does not resolve"],
  ["/opt/../etc/k/c.json", "explain does not resolve"],
  ["etc/k/c.json", "which depends on the kubelet's working directory"],
  ["../etc/k/c.json", "which depends on the kubelet's working directory"],
])("the flag %s of a file", (path, expected) => {
  const setup = {
    files: [{ path: "/etc/k/c.json", content: config("a") }],
    kubeletFlags: { "image-credential-provider-config": path, "image-credential-provider-bin-dir": "/bin" },
  };
  expect(nodes([setup])).toEqual([["m", ["a"], expected && expect.stringContaining(expected)]]);
});

it.each([
  ["1.33", "/etc/x", 'unable to read external registry credential provider configuration from "/etc/x"'],
  ["1.34", "/etc/x", 'unable to access path "/etc/x"'],
])("kubelet %s logs of a flag %s that leads nowhere: %s", (kubelet, path, log) => {
  const setup = {
    files: [{ path: "/etc/k/c.json", content: config("a") }],
    kubeletFlags: { [FLAG]: path, "image-credential-provider-bin-dir": "/bin" },
  };
  const logs = read([setup], { kubelet }).map(({ isRead }) =>
    match(
      isRead,
      (each) => (each.reads ? undefined : each.log),
      () => undefined,
    ),
  );
  expect(logs).toEqual([log]);
});

it("a relative path in a drop-in depends on the kubelet's directory, also where the platform's unit takes it", () => {
  const contents = `[Service]\nEnvironment="X=--image-credential-provider-bin-dir=/x --${FLAG}=etc/mine.yaml"\n`;
  const dropIn = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "99-b", labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: {
      config: {
        ignition: { version: "3.2.0" },
        systemd: { units: [{ name: "kubelet.service", dropins: [{ name: "50-x.conf", contents }] }] },
      },
    },
  };
  const file = machineConfig("99-a", "worker", { source: base64(config("a")) }, "/etc/mine.yaml");
  const cluster: ClusterFacts = { openShift: { version: "4.22", platform: "vsphere" } };
  expect(doubts([file, dropIn], cluster)).toEqual([
    expect.stringContaining("etc/mine.yaml, which depends on"),
  ]);
});

it.each([
  ["a text", { "feature-gates": "MemoryQoS=true" }, undefined],
  ["a number", { "max-pods": 10 }, undefined],
  ["a switch", { "fail-swap-on": false }, undefined],
  ["a mapping that decides nothing", { "node-labels": { a: "b" } }, undefined],
  [
    "a mapping of gates",
    { "feature-gates": { A: true } },
    "the value of the kubelet flag feature-gates is not a string",
  ],
  ["a list", { config: ["/k"] }, "the value of the kubelet flag config is not a string"],
  ["a list of paths", { [FLAG]: ["/c"] }, `the value of the kubelet flag ${FLAG} is not a string`],
])("a kubelet flag whose value is %s", (_, flags, expected) => {
  const setup = {
    files: [{ path: "/c", content: config("a") }],
    kubeletFlags: { [FLAG]: "/c", "image-credential-provider-bin-dir": "/bin", ...flags },
  };
  const [found] = doubts([setup], openshift);
  expect(found).toBe(expected);
});

it("kubelet flags as a list are not known", () => {
  const setup = { files: [{ path: "/c", content: config("a") }], kubeletFlags: ["--v=2"] };
  expect(doubts([setup], openshift)).toEqual([expect.any(String)]);
});

it("a directory is no file for a kubelet before 1.34", () => {
  const setup = {
    files: [{ path: "/etc/k/c.json", content: config("a") }],
    kubeletFlags: {
      "image-credential-provider-config": "/etc/k",
      "image-credential-provider-bin-dir": "/bin",
    },
  };
  expect(nodes([setup], { kubelet: "1.33" })).toEqual([
    ["m", ["a"], expect.stringContaining("reads only a single file")],
  ]);
});
