/*
 * Documents of other people, and what their nodes' kubelets read: flags, paths, versions.
 */

import { describe, expect, it } from "vitest";
import type { ClusterFacts } from "../../../lib/explain/read/cluster-record";
import type { NodeConfiguration } from "../../../lib/explain/read/node-configuration";
import { readKubernetes } from "../../../lib/explain/read/kubernetes-facts";
import { isNodeDocument } from "../../../lib/explain/read/node-forms";
import { objectsOf } from "../../../lib/explain/read/objects";
import { known, match, whyText } from "../../../lib/model/known";

const CONFIG = JSON.stringify({ kind: "CredentialProviderConfig", providers: [{ name: "ecr" }] });
const BASE64 = Buffer.from(CONFIG).toString("base64");
const RANCHER = "/var/lib/rancher/credentialprovider/config.yaml";
const FLAG = "image-credential-provider-config";
const BIN = "image-credential-provider-bin-dir";

function configurations(
  values: readonly unknown[],
  cluster: ClusterFacts = {},
): readonly NodeConfiguration[] {
  const documents = values.map((value, document) => ({
    value,
    source: { file: "nodes.yaml", document, path: "" },
    late: known<string>,
    management: false,
    ofStack: false,
    spoke: undefined,
  }));
  const setups = documents.filter(({ value }) => isNodeDocument(value));
  const objects = objectsOf(documents.filter((each) => !setups.includes(each)));
  return readKubernetes(objects, setups, cluster, []).nodes;
}

/** The entries that the nodes' kubelets read, and why they do not, or why it is not known. */
function nodes(values: readonly unknown[], cluster: ClusterFacts = {}): unknown {
  return configurations(values, cluster).map(({ entries, isRead }) => [
    entries.map(({ name }) => name),
    match(
      isRead,
      (read) => (read.reads ? "read" : `not read: ${read.reason}`),
      (why) => `unknown: ${whyText(why)}`,
    ),
  ]);
}

const cloudInit = (files: Readonly<Record<string, unknown>>): unknown => ({
  write_files: Object.entries(files).map(([path, content]) => ({
    path,
    ...(typeof content === "string" ? { content } : (content as object)),
  })),
});
const join = (args: unknown, version = "v1beta4"): unknown => ({
  apiVersion: `kubeadm.k8s.io/${version}`,
  kind: "JoinConfiguration",
  nodeRegistration: { kubeletExtraArgs: args },
});
const template = (version: string, args: unknown, path = "/etc/c.yaml"): unknown => ({
  apiVersion: `bootstrap.cluster.x-k8s.io/${version}`,
  kind: "KubeadmConfigTemplate",
  metadata: { name: "w", namespace: "n" },
  spec: {
    template: {
      spec: {
        files: [{ path, content: BASE64, encoding: "base64" }],
        joinConfiguration: { nodeRegistration: { kubeletExtraArgs: args } },
      },
    },
  },
});
function withFile(document: unknown, file: object): unknown {
  const copy = structuredClone(document) as { spec: { template: { spec: { files: object[] } } } };
  copy.spec.template.spec.files.push(file);
  return copy;
}
function withFields(document: unknown, fields: object): unknown {
  const copy = structuredClone(document) as { spec: { template: { spec: object } } };
  Object.assign(copy.spec.template.spec, fields);
  return copy;
}
const butane = (storage: object, unit: object): unknown => ({
  variant: "flatcar",
  version: "1.1.0",
  storage: { files: [{ path: "/etc/c.yaml", contents: { inline: CONFIG } }], ...storage },
  systemd: {
    units: [
      {
        name: "kubelet.service",
        contents: `[Service]\nExecStart=/usr/bin/kubelet --${FLAG}=/etc/c.yaml --${BIN}=/opt/b\n`,
        ...unit,
      },
    ],
  },
});
const UNITS = "/etc/systemd/system";
const GATE = "KubeletServiceAccountTokenForCredentialProviders";

const talosDocument = {
  apiVersion: "v1alpha1",
  kind: "KubeCredentialProviderConfig",
  configuration: JSON.parse(CONFIG) as object,
};

const rancher = cloudInit({ [RANCHER]: CONFIG }) as { write_files: unknown[] };
const rke2 = (configuration: string): unknown =>
  cloudInit({ [RANCHER]: CONFIG, "/etc/rancher/rke2/config.yaml": configuration });
const microshift = (key: string): unknown =>
  cloudInit({
    "/etc/c.yaml": CONFIG,
    "/etc/microshift/config.yaml": `kubelet: {${key}: /etc/c.yaml, imageCredentialProviderBinDir: /usr/libexec/b}`,
  });
const WRITTEN = cloudInit({ "/etc/c.yaml": CONFIG });
const MAP = { [FLAG]: "/etc/c.yaml", [BIN]: "/b" };
const LIST = Object.entries(MAP).map(([name, value]) => ({ name, value }));

const READ = [[["ecr"], "read"]];
const not = (words: string): unknown => [[["ecr"], expect.stringContaining(`not read: ${words}`)]];
const unknown = (words: string): unknown => [[["ecr"], expect.stringContaining(`unknown: ${words}`)]];

describe("nodes by a document of their own", () => {
  it.each<[string, readonly unknown[], unknown]>([
    ["K3s at the default path", [cloudInit({ [RANCHER]: CONFIG })], READ],
    ["base64 in cloud-init", [cloudInit({ [RANCHER]: { content: BASE64, encoding: "b64" } })], READ],
    [
      "cloud-init with an owner that nodes may lack",
      [cloudInit({ [RANCHER]: CONFIG, "/etc/x": { content: "x", owner: "app" } })],
      unknown("what write_files[1].owner of the document does"),
    ],
    [
      "cloud-init with an entry that is not a mapping",
      [{ write_files: [...rancher.write_files, "x"] }],
      unknown("what write_files[1] of the document does"),
    ],
    [
      "RKE2 whose configuration names another path",
      [rke2(`${FLAG}: /etc/c.yaml\n`)],
      not("the kubelet flag --image-credential-provider-config names /etc/c.yaml"),
    ],
    [
      "RKE2 whose configuration is not YAML",
      [rke2("a: [\n")],
      unknown("/etc/rancher/rke2/config.yaml starts the kubelet"),
    ],
    [
      "RKE2 whose configuration is a text",
      [rke2("wrong")],
      unknown("/etc/rancher/rke2/config.yaml starts the kubelet"),
    ],
    ["RKE2 whose configuration is empty", [rke2("# nothing\n")], READ],
    [
      "MicroShift with both keys",
      [microshift("imageCredentialProviderConfigPath")],
      unknown("whether this MicroShift"),
    ],
    [
      "MicroShift with a misspelled key",
      [microshift("imageCredentialProviderConfig")],
      not("the kubelet flag --image-credential-provider-config is not set"),
    ],
    ["kubeadm, flags in a document beside", [WRITTEN, join(LIST)], READ],
    ["kubeadm v1beta3 as a map", [WRITTEN, join(MAP, "v1beta3")], READ],
    [
      "cloud-init with a command that changes the file",
      [{ ...rancher, runcmd: [["sed", "-i", "s/a/b/", RANCHER]] }],
      unknown(`what the command "sed -i s/a/b/ ${RANCHER}" does`),
    ],
    [
      "cloud-init with a command about a flag",
      [{ ...rancher, bootcmd: [`echo --${FLAG}=/x >> /etc/default/k`] }],
      unknown(`what the command "echo --${FLAG}=/x >> /etc/default/k" does`),
    ],
    [
      "cloud-init with a command about something else",
      [{ ...rancher, runcmd: ["systemctl restart rke2-agent"] }],
      READ,
    ],
    [
      "RKE2 whose kubelet-arg extends the path",
      [rke2(`kubelet-arg: ["${FLAG}+=/etc/c.yaml"]\n`)],
      not("the kubelet flag --image-credential-provider-config is not set"),
    ],
    [
      "kubeadm, one flag alone",
      [WRITTEN, join(LIST.slice(0, 1))],
      not("the kubelet flag --image-credential-provider-bin-dir is not set"),
    ],
    [
      "kubeadm v1beta4 as a map",
      [WRITTEN, join({ [FLAG]: "/etc/c.yaml" })],
      not("kubeadm.k8s.io/v1beta4 expects kubeletExtraArgs as a list"),
    ],
    [
      "kubeadm, two documents with different flags",
      [WRITTEN, join(LIST.slice(0, 1)), join([{ name: FLAG, value: "/etc/d.yaml" }])],
      unknown("nodes.yaml gives kubelets different flags"),
    ],
    ["no flags", [WRITTEN], unknown("neither kubelet flags nor a platform")],
    ...[
      [`${UNITS}/kubelet.service.d/99.conf`, "[Service]\nExecStart=\nExecStart=/k\n"],
      ["/run/systemd/system/kubelet.service", "[Service]\nExecStart=/k\n"],
      ["/etc/default/kubelet", `KUBELET_EXTRA_ARGS="--${FLAG}=/etc/d.yaml"\n`],
    ].map(([path = "", content = ""]): [string, readonly unknown[], unknown] => [
      `Cluster API beside ${path}`,
      [withFile(template("v1beta1", MAP), { path, content })],
      unknown(`what ${path} does to the kubelet`),
    ]),
    [
      "Cluster API beside a drop-in that sets no flags",
      [
        withFile(template("v1beta1", MAP), {
          path: `${UNITS}/kubelet.service.d/10.conf`,
          content: "[Service]\nRestart=always\n",
        }),
      ],
      READ,
    ],
    // kubernetes-sigs/cluster-api, api/bootstrap/kubeadm: KubeadmConfigSpec.
    ...["bootCommands", "preKubeadmCommands", "postKubeadmCommands"].flatMap((field) =>
      [
        ["sed -i s/a/b/ /etc/c.yaml", unknown('what the command "sed -i s/a/b/ /etc/c.yaml" does')],
        ["systemctl restart chronyd", READ],
      ].map(([command, expected]): [string, readonly unknown[], unknown] => [
        `Cluster API with ${field} of ${String(command)}`,
        [withFields(template("v1beta1", MAP), { [field]: [command] })],
        expected,
      ]),
    ),
    ["Cluster API v1beta1", [template("v1beta1", MAP)], READ],
    ["Cluster API v1beta2", [template("v1beta2", LIST)], READ],
    [
      "Cluster API v1beta2 with the map of v1beta1",
      [template("v1beta2", { [FLAG]: "/etc/c.yaml" })],
      not("KubeadmConfigTemplate v1beta2 expects kubeletExtraArgs as a list"),
    ],
    ["Talos", [{ machine: { kubelet: { credentialProviderConfig: JSON.parse(CONFIG) as object } } }], READ],
    ["Talos from 1.14 on", [{ version: "v1alpha1", machine: {} }, talosDocument], READ],
    [
      "Talos with both",
      [{ machine: { kubelet: { extraArgs: {} } } }, talosDocument],
      not("Talos refuses KubeCredential"),
    ],
    [
      "Talos with a file and extraArgs",
      [
        {
          machine: {
            files: [{ path: "/var/lib/kubelet/c.yaml", op: "create", content: CONFIG }],
            kubelet: {
              extraArgs: {
                [FLAG]: "/var/lib/kubelet/c.yaml",
                [BIN]: ["/usr/local/lib/kubelet/credentialproviders"],
              },
            },
          },
        },
      ],
      READ,
    ],
    [
      "Ignition with a unit of the kubelet",
      [
        {
          ignition: { version: "3.4.0" },
          storage: {
            files: [
              { path: "/etc/c.yaml", contents: { source: `data:;base64,${BASE64}` } },
              { path: "/opt/b/ecr", mode: 0o755, contents: { source: "https://e.com/ecr" } },
            ],
          },
          systemd: {
            units: [
              {
                name: "kubelet.service",
                contents: `[Service]\nExecStart=/usr/bin/kubelet --${FLAG}=/etc/c.yaml --${BIN}=/opt/b\n`,
              },
            ],
          },
        },
      ],
      READ,
    ],
    ...[
      [{ links: [{ path: "/etc/c.yaml.bak", target: "/x" }] }, {}, "unknown: what /etc/c.yaml.bak does"],
      [{ links: [{ path: "/etc", target: "/x" }] }, {}, "unknown: /etc may lead to other files"],
      [{ trees: [{ local: "tree" }] }, {}, "unknown: what storage.trees of the document does"],
      [{ links: [{ path: "/etc/localtime", target: "/x" }] }, {}, "read"],
      [{}, { mask: true }, "unknown: /etc/systemd/system/kubelet.service starts"],
      [
        {},
        { dropins: [{ name: "9.conf", contents_local: "9.conf" }] },
        "unknown: /etc/systemd/system/kubelet",
      ],
    ].map(([storage, unit, expected]): [string, readonly unknown[], unknown] => [
      `Butane with ${JSON.stringify(storage)} and a unit with ${JSON.stringify(unit)}`,
      [butane(storage as object, unit as object)],
      [[["ecr"], expect.stringContaining(expected as string)]],
    ]),
    [
      "Butane with a configuration that stands in a file beside",
      [
        {
          variant: "flatcar",
          version: "1.0.0",
          storage: { files: [{ path: RANCHER, contents: { local: "c.yaml" } }] },
        },
      ],
      [[[], expect.stringContaining(`unknown: ${RANCHER} cannot be read here`)]],
    ],
    [
      "kOps",
      [
        {
          apiVersion: "kops.k8s.io/v1alpha2",
          kind: "Cluster",
          spec: { fileAssets: [{ path: RANCHER, content: BASE64.replace(/=+$/, ""), isBase64: true }] },
        },
      ],
      READ,
    ],
  ])("%s", (_, values, expected) => {
    expect(nodes(values)).toEqual(expected);
  });

  it.each<[string, ClusterFacts, unknown]>([
    ["of a version that has them", { microShift: "5.0" }, READ],
    ["of a version without", { microShift: "4.22.1" }, not("MicroShift up to 4.22 ignores")],
    ["with the kubelet of a version without", { kubelet: "1.35" }, not("MicroShift up to 4.22 ignores")],
    ["of which the version is not known", { kubelet: "1.36" }, unknown("whether this MicroShift")],
  ])("MicroShift with both keys, %s", (_, cluster, expected) => {
    const settings =
      "kubelet: {imageCredentialProviderConfigPath: /etc/c.yaml, imageCredentialProviderBinDir: /usr/libexec/b}";
    const document = cloudInit({ "/etc/c.yaml": CONFIG, "/etc/microshift/config.yaml": settings });
    expect(nodes([document], cluster)).toEqual(expected);
  });
});

describe("what the constructs refuse", () => {
  const gate = {
    "/etc/microshift/config.yaml":
      "kubelet: {imageCredentialProviderConfigPath: /etc/c.yaml, imageCredentialProviderBinDir: /usr/libexec/p}",
  };
  const kopsOf = (path: string, version: string): unknown => ({
    apiVersion: "kops.k8s.io/v1alpha2",
    kind: "Cluster",
    spec: {
      kubernetesVersion: version,
      fileAssets: [
        { path: RANCHER, content: CONFIG },
        { path, content: "" },
      ],
    },
  });

  it.each<[string, unknown, ClusterFacts, unknown]>([
    ["RKE2 with an older kubelet", rke2(""), { kubelet: "1.33" }, not("RKE2 1.33 itself reads the file")],
    ["RKE2 with a kubelet that knows tokens", rke2(""), { kubelet: "1.34" }, READ],
    [
      "MicroShift, SELinux",
      cloudInit({
        ...gate,
        "/etc/c.yaml": CONFIG,
        "/etc/microshift/config.yaml": gate["/etc/microshift/config.yaml"].replace(
          "/usr/libexec/p",
          "/opt/p",
        ),
      }),
      { microShift: "5.0" },
      unknown("SELinux lets MicroShift run no plugins in /opt/p"),
    ],
    [
      "MicroShift, writable",
      cloudInit({ ...gate, "/etc/c.yaml": { content: CONFIG, permissions: "0664" } }),
      { microShift: "5.0" },
      unknown("MicroShift may not start, because /etc/c.yaml is writable"),
    ],
    ["kOps' own file", kopsOf("/var/lib/kubelet/credential-provider.conf", "1.35.1"), {}, not("kOps writes")],
    [
      "kOps of another version than recorded",
      kopsOf("/etc/chrony.conf", "1.35.1"),
      { kubelet: "1.36" },
      unknown("the nodes nodes have the kubelet 1.35.1, but 1.36 is recorded"),
    ],
    ["kOps of the recorded version", kopsOf("/etc/chrony.conf", "1.35.1"), { kubelet: "1.35" }, READ],
    [
      "Cluster API, a long file",
      withFile(template("v1beta1", MAP), { path: "/etc/chrony.conf", content: "x".repeat(10_241) }),
      {},
      not("the API server refuses files of more than 10240 characters"),
    ],
  ])("%s", (_, document, cluster, expected) => {
    expect(nodes([document], cluster)).toEqual(expected);
  });

  it.each<[string, object, unknown]>([
    ["a plugin that is not executable", { "/b/ecr": "" }, unknown("/b/ecr is not executable")],
    [
      "another plugin",
      { "/b/ecr": { content: "#!/bin/sh\n", mode: "0755" } },
      unknown("what the plugin /b/ecr does"),
    ],
    [
      "a plugin in another folder",
      { "/opt/bin/ecr": { content: "", mode: "0755" } },
      unknown("/opt/bin/ecr is not in the folder /b"),
    ],
    [
      "a second name of a plugin",
      { "/b/ecr": { content: '#!/bin/sh\nexec /b/ecr-1 "$@"\n', mode: "0755" } },
      READ,
    ],
  ])("%s", (_, files, expected) => {
    const written = Object.entries({ "/etc/c.yaml": CONFIG, ...files }).map(([path, each]) => ({
      path,
      ...(typeof each === "string" ? { content: each } : (each as object)),
    }));
    expect(nodes([{ files: written, kubeletFlags: MAP }])).toEqual(expected);
  });
});

describe("feature gates in a document", () => {
  const rke2 = (...args: readonly string[]): unknown =>
    cloudInit({
      [RANCHER]: CONFIG,
      "/etc/rancher/rke2/config.yaml": JSON.stringify({ "kubelet-arg": args }),
    });
  const nodeConfig = (kubelet: object): string =>
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: application/node.eks.aws\n\n` +
    `${JSON.stringify({ apiVersion: "node.eks.aws/v1alpha1", kind: "NodeConfig", spec: { kubelet } })}\n--B--\n`;
  const off = `feature-gates=${GATE}=false`;

  it.each<[string, unknown, unknown]>([
    ["RKE2, two flags", rke2(off, "feature-gates=CPUManager=true"), false],
    [
      "MicroShift",
      cloudInit({
        "/etc/c.yaml": CONFIG,
        "/etc/microshift/config.yaml": JSON.stringify({ kubelet: { featureGates: { [GATE]: false } } }),
      }),
      false,
    ],
    ["RKE2, the second flag decides", rke2(off, `feature-gates=${GATE}=true`), true],
    ["RKE2, a flag that extends", rke2("feature-gates=A=true", `feature-gates+=${GATE}=false`), false],
    ["nodeadm, two flags", nodeConfig({ flags: [`--${off}`, "--feature-gates=CPUManager=true"] }), false],
    ["nodeadm, the configuration", nodeConfig({ config: { featureGates: { [GATE]: false } } }), false],
    [
      "nodeadm, a flag over the configuration",
      nodeConfig({ flags: [`--feature-gates=${GATE}=true`], config: { featureGates: { [GATE]: false } } }),
      true,
    ],
    [
      "Talos, extraConfig",
      { machine: { kubelet: { extraConfig: { featureGates: { [GATE]: false } } } } },
      false,
    ],
    [
      "Talos, a list of flags",
      { machine: { kubelet: { extraArgs: { "feature-gates": [`${GATE}=false`, "A=true"] } } } },
      false,
    ],
    [
      "kOps, where gates are texts",
      {
        apiVersion: "kops.k8s.io/v1alpha2",
        spec: {
          fileAssets: [{ path: RANCHER, content: CONFIG }],
          kubelet: { featureGates: { [GATE]: "false" } },
        },
      },
      "unknown",
    ],
  ])("of %s", (_, document, expected) => {
    const statements = configurations([document]).flatMap(({ gates }) => gates);
    const last = statements.flatMap(({ gates }) => gates.get(GATE) ?? []).at(-1);
    expect(
      match<boolean, unknown>(
        last ?? known(true),
        (on) => on,
        () => "unknown",
      ),
    ).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ["a distribution's configuration", rke2(off), "write_files[1].content"],
    [
      "flags beside a distribution's file",
      { files: [{ path: RANCHER, content: CONFIG }], kubeletFlags: { "feature-gates": `${GATE}=false` } },
      "",
    ],
  ])("is shown where it stands: %s", (_, document, path) => {
    const [statement] = configurations([document]).flatMap(({ gates }) => gates);
    expect(statement?.source.path).toBe(path);
  });
});
