import { lintCredentialProviderConfig } from "../../../lib/rules/kubelet/lint-credential-provider-config";
import { validateCredentialProviderConfig } from "../../../lib/rules/kubelet/validate-credential-provider-config";
import {
  type OpenShiftPlatform,
  platformNodes,
  openShiftRelease,
} from "../../../lib/rules/openshift/versions";
import { type Json, list, record, text } from "../json";
import { type FinishedStack, type FoundNodes, annotationsOf } from "../synth-output";
import { configOf, matches, uses } from "./uses";

const PATH_FLAG = "image-credential-provider-config";

/** Whether the nodes' kubelets start, and ask a plugin for each declared image. */
export function judgeKubelet(stack: FinishedStack): readonly string[] {
  return [
    ...(stack.nodes.length === 0 ? ["no node gets a CredentialProviderConfig"] : []),
    ...stack.nodes.flatMap((nodes) => judgeNodes(stack, nodes)),
    ...uses(stack).flatMap(({ subject, entry, title }) => {
      const required = list(record(entry["tokenAttributes"])["requiredServiceAccountAnnotationKeys"]);
      const annotations = annotationsOf(stack, subject);
      return required
        .filter((key) => text(annotations[text(key)]) === "")
        .map((key) => `${title}: the service account lacks the annotation ${text(key)}`);
    }),
  ];
}

function judgeNodes(stack: FinishedStack, nodes: FoundNodes): readonly string[] {
  const [config, ...others] = configOf(nodes);
  if (!config || others.length > 0)
    return [`${nodes.where}: ${others.length + (config ? 1 : 0)} CredentialProviderConfigs`];
  const [path, document] = config;
  const { kubelet, featureGates } = stack.cluster;
  const issues = [
    ...validateCredentialProviderConfig(document, {
      kubelet: text(kubelet),
      featureGates: record(featureGates) as Readonly<Record<string, boolean>>,
    }),
    ...lintCredentialProviderConfig(document),
  ];
  const entries = list(document["providers"]).map(record);
  return [
    ...issues.map(({ field, message }) => `${nodes.where}: ${field}: ${message}`),
    ...(path === expectedPath(stack.cluster, nodes)
      ? []
      : [`${nodes.where}: the kubelet does not read ${path}`]),
    ...stack.pulls
      .filter(({ image }) => !entries.some((entry) => entry["tokenAttributes"] && matches(entry, image)))
      .map(({ image }) => `${nodes.where}: no entry with tokens matches ${image}`),
    ...[...nodes.files]
      .filter(([, { mode }]) => (mode & 0o022) !== 0 || (mode & 0o400) === 0)
      .map(([file, { mode }]) => `${nodes.where}: ${file} has the mode ${mode.toString(8)}`),
  ];
}

/** The flags say it, or the kubelet unit of OpenShift's platform does. */
function expectedPath(cluster: Json, { kubeletFlags }: FoundNodes): string {
  if (kubeletFlags[PATH_FLAG] !== undefined) return text(kubeletFlags[PATH_FLAG]);
  const { platform, version } = record(cluster["openShift"]);
  if (platform === undefined) return "any file: the flags are missing";
  return platformNodes(platform as OpenShiftPlatform, openShiftRelease(text(version))).configPath;
}
