import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { argoCd, controller, knativeOperator, multiKueue } from "../../../lib/rules/fleet/consumers";
import { kueueConfiguration } from "../../../lib/rules/fleet/kueue-configuration";
import {
  type HubFacts,
  type PluginSource,
  commandIssues,
  hasImageVolumes,
  mountedPlugin,
} from "../../../lib/rules/fleet/plugin-mount";
import { LATE } from "../../fixtures/fleet/spokes";

const own = {
  kind: "Deployment",
  namespace: "fleet",
  name: "own",
  container: "own",
  serviceAccount: "own",
} as const;

describe("consumers", () => {
  it.each<[string, () => unknown, string]>([
    ["Argo CD 3.4", () => argoCd({ version: "3.4.9" }), "fleet-consumer-too-old"],
    ["Kueue 0.14", () => multiKueue({ version: "0.14.0" }), "fleet-consumer-too-old"],
    ["Knative Operator 1.21", () => knativeOperator({ version: "v1.21.3" }), "fleet-consumer-too-old"],
    ["no version", () => argoCd({ version: "latest" }), "version-invalid"],
    ["a late version", () => argoCd({ version: LATE }), "late-value"],
    ["no workload", () => controller({ title: "own", workloads: [] }), "fleet-consumer-workload"],
    ["no workload of Argo CD", () => argoCd({ version: "3.5", workloads: [] }), "fleet-consumer-workload"],
    [
      "a workload twice",
      () => controller({ title: "own", workloads: [own, own] }),
      "fleet-consumer-workload",
    ],
    [
      "a bad container",
      () => controller({ title: "own", workloads: [{ ...own, container: "A" }] }),
      "fleet-consumer-workload",
    ],
    [
      "a bad namespace",
      () => controller({ title: "own", workloads: [{ ...own, namespace: "A" }] }),
      "namespace-invalid",
    ],
  ])("refuse %s", (_, make, code) => {
    expect(make).toThrowError(expect.objectContaining({ code }));
  });

  // kubernetes-sigs/kueue:apis/config: `credentialsProviders` from 0.15, `accessProviders` from 0.19.
  it.each([
    ["0.15", "credentialsProviders"],
    ["0.18.3", "credentialsProviders"],
    ["0.19.0", "accessProviders"],
    ["v0.20.1", "accessProviders"],
  ])("Kueue %s has its list in %s", (version, field) => {
    expect(multiKueue({ version }).form).toEqual({ kind: "kueue", field });
  });

  it("run the plugin in these workloads", () => {
    const accounts = [
      argoCd({ version: "3.5" }),
      multiKueue({ version: "0.19" }),
      knativeOperator({ version: "1.22" }),
    ].map(({ workloads }) =>
      workloads.map((each) => `${each.kind} ${each.namespace}/${each.name} ${each.container}`),
    );
    expect(accounts).toEqual([
      [
        "StatefulSet argocd/argocd-application-controller argocd-application-controller",
        "Deployment argocd/argocd-server argocd-server",
      ],
      ["Deployment kueue-system/kueue-controller-manager manager"],
      ["Deployment knative-operator/knative-operator knative-operator"],
    ]);
  });
});

describe("mountedPlugin", () => {
  const kueue = multiKueue({ version: "0.19" });
  const iam: PluginSource = {
    plugin: "aws-iam-authenticator",
    image: "example.com/aws-iam-authenticator:v0.7.18",
  };
  const busybox: PluginSource = { plugin: "projected-token", image: "docker.io/library/busybox:1.37-musl" };

  // KEP-4639: beta and off from 1.33, on from 1.35, GA 1.36.
  it.each<[HubFacts, boolean]>([
    [{ version: "1.34" }, false],
    [{ version: "1.35" }, true],
    [{ version: "1.36.2" }, true],
    [{ version: "1.33", imageVolume: true }, true],
    [{ version: "1.32", imageVolume: true }, false],
    [{ version: "1.35", imageVolume: false }, false],
  ])("%j has image volumes: %s", (hub, expected) => {
    expect(hasImageVolumes(hub)).toBe(expected);
  });

  it("mounts an image, with the image's path behind the mount's", () => {
    expect(mountedPlugin(iam, { version: "1.35" }, kueue)).toEqual({
      command: "/plugins/aws-iam-authenticator/aws-iam-authenticator",
      volumes: [{ name: "plugin-aws-iam-authenticator", image: { reference: iam.image } }],
      volumeMounts: [
        { name: "plugin-aws-iam-authenticator", mountPath: "/plugins/aws-iam-authenticator", readOnly: true },
      ],
      initContainers: [],
    });
    expect(
      mountedPlugin(
        { plugin: "kubelogin", image: "ghcr.io/azure/kubelogin:v0.2.19" },
        { version: "1.36" },
        kueue,
      ).command,
    ).toBe("/plugins/kubelogin/usr/local/bin/kubelogin");
  });

  it("copies where the hub has no image volumes and the image has cp", () => {
    expect(mountedPlugin(busybox, { version: "1.34" }, kueue)).toMatchObject({
      command: "/plugins/projected-token/busybox",
      volumes: [{ name: "plugin-projected-token", emptyDir: {} }],
      initContainers: [
        {
          image: busybox.image,
          command: ["cp", "/bin/busybox", "/plugins/projected-token/"],
          volumeMounts: [{ name: "plugin-projected-token", mountPath: "/plugins/projected-token" }],
        },
      ],
    });
  });

  it.each<[string, PluginSource, HubFacts, string]>([
    ["an old hub and an image without cp", iam, { version: "1.34" }, "plugin-mount-hub-too-old"],
    [
      "an image volume on an old hub",
      { ...busybox, mode: "imageVolume" },
      { version: "1.34" },
      "plugin-mount-hub-too-old",
    ],
    ["copying without cp", { ...iam, mode: "initContainer" }, { version: "1.35" }, "plugin-mount-no-copy"],
    ["another mode", { ...iam, mode: "copy" as "auto" }, { version: "1.35" }, "choice-unknown"],
    ["no tag", { ...iam, image: "example.com:5000/x" }, { version: "1.35" }, "plugin-image-invalid"],
    ["a late image", { ...iam, image: LATE }, { version: "1.35" }, "late-value"],
    ["a relative path", { ...iam, path: "bin/x" }, { version: "1.35" }, "plugin-image-invalid"],
    [
      "a plugin without published image",
      { plugin: "gcp-auth-plugin", image: "example.com/x:1" },
      { version: "1.35" },
      "plugin-path-missing",
    ],
    [
      "the AWS CLI in a distroless image",
      { plugin: "aws-eks-get-token", image: "example.com/x:1", path: "/aws" },
      { version: "1.35" },
      "fleet-plugin-not-static",
    ],
  ])("refuses %s", (_, source, hub, code) => {
    expect(() => mountedPlugin(source, hub, kueue)).toThrowError(expect.objectContaining({ code }));
  });

  it("never copies for Knative", () => {
    const knative = knativeOperator({ version: "1.22" });
    expect(() =>
      mountedPlugin({ ...busybox, mode: "initContainer" }, { version: "1.35" }, knative),
    ).toThrowError(expect.objectContaining({ code: "plugin-mount-way" }));
    expect(() => mountedPlugin(busybox, { version: "1.34" }, knative)).toThrowError(
      expect.objectContaining({ code: "plugin-mount-hub-too-old" }),
    );
  });

  it.each<[string, string, readonly string[]]>([
    ["a path under a mount", "/plugins/a/x", []],
    ["a path beside the mount", "/plugins/ab/x", ["fleet-plugin-not-mounted"]],
    ["a name on the PATH", "argocd-k8s-auth", []],
    ["another name", "kubelogin", ["fleet-command-invalid"]],
    ["a path with dots", "/plugins/a/../x", ["fleet-command-invalid"]],
  ])("commandIssues: %s", (_, command, codes) => {
    const container = { name: "manager", mountPaths: ["/plugins/a"], onPath: ["argocd-k8s-auth"] };
    expect(commandIssues("p", command, container).map(({ code }) => code)).toEqual(codes);
  });
});

describe("kueueConfiguration", () => {
  const entry = {
    name: "aws-a",
    execConfig: {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command: "/p/x",
      args: ["token"],
      env: [],
      provideClusterInfo: false,
    },
    profileSourcedEnvVarsPolicy: "Replace",
  } as const;
  const base = [
    "apiVersion: config.kueue.x-k8s.io/v1beta2",
    "kind: Configuration",
    "# kept",
    "health:",
    "  healthProbeBindAddress: :8081",
    "",
  ].join("\n");

  it("adds the gate and the list, and no policy", () => {
    expect(kueueConfiguration(base, "accessProviders", [entry])).toBe(
      [
        base.trimEnd(),
        "featureGates:",
        "  MultiKueueClusterProfile: true",
        "multiKueue:",
        "  clusterProfile:",
        "    accessProviders:",
        "      - name: aws-a",
        "        execConfig:",
        "          apiVersion: client.authentication.k8s.io/v1beta1",
        "          command: /p/x",
        "          args:",
        "            - token",
        "          interactiveMode: Never",
        "",
      ].join("\n"),
    );
  });

  it("holds every text that an entry may have", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.array(text), text, (args, value) => {
        const execConfig = { ...entry.execConfig, args, env: [{ name: "A", value }] };
        const written = parse(kueueConfiguration(base, "accessProviders", [{ ...entry, execConfig }]), {
          version: "1.1",
        });
        const [found] = written.multiKueue.clusterProfile.accessProviders;
        expect([found.execConfig.args ?? [], found.execConfig.env[0].value]).toEqual([args, value]);
      }),
    );
  });

  it("keeps other gates and settings of MultiKueue", () => {
    const more = `${base}featureGates: { A: false }\nmultiKueue:\n  origin: hub\n`;
    const text = kueueConfiguration(more, "credentialsProviders", []);
    expect(text).toContain("featureGates: { A: false, MultiKueueClusterProfile: true }");
    expect(text).toContain("multiKueue:\n  origin: hub\n  clusterProfile:\n    credentialsProviders: []");
  });

  it.each([
    ["no YAML", "a: b: c", "kueue-configuration-invalid"],
    ["another kind", "kind: ConfigMap", "kueue-configuration-invalid"],
    ["a list there already", `${base}multiKueue: { clusterProfile: {} }`, "kueue-configuration-invalid"],
    ["gates that are a list", `${base}featureGates: []`, "kueue-configuration-invalid"],
    ["a late text", LATE, "late-value"],
  ])("refuses %s", (_, text, code) => {
    expect(() => kueueConfiguration(text, "accessProviders", [])).toThrowError(
      expect.objectContaining({ code }),
    );
  });
});
