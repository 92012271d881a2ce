import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Name of this package, and of the command that it installs. */
export const PACKAGE = "cdktf-workload-identity";

export function packageManifest(): { readonly version: string; readonly homepage?: string } {
  const manifest = createRequire(__filename).resolve(`${PACKAGE}/package.json`);
  return JSON.parse(readFileSync(manifest, "utf8")) as ReturnType<typeof packageManifest>;
}
