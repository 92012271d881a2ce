import { describe, expect, it } from "vitest";
import {
  checkedPools,
  machineConfigManifest,
  machineConfigName,
  machineConfigNames,
  winningGeneratedName,
} from "../../../lib/rules/openshift/machine-config";
import { refusal } from "../../support/refusal";

const files = [{ path: "/etc/a", mode: 0o644, content: "a" }];

describe("machineConfigName", () => {
  it.each([
    "99-worker-kubelet-credential-provider",
    "50-acr-credential-provider",
    "99-kubelet-credential-provider",
  ])("accepts %s", (name) => expect(machineConfigName(name)).toBe(name));

  // Names of openshift/machine-config-operator, pkg/controller, and of the installer.
  it.each([
    ["00-worker", /sorts before or among/],
    ["01-worker-kubelet", /sorts before or among/],
    ["01-mine", /sorts before or among/],
    ["0-mine", /sorts before or among/],
    ["00x", /sorts before or among/],
    ["99-worker-generated-registries", /-generated-/],
    ["97-worker-generated-credentialproviderconfig", /-generated-/],
    ["rendered-worker-0123", /rendered-/],
    ["99-worker-ssh", /ssh keys/],
    ["99_worker", /DNS subdomain/],
    ["", /DNS subdomain/],
    ["a".repeat(254), /DNS subdomain/],
  ])("refuses %s", (name, reason) => {
    expect(() => machineConfigName(name)).toThrowError(
      refusal("openshift-invalid", { message: expect.stringMatching(reason) }),
    );
  });
});

describe("machineConfigNames", () => {
  it("puts the pool into the pattern", () => {
    expect([...machineConfigNames("99-<pool>-x", ["worker", "infra"])]).toEqual([
      ["worker", "99-worker-x"],
      ["infra", "99-infra-x"],
    ]);
  });

  it("allows a fixed name for one pool", () => {
    expect([...machineConfigNames("99-x", ["worker"])]).toEqual([["worker", "99-x"]]);
  });

  it("refuses a fixed name for two", () => {
    expect(() => machineConfigNames("99-x", ["worker", "infra"])).toThrowError(
      refusal("property-conflict", { message: expect.stringContaining("write <pool> into it") }),
    );
  });
});

describe("checkedPools", () => {
  it.each([
    [[], "openshift-missing: is named"],
    [["worker", "worker"], "openshift-invalid: or occurs twice"],
    [["Worker"], "openshift-invalid: or occurs twice"],
    [[""], "openshift-invalid: or occurs twice"],
    [["${TfToken[TOKEN.1]}"], "late-value"],
  ])("refuses %j with %s", (pools, code) => {
    expect(() => checkedPools("MachineConfigPool", pools)).toThrowError(refusal(code));
  });
});

describe("winningGeneratedName", () => {
  const generated = "97-worker-generated-credentialproviderconfig";

  // pkg/controller/container-runtime-config: name of the operator's MachineConfig, and only for built-in pools.
  it.each([
    ["99-worker-kubelet-credential-provider", "worker", undefined],
    ["98-x", "worker", undefined],
    ["97-worker-generated-credentialproviderconfigs", "worker", undefined],
    ["97-worker-a", "worker", generated],
    ["50-acr-credential-provider", "worker", generated],
    ["50-x", "master", "97-master-generated-credentialproviderconfig"],
    ["50-x", "infra", undefined],
  ])("%s for %s: %s", (name, pool, winner) => {
    expect(winningGeneratedName(name, pool)).toBe(winner);
  });
});

describe("machineConfigManifest", () => {
  it("selects the pool by the role label and belongs to no namespace", () => {
    const { apiVersion, kind, metadata } = machineConfigManifest({
      name: "99-x",
      machineRole: "infra",
      files,
    });
    expect({ apiVersion, kind, metadata }).toEqual({
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfig",
      metadata: { name: "99-x", labels: { "machineconfiguration.openshift.io/role": "infra" } },
    });
  });

  it.each([
    [{ name: "99-x", machineRole: "worker", files: [] }, "openshift-missing: without files"],
    [{ name: "99-x", machineRole: "no_pool", files }, "openshift-invalid: or occurs twice"],
    [{ name: "00-x", machineRole: "worker", files }, "openshift-invalid: name of a MachineConfig"],
  ])("refuses %j", (content, code) => {
    expect(() => machineConfigManifest(content)).toThrowError(refusal(code));
  });
});
