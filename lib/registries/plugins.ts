/*
 * The plugins, one row each: a registry that is added here is known to the kubelet's configuration and to the verifier.
 */

import type { Plugin } from "../model/plugin";
import { acr } from "./acr";
import { gcp } from "./artifact-registry";
import { ecr } from "./ecr";

/** By the key that clusters' facts and settings use. */
export const PLUGINS: Readonly<Record<string, Plugin>> = { ecr, acr, gcp };
