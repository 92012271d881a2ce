/*
 * Mistakes between the image and the plugin: names, patterns, and the files of the node.
 */

import { type Variant, files, images } from "../variant";

const web = { stack: "edge-1", serviceAccount: "shop/web", image: images.ecr, verdict: "denied" } as const;

const CACHE_TYPE = "            cacheType: ServiceAccount\n";
const TENANT = '"tenantId": "72f988bf-86f1-41af-91ab-2d7cd011db47"';

/** A configuration for another registry, which another team puts into the same file of the same nodes. */
const OTHER_TEAM = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: acr-credential-provider
    matchImages: ["*.azurecr.io"]
    defaultCacheDuration: 10m
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args: [/etc/kubernetes/cloud.conf]
`;

/** Mistakes that are made once per node. */
export const nodeVariants: readonly Variant[] = [
  {
    ...web,
    id: "scheme-in-the-image",
    mistake: "The image reference was copied from a browser, including `https://`.",
    image: `https://${images.ecr}`,
    goodImage: images.ecr,
    edits: [],
    stopsAt: "image-parses",
  },
  {
    ...web,
    id: "port-in-the-image",
    mistake: "The image names the default port. A pattern without a port matches no image with a port.",
    image: images.acr.replace("/", ":443/"),
    goodImage: images.acr,
    edits: [],
    stopsAt: "provider-matches-image",
  },
  {
    ...web,
    id: "glob-over-a-dot",
    mistake: "One glob was meant to match several parts of the host name, but it matches exactly one.",
    edits: [
      { file: files.nodes, from: "111122223333.dkr.ecr.eu-west-1.amazonaws.com", to: '"*.amazonaws.com"' },
    ],
    stopsAt: "provider-matches-image",
  },
  {
    ...web,
    id: "glob-in-the-path",
    mistake:
      "The path of a pattern ends with a glob. Paths are plain prefixes, in which `*` is an ordinary character.",
    edits: [
      {
        file: files.nodes,
        from: "111122223333.dkr.ecr.eu-west-1.amazonaws.com",
        to: '"*.dkr.ecr.*.amazonaws.com/shop/*"',
      },
    ],
    stopsAt: "provider-matches-image",
  },
  {
    ...web,
    id: "mirror-host",
    mistake:
      "The entry names the mirror, but the pods name the source. The kubelet does not know about mirrors and matches the name in the pod.",
    stack: "prod",
    image: "quay.io/acme/web@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    goodImage: images.ecr,
    edits: [
      {
        file: files.machineConfigs,
        to: `---
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: acme
spec:
  imageDigestMirrors:
    - source: quay.io/acme
      mirrors:
        - 111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop
`,
      },
    ],
    stopsAt: "provider-matches-image",
  },
  {
    ...web,
    id: "mirror-only",
    mistake:
      "The entry matches, but the nodes' container runtime is configured to contact only a mirror, never the registry, and it sends the mirror none of the pod's credentials. Whether the mirror needs any is not in these files, so the verdict is `unknown`.",
    stack: "prod",
    edits: [
      {
        file: files.machineConfigs,
        to: `---
apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata:
  name: disconnected
spec:
  imageTagMirrors:
    - source: 111122223333.dkr.ecr.eu-west-1.amazonaws.com
      mirrors:
        - mirror.acme.example/ecr
      mirrorSourcePolicy: NeverContactSource
`,
      },
    ],
    verdict: "unknown",
    stopsAt: "provider-matches-image",
  },
  {
    ...web,
    id: "two-machine-configs-for-one-file",
    mistake:
      "Another team's MachineConfig writes the same file for its own registry. Files are not merged: the MachineConfig whose name sorts last wins.",
    stack: "prod",
    edits: [
      {
        file: files.machineConfigs,
        to: `---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: 99-worker-registry-of-the-other-team
  labels:
    machineconfiguration.openshift.io/role: worker
spec:
  config:
    ignition:
      version: 3.2.0
    storage:
      files:
        - contents:
            compression: ""
            source: data:;base64,${Buffer.from(OTHER_TEAM).toString("base64")}
          mode: 420
          overwrite: true
          path: /etc/kubernetes/credential-providers/ecr-credential-provider.yaml
`,
      },
    ],
    stopsAt: "provider-matches-image",
  },
  {
    ...web,
    id: "cache-type-missing",
    mistake:
      "The file was copied from a 1.33 node. Kubelet 1.33 refuses `cacheType`; 1.34 and newer require it.",
    edits: [{ file: files.nodes, from: CACHE_TYPE, to: "" }],
    stopsAt: "provider-on-node",
  },
  {
    ...web,
    id: "cache-type-on-1.33",
    mistake:
      "The file is correct for 1.34 and newer, but some nodes still run 1.33 with the feature gate on.",
    edits: [
      { file: files.cluster, from: '"kubelet": "1.35"', to: '"kubelet": "1.33"' },
      {
        file: files.cluster,
        from: '"featureGates": {}',
        to: '"featureGates": { "KubeletServiceAccountTokenForCredentialProviders": true }',
      },
    ],
    stopsAt: "provider-on-node",
  },
  {
    ...web,
    id: "required-keys-without-required-account",
    mistake:
      "The file follows the ACR sample of openshift/enhancements pull request 1987: required keys together with `requireServiceAccount: false`. No kubelet starts with such a file, so pulls from ECR fail as well.",
    edits: [
      {
        file: files.nodes,
        from: `            serviceAccountTokenAudience: api://AzureADTokenExchange
            cacheType: ServiceAccount
            requireServiceAccount: true
`,
        to: `            serviceAccountTokenAudience: api://AzureADTokenExchange
            cacheType: ServiceAccount
            requireServiceAccount: false
`,
      },
    ],
    stopsAt: "provider-on-node",
  },
  {
    ...web,
    id: "one-of-two-flags",
    mistake: "The kubelet has the flag for the file but not the flag for the plugin directory.",
    edits: [
      {
        file: files.nodes,
        from: "  image-credential-provider-bin-dir: /var/lib/kubelet/credential-provider\n",
        to: "",
      },
    ],
    stopsAt: "provider-on-node",
  },
  {
    ...web,
    id: "plugin-too-old",
    mistake: "The node image contains an ECR plugin older than v1.34, which ignores the token.",
    edits: [{ file: files.cluster, from: '"version": "1.35.2"', to: '"version": "1.33.3"' }],
    stopsAt: "provider-on-node",
    servedBy: "node identity",
  },
  {
    ...web,
    id: "azure-json-without-managed-identity-extension",
    mistake:
      "The plugin's `azure.json` lacks `useManagedIdentityExtension`, so the plugin takes the token and discards it.",
    image: images.acr,
    edits: [
      {
        file: files.nodes,
        from: `        ${TENANT},\n        "useManagedIdentityExtension": true\n`,
        to: `        ${TENANT}\n`,
      },
    ],
    stopsAt: "provider-on-node",
  },
  {
    ...web,
    id: "custom-pool-with-the-released-google-plugin",
    mistake:
      "The nodes have the released Google plugin, which exchanges tokens only at the pools of GKE and fleets, but the pool is a custom one.",
    serviceAccount: "shop/tools",
    image: images.google,
    edits: [{ file: files.cluster, from: '"custom-pools"', to: "" }],
    stopsAt: "provider-on-node",
  },
];
