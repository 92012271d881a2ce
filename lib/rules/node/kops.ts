/*
 * kOps, as far as file assets go: files, a drop-in for the kubelet's unit that appends the flags to kOps' own, and a
 * hook that downloads plugins before the kubelet starts.
 *
 * Source: kubernetes/kops, pkg/apis/kops/v1alpha2/cluster.go (FileAssetSpec, HookSpec), nodeup/pkg/model/file_assets.go
 * (mode 0440 if none is stated; base64 without padding) and kubelet.go (on AWS and GCE kOps writes
 * /var/lib/kubelet/credential-provider.conf and both flags into DAEMON_ARGS; ExecStart=…/kubelet "$DAEMON_ARGS"). If a
 * flag is given twice, the last value wins (spf13/pflag).
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import type { NodeExecutable, NodeFile, NodeSetup } from "../../model/node-file";
import { at, list, text } from "../../model/parsed";
import { unitCommands } from "./commands";
import { type NodeForm, carriedFiles, octal } from "./form";
import { fetchCommand } from "./plugin-source";

/** kOps writes this file itself, and fails if a file asset has the same path. */
const TAKEN = "/var/lib/kubelet/credential-provider.conf";
const DROP_IN = "/etc/systemd/system/kubelet.service.d/50-credential-provider.conf";
const DROP_IN_MODE = 0o644;

/** The `spec` of a Cluster or InstanceGroup, to be merged into the team's own. */
export function kopsSpec(setup: NodeSetup, kubelet: string): object {
  const { executables = [] } = setup;
  const files = [...setup.files, dropIn(setup, kubelet)];
  return {
    fileAssets: files.map(fileAsset),
    ...(executables.length > 0 && { hooks: [hook(executables)] }),
  };
}

function fileAsset({ path, mode, content }: NodeFile): object {
  if (path === TAKEN)
    fail("node-conflict", {
      problem: "kOps writes this file itself, and refuses a file asset of the same path",
      value: path,
      allowed: "any path but this one",
      remedy: "leave `configPath` out",
    });
  if (isLate(content))
    fail("node-unsupported", {
      problem: `the content of ${path} contains a value known only after apply, but the cluster's specification is needed before`,
      value: path,
      allowed: "contents that are known at synth",
      remedy: "use a literal value",
    });
  return { name: path.slice(1).replaceAll("/", "-"), path, mode: octal(mode), content };
}

function dropIn({ kubeletFlags }: NodeSetup, kubelet: string): NodeFile {
  const flags = Object.entries(kubeletFlags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([flag, value]) => ` --${flag}=${value}`);
  return {
    path: DROP_IN,
    mode: DROP_IN_MODE,
    content: `[Service]\nExecStart=\nExecStart=${kubelet} "$DAEMON_ARGS"${flags.join("")}\n`,
  };
}

function hook(executables: readonly NodeExecutable[]): object {
  const commands = executables.map((each) => `ExecStart=/bin/sh -c '${fetchCommand(each)}'`);
  return {
    name: "credential-provider-plugins.service",
    before: ["kubelet.service"],
    manifest: ["Type=oneshot", "RemainAfterExit=yes", ...commands, ""].join("\n"),
  };
}

export const KOPS_FORM: NodeForm = {
  id: "kops",
  is: (document) => {
    const version = at(document, "apiVersion");
    const isKops = version === "kops.k8s.io/v1alpha2" || version === "kops.k8s.io/v1alpha3";
    return isKops && Array.isArray(at(document, "spec", "fileAssets"));
  },
  read: ([document]) => ({
    files: carriedFiles(
      at(document, "spec", "fileAssets"),
      ["spec", "fileAssets"],
      { path: "path", content: "content", mode: "mode" },
      ({ isBase64 }) => (isBase64 === true ? "base64" : "plain"),
    ),
    flags: undefined,
    configuration: at(document, "spec", "kubelet"),
    kubelet: text(at(document, "spec", "kubernetesVersion")) || undefined,
    problem: list(at(document, "spec", "fileAssets")).some((each) => at(each, "path") === TAKEN)
      ? `kOps writes ${TAKEN} itself, and refuses a file asset of the same path`
      : undefined,
    commands: list(at(document, "spec", "hooks")).flatMap((each) => unitCommands(text(at(each, "manifest")))),
  }),
};
