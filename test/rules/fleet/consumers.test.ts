import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { consumerKind } from "../../../lib/rules/fleet/consumer";
import { argoCd, controller, knativeOperator, multiKueue } from "../../../lib/rules/fleet/consumers";
import { kueueConfiguration } from "../../../lib/rules/fleet/kueue";
import {
  type HubFacts,
  type PluginSource,
  commandIssues,
  hasImageVolumes,
  mountedPlugin,
} from "../../../lib/rules/fleet/plugin-mount";
import { LATE } from "../../fixtures/fleet/spokes";
import { refusedBy, refusal } from "../../support/refusal";

const own = {
  kind: "Deployment",
  namespace: "fleet",
  name: "own",
  container: "own",
  serviceAccount: "own",
} as const;

/** What a caller without compiler may hand over. */
const untyped = (value: unknown): never => value as never;
const none: [never] = [untyped(undefined)];

describe("consumers", () => {
  it("say what an older Argo CD can do", () => {
    const remedy = (version: string): RegExp =>
      version === "3.0"
        ? /; upgrade it, or use `clusterSecrets: true`, which works from 3\.0 on$/
        : /; upgrade it$/;
    for (const version of ["3.0", "2.14"]) expect(() => argoCd({ version })).toThrowError(remedy(version));
  });

  it.each(
    refusedBy<() => unknown>({
      "fleet-unsupported: is too old": {
        "Argo CD 3.4": () => argoCd({ version: "3.4.9" }),
        "Argo CD 2.14 with cluster Secrets": () => argoCd({ version: "2.14.1", clusterSecrets: true }),
        "Kueue 0.14": () => multiKueue({ version: "0.14.0" }),
        "Knative Operator 1.21": () => knativeOperator({ version: "v1.21.3" }),
      },
      "fleet-unused: reads the cluster Secrets itself": {
        "a controller of profiles beside cluster Secrets": () =>
          argoCd({ version: "3.2", clusterSecrets: true, profileController: own }),
      },
      "version-invalid": { "no version": () => argoCd({ version: "latest" }) },
      "late-value": { "a late version": () => argoCd({ version: LATE }) },
      "fleet-invalid: ": {
        "no workload": () => controller({ title: "own", workloads: [] }),
        "Argo CD in two namespaces": () =>
          argoCd({ version: "3.5", workloads: [own, { ...own, namespace: "other" }] }),
        "no workload of Argo CD": () => argoCd({ version: "3.5", workloads: [] }),
        "a workload twice": () => controller({ title: "own", workloads: [own, own] }),
        "a bad container": () => controller({ title: "own", workloads: [{ ...own, container: "A" }] }),
      },
      "fleet-mismatch: MultiKueue reads only ClusterProfiles": {
        // Kueue reads profiles of one namespace, and `MultiKueueCluster` refers to it by no name.
        "Kueue elsewhere": () => multiKueue({ version: "0.19", workloads: [{ ...own, namespace: "kq" }] }),
      },
      "property-missing": {
        "nothing for Argo CD": () => argoCd(...none),
        "nothing for Kueue": () => multiKueue(...none),
        "nothing for Knative": () => knativeOperator(...none),
        "nothing for a controller": () => controller(...none),
        "a controller without workloads": () => controller(untyped({ title: "x" })),
        "a controller without title": () => controller(untyped({ workloads: [own] })),
      },
      "property-invalid": {
        "null as workload": () => controller(untyped({ title: "x", workloads: [null] })),
        "null as workload of Kueue": () => multiKueue(untyped({ version: "0.19", workloads: [null] })),
        "a text as workloads": () => argoCd(untyped({ version: "3.5", workloads: "argocd-server" })),
        "a DaemonSet": () => controller(untyped({ title: "x", workloads: [{ ...own, kind: "DaemonSet" }] })),
        "a text as switch": () =>
          controller(untyped({ title: "x", workloads: [own], isDistroless: "false" })),
        "a text as switch of Kueue": () =>
          multiKueue(untyped({ version: "0.19", featureGatesByFlag: "false" })),
      },
      "identities-invalid": {
        "a bad namespace": () => controller({ title: "own", workloads: [{ ...own, namespace: "A" }] }),
      },
    }),
  )("refuse %s", (_, make, code) => {
    expect(make).toThrowError(refusal(code));
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

  // kubernetes-sigs/kueue:config/components/manager/manager.yaml has runAsNonRoot without a user; busybox is root.
  it("copies as a user of its own, or as the cluster's", () => {
    const container = (over: Partial<PluginSource>) =>
      mountedPlugin({ ...busybox, ...over }, { version: "1.34" }, kueue).initContainers[0]?.[
        "securityContext"
      ];
    const common = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    };
    expect(container({})).toEqual({ ...common, runAsUser: 65_532 });
    expect(container({ runAsUser: 1000 })).toEqual({ ...common, runAsUser: 1000 });
    expect(container({ runAsUser: false })).toEqual(common);
  });

  it.each([0, -1, 1.5, "1000", true, null, 2 ** 31])("refuses %j as user", (runAsUser) => {
    const source: PluginSource = { ...busybox, runAsUser: untyped(runAsUser) };
    expect(() => mountedPlugin(source, { version: "1.34" }, kueue)).toThrowError(refusal("property-invalid"));
  });

  // github.com/distribution/reference v0.6: ParseDockerRef, run over the same texts.
  it.each([
    ["example.com/a/b:v1", true],
    ["Example.COM:5000/a/b__c:V1", true],
    ["busybox:1.37-musl", true],
    [`example.com/a@sha256:${"0".repeat(64)}`, true],
    [`example.com/a:v1@sha256:${"0".repeat(64)}`, true],
    ["example.com/A:v1", false],
    ["example.com/a/Kubelogin:v1", false],
    ["example.com/a//b:v1", false],
    ["example.com/-a:v1", false],
    ["example.com/a_:v1", false],
    ["example.com/a:", false],
    ["example.com/a:-v", false],
    [`example.com/a:${"v".repeat(129)}`, false],
    ["https://example.com/a:v1", false],
    [`example.com/a@sha256:${"0".repeat(63)}`, false],
  ])("image %s: %s", (image, good) => {
    const mount = () => mountedPlugin({ ...iam, image }, { version: "1.35" }, kueue);
    if (good) expect(mount().volumes[0]?.["image"]).toEqual({ reference: image });
    else expect(mount).toThrowError(refusal("fleet-invalid: image of"));
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
    ["an old hub and an image without cp", iam, { version: "1.34" }, "fleet-unsupported: no image volumes"],
    ["a text as gate", iam, { version: "1.34", imageVolume: untyped("false") }, "property-invalid"],
    ["a text as hasCopy", { ...iam, hasCopy: untyped("false") }, { version: "1.34" }, "property-invalid"],
    ["no tag", { ...iam, image: "example.com:5000/x" }, { version: "1.35" }, "fleet-invalid: image of"],
    ["a late image", { ...iam, image: LATE }, { version: "1.35" }, "late-value"],
    ["a relative path", { ...iam, path: "bin/x" }, { version: "1.35" }, "fleet-invalid: image of"],
    [
      "a plugin without published image",
      { plugin: "gcp-auth-plugin", image: "example.com/x:1" },
      { version: "1.35" },
      "fleet-missing: the path of the binary is not known",
    ],
    [
      "the AWS CLI in a distroless image",
      { plugin: "aws-eks-get-token", image: "example.com/x:1", path: "/aws" },
      { version: "1.35" },
      "fleet-unsupported: needs libraries or programs",
    ],
  ])("refuses %s", (_, source, hub, code) => {
    expect(() => mountedPlugin(source, hub, kueue)).toThrowError(refusal(code));
  });

  it("never copies for Knative", () => {
    const knative = knativeOperator({ version: "1.22" });
    expect(() => mountedPlugin(busybox, { version: "1.34" }, knative)).toThrowError(
      refusal("fleet-unsupported: no image volumes"),
    );
  });

  it.each<[string, string, readonly string[]]>([
    ["a path below a mount", "/plugins/a/x", []],
    ["a path beside the mount", "/plugins/ab/x", ["fleet-missing: contains the command"]],
    ["a name on the PATH", "argocd-k8s-auth", []],
    ["another name", "kubelogin", ["fleet-invalid: neither an absolute path nor on the PATH"]],
    ["a path with dots", "/plugins/a/../x", ["fleet-invalid: neither an absolute path nor on the PATH"]],
  ])("commandIssues: %s", (_, command, codes) => {
    const container = { name: "manager", mountPaths: ["/plugins/a"], onPath: ["argocd-k8s-auth"] };
    expect(commandIssues("p", command, container)).toEqual(codes.map((each) => refusal(each)));
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

  // kubernetes-sigs/kueue:pkg/config/validation.go, "feature gates for CLI and configuration cannot both specified".
  it("leaves the gate to the command line", () => {
    const text = kueueConfiguration(base, "accessProviders", [entry], true);
    expect(parse(text)).not.toHaveProperty("featureGates");
    expect(parse(text).multiKueue.clusterProfile.accessProviders).toHaveLength(1);
    expect(() =>
      kueueConfiguration(`${base}featureGates: {}\n`, "accessProviders", [entry], true),
    ).toThrowError(
      refusal("fleet-invalid: configuration of Kueue", {
        problem:
          "the configuration of Kueue has featureGates, which Kueue refuses together with --feature-gates",
      }),
    );
    expect(multiKueue({ version: "0.19", featureGatesByFlag: true }).form).toEqual({
      kind: "kueue",
      field: "accessProviders",
      gateByFlag: true,
    });
  });

  it("takes MultiKueue on where all others of its stage are off", () => {
    const more = `${base}featureGates: { AllBeta: false, MultiKueue: true }\n`;
    expect(kueueConfiguration(more, "accessProviders", [])).toContain("MultiKueueClusterProfile: true");
  });

  it("keeps other gates and settings of MultiKueue", () => {
    const more = `${base}featureGates: { A: false }\nmultiKueue:\n  origin: hub\n`;
    const text = kueueConfiguration(more, "credentialsProviders", []);
    expect(text).toContain("featureGates: { A: false, MultiKueueClusterProfile: true }");
    expect(text).toContain("multiKueue:\n  origin: hub\n  clusterProfile:\n    credentialsProviders: []");
  });

  it.each([
    ["no YAML", "a: b: c", "fleet-invalid: configuration of Kueue"],
    ["another kind", "kind: ConfigMap", "fleet-invalid: configuration of Kueue"],
    // apis/config/v1beta1 of Kueue 0.15 and 0.19 has no clusterProfile, and Kueue decodes strictly.
    ["an older version", base.replace("v1beta2", "v1beta1"), "fleet-invalid: configuration of Kueue"],
    ["a token", `${base}token: hunter2\n`, "fleet-unsafe: secret material"],
    [
      "a list there already",
      `${base}multiKueue: { clusterProfile: {} }`,
      "fleet-invalid: configuration of Kueue",
    ],
    ["MultiKueue off", `${base}featureGates: { MultiKueue: false }`, "fleet-invalid: configuration of Kueue"],
    [
      "all gates of its stage off",
      `${base}featureGates: { AllBeta: false }`,
      "fleet-invalid: configuration of Kueue",
    ],
    ["gates that are a list", `${base}featureGates: []`, "fleet-invalid: configuration of Kueue"],
    ["a late text", LATE, "late-value"],
  ])("refuses %s", (_, text, code) => {
    expect(() => kueueConfiguration(text, "accessProviders", [])).toThrowError(refusal(code));
  });
});

it.each([
  ["argocd", "file", "argocd"],
  ["other", "secrets", "other"],
  [undefined, "kueue", "kueue"],
  [undefined, "secrets", "argocd"],
  [undefined, "file", "other"],
  ["unheard-of", undefined, "other"],
])("a record that names %s and the form %s is of the kind %s", (name, form, kind) => {
  expect(consumerKind(name, form)).toBe(kind);
});
