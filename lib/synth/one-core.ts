import { createRequire } from "node:module";
import type { IConstruct } from "constructs";
import { fail } from "../errors";

const CORE = "cdktf";
const VERSION = /^\d+\.\d+\./;

/**
 * Refuses an app of another core than the one that this library loads: two cores in one tree end in errors such as
 * `_resetResolveDiscoveredProviderFeatureUsage is not a function` when the app is synthesized. Two copies of one version,
 * which npm makes of an alias, work together.
 *
 * @param loaded - Version of the core that the library loads.
 */
export function assertOneCore({ node }: IConstruct, loaded: string = ownVersion()): void {
  // Both cores note their version there, under this name; `Testing.app()` notes another text.
  const version: unknown = node.tryGetContext("cdktfVersion");
  if (typeof version !== "string" || !VERSION.test(version) || minor(version) === minor(loaded)) return;
  fail("package-mismatch", {
    problem: "the app was made with another core than the one that this library loads",
    value: version,
    allowed: `${CORE} ${loaded}`,
    remedy:
      "install the package of this library that is made for the app's core, see docs/cdk-terrain.md; `npm ls` shows what brings the second one",
  });
}

function minor(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

function ownVersion(): string {
  return (createRequire(__filename)(`${CORE}/package.json`) as { readonly version: string }).version;
}
