/*
 * The plugins, one row each: a registry that is added here is known to the kubelet's configuration and to the verifier.
 */

import type { Plugin } from "../model/plugin";
import { acr } from "./acr";
import { gcp } from "./artifact-registry";
import { artifactoryPlugin } from "./artifactory";
import { cloudsmithPlugin } from "./cloudsmith";
import { ecr } from "./ecr";
import { harborBridgePlugin, harborPlugin } from "./harbor";
import { quayPlugin } from "./quay";
import { vaultPlugin } from "./vault-secret";

const OTHERS: readonly Plugin[] = [
  artifactoryPlugin,
  cloudsmithPlugin,
  harborPlugin,
  harborBridgePlugin,
  quayPlugin,
  vaultPlugin,
];

/** By the key that clusters' facts and settings use: that of a cloud, or the name of the executable. */
export const PLUGINS: Readonly<Record<string, Plugin>> = {
  ecr,
  acr,
  gcp,
  ...Object.fromEntries(OTHERS.map((each) => [each.executable, each])),
};
