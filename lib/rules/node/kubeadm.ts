/*
 * kubeadm's InitConfiguration and JoinConfiguration, and Cluster API's KubeadmConfigTemplate: extra arguments of the kubelet
 * are a map up to kubeadm v1beta3 and Cluster API v1beta1, and a list of names and values since kubeadm v1beta4 and
 * Cluster API v1beta2.
 *
 * Sources: kubernetes/kubernetes, cmd/kubeadm/app/apis/kubeadm/v1beta3 and v1beta4 (NodeRegistrationOptions; v1beta4 since
 * kubeadm 1.31; v1beta3 removed in 1.37 by kubernetes/kubernetes pull request 136016, CHANGELOG-1.37.md);
 * kubernetes-sigs/cluster-api, api/bootstrap/kubeadm/v1beta1 and v1beta2 (Arg, File, commands) and the CRD of both (content of 1 to
 * 10,240 characters).
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import type { NodeFile, NodeSetup } from "../../model/node-file";
import { type Json, at, list, record, text } from "../../model/parsed";
import { compareVersions } from "../../model/version";
import { type CarriedFile, type CarriedSetup, type NodeForm, carriedFiles, flagsInTurn, octal } from "./form";
import { fetchCommand } from "./plugin-source";

type Flags = Readonly<Record<string, string>>;

/** Versions of kubeadm's configuration; they differ in how extra arguments are written. */
export const KUBEADM_VERSIONS = ["v1beta3", "v1beta4"] as const;
export type KubeadmVersion = (typeof KUBEADM_VERSIONS)[number];

const KUBEADM = "kubeadm.k8s.io";
const LISTS: readonly string[] = ["v1beta4"];
const V1BETA3_UNTIL = "1.36";

function sorted(flags: Flags): readonly (readonly [string, string])[] {
  return Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1));
}

function extraArgs(flags: Flags, asList: boolean): object {
  return asList ? sorted(flags).map(([name, value]) => ({ name, value })) : Object.fromEntries(sorted(flags));
}

/** Throws if the kubelet's kubeadm does not read the version. */
export function checkKubeadm(version: KubeadmVersion, kubelet: string): void {
  if (version === "v1beta3" && compareVersions(kubelet, V1BETA3_UNTIL) > 0)
    fail("version-unsupported", {
      problem: `kubeadm ${kubelet} does not read ${KUBEADM}/v1beta3`,
      value: version,
      allowed: "v1beta4",
      remedy: "write v1beta4; `kubeadm config migrate` rewrites the rest of the file",
    });
}

/** `nodeRegistration` of both configurations, to be added to the team's own. */
export function kubeadmDocuments(setup: NodeSetup, version: KubeadmVersion): readonly object[] {
  const kubeletExtraArgs = extraArgs(setup.kubeletFlags, LISTS.includes(version));
  return ["InitConfiguration", "JoinConfiguration"].map((kind) => ({
    apiVersion: `${KUBEADM}/${version}`,
    kind,
    nodeRegistration: { kubeletExtraArgs },
  }));
}

export interface KubeadmTemplate {
  readonly name: string;
  readonly namespace: string;
  readonly version: "v1beta1" | "v1beta2";
}

const CONTENT_MAX = 10_240;

/** The `spec` of a KubeadmConfigTemplate; the team owns all other fields. */
export function kubeadmTemplateSpec(setup: NodeSetup, { version }: Pick<KubeadmTemplate, "version">): object {
  const asList = version === "v1beta2";
  const nodeRegistration = { kubeletExtraArgs: extraArgs(setup.kubeletFlags, asList) };
  const executables = setup.executables ?? [];
  return {
    template: {
      spec: {
        files: setup.files.map(templateFile),
        ...(executables.length > 0 && { preKubeadmCommands: executables.map(fetchCommand) }),
        initConfiguration: { nodeRegistration },
        joinConfiguration: { nodeRegistration },
      },
    },
  };
}

/** Omits empty content: the CRD requires at least one character. */
function templateFile({ path, mode, content }: NodeFile): object {
  if (!isLate(content) && content.length > CONTENT_MAX)
    fail("node-unsupported", {
      problem: `the content of ${path} is too long for a KubeadmConfigTemplate`,
      value: content.length,
      allowed: `at most ${CONTENT_MAX} characters`,
      remedy:
        "put the file into the machine image or into a Secret that `contentFrom` names, and do not use this carrier",
    });
  return { path, owner: "root:root", permissions: octal(mode), ...(content !== "" && { content }) };
}

/** The row of kubeadm's own configuration: flags for nodes whose files come from another document. */
export const KUBEADM_FORM: NodeForm = {
  id: "kubeadm",
  is: (document) =>
    text(at(document, "apiVersion")).startsWith(`${KUBEADM}/`) &&
    ["InitConfiguration", "JoinConfiguration"].includes(text(at(document, "kind"))),
  read: ([document]) => {
    const version = text(at(document, "apiVersion")).slice(KUBEADM.length + 1);
    const read = argumentsOf(
      at(document, "nodeRegistration", "kubeletExtraArgs"),
      LISTS.includes(version),
      `${KUBEADM}/${version}`,
    );
    return { files: [], ...read, ofOthers: true };
  },
};

export const KUBEADM_TEMPLATE_FORM: NodeForm = {
  id: "kubeadm-config-template",
  is: (document) =>
    text(at(document, "apiVersion")).startsWith("bootstrap.cluster.x-k8s.io/") &&
    ["KubeadmConfigTemplate", "KubeadmConfig"].includes(text(at(document, "kind"))),
  read: ([document]) => {
    const isTemplate = at(document, "kind") === "KubeadmConfigTemplate";
    const path = isTemplate ? ["spec", "template", "spec"] : ["spec"];
    const spec = record(at(document, ...path));
    const version = text(at(document, "apiVersion")).replace(/^.*\//, "");
    // Machines join with the first; the first machine of a control plane uses the second.
    const [join, init] = ["joinConfiguration", "initConfiguration"].map((key) => spec[key]);
    const args = [join, init].map((each) => at(each, "nodeRegistration", "kubeletExtraArgs"));
    const read = args.map((each) =>
      argumentsOf(each, version === "v1beta2", `KubeadmConfigTemplate ${version}`),
    );
    const flags = read[join === undefined ? 1 : 0];
    const differ =
      join !== undefined && init !== undefined && JSON.stringify(args[0]) !== JSON.stringify(args[1]);
    const files = carriedFiles(spec["files"], [...path, "files"], KEYS, encodingOf);
    return {
      files,
      flags: {},
      ...flags,
      ...(differ && { doubt: "initConfiguration and joinConfiguration give kubelets different arguments" }),
      ...(files.some(({ content = "" }) => content.length > CONTENT_MAX) && {
        problem: `the API server refuses files of more than ${CONTENT_MAX} characters`,
      }),
      commands: COMMANDS.flatMap((key) => list(spec[key])),
    };
  },
};

const COMMANDS: readonly string[] = ["bootCommands", "preKubeadmCommands", "postKubeadmCommands"];
const KEYS = { path: "path", content: "content", mode: "permissions" } as const;
const ENCODINGS = { base64: "base64", gzip: "other", "gzip+base64": "gzip+base64" } as const;

function encodingOf({ encoding, contentFrom, contentFormat = "Raw" }: Json): CarriedFile["encoding"] {
  if (contentFrom !== undefined || contentFormat !== "Raw") return "other";
  const row = Object.entries(ENCODINGS).find(([name]) => name === encoding);
  return row?.[1] ?? "plain";
}

/** The flags, or why the program refuses the way in which they are written. */
function argumentsOf(written: unknown, asList: boolean, by: string): Omit<CarriedSetup, "files"> {
  if (written === undefined) return { flags: {} };
  if (Array.isArray(written) !== asList)
    return {
      flags: {},
      problem: `${by} expects kubeletExtraArgs as a ${asList ? "list of name and value" : "map"}, but it is a ${asList ? "map" : "list"}`,
    };
  const rows = asList
    ? list(written).map((each): [string, unknown] => [text(at(each, "name")), at(each, "value")])
    : Object.entries(record(written));
  return { flags: flagsInTurn(rows) };
}
