/*
 * What Ignition and the Machine Config Operator take of MachineConfigs, and which pool gets which.
 * Sources: coreos/ignition, config/v3_2/types and config/validate; openshift/machine-config-operator,
 * pkg/controller/common/helpers.go and docs/custom-pools.md.
 */

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type MachineConfigFact, readMachineConfig } from "../../../lib/explain/read/machine-configs";
import { known, match, orElse, whyText } from "../../../lib/model/known";
import { factsOf } from "../../fixtures/explain/read";

const PATH = "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml";
const CONFIG = "kind: CredentialProviderConfig\nproviders: []\n";
const source = `data:,${encodeURIComponent(CONFIG)}`;
const file = { path: PATH, mode: 420, overwrite: true, contents: { source } };

function read(config: object): MachineConfigFact {
  const value = { kind: "MachineConfig", metadata: { name: "99-a" }, spec: { config } };
  return readMachineConfig(value, { file: "m.yaml", path: "" }, known<string>);
}

const problem = (config: object): string =>
  match(
    read(config).problem,
    (why) => why ?? "none",
    (why) => `? ${whyText(why)}`,
  );

const ignition = { version: "3.2.0" };
const files = (...all: readonly object[]): object => ({ ignition, storage: { files: all } });
const contents = (more: object): object => files({ ...file, contents: { source, ...more } });
const units = (...all: readonly object[]): object => ({ ignition, systemd: { units: all } });
const sha = (kind: string, text: string): string => `${kind}-${createHash(kind).update(text).digest("hex")}`;

describe("a MachineConfig", () => {
  it.each<[string, object, string]>([
    ["a file", files(file), "none"],
    ["nothing of Ignition", {}, "none"],
    ["no version", { storage: { files: [file] } }, "ignition.version is missing"],
    ["a version of old", { ...files(file), ignition: { version: "2.2.0" } }, "? .* Ignition 2.2.0"],
    [
      "a new version",
      { ...files(file), ignition: { version: "3.9.0" } },
      'ignition.version "3.9.0" is not known',
    ],
    ["a relative path", files({ ...file, path: "etc/a" }), "? .*the file etc/a with"],
    ["a path that is not clean", files({ ...file, path: "/etc/../a" }), "? .*with an odd path"],
    ["a path twice", files(file, file), "? .*twice"],
    ["a file that is an order", files({ ...file, path: "/run/machine-config-daemon-force" }), "? .*odd path"],
    ["a mode with special bits", files({ ...file, mode: 0o4755 }), "? .*mode"],
    ["a mode that is text", files({ ...file, mode: "0644" }), "? .*mode"],
    ["append", files({ ...file, append: [{ source }] }), "? .*content"],
    ["overwrite without contents", files({ ...file, contents: {} }), "? .*content"],
    ["contents by http", files({ ...file, contents: { source: "https://example.com/a" } }), "? .*content"],
    ["broken base64", files({ ...file, contents: { source: "data:;base64,YQ" } }), "? .*content"],
    ["another compression", contents({ compression: "xz" }), "? .*content"],
    ["a hash that is none", contents({ verification: { hash: "md5-1" } }), "? .*content"],
    ["its hash", contents({ verification: { hash: sha("sha256", CONFIG) } }), "none"],
    [
      "a link over the folder",
      { ignition, storage: { files: [file], links: [{ path: "/etc/kubernetes", target: "/x" }] } },
      "? .*storage.links",
    ],
    ["a link", { ignition, storage: { links: [{ path: "/a", target: "/x" }] } }, "? .*storage.links"],
    ["directories", { ignition, storage: { directories: [{ path: "/a" }] } }, "? .*storage.directories"],
    ["a unit", units({ name: "a.service", contents: "x" }), "none"],
    ["a unit of no known kind", units({ name: "a" }), "? .*the unit a twice"],
    [
      "a drop-in of no known kind",
      units({ name: "a.service", dropins: [{ name: "b" }] }),
      "? .*the unit a.service.d/b twice",
    ],
    ["a unit twice", units({ name: "a.service" }, { name: "a.service" }), "? .*a.service twice"],
    ["files that are no list", { ignition, storage: { files: {} } }, "? .*not a list"],
    ["null", { ignition, storage: { files: null, links: null }, systemd: { units: null } }, "none"],
  ])("with %s", (_, config, expected) => {
    if (expected === "none") expect(problem(config)).toBe("none");
    else expect(problem(config)).toMatch(new RegExp(expected.replace("? ", "^\\? ")));
  });

  it("that holds the same path as file and as unit is not known", () => {
    const both = {
      ignition,
      storage: { files: [{ ...file, path: "/etc/systemd/system/a.service" }] },
      systemd: { units: [{ name: "a.service", contents: "x" }] },
    };
    expect(problem(both)).toContain("a.service twice");
  });

  const text = (config: object): string =>
    match(read(config).files.get(PATH)?.content ?? known("no file"), (each) => each, whyText);

  it("is unpacked, and not known where its hash is of other contents", () => {
    const packed = `data:;base64,${gzipSync(CONFIG).toString("base64")}`;
    expect(text(contents({ source: packed, compression: "gzip" }))).toBe(CONFIG);
    expect(text(contents({ compression: "gzip" }))).toContain("cannot be unpacked");
    expect(text(contents({ verification: { hash: sha("sha512", "x") } }))).toContain("of other contents");
    expect(text(contents({ verification: { hash: sha("sha512", CONFIG) } }))).toBe(CONFIG);
  });
});

const machineConfig = (name: string, role: string, config: object): object => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name, labels: role === "" ? {} : { "machineconfiguration.openshift.io/role": role } },
  spec: { config },
});
const pool = (name: string, spec: object): object => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name },
  spec,
});
const role = (...values: readonly string[]): object => ({
  machineConfigSelector: {
    matchExpressions: [{ key: "machineconfiguration.openshift.io/role", operator: "In", values }],
  },
});

describe("the nodes of a pool", () => {
  const openShift = { version: "4.22", platform: "aws" };

  it.each<[string, readonly object[], readonly string[]]>([
    ["get their files", [machineConfig("99-a", "worker", files(file))], ["worker: read"]],
    [
      "get nothing where one MachineConfig is refused, theirs or worker's",
      [
        machineConfig("99-a", "worker", { storage: {} }),
        machineConfig("99-b", "infra", files(file)),
        machineConfig("99-c", "master", files(file)),
      ],
      [
        "infra: the Machine Config Operator refuses MachineConfig 99-a",
        "master: read",
        "worker: the Machine",
      ],
    ],
    [
      "get nothing new while the pool is paused",
      [machineConfig("99-a", "worker", files(file)), pool("worker", { ...role("worker"), paused: true })],
      ["worker: ? MachineConfigPool worker is paused"],
    ],
    [
      "get what the selector selects",
      [machineConfig("99-a", "worker", files(file)), pool("infra", role("infra"))],
      ["worker: read", "infra: nothing"],
    ],
    [
      "get what a selector of other labels selects",
      [
        machineConfig("99-a", "worker", files(file)),
        pool("gpu", { machineConfigSelector: { matchLabels: { "acme.example/pool": "gpu" } } }),
        pool("infra", role("worker", "infra")),
      ],
      ["infra: read", "worker: read", "gpu: nothing"],
    ],
    ["may get what has no role", [machineConfig("99-a", "", files(file))], ["99-a: ? nothing says which"]],
  ])("%s", (_, objects, expected) => {
    const { nodes } = factsOf({ "m.json": objects }, { openShift }).clusters[0] ?? {};
    const told = (nodes ?? []).map(({ name, isRead, documents }) => {
      const reads = match(
        isRead,
        (each) => (!each.reads ? each.reason : documents.length === 0 ? "nothing" : "read"),
        (why) => `? ${whyText(why)}`,
      );
      return `${name}: ${reads}`;
    });
    expect(told).toEqual(expected.map((each) => expect.stringContaining(each) as string));
  });

  it("lists what is refused, to be shown as evidence", () => {
    const { clusters, skipped } = factsOf({ "m.json": [machineConfig("99-a", "worker", { storage: {} })] });
    const reason = "the Machine Config Operator refuses it: ignition.version is missing";
    expect(skipped).toEqual([expect.objectContaining({ reason, refused: "MachineConfig 99-a" })]);
    expect([...(clusters[0]?.refused.keys() ?? [])]).toEqual(["MachineConfig 99-a"]);
  });

  it("is not known of a ConfigMap whose text is not YAML", () => {
    const config = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "pool" },
      data: { config: "kind: MachineConfig\na: [" },
    };
    const { nodes } = factsOf({ "m.json": [config] }).clusters[0] ?? {};
    expect(nodes?.map(({ isRead }) => orElse(isRead, () => undefined))).toEqual([
      expect.objectContaining({
        reads: false,
        reason: expect.stringContaining("HyperShift refuses") as string,
      }),
    ]);
  });
});
