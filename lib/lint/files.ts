/*
 * Rules about files as a whole: who else writes a file of nodes, and what was not read.
 */

import type { LintFacts } from "./read";
import type { LintRule, Spot } from "./rule";

/** Files that a distribution writes. Sources: openshift/machine-config-operator; awslabs/amazon-eks-ami; Azure/AgentBaker. */
const OWNED: readonly (readonly [path: RegExp, owner: string])[] = [
  [/\/etc\/kubernetes\/credential-providers\/[\w-]+\.yaml/, "the Machine Config Operator of OpenShift"],
  [/\/etc\/eks\/image-credential-provider\/config\.json/, "the image of EKS nodes"],
  [/\/var\/lib\/kubelet\/credential-provider-config\.yaml/, "the image of AKS nodes"],
  [/\/etc\/srv\/kubernetes\/cri_auth_config\.yaml/, "the image of GKE nodes"],
];

/** Kinds that run or hold a program; a kubelet's flags name the file too. */
const INSTALLER = /\bkind"?: ?"?(?:ConfigMap|DaemonSet|Job|Pod)\b/;

/** Files with a program that names such a file, and that do not bring it to nodes as a whole. */
function edited({ files, onNodes }: LintFacts): readonly Spot[] {
  return files.flatMap(({ file, text }) =>
    OWNED.flatMap(([path, owner]): readonly Spot[] => {
      const { 0: written = "", index = 0 } = path.exec(text) ?? {};
      const carriers = onNodes.filter(([each]) => each === written).map(([, carrier]) => carrier);
      if (written === "" || carriers.includes(file) || !INSTALLER.test(text)) return [];
      const [other] = carriers;
      const beside = other === undefined ? "" : `, and ${other} brings it to nodes`;
      const line = text.slice(0, index).split("\n").length;
      const what = `${written} is named here; ${owner} writes it${beside}`;
      return [{ subject: file, target: written, what, source: { file, path: "", line } }];
    }),
  );
}

export const FILE_RULES: readonly LintRule[] = [
  {
    id: "node-file-edited",
    severity: "warning",
    question: "Has each file of nodes one owner?",
    effect:
      "where an installer edits it, OpenShift reports the node as degraded, and new nodes of a managed service start without the change",
    remedy:
      "bring the whole file instead: by a MachineConfig for each pool, by user data, or in the node image",
    source:
      "openshift/machine-config-operator:pkg/daemon; openshift/enhancements#1987; awslabs/amazon-eks-ami",
    log: "OpenShift: unexpected on-disk state validating against rendered-…",
    run: edited,
  },
  {
    id: "file-not-read",
    severity: "warning",
    question: "Could each file be read?",
    effect: "lint says nothing about it",
    remedy: "correct or render the file",
    source: "YAML 1.1; RFC 8259",
    run: ({ unread }) => unread.map(({ source, reason }) => ({ subject: source.file, what: reason, source })),
  },
];
