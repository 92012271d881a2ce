import { ApiObject, App, Chart, Testing } from "cdk8s";
import { describe, expect, it } from "vitest";
import { LateEncoding } from "../../lib/model/late";
import { MachineConfig, NodeDisruptionPolicy } from "../../lib/openshift";
import { refusal } from "../support/refusal";

const file = {
  path: "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml",
  mode: 0o644,
  content: "a: 1\n",
};

describe("MachineConfig", () => {
  it("is what one would write by hand", () => {
    const chart = Testing.chart();
    new MachineConfig(chart, "worker", { name: "99-worker-x", machineRole: "worker", files: [file] });
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: "machineconfiguration.openshift.io/v1",
        kind: "MachineConfig",
        metadata: { name: "99-worker-x", labels: { "machineconfiguration.openshift.io/role": "worker" } },
        spec: {
          config: {
            ignition: { version: "3.2.0" },
            storage: {
              files: [
                {
                  path: file.path,
                  mode: 420,
                  overwrite: true,
                  contents: { compression: "", source: "data:text/plain;charset=utf-8;base64,YTogMQo=" },
                },
              ],
            },
          },
        },
      },
    ]);
  });

  it("belongs to no namespace, also in a user's own chart with one", () => {
    const chart = new Chart(new App(), "own", { namespace: "other" });
    const config = new MachineConfig(chart, "w", { name: "99-x", machineRole: "worker", files: [file] });
    expect(chart.toJson()[0].metadata.namespace).toBeUndefined();
    expect(ApiObject.of(config)).toBe(config.resource);
  });

  it("refuses to encode a late content when no resolver takes it", () => {
    const chart = Testing.chart();
    const late = { ...file, content: "${TfToken[TOKEN.1]}" };
    const config = new MachineConfig(chart, "w", { name: "99-x", machineRole: "worker", files: [late] });
    expect(() => config.resource.toJson()).toThrowError(/LateValueResolver/);
  });

  it("hands a late content to a resolver, not yet encoded", () => {
    const seen: unknown[] = [];
    const resolver = {
      resolve: (context: { value: unknown; replaceValue(value: unknown): void }): void => {
        if (!(context.value instanceof LateEncoding)) return;
        seen.push(context.value);
        context.replaceValue("placeholder");
      },
    };
    const chart = new Chart(new App({ resolvers: [resolver] }), "own");
    const late = { ...file, content: "id: ${TfToken[TOKEN.1]}" };
    new MachineConfig(chart, "w", { name: "99-x", machineRole: "worker", files: [late] });
    expect(chart.toJson()[0].spec.config.storage.files[0].contents.source).toBe("placeholder");
    expect(seen).toEqual([new LateEncoding("data-url", late.content)]);
  });

  it("checks before it declares", () => {
    const chart = Testing.chart();
    expect(
      () => new MachineConfig(chart, "w", { name: "00-x", machineRole: "worker", files: [file] }),
    ).toThrowError(refusal("openshift-invalid: name of a MachineConfig"));
    expect(Testing.synth(chart)).toEqual([]);
  });
});

describe("a MachineConfig without text", () => {
  it("is refused, not written as the text undefined", () => {
    const files = [{ path: file.path, mode: file.mode }] as unknown as readonly (typeof file)[];
    expect(
      () => new MachineConfig(Testing.chart(), "w", { name: "99-x", machineRole: "worker", files }),
    ).toThrowError(
      refusal("property-missing", { message: expect.stringContaining("files[0].content of MachineConfig") }),
    );
  });
});

describe("NodeDisruptionPolicy", () => {
  it("restarts the kubelet for each path, once and sorted", () => {
    const chart = new Chart(new App(), "own", { namespace: "other" });
    const paths = ["/etc/kubernetes/credential-providers", "/etc/kubernetes/acr-azure.json"];
    const policy = new NodeDisruptionPolicy(chart, "policy", { paths: [...paths, ...paths] });
    const actions = [{ type: "Restart", restart: { serviceName: "kubelet.service" } }];
    expect(chart.toJson()).toEqual([
      {
        apiVersion: "operator.openshift.io/v1",
        kind: "MachineConfiguration",
        metadata: { name: "cluster" },
        spec: {
          nodeDisruptionPolicy: {
            files: [
              { path: "/etc/kubernetes/acr-azure.json", actions },
              { path: "/etc/kubernetes/credential-providers", actions },
            ],
          },
        },
      },
    ]);
    expect(ApiObject.of(policy)).toBe(policy.resource);
  });

  it.each([
    [[], "openshift-missing: names no path"],
    [["etc/a"], "node-invalid"],
    [["/etc/a/"], "node-invalid"],
    [["${TfToken[TOKEN.1]}"], "late-value"],
  ])("refuses %j with %s", (paths, code) => {
    expect(() => new NodeDisruptionPolicy(Testing.chart(), "policy", { paths })).toThrowError(refusal(code));
  });
});
