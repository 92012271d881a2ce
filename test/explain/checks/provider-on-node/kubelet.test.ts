/*
 * Whether the kubelet accepts its files, has its flags, and passes tokens to the plugin.
 * Source: kubernetes:pkg/credentialprovider/plugin.
 */

import { type Damage, checks } from "../../../fixtures/explain/checks";
import {
  CONFIG,
  OWN_CONFIG,
  dropIn,
  file as machineFile,
  openshift,
  other,
  refused,
  stock,
} from "../../../fixtures/explain/machine-configs";
import { cluster, question } from "../../../fixtures/explain/plain";
import { TOKENS, acr, ecr, node, objects, record, tools } from "../../../fixtures/explain/three-clouds";

const ID = "provider-on-node";
const REFUSED = {
  log: '"Failed to register CRI auth plugins" err="…',
  as: null,
  then: "the kubelet does not start",
};
const kubelet = (version: string) => record('"kubelet": "1.35"', version);
const gates = (value: string) => record('"featureGates": {}', `"featureGates": {"${TOKENS}": ${value}}`);
const withoutCacheType = node("            cacheType: ServiceAccount\n", "");
const NOT_EVERY = "not every version accepts the file";

checks(ID, "the file of providers", ecr, [
  ["as written", [], "pass"],
  ["cacheType is missing", withoutCacheType, "fail", "refuses the file and does not start", REFUSED],
  [
    "the sample of openshift/enhancements#1987: required keys without requireServiceAccount",
    node("requireServiceAccount: true", "requireServiceAccount: false"),
    "fail",
    "requireServiceAccount cannot be false",
    { image: acr.image ?? "" },
  ],
  [
    "one name twice",
    node("name: acr-credential-provider", "name: ecr-credential-provider"),
    "fail",
    "duplicate provider name",
  ],
  [
    "an entry without a name",
    node("name: acr-credential-provider", 'name: ""'),
    "fail",
    "is a directory",
    { log: '"Failed to register CRI auth plugins"' },
  ],
  [
    "no tokenAttributes",
    node("tokenAttributes:", "other:"),
    "fail",
    "",
    { serviceAccount: "shop/tools", image: tools.image ?? "", log: "Failed to register CRI auth plugins" },
  ],
  ["cacheType, of a kubelet of 1.33", kubelet('"kubelet": "1.33"'), "fail", "kubelet 1.33 refuses the file"],
  [
    "tokenAttributes, of a kubelet of 1.31",
    kubelet('"kubelet": "1.31"'),
    "fail",
    "kubelet 1.31 does not know tokenAttributes",
    { log: "silent", as: "node identity" },
  ],
  [
    "no cacheType, of a kubelet whose version is not known",
    [kubelet('"kubelet": "1.99"'), withoutCacheType, gates("true")],
    "unknown",
    NOT_EVERY,
  ],
  ...['"kubelet": "1.40"', '"kubelet": "junk"', '"kubelet": 1.35', '"other": "1.35"'].map(
    (text) => [`of a kubelet recorded as ${text}`, kubelet(text), "unknown", NOT_EVERY] as const,
  ),
]);

const BIN_DIR = "bin-dir: /var/lib/kubelet/credential-provider\n";
const NO_FLAG = "--image-credential-provider-bin-dir is not set";
const NO_FOLDER = { log: "plugin binary directory  did not exist" };
const flags = (text: string) => node("kubeletFlags:\n", `kubeletFlags:\n  feature-gates: "${text}"\n`);
const file = (more: string) =>
  node(
    "kubeletFlags:\n",
    `  - path: /k.yaml\n    content: '{"kind":"KubeletConfiguration","featureGates":{"${TOKENS}":false}}'\nkubeletFlags:\n${more}`,
  );
const DISABLED = "feature gate is disabled";

checks(ID, "flags and gates of the kubelet", ecr, [
  ["a flag missing", node(`  image-credential-provider-${BIN_DIR}`, ""), "fail", NO_FLAG, NO_FOLDER],
  ["a flag that is empty", node(BIN_DIR, 'bin-dir: ""\n'), "fail", NO_FLAG, NO_FOLDER],
  [
    "a flag that points elsewhere",
    node("image-credential-provider-config: /etc", "image-credential-provider-config: /opt"),
    "fail",
    "not among the files that were read",
    { log: "unable to access path" },
  ],
  ["the gate off by flag", flags(`${TOKENS}=false,X=1`), "fail", DISABLED],
  ["all beta gates off by flag", flags("AllBeta=f"), "fail", DISABLED],
  ["the gate off in the kubelet's own file", file("  config: /k.yaml\n"), "fail", DISABLED],
  [
    "the gate off in a file that no one is known to read",
    file(""),
    "unknown",
    "the KubeletConfiguration /k.yaml sets feature gates",
  ],
  [
    "a gate that this kubelet no longer has",
    flags("AppArmor=true"),
    "unknown",
    "kubelet 1.35 does not have the feature gate AppArmor",
  ],
  ["a gate that none has", flags("AppArmour=true"), "unknown", "no known kubelet has the feature gate"],
  ["a gate that it has", flags("MemoryQoS=true"), "pass"],
  [
    "a flag that not every kubelet has",
    node("kubeletFlags:\n", "kubeletFlags:\n  pod-infra-container-image: a\n"),
    "unknown",
    "what the kubelet flag --pod-infra-container-image does is not known",
  ],
  [
    "a flag that no known kubelet has",
    node("kubeletFlags:\n", "kubeletFlags:\n  container-runtime: remote\n"),
    "unknown",
    "what the kubelet flag --container-runtime does",
  ],
  ["ordinary flags", node("kubeletFlags:\n", 'kubeletFlags:\n  root-dir: /a\n  port: "10250"\n'), "pass"],
  ["the gate recorded as text", gates('"false"'), "fail", DISABLED],
  ["the gate recorded as no switch", gates('"off"'), "unknown", "neither true nor false"],
]);

const old = { ...cluster, kubelet: "1.33", apiServer: "1.33" };
const on = { [TOKENS]: true };
const beta: Damage = (files) => {
  const text = files.get("node/credential-provider.json") ?? "";
  return new Map(files).set(
    "node/credential-provider.json",
    text.replace('"cacheType":"ServiceAccount",', ""),
  );
};

checks(ID, "gates of kubelets and API server, both of 1.33", { ...question, cluster: old }, [
  ["both off", beta, "fail"],
  ["both on", beta, "pass", "", { cluster: { ...old, featureGates: on } }],
  [
    "on in the kubelets alone",
    beta,
    "pass",
    "",
    { cluster: { ...old, kubeletFeatureGates: on }, verdict: "denied" },
  ],
  ["on in the API server alone", beta, "fail", "", { cluster: { ...old, apiServerFeatureGates: on } }],
  [
    "on in both, off in the API server",
    beta,
    "pass",
    "",
    {
      cluster: { ...old, featureGates: on, apiServerFeatureGates: { [TOKENS]: false } },
      verdict: "denied",
    },
  ],
  ...["1.40", "junk", ""].map(
    (version) =>
      [
        `a version "${version}" that the caller states, which is no error`,
        [],
        "unknown",
        "",
        { cluster: { ...cluster, kubelet: version, apiServer: version } },
      ] as const,
  ),
]);

const object = (apiVersion: string, kind: string, more: object) =>
  objects({ apiVersion, kind, metadata: { name: "x" }, ...more });
const off = { featureGates: { [TOKENS]: false } };
const featureGate = (featureSet: string | undefined, apiVersion = "config.openshift.io/v1") =>
  object(apiVersion, "FeatureGate", { spec: { featureSet, customNoUpgrade: { disabled: [TOKENS] } } });

// Which kubelets read such an object is known of some kinds alone.
checks(ID, "objects of the cluster beside files of the nodes", ecr, [
  [
    "a KubeletConfiguration with the gate off",
    object("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", off),
    "unknown",
  ],
  [
    "a KubeletConfiguration with other settings",
    object("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", { maxPods: 12 }),
    "pass",
  ],
  [
    "a KubeletConfig with the gate off",
    object("machineconfiguration.openshift.io/v1", "KubeletConfig", { spec: { kubeletConfig: off } }),
    "unknown",
  ],
  [
    "a KubeletConfig of another API",
    object("acme.example/v1", "KubeletConfig", { spec: { kubeletConfig: off } }),
    "pass",
  ],
  ["a FeatureGate with the gate off", featureGate("CustomNoUpgrade"), "fail"],
  ["a FeatureGate of another set", featureGate("TechPreviewNoUpgrade"), "pass"],
  ["a FeatureGate of no set", featureGate(undefined), "pass"],
  ["a FeatureGate of another API", featureGate("CustomNoUpgrade", "gates.acme.example/v1"), "pass"],
]);

checks(ID, "two MachineConfigs for one file", openshift, [
  [
    "the one that counts is refused",
    objects(machineFile("99-worker-zzz", CONFIG, refused)),
    "fail",
    "",
    { evidence: `MachineConfig ${OWN_CONFIG} is overwritten there` },
  ],
  [
    "a directory, whose files of several MachineConfigs are all read, and may not repeat a name",
    objects(
      machineFile("99-worker-a", "/etc/mine/a.json", refused),
      machineFile("99-worker-b", "/etc/mine/b.json", other),
      dropIn("50-mine", "/etc/mine"),
    ),
    "fail",
    "refuses the file",
  ],
  [
    "a pool of its own, which the reason names",
    objects(machineFile("99-master", CONFIG, stock, "master")),
    "fail",
    /^on the nodes master: the entry/,
  ],
]);
