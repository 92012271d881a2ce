/*
 * The kubelet's two credential provider flags on OpenShift: fixed text of the operator's unit on the clouds, a
 * variable that a drop-in file sets on-premises.
 */

import { fail } from "../../errors";
import { type NodeFile, type NodeSetup, nodeFile } from "../../model/node-file";
import { PLUGIN_DIRECTORY, type PlatformNodes } from "./platforms";
import { KUBELET_DROP_IN } from "./versions";

const DROP_IN_MODE = 0o644;

/**
 * The files of a setup, flags included: unchanged where the unit has the flags, with the drop-in elsewhere.
 *
 * Throws `kubelet-flags-fixed` for a flag that the nodes cannot be given, or not with this value.
 */
export function filesWithFlags(setup: NodeSetup, nodes: PlatformNodes): readonly NodeFile[] {
  const possible: Readonly<Record<string, string>> = {
    "image-credential-provider-bin-dir": PLUGIN_DIRECTORY,
    "image-credential-provider-config": nodes.configPath,
  };
  for (const [flag, value] of Object.entries(setup.kubeletFlags)) {
    const expected = Object.hasOwn(possible, flag) ? possible[flag] : undefined;
    if (value !== expected) fail("kubelet-flags-fixed", flag, value, expected);
  }
  if (nodes.flags === "unit" || Object.keys(setup.kubeletFlags).length === 0) return setup.files;
  return [...setup.files, dropIn(possible)];
}

/** The variable's name is the operator's; its unit takes it unquoted, so that it splits into two arguments. */
function dropIn(flags: Readonly<Record<string, string>>): NodeFile {
  const text = Object.entries(flags)
    .map(([flag, value]) => `--${flag}=${value}`)
    .join(" ");
  return nodeFile({
    path: KUBELET_DROP_IN,
    mode: DROP_IN_MODE,
    content: `[Service]\nEnvironment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=${text}"\n`,
  });
}
