/*
 * Which roles let somebody download from Artifact Registry.
 */

import { isLateText } from "../../facts/terraform";
import { DOWNLOAD } from "./denials";
import type { CustomRoles } from "./granted-permissions";

/** Roles that may download. Source: cloud.google.com/artifact-registry/docs/access-control, "Roles". */
const ROLES: ReadonlySet<string> = new Set(
  ["reader", "writer", "repoAdmin", "admin", "createOnPushWriter", "createOnPushRepoAdmin"].map(
    (name) => `roles/artifactregistry.${name}`,
  ),
);

/**
 * Predefined roles that surely may not: those of the registry that are not named above, and those of services which have
 * nothing to do with images. Of every other one, its service may download what it builds or runs.
 */
const OTHERS =
  /^roles\/(?:browser$|(?:artifactregistry|storage|iam|logging|monitoring|secretmanager|pubsub|bigquery|dns|cloudkms|cloudsql)\.)/i;
/** Of the registry, but documented by its task and not by its permissions. */
const UNTOLD = /^roles\/(?:artifactregistry\.containerRegistry|.*agent$)/i;

/** Whether a role holds the download; `undefined` where it cannot be told. */
export function holdsDownload(role: string, custom: CustomRoles): boolean | undefined {
  if (ROLES.has(role)) return true;
  const fact = custom.get(role);
  if (fact !== undefined) return fact.off ? false : fact.permissions?.includes(DOWNLOAD);
  return !isLateText(role) && OTHERS.test(role) && !UNTOLD.test(role) ? false : undefined;
}
