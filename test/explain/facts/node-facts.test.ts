import { describe, expect, it } from "vitest";
import type { ClusterRecord } from "../../../lib/explain/facts/cluster-record";
import { readKubernetes } from "../../../lib/explain/facts/kubernetes-facts";

const AWS = "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml";
const openshift: ClusterRecord = { openShift: { version: "4.22", platform: "aws" } };

const config = (name: string): string =>
  JSON.stringify({ kind: "CredentialProviderConfig", providers: [{ name }] });
const base64 = (text: string): string =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`;

function machineConfig(name: string, role: string, contents: object, path = AWS): unknown {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name, labels: { "machineconfiguration.openshift.io/role": role } },
    spec: { config: { storage: { files: [{ path, contents }] } } },
  };
}

function nodes(values: readonly unknown[], cluster: ClusterRecord = {}): unknown {
  const documents = values.map((value) => ({
    value,
    source: { file: "m.yaml", path: "" },
    late: (text: string) => text,
    management: false,
  }));
  return readKubernetes(documents, cluster).nodes.map(({ name, entries, problem }) => [
    name,
    entries.map((entry) => entry.name),
    problem,
  ]);
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

  it.each<[string, object, unknown]>([
    [
      "percent-encoded, in UTF-8",
      { source: `data:,${encodeURIComponent(config("é"))}` },
      [["worker", ["é"], undefined]],
    ],
    [
      "percent signs that encode nothing",
      { source: `data:,${config("%zz").replaceAll(" ", "%20")}` },
      [["worker", ["%zz"], undefined]],
    ],
    [
      "base64 of a wrong length",
      { source: `${base64("xyz")}A` },
      [["worker", [], expect.stringContaining("no data URL")]],
    ],
    [
      "compressed",
      { source: base64("x"), compression: "gzip" },
      [["worker", [], expect.stringContaining("compressed")]],
    ],
    [
      "no data URL",
      { source: "https://example.com" },
      [["worker", [], expect.stringContaining("no data URL")]],
    ],
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
        `the file stands at /etc/kubernetes/mine.yaml, but the kubelet of this platform reads ${AWS}`,
      ],
    ]);
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
  const pools = (...names: string[]): ClusterRecord => ({
    openShift: { version: "4.22", platform: "aws", pools: names },
  });
  expect(nodes([worker], pools("worker", "infra"))).toEqual([["worker", ["a"], undefined]]);
  expect(nodes([worker], pools("worker", "master"))).toEqual([
    ["worker", ["a"], undefined],
    ["master", [], undefined],
  ]);
});
