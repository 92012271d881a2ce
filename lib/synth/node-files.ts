import { isDnsLabel } from "../model/kubernetes-name";
import { NODE_SETUP, type NodeSetup, nodeFile } from "../model/node-file";
import { checkGiven } from "../model/shape";
import { spokeNodesFile } from "./manifest-name";
import { refuseFileName } from "./problems";

/** Node files that are written as data, and where. */
export interface WrittenNodes {
  /** Path below the stack's folder. */
  readonly file: string;
  /** What is written. */
  readonly setup: NodeSetup;
  /**
   * Name of the spoke whose control plane gets the files.
   *
   * @defaultValue - they are for nodes of the cluster itself
   */
  readonly spoke?: string;
  /** Lines for the reader, without `#`. */
  readonly comment: readonly string[];
}

const NODE_COMMENT: readonly string[] = [
  "Put the files on each node, give the kubelet the flags and restart it: it reads both only when it starts.",
  "The permissions and the annotated service accounts in manifests/ come first.",
];

/** Files and kubelet flags for nodes of the cluster. */
export function clusterNodes(name: string, setup: NodeSetup): WrittenNodes {
  checkGiven(`the node files ${name}`, NODE_SETUP, setup, "setup");
  if (!isDnsLabel(name)) refuseFileName(name);
  for (const file of setup.files) nodeFile(file);
  return { file: `nodes/${name}.yaml`, setup, comment: NODE_COMMENT };
}

/** Files for the control plane of a spoke. */
export function spokeNodes(spoke: string, setup: NodeSetup): WrittenNodes {
  checkGiven(`the node files of spoke ${spoke}`, NODE_SETUP, setup, "setup");
  for (const file of setup.files) nodeFile(file);
  const flags = setup.files.map(({ path }) => `--authentication-config=${path}`).join(" ");
  return {
    file: spokeNodesFile(spoke),
    setup,
    spoke,
    comment: [
      `Belongs to the spoke ${spoke}: put the files on each node of its control plane, and start kube-apiserver with`,
      `${flags}, which takes the place of all --oidc-… flags.`,
    ],
  };
}

/** The document of the file: `files` with octal modes as text, and `kubeletFlags`. */
export function nodesDocument({ setup }: WrittenNodes): object {
  const flags = Object.entries(setup.kubeletFlags).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    files: setup.files.map(({ path, mode, content }) => ({
      path,
      mode: mode.toString(8).padStart(4, "0"),
      content,
    })),
    kubeletFlags: Object.fromEntries(flags),
  };
}
