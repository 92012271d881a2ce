import { isDnsLabel } from "../model/kubernetes-name";
import { fail } from "../errors";
import { NODE_SYNTAXES, type NodeDocument } from "../model/node-document";
import { NODE_SETUP, type NodeSetup, nodeFile } from "../model/node-file";
import { checkGiven } from "../model/shape";
import { octal } from "../rules/node/form";
import { spokeNodesFile } from "./manifest-name";
import { refuseFileName } from "./problems";

export interface WrittenNodes {
  /** Path below the stack's folder. */
  readonly file: string;
  readonly document: NodeDocument;
  /** Name of the spoke whose control plane gets the files; otherwise they are for the cluster itself. */
  readonly spoke?: string;
  /** Whether it is for the cluster's own control plane. */
  readonly controlPlane?: boolean;
  /** The cluster in whose folder the file is; by default the stack's only one. */
  readonly cluster?: string | undefined;
  /** Whether it is for the owner of a registry. */
  readonly registry?: boolean;
}

const NODE_COMMENT: readonly string[] = [
  "Put the files on each node, set the kubelet's flags and restart the kubelet: it reads both only when it starts.",
  "Apply the permissions and the annotated service accounts in manifests/ first.",
];

/** What the owner of a registry must configure. */
export function registryNodes(host: string, content: object): WrittenNodes {
  const file = `registries/${host.replace(":", "_")}.json`;
  return { file, registry: true, document: { form: "files", extension: "json", content: [content] } };
}

/** Files and kubelet flags for nodes of the cluster, as data. */
export function clusterNodes(name: string, setup: NodeSetup): WrittenNodes {
  checkGiven(`the node files ${name}`, NODE_SETUP, setup, "setup");
  return documentNodes(name, plainDocument(setup, NODE_COMMENT));
}

export function documentNodes(name: string, document: NodeDocument): WrittenNodes {
  const { extension } = document;
  if (!isDnsLabel(name)) refuseFileName(name);
  if (!Object.hasOwn(NODE_SYNTAXES, extension))
    fail("manifest-invalid", {
      problem: `the document ${name} for nodes has an unknown file name extension`,
      value: extension,
      allowed: Object.keys(NODE_SYNTAXES).join(", "),
      remedy: "use the extension of the document's syntax; for plain text use toml or txt",
    });
  return { file: `nodes/${name}.${extension}`, document };
}

export function controlPlaneNodes(name: string, document: NodeDocument): WrittenNodes {
  const { file } = documentNodes(name, document);
  return { file: file.replace(/^nodes/, "control-plane"), document, controlPlane: true };
}

export function spokeNodes(spoke: string, setup: NodeSetup): WrittenNodes {
  checkGiven(`the node files of spoke ${spoke}`, NODE_SETUP, setup, "setup");
  const flags = setup.files.map(({ path }) => `--authentication-config=${path}`).join(" ");
  const document = plainDocument(
    setup,
    [
      `Belongs to the spoke ${spoke}: put the files on each node of its control plane, and start kube-apiserver with`,
      `${flags}, which replaces all --oidc-… flags.`,
    ],
    true,
  );
  return { file: spokeNodesFile(spoke), spoke, document };
}

/** A document for the control plane of a spoke; a further one has only arguments. */
export function spokeDocument(spoke: string, document: NodeDocument, isFurther: boolean): WrittenNodes {
  const { extension, comment = [] } = document;
  const file = spokeNodesFile(spoke).replace(/\.yaml$/, `${isFurther ? "-config" : ""}.${extension}`);
  return { file, spoke, document: { ...document, comment: [`Belongs to the spoke ${spoke}.`, ...comment] } };
}

/** `files` with octal modes as text, and `kubeletFlags`, which API servers have none of. */
function plainDocument(
  { files, kubeletFlags, executables = [] }: NodeSetup,
  comment: readonly string[],
  isOfServers: boolean = false,
): NodeDocument {
  const flags = Object.entries(kubeletFlags).sort(([a], [b]) => (a < b ? -1 : 1));
  const content = {
    files: files.map(nodeFile).map(({ path, mode, content: text }) => ({
      path,
      mode: octal(mode),
      content: text,
    })),
    ...((flags.length > 0 || !isOfServers) && { kubeletFlags: Object.fromEntries(flags) }),
    ...(executables.length > 0 && { executables }),
  };
  return { form: "files", extension: "yaml", content: [content], comment };
}
