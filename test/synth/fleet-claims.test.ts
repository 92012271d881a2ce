/*
 * Several controllers of one hub, each in a stack of its own: what they share is there once.
 */

import { App, TerraformStack, Testing } from "cdktf";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { controller, multiKueue, selfManagedSpoke } from "../../lib/fleet";
import { FleetAccess, type FleetAccessProps, type FleetSpoke, type SpokeHub } from "../../lib/synth";
import { CA } from "../fixtures/fleet/spokes";
import { synthesized } from "../support/synthesized";
import { type WrittenStack, writtenStacks } from "../support/synth-output";
import { refusal } from "../support/refusal";

const BOTH = ["ops/x", "ops/y"];
const hub = { name: "hub", issuer: "https://oidc.example.com/hub", apiServer: "1.35" };

const edge = (serviceAccounts?: readonly string[]): FleetSpoke => ({
  name: "edge",
  clusterRole: "deployer",
  access: (of: SpokeHub) =>
    selfManagedSpoke({
      ...of,
      ...(serviceAccounts && { serviceAccounts }),
      apiServer: "1.34",
      audience: "https://edge.example.com",
      endpoint: { server: "https://edge.example.com", certificateAuthorityData: CA },
    }),
});

function fleetOf(app: Construct, name: string, more: Partial<FleetAccessProps> = {}): FleetAccess {
  const workload = {
    kind: "Deployment",
    namespace: "ops",
    name,
    container: name,
    serviceAccount: name,
  } as const;
  return new FleetAccess(new TerraformStack(app, `stack-${more.hub?.name ?? "hub"}-${name}`), "fleet", {
    hub,
    consumer: controller({ title: name, workloads: [workload] }),
    clusterManager: "platform-iac",
    plugins: [{ plugin: "projected-token", image: "docker.io/library/busybox:1.37-musl" }],
    spokes: [edge(BOTH)],
    ...more,
  });
}

function together(): readonly WrittenStack[] {
  return writtenStacks(
    synthesized((app) => {
      fleetOf(app, "x");
      fleetOf(app, "y", { namespace: "fleet-y" });
    }),
  );
}

describe("two controllers of one hub", () => {
  it("have a ConfigMap each", () => {
    const names = together().map(
      ({ files }) =>
        /kind: ConfigMap\nmetadata:\n {2}name: (.*)\n/.exec(
          files.get("manifests/65-fleet-controller.yaml") ?? "",
        )?.[1],
    );
    expect(names).toEqual(["clusterprofile-provider-file-x", "clusterprofile-provider-file-y"]);
  });

  it("write the same file for a self-managed spoke that trusts both, and bindings of their own", () => {
    const [x, y] = together();
    const file = "spokes/edge_control-plane.yaml";
    expect(x?.files.get(file)).toContain("system:serviceaccount:ops:y");
    expect(y?.files.get(file)).toBe(x?.files.get(file));
    const binding = (stack: WrittenStack | undefined): string | undefined =>
      /\n {2}name: (.*)\n/.exec(stack?.files.get("spokes/edge.yaml") ?? "")?.[1];
    expect([x, y].map(binding)).toEqual(["hub:ops:x:deployer", "hub:ops:y:deployer"]);
  });

  it("are refused where each would write the spoke's file for itself", () => {
    const app = Testing.app();
    fleetOf(app, "x", { spokes: [edge()] });
    expect(() => fleetOf(app, "y", { spokes: [edge()], namespace: "fleet-y" })).toThrowError(
      refusal("fleet-mismatch: writes different files", { value: "edge" }),
    );
  });

  it("are refused where both write one profile", () => {
    const app = Testing.app();
    fleetOf(app, "x");
    expect(() => fleetOf(app, "y")).toThrowError(
      refusal("fleet-conflict: of the same hub", { value: "ClusterProfile ops/edge" }),
    );
  });

  it("are refused where both are Kueue, whose configuration is one ConfigMap", () => {
    const app = Testing.app();
    const kueue = (spoke: string): Partial<FleetAccessProps> => ({
      consumer: multiKueue({ version: "0.19" }),
      kueueConfiguration: "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n",
      spokes: [{ ...edge(), name: spoke }],
    });
    fleetOf(app, "x", kueue("edge"));
    expect(() => fleetOf(app, "y", kueue("other"))).toThrowError(
      refusal("fleet-conflict: of the same hub", {
        value: "ConfigMap kueue-system/kueue-manager-config",
      }),
    );
  });

  it("are refused where both write one workload", () => {
    const app = Testing.app();
    fleetOf(app, "x");
    const again = (): FleetAccess =>
      new FleetAccess(new TerraformStack(app, "again"), "fleet", {
        hub,
        consumer: controller({
          title: "x",
          workloads: [
            { kind: "Deployment", namespace: "ops", name: "x", container: "x", serviceAccount: "x" },
          ],
        }),
        clusterManager: "platform-iac",
        namespace: "fleet-y",
        plugins: [{ plugin: "projected-token", image: "docker.io/library/busybox:1.37-musl" }],
        spokes: [edge(BOTH)],
      });
    expect(again).toThrowError(refusal("fleet-conflict: of the same hub"));
  });

  it("what was refused claims nothing", () => {
    const app = Testing.app();
    expect(() => fleetOf(app, "x", { clusterManager: "gke-fleet" })).toThrowError();
    expect(() => fleetOf(app, "y")).not.toThrowError();
  });
});

describe("two hubs", () => {
  it("may have profiles of one name, and are warned of a spoke's file that both write", () => {
    const app = new App({ outdir: "/nowhere" });
    fleetOf(app, "x");
    const other = fleetOf(app, "x", {
      hub: { ...hub, name: "other", issuer: "https://oidc.example.com/other" },
    });
    expect(other.node.metadata.map(({ data }) => String(data))).toEqual([
      expect.stringMatching(/^the hub of stack-hub-x\/fleet also writes files .* spoke edge/),
    ]);
  });
});
